"""`aicx search --in sessions`: the sessions that answer a question."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.commands.nothing import notify_nothing
from aicx.commands.sessions.common import print_node, viewing
from aicx.engine.search import SearchQuery
from aicx.filters import EVERYTHING, Filters
from aicx.sessions.answers import SEARCH_SCHEMA
from aicx.sessions.recall import find_sessions


@options.filtered()
def command(
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
