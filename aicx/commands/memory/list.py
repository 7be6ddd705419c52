"""`aicx memory list`: the records of a repository, with what may be believed of each."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, get_args

import typer

from aicx import console, options
from aicx.api.answers.memory import LIST_SCHEMA, ListAnswer, Pagination
from aicx.commands.memory.common import Everywhere, open_desk, opened, print_record
from aicx.errors import UsageError
from aicx.memory.assess import Assessment, Status
from aicx.memory.entry import entry_of
from aicx.memory.record import KINDS

# Only listed when they are asked for by their status.
_SUPPRESSED = frozenset({"archived", "superseded", "quarantined", "policy_blocked"})


def command(
    kind: Annotated[
        list[str] | None, typer.Option("--kind", metavar="KIND", help="Only this kind; several times.")
    ] = None,
    status: Annotated[
        list[str] | None, typer.Option("--status", metavar="STATUS", help="Only this status; several times.")
    ] = None,
    topic: Annotated[str | None, typer.Option("--topic", metavar="TOPIC", help="Only this topic.")] = None,
    file: Annotated[
        str | None, typer.Option("--file", metavar="PATH", help="Only what is anchored to this file or folder.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", "-s", metavar="ID", help="Only what is from this session.")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="WORD", help="Only with this tag.")] = None,
    recent: Annotated[bool, typer.Option("--recent", help="What changed last comes first.")] = False,
    limit: options.Limit = 50,
    offset: Annotated[int, typer.Option("--offset", metavar="N", min=0, help="Leave out the first N.")] = 0,
    everywhere: Everywhere = False,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
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
    if json:
        pages = Pagination(len(wanted), offset, limit, offset + limit < len(wanted))
        fields = ListAnswer(
            [entry_of(found) for found in shown], pages, dict(sorted(hidden.items())), desk.scope.repository
        )
        console.out_answer(LIST_SCHEMA, fields)
        return
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
