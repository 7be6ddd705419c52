"""Turns a user's filters into conditions that every index can push down, with the catalogue's help."""

from __future__ import annotations

from datetime import datetime

from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.filters import agent_notes, conditions, is_glob, parse_kind
from aicx.types import Filters
from retrieval.conditions import AnyOf, Between, Condition, OneOf


def index_conditions(filters: Filters, catalog: Catalog) -> tuple[list[Condition], list[str]]:
    """Conditions with the same meaning as the filters have for `steer`, and notes on how a filter was read.

    What is not a plain comparison (a part of a name, a pattern, a touched file) is looked up in the catalogue first.
    """
    exact = ("run_id", "prompt_id")
    found: list[Condition] = [OneOf(name, (value,)) for name in exact if (value := getattr(filters, name)) is not None]
    notes: list[str] = []
    if filters.agent is not None:
        found.append(OneOf("agent", (filters.agent.lower(),)))
        notes += agent_notes(filters.agent, catalog)
    if filters.kind is not None:
        found.append(OneOf("kind", (parse_kind(filters.kind),)))
    if filters.since is not None or filters.until is not None:
        # The columns hold whole seconds, so the ends are widened to whole seconds too.
        if filters.since is not None:
            found.append(Between("completed_at", low=_seconds(filters.since)))
        if filters.until is not None:
            found.append(Between("started_at", high=_seconds(filters.until)))
    if filters.date is not None:
        low, high = (int(day.replace("-", "")) if day else None for day in filters.date)
        found.append(Between("day", low, high))
    patterns = ["project", "session", "branch", "file"]
    if filters.branch is not None and not is_glob(filters.branch):
        found.append(OneOf("branch", (filters.branch,)))
        patterns.remove("branch")
    for name in patterns:
        value = getattr(filters, name)
        if value is not None:
            more, said = _looked_up(Filters(**{name: value}), name, catalog)
            found.append(more)
            notes += said
    return found, notes


def _looked_up(single: Filters, name: str, catalog: Catalog) -> tuple[Condition, list[str]]:
    where, values, notes = conditions(single, catalog)
    if name == "branch":
        return OneOf("branch", _column("branch", where, values, catalog)), notes
    if name == "session":
        sessions = _column("session_id", where, values, catalog)
        return OneOf("session_id", sessions), notes
    if name == "project":
        # A folder outside any repository is a project of its own for whoever asks.
        projects = _column("project", where, values, catalog)
        repositories = tuple(project for project in projects if "/" in project)
        folders = _column("cwd", f"{where} AND instr(project, '/')=0", values, catalog)
        return AnyOf((OneOf("project", repositories), OneOf("cwd", folders))), notes
    return OneOf("id", _column("id", where, values, catalog)), notes


def _column(column: str, where: str, values: list[object], catalog: Catalog) -> tuple[str, ...]:
    rows = catalog.rows(f"SELECT DISTINCT {column} AS value FROM chunks WHERE {where}", values)
    return tuple(row["value"] for row in rows if row["value"] is not None)


def _seconds(at: datetime) -> int:
    return int(at.timestamp())
