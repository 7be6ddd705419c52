"""`aicx search --in memory` and `aicx memory sources`: what the memory says to a question, and the files it reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.errors import UsageError
from aicx.git.identity import find_repository
from aicx.memory.answers import MemoryEntry
from aicx.memory.recall.asking import SCHEMA, RecallAnswer
from aicx.memory.record import REASONS
from aicx.paths import user_path
from aicx.questions import PATH, Argument, Option
from aicx.text import shorten

if TYPE_CHECKING:
    from aicx.memory.sources import LiveSource, SourcesAnswer
    from aicx.memory.sources_files import Named

Outside = Annotated[bool, Option("--global", help="Also what --path names outside the repository.")]
Paths = Annotated[
    list[str] | None,
    Option(
        *("--path", "-f"),
        metavar="FILE",
        click_type=PATH,
        help="A file or folder outside the repository, such as an agent's memory folder; needs --global.",
    ),
]
Owner = Annotated[str | None, Option("--source", metavar="NAME", help="Whose the files named with --path are.")]
_COLORS = {"accepted": "green", "advisory": "cyan", "candidate": "yellow"}
_MAX_EVIDENCE = 3
_MAX_STATEMENT = 400


def recall_records(
    question: Annotated[list[str], Argument(metavar="QUESTION", help="What is to be done, or asked.")],
    limit: options.Limit = 8,
    with_evidence: Annotated[
        bool, Option("--with-evidence", help="Also passages of stored sessions; they are evidence, never agreed.")
    ] = False,
    kind: Annotated[list[str] | None, Option("--kind", metavar="KIND", help="Only this kind; several times.")] = None,
    status: Annotated[
        list[str] | None,
        Option("--status", metavar="STATUS", help="Also what is stale, superseded or archived; several times."),
    ] = None,
    decay: Annotated[
        Literal["off", "gentle", "strong"],
        Option("--decay", help="How much to prefer what was stated or confirmed lately."),
    ] = "gentle",
    record: Annotated[
        bool, Option("--record", help="Keep an event with the references that were shown, for `memory check eval`.")
    ] = False,
    repo: options.Repo = None,
    everywhere: Annotated[bool, Option("--everywhere", help="The records of all repositories.")] = False,
    outside: Outside = False,
    path: Paths = None,
    source: Owner = None,
) -> options.Answered:
    """Say what the memory and the instruction files of a repository have on a question, and what may be believed.

    What a person accepted is agreed. What a file such as CLAUDE.md says is guidance, read as it is now. A candidate is
    shown as one, and believed by nobody. What is stale, superseded, archived or blocked is left out, and counted; as
    JSON every considered reference is listed with its reasons. Where nothing fits well, that is said.

    Example: aicx search --in memory how are exports authorised
    Example: aicx search --in memory "retry limit" --with-evidence --json
    """
    from aicx.memory.assess import Status
    from aicx.memory.recall.asking import RecallQuery
    from aicx.memory.recall.run import Recaller
    from aicx.memory.record import KINDS

    for what, given, known in (("kind", kind, KINDS), ("status", status, get_args(Status))):
        for word in given or ():
            if word not in known:
                raise UsageError(f"{word!r} is not a {what}", hint=f"one of {', '.join(known)}")
    named = named_outside(outside, path, source)
    settings = load_settings()
    with Recaller(settings) as recaller:
        query = RecallQuery(
            " ".join(question),
            options.now(),
            recaller.scope(options.folder(repo)),
            limit,
            everywhere,
            tuple(kind or ()),
            frozenset(status or ()),
            with_evidence,
            named,
            decay,
        )
        answer = recaller.recall(query)
    if record:
        from aicx.memory.recall.run import record_recall

        record_recall(settings, answer, query.now, console.notify)
    yield SCHEMA, answer
    print_answer(answer)


def named_outside(outside: bool, paths: list[str] | None, owner: str | None) -> tuple[Named, ...]:
    """The places that the options name. Raises UsageError where one of them needs another."""
    if paths and not outside:
        raise UsageError("--path leads outside the repository, which needs --global", hint="add --global")
    if owner and not paths:
        raise UsageError("--source says whose the files of --path are", hint="add --global --path FILE")
    return tuple((user_path(one), owner) for one in paths or ())


def print_answer(answer: RecallAnswer) -> None:
    """Prints the entries, best first, and a summary of what was left out."""
    for entry in answer.entries:
        print_entry(entry)
    for lane in answer.degraded:
        console.warn(f"{lane.lane}: {lane.note}")
    if not answer.method.sufficient:
        missing = f" (nothing has {', '.join(answer.method.missing)})" if answer.method.missing else ""
        more = "nothing fits" if not answer.entries else "nothing fits well"
        console.notify(f"The memory has no answer: {more}{missing}.")
    agreed = len(answer.baseline)
    if answer.entries:
        served = " + ".join(answer.method.lanes)
        console.notify(f"{console.plural(len(answer.entries), 'statement')}, {agreed} agreed, found by {served}.")
    if answer.suppressed:
        said = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in answer.suppressed.items())
        console.notify(f"Left out: {said}; --json says which and why.")


def print_entry(entry: MemoryEntry) -> None:
    style = console.style
    label = "agreed" if entry.baseline else entry.status if entry.status != "advisory" else "guidance"
    facts = [entry.kind, *([entry.topic] if entry.topic else []), f"tier {entry.tier}", entry.usage, entry.freshness]
    console.out(f"{style(label, fg=_COLORS.get(entry.status, 'magenta'), bold=True)}  {style(entry.ref, fg='cyan')}")
    console.out(f"  {shorten(entry.statement or '(not shown)', _MAX_STATEMENT)}")
    facts += [f"evidence {', '.join(entry.evidence[:_MAX_EVIDENCE])}"] if entry.evidence else []
    console.out(style(f"  {' · '.join(shorten(fact, 120) for fact in facts)}", dim=True))
    if not entry.baseline and entry.status != "advisory":
        console.out(style(f"  {REASONS[entry.reasons[0]]}", fg="bright_black"))


def show_sources(
    repo: options.Repo = None, outside: Outside = False, path: Paths = None, source: Owner = None
) -> options.Answered:
    """List the instruction files of a repository that recall reads, without their content.

    They are read when they are asked for, never stored, and always advisory. What a memory policy excludes, what a link
    leads out of the repository to, and what cannot be read as text is listed with the reason. Writes nothing.

    Example: aicx memory sources --json
    Example: aicx memory sources --global --path ~/.claude/projects/-work-site/memory
    """
    from aicx.memory.sources import SCHEMA as SOURCES_SCHEMA  # imported here: not needed for --help

    answer = list_sources(load_settings(), user_path(repo or "."), named_outside(outside, path, source))
    yield SOURCES_SCHEMA, answer
    for item in answer.sources:
        _print_source(item)
    for blocked in answer.blocked:
        console.out(f"{console.style('blocked', fg='yellow')}  {blocked.ref}  {blocked.reason}")
    if not answer.sources:
        console.notify("No instruction file is there. `aicx memory sources --help` says where they are looked for.")


def list_sources(settings: Settings, folder: Path, named: Sequence[Named]) -> SourcesAnswer:
    """The live sources of the repository that ``folder`` is in, and of what is ``named`` outside it."""
    from aicx.memory.policy import load_policy
    from aicx.memory.sources import SourcesAnswer, read_live

    root = find_repository(folder).root
    policy = load_policy(settings.layout.home, root, settings.user_home)
    live = read_live(root, policy, named, homes=settings.homes, redact_secrets=settings.redact_secrets)
    counts = Counter(one.source.id for one in live.statements)
    return SourcesAnswer(
        str(root),
        [replace(one, statements=counts[one.id]) for one in live.sources],
        live.blocked,
        [str(path) for path in policy.files],
        policy.digest,
    )


def _print_source(source: LiveSource) -> None:
    allowed = source.policy == "allowed"
    state = console.style("allowed" if allowed else "blocked", fg="green" if allowed else "yellow")
    facts = [source.kind, source.reason or console.plural(source.statements, "statement")]
    if source.size is not None and source.mtime:
        facts += [console.size(source.size), f"changed {console.when(source.mtime)}"]
    console.out(f"{state}  {' '.join(source.id.split())}")
    console.out(f"         {' · '.join(facts)}")
