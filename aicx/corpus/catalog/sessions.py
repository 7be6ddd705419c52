"""Lists sessions with a chunk that passes the filters, each with its summary."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.filters import conditions
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.catalog.runs import FACTS, fold_runs, run_key, told
from aicx.filters import Filters
from aicx.paths import Layout

Sort = Literal["newest", "oldest", "size"]

_ORDERS: dict[Sort, str] = {
    "newest": "completed_at DESC, agent, session_id",
    "oldest": "started_at, agent, session_id",
    "size": "chunks DESC, agent, session_id",
}
_SUMS = ("agent", "session_id", "started_at", "completed_at", "chunks", "messages")
_FACTS = "id, project, lane, branch, cwd, parent_session"


def browse(layout: Layout, filters: Filters, sort: Sort, limit: int, offset: int) -> dict[str, Any]:
    """A page of the sessions that have a chunk within the filters. What is said of each is of the whole session."""
    with open_catalog(layout) as opened:
        catalog = opened.catalog
        where, values, notes = conditions(filters, catalog)
        whole = "ignored=0"
        if replace(filters, automated=None) != Filters():
            whole += f" AND (agent, session_id) IN (SELECT DISTINCT agent, session_id FROM chunks WHERE {where})"
        else:
            values = []
        # All of them, since counting them costs as much as listing them.
        rows = catalog.rows(
            f"SELECT found.*, {FACTS} FROM (SELECT agent, session_id, min(started_at) AS started_at,"
            " max(completed_at) AS completed_at, count(*) AS chunks, sum(messages) AS messages"
            f" FROM chunks WHERE {whole} GROUP BY agent, session_id) AS found"
            f" LEFT JOIN sessions USING (agent, session_id) ORDER BY {_ORDERS[sort]}",
            values,
        )
        key_of = (lambda row: None) if filters.automated else run_key
        folded = fold_runs(rows, lambda row: str(row["session_id"]), key_of)
        return {
            "matched": len(folded),
            "offset": offset,
            "items": [
                {name: row[name] for name in _SUMS}
                | {"title": row["session_title"]}
                | facts_of(catalog, row["agent"], row["session_id"])
                | told(row, sessions)
                for row, sessions in folded[offset : offset + limit]
            ],
            "notes": [*([opened.fallback_reason] if opened.fallback_reason else []), *opened.notes, *notes],
        }


def facts_of(catalog: Catalog, agent: str, session: str) -> dict[str, Any]:
    """Where a stored session was at work, and who worked."""
    rows = catalog.rows(
        f"SELECT {_FACTS} FROM chunks WHERE agent=? AND session_id=? AND ignored=0 ORDER BY stream, number",
        (agent, session),
    )

    def first(name: str) -> str | None:
        return next((row[name] for row in rows if row[name]), None)

    def last(name: str) -> str | None:
        return next((row[name] for row in reversed(rows) if row[name]), None)

    projects = list(dict.fromkeys(row["project"] for row in rows))
    return {
        "project": projects[0],
        "projects": projects,
        "lane": "subagent" if any(row["lane"] == "subagent" for row in rows) else "primary",
        "branch": last("branch"),
        "cwd": first("cwd"),
        "parent_session": first("parent_session"),
    }
