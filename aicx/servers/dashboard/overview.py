"""The corpus at a glance: size by project, agent and kind, and over time."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from datetime import date, timedelta
from typing import Any, TypeVar

from aicx.corpus.catalog.filters import conditions
from aicx.corpus.catalog.query import open_catalog
from aicx.errors import NotFound
from aicx.filters import Filters
from aicx.paths import Layout
from aicx.servers.dashboard.responses import Agent, AgentWeek, Kind, Overview, Project, Week

# A plot has room for this many projects; the rest is shown as one.
MAX_IN_PLOT = 12
OTHERS = "others"
_MAX_PROJECTS = 500

T = TypeVar("T")


def overview(layout: Layout, filters: Filters, most_in_plot: int = MAX_IN_PLOT) -> Overview:
    """Counts everything within the filters, by project (most recently active first), agent, kind and week.

    In weeks, the projects with fewer chunks than the first ``most_in_plot`` are together under "others".
    """
    try:
        with open_catalog(layout) as opened:
            where, values, notes = conditions(filters, opened.catalog)
            # The chunks are gone through once; what is left is a few rows a session.
            rows = opened.catalog.rows(
                "SELECT agent, session_id, project, kind, date, count(*) AS chunks, max(completed_at) AS latest"
                f" FROM chunks WHERE {where} GROUP BY agent, session_id, project, kind, date",
                values,
            )
            notes = [*opened.said, *notes]
    except NotFound:
        return Overview([], [], [], [], [], [])
    projects = _grouped(rows, lambda row: row["project"])
    largest = sorted(projects, key=lambda name: (-projects[name].chunks, name))[:most_in_plot]
    weeks = _grouped(
        rows, lambda row: (_monday(row["date"]), row["agent"], row["project"] if row["project"] in largest else OTHERS)
    )
    # A session that worked in two projects is one session of its agent.
    agent_weeks = _grouped(rows, lambda row: (_monday(row["date"]), row["agent"]))
    newest = sorted(projects, key=lambda name: projects[name].latest, reverse=True)[:_MAX_PROJECTS]
    return Overview(
        projects=[
            Project(name, *group.counts, group.first, group.last, group.latest)
            for name, group in ((name, projects[name]) for name in newest)
        ],
        agents=_listed(Agent, _grouped(rows, lambda row: row["agent"])),
        kinds=_listed(Kind, _grouped(rows, lambda row: row["kind"])),
        weeks=[
            Week(week, agent, project, *weeks[week, agent, project].counts) for week, agent, project in sorted(weeks)
        ],
        agent_weeks=[AgentWeek(week, agent, *agent_weeks[week, agent].counts) for week, agent in sorted(agent_weeks)],
        notes=notes,
    )


class _Group:
    """Counts some of the rows."""

    def __init__(self) -> None:
        self.chunks = 0
        self.sessions: set[tuple[str, str]] = set()
        self.first, self.last, self.latest = "9999", "", ""

    def add(self, row: Any) -> None:
        self.chunks += row["chunks"]
        self.sessions.add((row["agent"], row["session_id"]))
        self.first, self.last = min(self.first, row["date"]), max(self.last, row["date"])
        self.latest = max(self.latest, row["latest"])

    @property
    def counts(self) -> tuple[int, int]:
        """Sessions and chunks."""
        return len(self.sessions), self.chunks


def _grouped(rows: list[Any], key_of: Callable[[Any], Hashable]) -> dict[Any, _Group]:
    groups: dict[Any, _Group] = {}
    for row in rows:
        groups.setdefault(key_of(row), _Group()).add(row)
    return groups


def _listed(kind: Callable[[str, int, int], T], groups: dict[str, _Group]) -> list[T]:
    ordered = sorted(groups, key=lambda value: (-groups[value].chunks, value))
    return [kind(value, *groups[value].counts) for value in ordered]


def _monday(day: str) -> str:
    try:
        found = date.fromisoformat(day)
    except ValueError:
        return day  # a sidecar that somebody edited; `doctor` names it
    return (found - timedelta(days=found.weekday())).isoformat()
