"""Turns a user's filters into conditions that every index can push down, with the catalogue's help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.filters import agent_notes, conditions, parse_kinds, parse_lanes
from aicx.corpus.catalog.place_names import is_glob
from aicx.corpus.catalog.when import days_between
from aicx.filters import FILTERS, LANES, UNSET, Filters
from retrieval.conditions import AnyOf, Between, Condition, NoneOf, OneOf


def index_conditions(filters: Filters, catalog: Catalog) -> tuple[list[Condition], list[str]]:
    """Conditions with the same meaning as the filters have for `steer`, and notes on how a filter was read.

    A plain comparison of a column that the indexes have stays one. Everything else (a part of a name, a pattern, a
    touched file, a run that a chunk was found to belong to later, a field that only the catalogue has) is looked up in
    the catalogue first.
    """
    found: list[Condition] = []
    notes: list[str] = []
    for row in FILTERS:
        value = getattr(filters, row.name)
        if value in UNSET or not row.limits:
            continue
        if row.name == "date":
            begin, end = days_between(value)
            found += [_since(begin)] if begin else []
            found += [Between("started_at", high=int(end.timestamp()) - 1)] if end else []
        elif row.name in _COMPARED and not (row.name == "branch" and any(map(is_glob, value))):
            found.append(_COMPARED[row.name](value))
            notes += agent_notes(value, catalog) if row.name == "agent" else ()
        else:
            condition, said = _looked_up(row.name, value, catalog)
            found.append(condition)
            notes += said
    return found, notes


def _looked_up(name: str, value: Any, catalog: Catalog) -> tuple[Condition, list[str]]:
    where, values, notes = conditions(Filters(**{name: value}), catalog)
    if name == "exclude_session":
        # What is left out is far less than what is not.
        return NoneOf("session_id", _column("session_id", f"ignored=0 AND NOT ({where})", values, catalog)), notes
    if name == "branch":
        return OneOf("branch", _column("branch", where, values, catalog)), notes
    if name == "session":
        return OneOf("session_id", _column("session_id", where, values, catalog)), notes
    if name == "project":
        # A folder outside any repository is a project of its own for whoever asks.
        projects = _column("project", where, values, catalog)
        repositories = tuple(project for project in projects if "/" in project)
        folders = _column("cwd", f"{where} AND instr(project, '/')=0", values, catalog)
        return AnyOf((OneOf("project", repositories), OneOf("cwd", folders))), notes
    return OneOf("id", _column("id", where, values, catalog)), notes


def _column(column: str, where: str, values: Sequence[object], catalog: Catalog) -> tuple[str, ...]:
    rows = catalog.rows(f"SELECT DISTINCT {column} AS value FROM chunks WHERE {where}", values)
    return tuple(row["value"] for row in rows if row["value"] is not None)


# The columns hold whole seconds, so the ends are widened to whole seconds too.
def _since(at: datetime) -> Condition:
    return Between("completed_at", low=int(at.timestamp()))


def _until(at: datetime) -> Condition:
    return Between("started_at", high=int(at.timestamp()))


_COMPARED: dict[str, Callable[[Any], Condition]] = {
    "agent": lambda agents: OneOf("agent", tuple(agent.lower() for agent in agents)),
    "kind": lambda kinds: OneOf("kind", parse_kinds(kinds)),
    "lane": lambda lanes: NoneOf("lane", tuple(lane for lane in LANES if lane not in parse_lanes(lanes))),
    "branch": lambda names: OneOf("branch", names),
    "since": _since,
    "until": _until,
    "hours": _since,
}
