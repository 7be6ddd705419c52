"""`aicx failures parse`: the error events in the output of one command."""

from __future__ import annotations

import sys
from collections import deque
from typing import Annotated, BinaryIO

import typer

from aicx import console, options
from aicx.errors import NotFound, UsageError
from aicx.paths import user_path
from aicx.storage.texts import with_texts
from aicx.toolchains.parsing import ErrorEvent, parse
from aicx.toolchains.terminal import HEAD, TAIL
from aicx.work.failures import PARSE_SCHEMA

_CHUNK = 1 << 20  # bytes read at once


def command(
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="The output; - or nothing for standard input.")] = "-",
    line: Annotated[str, typer.Option("--command", metavar="CMD", help="The command line that printed it.")] = "",
    exit_code: Annotated[int | None, typer.Option(metavar="N", help="What the command ended with.")] = None,
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
    parsed = with_texts(parse(_read(file), line, exit_code), lambda text: redact_plain(text).text)
    yield PARSE_SCHEMA, parsed
    for event in parsed.events:
        console.out(_line(event))
    count = console.plural(len(parsed.events), "event")
    console.notify(f"{parsed.family}: {'failed' if parsed.failed else 'did not fail'}, {count}.")


def _line(event: ErrorEvent) -> str:
    from aicx.work.failures import with_code

    severity = console.style(f"{event.severity:8}", fg="red" if event.severity == "error" else "yellow")
    place = ":".join(str(part) for part in (event.file, event.line) if part is not None)
    words = with_code(event.code, " ".join(event.message.split()))
    return f"{severity}{event.fingerprint}  {'  '.join(filter(None, [place, *words]))}"


def _read(file: str) -> str:
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
