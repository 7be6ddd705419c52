"""`aicx sessions chain`: the sessions that one came from."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.commands.sessions.common import Agent, Session, edge_line, find_named, meant, print_node, viewing
from aicx.refs import Ref
from aicx.sessions.answers import CHAIN_SCHEMA, ChainAnswer, ChainItem
from aicx.sessions.chain import ANCESTRY, MAX_DEPTH, chain_of
from aicx.sessions.lineage import EDGE_TYPES
from aicx.sessions.view import key_of


@options.either("session")
def command(
    session: Session = None,
    depth: Annotated[
        int, typer.Option("--depth", min=0, max=MAX_DEPTH, metavar="N", help="At most this many edges away.")
    ] = 10,
    related: Annotated[bool, typer.Option("--related", help="Follow edges to related sessions too.")] = False,
    agent: Agent = None,
    repo: options.Repo = None,
    utc: options.Utc = False,
    json: options.Json = False,
) -> None:
    """Show where a session came from: the session it continues or was forked from or started by, and so on.

    Each ancestor is listed once, by its depth, with the edge that leads to it.

    Example: aicx sessions chain --session 4f2a81c0 --depth 5
    """
    desk = open_desk(repo)
    named = find_named(desk, session, agent)
    with viewing(desk) as viewer:
        ref = str(Ref.of_session(*meant(viewer, named)))
        chain = chain_of(viewer.family, ref, depth, EDGE_TYPES if related else ANCESTRY)
        found = ChainAnswer(
            found_by=named.rule or "",
            depth=depth,
            more=chain.more,
            items=[ChainItem(link.depth, link.edge, viewer.node(key_of(link.ref))) for link in chain.links],
            notes=viewer.notes(),
        )
    if json:
        console.out_answer(CHAIN_SCHEMA, found)
        return
    for item in found.items:
        if item.edge is not None:
            console.out(console.style(f"  {item.depth} ↑ {edge_line(item.edge)}", fg="bright_black"))
        print_node(item.node)
    if found.more:
        console.notify(f"It goes on; --depth {depth * 2 or 1} shows more.")
    console.notify_notes(found.notes)
