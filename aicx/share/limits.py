"""A user's filters as conditions on the rows of a share: LanceDB applies them before it ranks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from aicx.corpus.catalog.filters import days_between, parse_kinds, parse_lanes
from aicx.corpus.catalog.names import is_glob
from aicx.filters import FILTERS, LANES, UNSET, Filters
from aicx.folders import slashed
from indexer.vector_table import sql_list


def limits(filters: Filters) -> tuple[list[str], list[str]]:
    """Conditions with the meaning that the filters have for one's own corpus, and the options that a share lacks."""
    found: list[str] = []
    lacking: list[str] = []
    for row in FILTERS:
        value = getattr(filters, row.name)
        if value in UNSET or not row.limits:
            continue
        if row.name in _CONDITIONS:
            found.append(_CONDITIONS[row.name](value))
        else:
            lacking.append(row.options[0])
    return found, lacking


def _one_of(column: str) -> Callable[[Sequence[str]], str]:
    return lambda values: f"{column} IN ({sql_list(values)})"


def _branch(names: Sequence[str]) -> str:
    """The branch is a name, or fits it where it is a pattern."""
    return _any(_fits("branch", name) if is_glob(name) else _one_of("branch")([name]) for name in names)


def _project(names: Sequence[str]) -> str:
    tests = []
    for name in (one.strip().lower() for one in names):
        bare = name.strip("/")
        if is_glob(name):
            tests.append(f"{_fits('lower(project)', name)} OR {_fits('lower(project)', f'*/{name}')}")
        else:
            tests.append(f"regexp_like(lower(project), {sql_list([f'(^|/){re.escape(bare)}(/|$)'])})")
    return _any(tests)


def _session(names: Sequence[str]) -> str:
    return _any(f"starts_with({column}, {sql_list([name])})" for column in _IDS for name in names)


def _without(names: Sequence[str]) -> str:
    tests = [f"starts_with(session_id, {sql_list([name])})" for name in names if name]
    return f"NOT {_any(tests)}" if tests else "true"


def _file(names: Sequence[str]) -> str:
    return _any(
        _fits("files", f"*{path}*") if is_glob(path) else f"contains(files, {sql_list([path])})"
        for path in map(slashed, names)
    )


def _lane(lanes: Sequence[str]) -> str:
    others = [lane for lane in LANES if lane not in parse_lanes(lanes)]
    return f"(lane IS NULL OR lane NOT IN ({sql_list(others)}))" if others else "true"


def _date(days: Any) -> str:
    begin, end = days_between(days)
    tests = [_since(begin)] if begin else []
    tests += [f"started_at < {int(end.timestamp())}"] if end else []
    return " AND ".join(tests) or "true"


def _since(at: datetime) -> str:
    return f"completed_at >= {int(at.timestamp())}"


def _any(tests: Any) -> str:
    return f"({' OR '.join(tests) or 'false'})"


def _fits(column: str, glob: str) -> str:
    pattern = "".join({"*": ".*", "?": "."}.get(sign) or re.escape(sign) for sign in glob)
    return f"regexp_like({column}, {sql_list([f'(?s)^{pattern}$'])})"


_IDS = ("session_id", "parent_session")
_CONDITIONS: dict[str, Callable[[Any], str]] = {
    "project": _project,
    "agent": lambda agents: _one_of("agent")([agent.lower() for agent in agents]),
    "kind": lambda kinds: _one_of("kind")(parse_kinds(kinds)),
    "session": _session,
    "exclude_session": _without,
    "lane": _lane,
    "run_id": _one_of("run_id"),
    "prompt_id": _one_of("prompt_id"),
    "date": _date,
    "since": _since,
    "hours": _since,
    "until": lambda at: f"started_at <= {int(at.timestamp())}",
    "branch": _branch,
    "file": _file,
}
