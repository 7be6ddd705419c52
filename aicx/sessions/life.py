"""Opening, forking, closing and linking sessions: an event each, and a file that says which session an agent is in."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any
from uuid import uuid4

from aicx.config import Settings
from aicx.errors import UsageError
from aicx.redaction import redact_plain
from aicx.refs import Ref
from aicx.sessions import EdgeType
from aicx.sessions.identity import SessionIdentity, identity_at, remove_identities, write_identity
from aicx.sessions.stated import CLOSED, LINKED, OPENED, Life, Outcome, read_stated, standing_of
from aicx.text import instant
from aicx.values import dataclass
from aicx.work.events import Change, changing
from aicx.work.place import WorkPlace

Notify = Callable[[str], None]
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_AGENT = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


CHANGE_SCHEMA = "aicx.session_change/1"


@dataclass(frozen=True, slots=True)
class SessionChangeAnswer:
    """The statement about a session as it was made."""

    action: Annotated[str, "`opened`, `forked`, `closed`, `linked` or `unlinked`"]
    ref: Annotated[str, "the session, as `session:<agent>:<id>`"]
    agent: str
    session_id: str
    found_by: Annotated[str, "what named it; `new` for an id made now"] = ""
    outcome: Annotated[Outcome | None, "how it ended, with `close`"] = None
    parent: Annotated[str | None, "the session it continues, was forked from, or is linked with"] = None
    identity_file: Annotated[str | None, "the file that now says which session the agent is in"] = None


def new_session_id() -> str:
    return str(uuid4())


def open_session(
    settings: Settings,
    place: WorkPlace,
    agent: str,
    session_id: str,
    now: datetime,
    *,
    continues: str | None = None,
    parent: tuple[str, str] | None = None,
    force: bool = False,
    source: str = "cli",
    notify: Notify = lambda _: None,
) -> SessionChangeAnswer:
    """Begins a session, or takes up a closed one, as the one that ``agent`` is in at ``place``.

    ``continues`` is the reference of the session that it goes on with. With ``parent`` (agent and id) it is a fork: it
    has everything of that session, takes its place, and the other goes on as it is. Raises UsageError for an id that is
    none, and without ``force`` where the agent has another open session there; StoreUnwritable.
    """
    ref = _checked(agent, session_id)
    older = continues if parent is None else str(Ref.of_session(*parent))
    if parent is not None and ref == older:
        raise UsageError("a fork has an id of its own", hint="--as ID, or leave it out for a new one")
    with changing(settings, now, source, notify) as change:
        identity = _begin(settings, change, place, agent, session_id, parent[1] if parent else None, force=force)
        if older is not None:
            _link(change, place, ref, older, "forked_from" if parent else "continues")
        change.publish()
        path = write_identity(settings.layout, identity)
    return SessionChangeAnswer(
        "forked" if parent else "opened", ref, agent, session_id, parent=older, identity_file=str(path)
    )


def close_session(
    settings: Settings,
    place: WorkPlace,
    agent: str,
    session_id: str,
    outcome: Outcome,
    now: datetime,
    *,
    last_active: datetime | None = None,
    source: str = "cli",
    notify: Notify = lambda _: None,
) -> SessionChangeAnswer:
    """States how a session ended. ``last_active`` is when its log was last written, where it is stored.

    Raises UsageError for one that is closed already, StoreUnwritable.
    """
    ref = _checked(agent, session_id)
    with changing(settings, now, source, notify) as change:
        found = standing_of(read_stated(settings.layout).lives.get(ref, Life()), last_active, now, followed=False)
        if found.outcome is not None:
            raise UsageError(
                f"{ref} was closed as {found.outcome} already", hint=f"aicx sessions open --session {session_id}"
            )
        change.note(place.repo_id, CLOSED, ref, {"status": outcome})
        change.publish()
        remove_identities(settings.layout, session_id, agent)
    return SessionChangeAnswer("closed", ref, agent, session_id, outcome=outcome)


def link_sessions(
    settings: Settings,
    place: WorkPlace,
    newer: str,
    older: str,
    kind: EdgeType,
    now: datetime,
    *,
    remove: bool = False,
    notify: Notify = lambda _: None,
) -> None:
    """States an edge between two references, or with ``remove`` that there is none. Raises UsageError."""
    if newer == older:
        raise UsageError("a session is not linked with itself", hint="name two sessions")
    with changing(settings, now, "cli", notify) as change:
        _link(change, place, newer, older, kind, remove=remove)
        change.publish()


def _begin(
    settings: Settings,
    change: Change,
    place: WorkPlace,
    agent: str,
    session_id: str,
    parent: str | None,
    *,
    force: bool,
) -> SessionIdentity:
    """Stages that a session begins. One is open for each agent and working folder at a time."""
    lives = read_stated(settings.layout).lives
    active = identity_at(settings.layout, place.root, agent)
    if active is not None and not force and active.session_id != parent:
        life = lives.get(str(Ref.of_session(agent, active.session_id)), Life())
        if life.opened_at is not None and life.outcome is None:
            raise UsageError(
                f"{agent} is in session {active.session_id} here, which is open",
                hint="aicx sessions close; or --force leaves it open and begins this one, and nothing is lost",
            )
    ref = str(Ref.of_session(agent, session_id))
    data: dict[str, Any] = {"worktree": place.worktree_id}
    change.note(place.repo_id, OPENED, ref, {**data, **({"again": True} if ref in lives else {})})
    return SessionIdentity(session_id, str(place.root), agent, instant(change.now), parent)


def _link(change: Change, place: WorkPlace, newer: str, older: str, kind: EdgeType, *, remove: bool = False) -> None:
    change.note(place.repo_id, LINKED, newer, {"to": older, "type": kind, **({"removed": True} if remove else {})})


def _checked(agent: str, session_id: str) -> str:
    """The reference of a session that is stated. Its id is kept as it is, so it may be no secret."""
    if not _AGENT.fullmatch(agent):
        raise UsageError(f"{agent!r} is not the name of an agent", hint="small letters and digits, such as claude")
    if not _ID.fullmatch(session_id) or redact_plain(session_id).counts:
        raise UsageError("this cannot be the id of a session", hint="up to 100 letters, digits, dots, dashes")
    return str(Ref.of_session(agent, session_id))
