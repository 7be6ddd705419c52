"""`aicx sessions list` and `stats`, `aicx search --in sessions` and `--in windows`: finds and counts sessions."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.commands.nothing import notify_nothing
from aicx.commands.sessions.showing import print_node, viewing
from aicx.config import load_settings
from aicx.corpus.catalog.sessions import SCHEMA, SessionItem, Sort, browse, sessions_answer
from aicx.engine.search import SearchQuery
from aicx.errors import UsageError
from aicx.filters import EVERYTHING, Filters
from aicx.sessions.answers import SEARCH_SCHEMA, STATS_SCHEMA
from aicx.sessions.recall import find_sessions
from aicx.text import local

if TYPE_CHECKING:
    from aicx.sessions.recall import SessionMatch


@options.filtered()
def list_sessions(
    filters: Filters = EVERYTHING,
    sort: Annotated[Sort, typer.Option("--sort", help="The order; size is the number of chunks.")] = "newest",
    limit: options.Limit = 20,
    offset: Annotated[int, typer.Option("--offset", min=0, metavar="N", help="Skip the first N.")] = 0,
) -> options.Answered:
    """List sessions with their titles, the newest first.

    A session is listed if one of its chunks passes the filters; its figures cover the whole session. A filter that
    takes a name may be given several times: any of the names matches. Runs of one prompt that a program started are
    one item; --automated lists each.

    Example: aicx sessions --since 7d
    Example: aicx sessions -p myrepo --branch 'fix/*'
    Example: aicx sessions --file src/parser.py --sort oldest
    """
    found = sessions_answer(browse(load_settings().layout, filters, sort, limit, offset))
    yield SCHEMA, found
    for item in found.items:
        _print_session(item)
    if found.items:
        console.say_zone()
    console.notify_notes(found.notes)
    last = offset + found.results
    if not found.items:
        notify_nothing("Nothing matches. `aicx status --projects` lists what there is; `aicx store` adds new sessions.")
    elif last < found.matched:
        console.notify(f"{offset + 1:,} to {last:,} of {found.matched:,}; --offset {last} shows what comes next.")


def _print_session(item: SessionItem) -> None:
    style, session = console.style, item.facts
    started, completed = map(local, (session.started_at, session.completed_at))
    until = f"{completed:%H:%M}" if started.date() == completed.date() else console.when(completed)
    console.out(
        f"{style(console.when(started), fg='cyan')}  {style(console.title({'title': session.title}), bold=True)}"
    )
    facts = [console.place(session.project, session.cwd), session.agent]
    if len(session.projects) > 1:
        facts[0] += f" and {len(session.projects) - 1} more"
    if session.branch:
        facts.append(f"branch {session.branch}")
    if session.lane == "subagent":
        facts.append("subagent")
    if session.automated:
        facts += console.runs(session.runs) or [session.automated_why or "automated"]
    facts += [f"until {until}", console.plural(session.chunks, "chunk"), console.plural(session.messages, "message")]
    console.out(f"  {' · '.join(facts)}")
    console.out(f"  {style(item.reopen or session.session_id, fg='green')}")


@options.filtered()
def search_sessions(
    query: Annotated[list[str], typer.Argument(help="A question, an identifier, or a quoted phrase.")],
    limit: options.Limit = 10,
    filters: Filters = EVERYTHING,
) -> options.Answered:
    """Find the sessions that answer a question, ranked by all their passages.

    The words and filters are those of `aicx search`; an answer is a whole session, with where it stands.

    Example: aicx search --in sessions why exports lost their header
    Example: aicx search --in sessions "retry policy" -p myrepo --limit 3
    """
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


class Granularity(StrEnum):
    session = "session"
    window = "window"
    chunk = "chunk"


@options.filtered()
def recall_windows(
    question: Annotated[list[str], typer.Argument(help="A question, an identifier, or a quoted phrase.")],
    filters: Filters = EVERYTHING,
    granularity: Annotated[
        list[Granularity] | None,
        typer.Option("--granularity", "-g", help="What an answer is: a session, a context window of one, or a chunk."),
    ] = None,
    limit: options.Limit = 5,
    repo: options.Repo = None,
    everywhere: options.Everywhere = False,
) -> options.Answered:
    """Find the sessions, or the context windows or chunks of them, that answer a question.

    Each answer names what it is in and what is in it: a session its windows and chunks, a chunk its window and session.
    The search is that of `aicx search`; it works without a model, and says how it was done.

    Example: aicx search --in windows why did the migration fail
    Example: aicx search --in windows retry policy --granularity window --limit 3 --json
    """
    from aicx.sessions.recall import SCHEMA, recall

    kinds = list(dict.fromkeys(granularity or [Granularity.session]))
    if len(kinds) > 1:
        named = " and ".join(f"--granularity {one.value}" for one in kinds)
        raise UsageError(f"{named} exclude each other", hint="name one of them")
    found = recall(
        load_settings(),
        " ".join(question),
        kinds[0].value,
        options.now(),
        limit=limit,
        filters=filters,
        place=options.place(repo, everywhere=everywhere),
    )
    yield SCHEMA, found
    for number, match in enumerate(found.matches, 1):
        _print_match(number, match)
    if found.method.get("fallback_reason"):
        console.warn(str(found.method["fallback_reason"]))
    console.notify_notes(found.notes)
    served = " + ".join(found.method.get("rankers", ()))
    if not found.matches:
        notify_nothing(f"Nothing matches ({served}). Fewer or other words may match.")
    else:
        console.notify(f"{console.plural(len(found.matches), 'answer')}, ranked by {served}.")
        console.say_zone()


def _print_match(number: int, match: SessionMatch) -> None:
    style = console.style
    console.out(f"{style(f'{number:>2}', fg='yellow')}  {style(console.title({'title': match.title}), bold=True)}")
    started = local(match.started_at)
    facts = [match.project, console.when(started), f"score {match.score:.2f}"]
    console.out(f"    {style(match.ref, fg='green')} · {' · '.join(facts)}")
    if match.ref.startswith("session:") and "#w" not in match.ref:
        for one in match.windows:
            chunks = ", ".join(f":{chunk.rpartition(':')[2]}" for chunk in one.chunks)
            console.out(style(f"    #w{one.window.index} score {one.score:.2f}, chunks {chunks}", dim=True))
    for line in match.lines:
        console.out(f"      {line}")


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
