"""`aicx show --about` and `--windows`, `aicx sessions chain`, `search` and `stats`; and what all actions share."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated

from aicx import console, options
from aicx.commands.desk import CommandDesk, open_desk
from aicx.commands.results import notify_nothing
from aicx.config import load_settings
from aicx.corpus.catalog.names import SessionKey
from aicx.errors import NotFound
from aicx.filters import EVERYTHING, Filters
from aicx.lifecycle.identity import Asker, find_session
from aicx.questions import Argument, Option
from aicx.refs import Ref
from aicx.sessions import EDGE_TYPES, Edge
from aicx.sessions.answers import CHAIN_SCHEMA, SCHEMA, SEARCH_SCHEMA, STATS_SCHEMA, ChainAnswer, ChainItem, SessionNode
from aicx.sessions.family import ANCESTRY, MAX_DEPTH, chain_of
from aicx.sessions.view import Viewer, about_session, key_of, open_viewer
from aicx.text import local, time_span

Session = Annotated[
    str | None,
    Option(
        *("--session", "-s"),
        metavar="ID",
        help="The session's id, or the beginning of it; by default the one that asks.",
    ),
]
Agent = Annotated[
    str | None,
    Option("--agent", "-a", metavar="AGENT", help="The agent it is of, where the environment does not say it."),
]
_EXPLICIT = "explicit"
_OLDER = {"continues": "continues", "forked_from": "forked from", "delegated_by": "started by", "related": "related to"}
_NEWER = {"continues": "continued by", "forked_from": "forked into", "delegated_by": "started", "related": "related to"}


@options.either("session")
def show(
    session: Session = None, agent: Agent = None, repo: options.Repo = None, utc: options.Utc = False
) -> options.Answered:
    """Show a session: what it did, the sessions it came from and those that came from it, and whether it is open.

    A session is closed where that was stated (`aicx sessions close`), where another goes on with it, and after 24 hours
    without a message. The last two are inferred: they say nothing of how it ended.

    Example: aicx show --about 4f2a81c0
    Example: aicx show --about --json     the session that asks, and how it was found
    """
    desk = open_desk(repo)
    named = find_named(desk, session, agent)
    with viewing(desk) as viewer:
        key = meant(viewer, named)
        found = about_session(desk.settings, viewer, key, named.rule or "", turns=options.wants_json())
    yield SCHEMA, found
    print_node(found.node)
    for work in found.work:
        console.out_list("Goal", [work.goal] if work.goal else [])
        console.out_list("Next", work.next)
        console.out_list("Commits", work.commits)
        console.out_list("Files", work.files)
    console.out_list("From", [edge_line(edge) for edge in found.older])
    console.out_list("To", [edge_line(edge, towards_newer=True) for edge in found.newer])
    if len(found.windows) > 1:
        console.out_list(
            "Windows", [f"#w{one.index}, {console.plural(one.messages, 'message')}" for one in found.windows]
        )
    console.notify_notes(found.notes)
    if named.rule != "explicit":
        console.notify(f"Found by {named.rule}.")


@options.either("session", "--session", "-s")
def windows(
    session: Annotated[str, Argument(metavar="SESSION", help="A session's id, or the beginning of it.")],
    utc: options.Utc = False,
) -> options.Answered:
    """List the context windows of a session: what its model had in view at once, from one compaction to the next.

    Every message is in exactly one window. A window is named as session:AGENT:ID#w2.

    Example: aicx show --windows 4f2a81c0
    Example: aicx show --windows 4f2a81c0 --json
    """
    # Imported here: not needed for --help.
    from aicx.sessions.summarize import open_session, windows_answer
    from aicx.sessions.windows import SCHEMA

    found = open_session(load_settings(), session)
    yield SCHEMA, windows_answer(found)
    for one in found.windows:
        began = "begun by a compaction" if one.trigger == "compact" else "from the start"
        name = console.style(f"#w{one.index}", fg="green")
        console.out(f"{name}  {console.when(one.started_at)} until {console.when(one.ended_at)}, {began}")
        counts = [console.plural(one.messages, "message"), f"about {one.tokens:,} tokens"]
        chunks = [chunk.rpartition(":")[2] for chunk in one.chunks]
        which = f"chunks {chunks[0]} to {chunks[-1]}" if len(chunks) > 1 else f"chunk {chunks[0]}"
        console.out(f"     {', '.join(counts)}, {which}")
    console.say_zone()
    console.notify_notes(found.notes)


@options.either("session")
def chain(
    session: Session = None,
    depth: Annotated[
        int, Option("--depth", min=0, max=MAX_DEPTH, metavar="N", help="At most this many edges away.")
    ] = 10,
    related: Annotated[bool, Option("--related", help="Follow edges to related sessions too.")] = False,
    agent: Agent = None,
    repo: options.Repo = None,
    utc: options.Utc = False,
) -> options.Answered:
    """Show where a session came from: the session it continues or was forked from or started by, and so on.

    Each ancestor is listed once, by its depth, with the edge that leads to it.

    Example: aicx sessions chain --session 4f2a81c0 --depth 5
    Example: aicx sessions chain 4f2a81c0 --related
    """
    desk = open_desk(repo)
    named = find_named(desk, session, agent)
    with viewing(desk) as viewer:
        ref = str(Ref.of_session(*meant(viewer, named)))
        links, more = chain_of(viewer.family, ref, depth, EDGE_TYPES if related else ANCESTRY)
        found = ChainAnswer(
            found_by=named.rule or "",
            depth=depth,
            more=more,
            items=[ChainItem(link.depth, link.edge, viewer.node(key_of(link.ref))) for link in links],
            notes=viewer.notes(),
        )
    yield CHAIN_SCHEMA, found
    for item in found.items:
        if item.edge is not None:
            console.out(console.style(f"  {item.depth} ↑ {edge_line(item.edge)}", fg="bright_black"))
        print_node(item.node)
    if found.more:
        console.notify(f"It goes on; --depth {depth * 2 or 1} shows more.")
    console.notify_notes(found.notes)


def find_named(desk: CommandDesk, session: str | None, agent: str | None) -> Asker:
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


def meant(viewer: Viewer, named: Asker) -> SessionKey:
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


@options.filtered()
def search_sessions(
    query: Annotated[list[str], Argument(help="A question, an identifier, or a quoted phrase.")],
    limit: options.Limit = 10,
    filters: Filters = EVERYTHING,
) -> options.Answered:
    """Find the sessions that answer a question, ranked by all their passages.

    The words and filters are those of `aicx search`; an answer is a whole session, with where it stands.

    Example: aicx search --in sessions why exports lost their header
    Example: aicx search --in sessions "retry policy" -p myrepo --limit 3
    """
    # Imported here: the other actions do not search.
    from aicx.engine.search import SearchQuery
    from aicx.sessions.recall import find_sessions

    desk = open_desk(None)
    asked = SearchQuery(" ".join(query), desk.now, filters, group="session", limit=limit, place=desk.place.root)
    with viewing(desk) as viewer:
        found = find_sessions(desk.settings, asked, viewer)
    yield SEARCH_SCHEMA, found
    for item in found.items:
        print_node(item.node)
        for line in item.lines:
            console.out(console.style(f"    {line}", dim=True))
    console.notify_notes(found.notes)
    if not found.items:
        notify_nothing("Nothing matches. Fewer or other words may match.")
    else:
        console.notify(f"{console.plural(found.results, 'session')} of {found.matched:,}.")


def count_sessions() -> options.Answered:
    """Count the sessions by agent, lane, state and outcome, and the edges between them by type and origin.

    Example: aicx sessions stats
    Example: aicx sessions stats --json
    """
    with viewing(open_desk(None)) as viewer:
        found = viewer.stats()
    yield STATS_SCHEMA, found
    console.out(f"{console.plural(found.sessions, 'session')}, {found.stored:,} stored")
    _print_counts("Agents", found.by_agent)
    _print_counts("Lanes", found.by_lane)
    _print_counts("States", found.by_state)
    _print_counts("Outcomes", found.by_outcome)
    _print_counts("Edges", {f"{edge.type} ({edge.origin})": edge.count for edge in found.edges})
    console.notify_notes(found.notes)


def _print_counts(heading: str, counts: Mapping[str, int]) -> None:
    if counts:
        console.out(f"{heading}: {', '.join(f'{name} {count:,}' for name, count in counts.items())}")
