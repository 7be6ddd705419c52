"""Lists sessions with a chunk that passes the filters, each with its summary."""

from __future__ import annotations

from typing import Any, Literal

from aicx.api.filters import Filters
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.filters import conditions
from aicx.corpus.catalog.query import open_catalog
from aicx.paths import Layout

Sort = Literal["newest", "oldest", "size"]

_ORDERS: dict[Sort, str] = {
    "newest": "completed_at DESC, agent, session_id",
    "oldest": "started_at, agent, session_id",
    "size": "chunks DESC, agent, session_id",
}
_FACTS = "id, project, title, lane, branch, cwd, parent_session"


def browse(layout: Layout, filters: Filters, sort: Sort, limit: int, offset: int) -> dict[str, Any]:
    """A page of the sessions that have a chunk within the filters. What is said of each is of the whole session."""
    with open_catalog(layout) as opened:
        catalog = opened.catalog
        where, values, notes = conditions(filters, catalog)
        whole = "ignored=0"
        if filters != Filters():
            whole += f" AND (agent, session_id) IN (SELECT DISTINCT agent, session_id FROM chunks WHERE {where})"
        else:
            values = []
        # All of them, since counting them costs as much as listing them.
        rows = catalog.rows(
            "SELECT agent, session_id, min(started_at) AS started_at, max(completed_at) AS completed_at,"
            f" count(*) AS chunks, sum(messages) AS messages FROM chunks WHERE {whole}"
            f" GROUP BY agent, session_id ORDER BY {_ORDERS[sort]}",
            values,
        )
        return {
            "matched": len(rows),
            "offset": offset,
            "items": [
                dict(row) | _facts(catalog, row["agent"], row["session_id"]) for row in rows[offset : offset + limit]
            ],
            "notes": [*([opened.fallback_reason] if opened.fallback_reason else []), *opened.notes, *notes],
        }


def _facts(catalog: Catalog, agent: str, session: str) -> dict[str, Any]:
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
        "title": catalog.late_title(agent, session) or last("title"),
        "project": projects[0],
        "projects": projects,
        "lane": "subagent" if any(row["lane"] == "subagent" for row in rows) else "primary",
        "branch": last("branch"),
        "cwd": first("cwd"),
        "parent_session": first("parent_session"),
    }
