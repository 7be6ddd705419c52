"""`aicx sessions open`, `fork`, `close` and `link`: what is stated of a session."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from aicx import console, options
from aicx.commands.desk import CommandDesk, open_desk
from aicx.commands.sessions.showing import Agent, Session, find_named, meant, viewing
from aicx.corpus.catalog.names import SessionKey
from aicx.errors import NotFound, UsageError
from aicx.lifecycle.identity import Asker
from aicx.questions import Argument, Option
from aicx.refs import Ref
from aicx.sessions import EDGE_TYPES
from aicx.sessions.life import (
    CHANGE_SCHEMA,
    SessionChangeAnswer,
    close_session,
    link_sessions,
    new_session_id,
    open_session,
)
from aicx.sessions.stated import OUTCOMES
from aicx.values import replace

Force = Annotated[
    bool, Option("--force", help="Even where the agent is in another open session here, which stays open.")
]


@options.either("session")
def open_(
    session: Annotated[
        str | None,
        Option(
            *("--session", "-s"), metavar="ID", help="The session's id; by default the one that asks, or a new one."
        ),
    ] = None,
    agent: Agent = None,
    continues: Annotated[
        str | None, Option("--continues", metavar="ID", help="The session whose work it goes on with.")
    ] = None,
    force: Force = False,
    repo: options.Repo = None,
) -> options.Answered:
    """Begin a session, or take up a closed one: commands in this working folder then mean it where none is named.

    An agent is in one session at a time in a working folder. The agents' own sessions need not be opened; this is for
    those that nothing else names.

    Example: aicx sessions open --agent claude --session 4f2a81c0-7d1e-4c55-9b1a-3e6f0a9c2d11
    Example: aicx sessions open --continues 4f2a81c0
    """
    desk = open_desk(repo)
    named = find_named(desk, session, agent)
    if named.session is None or named.rule == "identity file":
        named = Asker(named.agent, new_session_id(), "new")
    elif named.rule == "explicit" and agent is None:
        named = _stored(desk, named)
    older = str(Ref.of_session(*_known(desk, continues))) if continues else None
    assert named.session is not None
    changed = open_session(
        *(desk.settings, desk.place, named.agent, named.session, desk.now),
        continues=older,
        force=force,
        notify=console.notify,
    )
    yield from _answer(changed, named.rule or "")


@options.either("session")
def fork(
    session: Session = None,
    new: Annotated[str | None, Option("--as", metavar="ID", help="The id of the fork; by default a new one.")] = None,
    agent: Agent = None,
    force: Force = False,
    repo: options.Repo = None,
) -> options.Answered:
    """Begin a session that has everything of another, which goes on as it is.

    Example: aicx sessions fork --session 4f2a81c0
    Example: aicx sessions fork 4f2a81c0 --json
    """
    desk = open_desk(repo)
    named = find_named(desk, session, agent)
    with viewing(desk) as viewer:
        parent = meant(viewer, named)
    changed = open_session(
        *(desk.settings, desk.place, agent or parent[0], new or new_session_id(), desk.now),
        parent=parent,
        force=force,
        notify=console.notify,
    )
    yield from _answer(changed, "explicit" if new else "new")


@options.either("session")
def close(
    session: Session = None,
    status: Annotated[str, Option("--status", metavar="STATUS", help=f"One of {', '.join(OUTCOMES)}.")] = "ok",
    agent: Agent = None,
    repo: options.Repo = None,
) -> options.Answered:
    """State that a session is over, and how it ended. What is stored of it stays, and so do its edges.

    Example: aicx sessions close --status ok
    Example: aicx sessions close --session 4f2a81c0 --status abandoned
    """
    outcome = options.one_of(status, OUTCOMES, "closes no session", "--status")
    desk = open_desk(repo)
    named = find_named(desk, session, agent)
    with viewing(desk) as viewer:
        key = meant(viewer, named)
        last = viewer.node(key).completed_at
    changed = close_session(
        *(desk.settings, desk.place, *key, outcome, desk.now),
        last_active=datetime.fromisoformat(last) if last else None,
        notify=console.notify,
    )
    yield from _answer(changed, named.rule or "")


@options.either("newer", "--newer")
@options.either("older", "--older")
def link(
    newer: Annotated[str, Argument(metavar="NEWER", help="The id of the session that came later.")],
    older: Annotated[str, Argument(metavar="OLDER", help="The id of the one it came from.")],
    kind: Annotated[str, Option("--type", metavar="TYPE", help=f"One of {', '.join(EDGE_TYPES)}.")] = "continues",
    remove: Annotated[bool, Option("--remove", help="State that the two have nothing to do with it.")] = False,
    repo: options.Repo = None,
) -> options.Answered:
    """State how two sessions are related, or that a derived edge is wrong. It counts before logs and derivation.

    Example: aicx sessions link 7c19e2f4 4f2a81c0 --type continues
    Example: aicx sessions link 7c19e2f4 4f2a81c0 --remove
    """
    wanted = options.one_of(kind, EDGE_TYPES, "is not a type of edge", "--type")
    desk = open_desk(repo)
    with viewing(desk) as viewer:
        key, other = viewer.find(newer), viewer.find(older)
    ref, to = str(Ref.of_session(*key)), str(Ref.of_session(*other))
    link_sessions(desk.settings, desk.place, ref, to, wanted, desk.now, remove=remove, notify=console.notify)
    yield from _answer(SessionChangeAnswer("unlinked" if remove else "linked", ref, *key, parent=to), "explicit")


def _stored(desk: CommandDesk, named: Asker) -> Asker:
    """With the agent of the stored session that has exactly this id, where there is one."""
    with viewing(desk) as viewer:
        try:
            key = viewer.find(named.session or "")
        except (NotFound, UsageError):
            return named
    return Asker(*key, named.rule) if key[1] == named.session else named


def _known(desk: CommandDesk, wanted: str) -> SessionKey:
    with viewing(desk) as viewer:
        return viewer.find(wanted)


def _answer(changed: SessionChangeAnswer, rule: str) -> options.Answered:
    yield CHANGE_SCHEMA, replace(changed, found_by=rule)
    console.out(changed.session_id)
    with_parent = f" ({changed.parent})" if changed.parent else ""
    outcome = f" as {changed.outcome}" if changed.outcome else ""
    console.notify(f"{console.style(changed.action, fg='green')}: {changed.ref}{outcome}{with_parent}.")
