"""`aicx sessions stats`: how many sessions there are, by what is known of them."""

from __future__ import annotations

from collections.abc import Mapping

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.commands.sessions.common import viewing
from aicx.sessions.answers import STATS_SCHEMA


def command() -> options.Answered:
    """Count the sessions by agent, lane, state and outcome, and the edges between them by type and origin.

    Example: aicx sessions stats
    Example: aicx sessions stats --json
    """
    with viewing(open_desk(None)) as viewer:
        found = viewer.stats()
    yield STATS_SCHEMA, found
    console.out(f"{console.plural(found.sessions, 'session')}, {found.stored:,} stored")
    _print("Agents", found.by_agent)
    _print("Lanes", found.by_lane)
    _print("States", found.by_state)
    _print("Outcomes", found.by_outcome)
    _print("Edges", {f"{edge.type} ({edge.origin})": edge.count for edge in found.edges})
    console.notify_notes(found.notes)


def _print(heading: str, counts: Mapping[str, int]) -> None:
    if counts:
        console.out(f"{heading}: {', '.join(f'{name} {count:,}' for name, count in counts.items())}")
