"""Marks that a session is about to lose its context: set before a compaction, and cleared by one restore."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol

from aicx.config import Settings
from aicx.paths import Layout
from aicx.refs import Ref
from aicx.values import dataclass
from aicx.work.events import WorkEvent, changing, read_log, segments
from aicx.work.place import WorkPlace, find_place

MARKED, RESTORED = "restore_marked", "restored"
# A session that was compacted is back within minutes. One that is not has ended, and a new one may go on from it.
_LEFT_BEHIND, _TOO_OLD = timedelta(minutes=10), timedelta(days=7)
_FILES = 2  # of the log, about a megabyte each, in which marks are looked for
PERSON = "person"


class Asker(Protocol):
    """Who asks: the agent and its session, which is None where nothing tells."""

    @property
    def agent(self) -> str: ...
    @property
    def session(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark that no restore has cleared, by the id of its event. ``session`` is None where nothing told."""

    id: str
    agent: str
    session: str | None
    worktree: str
    at: datetime


def mark(
    settings: Settings,
    folder: Path,
    asker: Asker,
    now: datetime,
    *,
    source: str = "cli",
    notify: Callable[[str], None] = lambda _: None,
) -> None:
    """Records that the session of ``asker`` in ``folder`` is about to be compacted, so that a restore is due.

    Raises NotFound where there is no such folder, StoreLocked, StoreUnwritable.
    """
    place = find_place(settings, folder)
    data = {"agent": asker.agent, "session": asker.session, "worktree": place.worktree_id}
    with changing(settings, now, source, notify) as change:
        change.note(place.repo_id, MARKED, _subject(asker.agent, asker.session, place), data)
        change.publish()


def pending(layout: Layout, place: WorkPlace, asker: Asker, now: datetime) -> list[Mark]:
    """The marks that a restore for ``asker`` clears, the last one first: those of one session.

    Its own where it has a name; else, and where it has none of its own, those of its agent in this worktree whose
    session did not come back. A person may take any of the worktree.
    """
    marks = _open_marks(layout, place)
    own = [one for one in marks if one.session == asker.session and asker.agent in (PERSON, one.agent)]
    if own and asker.session:
        return own
    near = [one for one in marks if one.worktree == place.worktree_id and _may_take(one, asker, now)]
    return [one for one in near if one.session == near[0].session]


def pending_of(layout: Layout, place: WorkPlace, agent: str, session: str) -> list[Mark]:
    """The marks of one session."""
    return [one for one in _open_marks(layout, place) if (one.agent, one.session) == (agent, session)]


def clear(
    settings: Settings,
    place: WorkPlace,
    marks: Sequence[Mark],
    now: datetime,
    *,
    source: str = "cli",
    notify: Callable[[str], None] = lambda _: None,
) -> bool:
    """Clears marks; False where another restore has cleared them all meanwhile.

    Raises StoreLocked, StoreUnwritable: what cannot be cleared would be restored again.
    """
    with changing(settings, now, source, notify) as change:
        still = {one.id for one in _open_marks(settings.layout, place)}
        left = [one for one in marks if one.id in still]
        if left:
            first = left[0]
            data = {"agent": first.agent, "session": first.session, "marks": [one.id for one in left]}
            change.note(place.repo_id, RESTORED, _subject(first.agent, first.session, place), data)
            change.publish()
        return bool(left)


def _may_take(one: Mark, asker: Asker, now: datetime) -> bool:
    if asker.agent not in (PERSON, one.agent) or now - one.at > _TOO_OLD:
        return False
    return asker.session is None or one.session is None or now - one.at > _LEFT_BEHIND


def _open_marks(layout: Layout, place: WorkPlace) -> list[Mark]:
    """The marks of a repository that nothing has cleared, the last one first."""
    events: list[WorkEvent] = []
    for name in place.folders:
        folder = layout.work / name
        # Most repositories never had a mark, which is seen without decoding their log.
        if any(MARKED.encode() in _body(path) for path in segments(folder)[-_FILES:]):
            events += read_log(folder, _FILES).events
    cleared = {name for event in events if event.type == RESTORED for name in event.data.get("marks", ())}
    open_ = [event for event in events if event.type == MARKED and event.id not in cleared]
    return [_mark(event) for event in sorted(open_, key=lambda event: event.sequence, reverse=True)]


def _mark(event: WorkEvent) -> Mark:
    session = event.data.get("session")
    agent, worktree = str(event.data.get("agent", "")), str(event.data.get("worktree", ""))
    return Mark(event.id, agent, str(session) if session else None, worktree, event.at)


def _body(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _subject(agent: str, session: str | None, place: WorkPlace) -> str:
    return str(Ref.of_session(agent, session)) if session else f"worktree:{place.worktree_id}"
