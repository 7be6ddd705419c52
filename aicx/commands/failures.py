"""`aicx failures`: lists, shows and parses what failed in sessions, and what resolved it."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, BinaryIO, Literal

from aicx import console, options
from aicx.config import load_settings
from aicx.errors import NotFound, UsageError
from aicx.paths import user_path
from aicx.questions import Argument, Option
from aicx.storage.typed import with_texts
from aicx.text import shorten
from aicx.toolchains.parsing import ErrorEvent, parse
from aicx.toolchains.terminal import HEAD, TAIL
from aicx.work.failures import (
    LIST_SCHEMA,
    PARSE_SCHEMA,
    SCHEMA,
    FailureItem,
    FailuresAnswer,
    find_failure,
    item_of,
    patterns_at,
    told,
    with_code,
)

_CHUNK = 1 << 20  # bytes read at once


@contextmanager
def reading() -> Iterator[Callable[[int, int], None]]:
    """How far the reading of what sessions did has come, as a bar."""
    with console.count_bar("Reading sessions") as bar:
        yield lambda done, of: bar(done, of, "")


def print_line(item: FailureItem) -> None:
    """Two lines: what failed, by the name of its test where it has one, and how it stands."""
    style = console.style
    open_ = item.status == "open"
    place = f"{item.file}:{item.line}" if item.file and item.line else item.file or ""
    test = f"{shorten(item.test, 100)}: " if item.test and item.test not in item.message else ""
    what = test + " ".join(with_code(item.code, shorten(item.message, 140)))
    console.out_table([(style(item.status, fg="red" if open_ else "green"), style(what, bold=True))], (10,))
    often = console.plural(item.occurrences, "time")
    within = f" in {console.plural(len(item.sessions), 'session')}" if len(item.sessions) > 1 else ""
    facts = [item.id, item.toolchain, place, f"{often}{within}, last {console.when(item.last_at)}"]
    console.out(f"          {' · '.join(filter(None, facts))}")


def list_failures(
    limit: options.Limit = 20,
    status: Annotated[
        Literal["open", "resolved"] | None, Option("--status", help="Only open ones, or only resolved ones.")
    ] = None,
    everywhere: Annotated[bool, Option("--everywhere", help="Of all repositories.")] = False,
    repo: options.Repo = None,
    utc: options.Utc = False,
) -> options.Answered:
    """List the failures that stored sessions of a repository ran into, the last reported first.

    A failure is one mistake that a tool reported, wherever and however often. It is resolved once the command that
    failed has passed.

    Example: aicx failures
    Example: aicx failures list --status open --everywhere --json
    """
    folder = None if everywhere else options.folder(repo)
    with reading() as on_progress:
        found, notes = patterns_at(load_settings(), folder, on_progress)
    wanted = [one for one in found if status is None or one.status == status]
    answer = FailuresAnswer(len(wanted[:limit]), len(wanted), list(map(item_of, wanted[:limit])), notes)
    yield LIST_SCHEMA, answer
    for item in answer.items:
        print_line(item)
    console.notify_notes(answer.notes)
    if not answer.items:
        where = "anywhere" if everywhere else "in this repository (--everywhere looks in all)"
        console.notify(f"No failures are known {where}.")
    elif answer.matched > answer.results:
        console.notify(f"{answer.results:,} of {answer.matched:,}; --limit {answer.matched} shows all.")
    else:
        console.notify("`aicx show REF` shows what was tried and what resolved one.")


@options.either("ref", "--failure")
def show_failure(
    ref: Annotated[str, Argument(metavar="ID", help="As `failures list` prints it, or its beginning.")],
    utc: options.Utc = False,
) -> options.Answered:
    """Show a failure: what the tool said, what was tried without effect, and what resolved it.

    Example: aicx show failure:3fa91c
    """
    with reading() as on_progress:
        found = find_failure(load_settings(), ref, on_progress)
    yield SCHEMA, found
    _print_failure(found.failure)
    console.notify_notes(found.notes)


def _print_failure(item: FailureItem) -> None:
    style = console.style
    print_line(item)
    console.out(f"          `{item.command}`  {style(item.last_ref, fg='green')}")
    for title, tries in (
        ("Resolved by", [(one.by, one.session) for one in item.resolutions]),
        ("Tried without effect", [(one, "") for one in item.attempts]),
    ):
        if tries:
            console.out(f"\n{style(title, bold=True)}")
        for one, session in tries:
            console.out(f"  {console.when(one.at)}  {told(one, session)}  {style(one.ref, fg='green')}")
    if len(item.sessions) > 1:
        console.out(f"\n{style('Sessions', bold=True)}")
        for session in item.sessions:
            console.out(f"  {style(session, fg='green')}")


def parse_output(
    file: Annotated[str, Argument(metavar="[FILE]", help="The output; - or nothing for standard input.")] = "-",
    line: Annotated[str, Option("--command", metavar="CMD", help="The command line that printed it.")] = "",
    exit_code: Annotated[int | None, Option(metavar="N", help="What the command ended with.")] = None,
) -> options.Answered:
    """Turn the output of a command into error events: tool, phase, message, code, file, line, fingerprint.

    The command and its exit code are not needed, but make the answer surer: with `| tail` or `|| true` the exit code
    is not the tool's own, and the result is read from the output. Of a very long output its beginning and its end are
    read. A fingerprint stays the same when lines move, durations change or temporary paths differ.

    Example: aicx failures parse build.log --command "make" --exit-code 2
    Example: npx tsc 2>&1 | aicx failures parse --command "npx tsc" --json
    """
    from aicx.redaction import redact_plain  # imported here: not needed for --help

    # What a tool printed was never stored, and so never redacted.
    parsed = with_texts(parse(_read_output(file), line, exit_code), lambda text: redact_plain(text).text)
    yield PARSE_SCHEMA, parsed
    for event in parsed.events:
        console.out(_event_line(event))
    count = console.plural(len(parsed.events), "event")
    console.notify(f"{parsed.family}: {'failed' if parsed.failed else 'did not fail'}, {count}.")


def _event_line(event: ErrorEvent) -> str:
    severity = console.style(f"{event.severity:8}", fg="red" if event.severity == "error" else "yellow")
    place = ":".join(str(part) for part in (event.file, event.line) if part is not None)
    words = with_code(event.code, " ".join(event.message.split()))
    return f"{severity}{event.fingerprint}  {'  '.join(filter(None, [place, *words]))}"


def _read_output(file: str) -> str:
    if file == "-":
        if sys.stdin.isatty():
            raise UsageError("there is no output to read", hint="name a file, or pipe the output in")
        return _ends(sys.stdin.buffer)
    path = user_path(file)
    if not path.is_file():
        raise NotFound(f"there is no file {file}")
    with path.open("rb") as stream:
        return _ends(stream)


def _ends(stream: BinaryIO) -> str:
    """The beginning and the end of a stream, as much as the parser reads, or all of it."""
    head = stream.read(HEAD)
    tail: deque[bytes] = deque()
    kept = 0
    while chunk := stream.read(_CHUNK):
        tail.append(chunk)
        kept += len(chunk)
        while kept - len(tail[0]) >= TAIL:
            kept -= len(tail.popleft())
    return (head + b"".join(tail)).decode("utf-8", "replace")
