"""The actions of `aicx memory` that only look: `list`, `get`, `history` and `stats`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, get_args

from aicx import console, options
from aicx.commands.memory.common import Everywhere, RefArgument, open_desk, opened, print_record, print_whole
from aicx.commands.memory.recall import print_entry
from aicx.errors import NotFound, UsageError
from aicx.memory.answers import (
    ENTRY_SCHEMA,
    GET_SCHEMA,
    HISTORY_SCHEMA,
    LIST_SCHEMA,
    STATS_SCHEMA,
    EntryAnswer,
    HistoryAnswer,
    ListAnswer,
    MemoryEntry,
    MemoryEvent,
    Pagination,
    StatsAnswer,
    entry_of,
    whole_of,
)
from aicx.memory.assess import Assessment, Status
from aicx.memory.events import events_of
from aicx.memory.files import GLOBAL, read_log
from aicx.memory.recall.live import find_live
from aicx.memory.record import KINDS, PREFIX
from aicx.questions import Option
from aicx.text import instant

# Only listed when they are asked for by their status.
_SUPPRESSED = frozenset({"archived", "superseded", "quarantined", "policy_blocked"})


def list_records(
    kind: Annotated[list[str] | None, Option("--kind", metavar="KIND", help="Only this kind; several times.")] = None,
    status: Annotated[
        list[str] | None, Option("--status", metavar="STATUS", help="Only this status; several times.")
    ] = None,
    topic: Annotated[str | None, Option("--topic", metavar="TOPIC", help="Only this topic.")] = None,
    file: Annotated[
        str | None, Option("--file", metavar="PATH", help="Only what is anchored to this file or folder.")
    ] = None,
    session: Annotated[
        str | None, Option("--session", "-s", metavar="ID", help="Only what is from this session.")
    ] = None,
    tag: Annotated[list[str] | None, Option("--tag", metavar="WORD", help="Only with this tag.")] = None,
    recent: Annotated[bool, Option("--recent", help="What changed last comes first.")] = False,
    limit: options.Limit = 50,
    offset: Annotated[int, Option("--offset", metavar="N", min=0, help="Leave out the first N.")] = 0,
    everywhere: Everywhere = False,
    repo: options.Repo = None,
) -> options.Answered:
    """List records: those agreed first, then guidance and candidates, then what is stale.

    All filters have to fit. What is archived, superseded, quarantined or blocked is only counted, unless its status is
    asked for.

    Example: aicx memory list --status candidate
    Example: aicx memory list --recent --limit 5
    """
    _check("kind", kind, KINDS)
    _check("status", status, get_args(Status))
    desk = open_desk(repo)
    with opened(desk) as memory:
        records = memory.records(everywhere=everywhere)
        assessed = memory.assessed(records)
    fitting = [
        found
        for found in assessed
        if (not kind or found.record.kind in kind)
        and (topic is None or found.record.topic.casefold() == topic.casefold())
        and (file is None or any(_is_at(anchor.path, file) for anchor in found.record.anchors))
        and (session is None or _is_from(found, session))
        and set(tag or ()) <= set(found.record.tags)
    ]
    wanted = [found for found in fitting if (found.status in status if status else found.status not in _SUPPRESSED)]
    hidden = Counter(found.status for found in fitting if not status and found.status in _SUPPRESSED)
    wanted.sort(key=_recent if recent else _authority)
    shown = wanted[offset : offset + limit]
    pages = Pagination(len(wanted), offset, limit, offset + limit < len(wanted))
    entries = [entry_of(found) for found in shown]
    yield LIST_SCHEMA, ListAnswer(entries, pages, dict(sorted(hidden.items())), desk.scope.repository)
    for found in shown:
        print_record(found)
    if not wanted:
        console.notify("No record fits." if memory.size else "Nothing is remembered yet. Next: aicx memory put --help")
    if offset + limit < len(wanted):
        console.notify(f"{len(wanted) - offset - limit:,} more; --limit and --offset show them.")
    if hidden:
        said = ", ".join(f"{count:,} {name}" for name, count in sorted(hidden.items()))
        console.notify(f"Not listed: {said}; --status STATUS shows them.")


def _check(what: str, given: list[str] | None, known: tuple[str, ...]) -> None:
    for word in given or ():
        if word not in known:
            raise UsageError(f"{word!r} is no {what}", hint=f"one of {', '.join(known)}")


def _is_at(path: str, wanted: str) -> bool:
    wanted = wanted.removeprefix("./").rstrip("/")
    return path == wanted or path.startswith(f"{wanted}/")


def _is_from(found: Assessment, session: str) -> bool:
    session = session.removeprefix("session:").rpartition(":")[2]
    own = found.record.source.session
    return bool(session) and (
        (own is not None and own.startswith(session)) or any(session in ref for ref in found.record.evidence)
    )


_STATUSES = get_args(Status)


def _authority(found: Assessment) -> tuple[int, int, int, str, str]:
    return (
        not found.baseline,
        _STATUSES.index(found.status),
        found.tier,
        found.record.topic.casefold(),
        found.record.id,
    )


def _recent(found: Assessment) -> tuple[float, str]:
    record = found.record
    return -(record.updated_at or record.created_at).timestamp(), record.id


@options.either("ref", "--ref")
def get(ref: RefArgument, repo: options.Repo = None) -> options.Answered:
    """Show a record with its details, its evidence and what its anchors are now, or what an instruction file says.

    Example: aicx show export-check
    Example: aicx show live:claude:CLAUDE.md#L3
    """
    desk = open_desk(repo)
    if ref.startswith("live:"):
        yield from _show_live(find_live(desk.settings, desk.scope, ref, desk.now), desk.scope.repository)
        return
    with opened(desk) as memory:
        record = memory.find(ref)
        (found,) = memory.assessed([record])
        whole = whole_of(found, memory.context([record]).anchors)
    yield GET_SCHEMA, whole
    print_whole(desk, found)
    if found.status != "policy_blocked":  # the name of its file is made of its words
        console.notify(f"Its file is {desk.settings.layout.memory / record.path}; edit it by hand if you like.")


def _show_live(entries: list[MemoryEntry], repository: str | None) -> options.Answered:
    """A statement of a file, or all of a file as `aicx memory list` has records."""
    if len(entries) == 1:
        yield ENTRY_SCHEMA, EntryAnswer(entries[0], [])
    else:
        pages = Pagination(len(entries), 0, len(entries), has_more=False)
        yield LIST_SCHEMA, ListAnswer(entries, pages, {}, repository)
    for entry in entries:
        print_entry(entry)


@options.either("ref", "--ref")
def history(ref: RefArgument, utc: options.Utc = False, repo: options.Repo = None) -> options.Answered:
    """List every decision about a record, oldest first: what, when, and by whom. Also of one that was deleted.

    Example: aicx memory history export-check
    Example: aicx memory history export-check --json
    """
    desk = open_desk(repo)
    log = read_log(desk.settings.layout.memory)
    with opened(desk) as memory:
        try:
            name = memory.find(ref).id
        except NotFound:
            name = ref.removeprefix(PREFIX)
            if not any(events_of(log, name)):
                raise
    events = list(events_of(log, name))
    rows = [
        MemoryEvent(one.id, instant(one.at), one.by, one.type, [f"{PREFIX}{ref}" for ref in one.refs], one.code)
        for one in events
    ]
    yield HISTORY_SCHEMA, HistoryAnswer(f"{PREFIX}{name}", rows, list(log.damaged))
    for one in events:
        others = ", ".join(f"{PREFIX}{other}" for other in one.refs if other != name)
        about = [*([one.code] if one.code else []), *([f"with {others}"] if others else [])]
        done = console.style(one.type.removeprefix("memory."), bold=True)
        more = f" ({', '.join(about)})" if about else ""
        console.out(f"{console.when(one.at)}  {done} by {one.by}{more}")
    console.say_zone()
    if log.damaged:
        console.warn(
            f"{console.plural(len(log.damaged), 'line')} of the event log cannot be read; `aicx doctor` says more"
        )


def stats(everywhere: Everywhere = False, repo: options.Repo = None) -> options.Answered:
    """Count the records by status, kind, reason and repository.

    Example: aicx status --memory
    Example: aicx status --memory --json
    """
    desk = open_desk(repo)
    with opened(desk) as memory:
        assessed = memory.assessed(memory.records(everywhere=everywhere))
    log = read_log(desk.settings.layout.memory)
    answer = StatsAnswer(
        len(assessed),
        sum(found.baseline for found in assessed),
        _counts(found.status for found in assessed),
        _counts(found.record.kind for found in assessed),
        _counts(reason.code for found in assessed for reason in found.reasons),
        _counts(found.record.repository or GLOBAL for found in assessed),
        len(log.events),
        list(log.damaged),
        desk.scope.repository,
    )
    yield STATS_SCHEMA, answer
    console.out(f"{console.plural(answer.records, 'record')}, {answer.baseline:,} agreed")
    for title, counts in (("status", answer.by_status), ("kind", answer.by_kind), ("reason", answer.by_reason)):
        console.out(f"{title:8}{', '.join(f'{count:,} {name}' for name, count in counts.items()) or '-'}")


def _counts(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))
