"""Shared by the actions: their options, which session is meant, and how one is printed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from aicx import console
from aicx.commands.desk import CommandDesk
from aicx.corpus.catalog.session_names import SessionKey
from aicx.errors import NotFound
from aicx.lifecycle.identity import IdentifiedSession, find_session
from aicx.sessions.answers import SessionNode
from aicx.sessions.lineage import Edge
from aicx.sessions.view import Viewer, open_viewer
from aicx.text import local, time_span

Session = Annotated[
    str | None,
    typer.Option(
        *("--session", "-s"),
        metavar="ID",
        help="The session's id, or the beginning of it; by default the one that asks.",
    ),
]
Agent = Annotated[
    str | None,
    typer.Option("--agent", "-a", metavar="AGENT", help="The agent it is of, where the environment does not say it."),
]
_EXPLICIT = "explicit"


def find_named(desk: CommandDesk, session: str | None, agent: str | None) -> IdentifiedSession:
    """The session that is named here, and what names it."""
    return find_session(os.environ, desk.settings.layout, desk.place.root, agent, session)


@contextmanager
def viewing(desk: CommandDesk) -> Iterator[Viewer]:
    """The stored sessions and their edges, which are worked out first where something is new."""
    with (
        console.count_bar("Reading what sessions did") as counting,
        open_viewer(desk.settings.layout, desk.now, lambda done, of: counting(done, of, "")) as viewer,
    ):
        yield viewer


def meant(viewer: Viewer, named: IdentifiedSession) -> SessionKey:
    """The session that is named; an id that somebody wrote may be shortened. Raises NotFound, UsageError."""
    if named.session is None:
        raise NotFound("nothing says which session is meant", hint="--session ID, or `aicx sessions open` begins one")
    if named.rule == _EXPLICIT:
        return viewer.find(named.session)
    return named.agent, named.session


def print_node(node: SessionNode) -> None:
    """A session on two lines."""
    title = console.title({"title": node.title}) if node.stored else "(not stored)"
    console.out(f"{console.style(node.ref, fg='green')}  {console.style(title, bold=True)}")
    facts = [node.project] if node.project else []
    if node.started_at and node.completed_at:
        facts.append(time_span(local(node.started_at), local(node.completed_at)))
    if node.lane == "subagent":
        facts.append("subagent")
    why = node.outcome or node.close_inferred
    facts.append(f"{node.state} ({why})" if why else node.state)
    console.out(f"  {' · '.join(facts)}")


def edge_line(edge: Edge, *, towards_newer: bool = False) -> str:
    """An edge in a line, as seen from one of its ends."""
    other, words = (edge.from_ref, _NEWER[edge.type]) if towards_newer else (edge.to_ref, _OLDER[edge.type])
    sure = "" if edge.origin != "derived" else f", {edge.confidence:.0%} sure"
    return f"{words} {other} ({edge.origin}{sure}): {edge.reason}"


_OLDER = {
    "continues": "continues",
    "forked_from": "forked from",
    "delegated_by": "started by",
    "related": "related to",
}
_NEWER = {
    "continues": "continued by",
    "forked_from": "forked into",
    "delegated_by": "started",
    "related": "related to",
}
