"""Derived at the end of a run: the chunks hidden by `.aicxignore`, and the small summary in `index.json`."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import orjson

from aicx.corpus.catalog.database import Catalog
from aicx.errors import PatternRefused, UsageError
from aicx.paths import Layout
from aicx.storage.atomic import replace_file

SUMMARY_SCHEMA = "aicx.summary/1"
_IGNORE_DIGEST = "ignore_sha256"


def apply_ignore_file(layout: Layout, catalog: Catalog) -> None:
    """Marks the chunks that `.aicxignore` hides, inside the caller's transaction."""
    digest = ignore_digest(layout)
    hidden = ignore_matcher(layout)
    if digest == catalog.meta(_IGNORE_DIGEST) and digest == "":
        return
    rows = catalog.rows("SELECT rowid, path, ignored, agent, session_id FROM chunks")
    changed = [(ignored, row) for row in rows if (ignored := int(hidden(row["path"]))) != row["ignored"]]
    for _, row in changed:
        catalog.unsettle(row["agent"], row["session_id"])
    catalog.connection.executemany(
        "UPDATE chunks SET ignored=?, sequence=? WHERE rowid=?",
        [(ignored, catalog.next_sequence, row["rowid"]) for ignored, row in changed],
    )
    catalog.set_meta(_IGNORE_DIGEST, digest)


def ignore_is_current(layout: Layout, catalog: Catalog) -> bool:
    """Whether the catalogue's marks are from the `.aicxignore` of now."""
    return ignore_digest(layout) == (catalog.meta(_IGNORE_DIGEST) or "")


def ignore_digest(layout: Layout) -> str:
    try:
        return sha256(layout.ignore_file.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def ignore_matcher(layout: Layout) -> Callable[[str], bool]:
    """Says of a path relative to the home whether `.aicxignore` hides it (gitignore grammar)."""
    try:
        lines = layout.ignore_file.read_text("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return lambda path: False
    from aicx.gitignore import ignoring  # imported here: most hide nothing

    for number, line in enumerate(lines, 1):
        try:
            ignoring([line])
        except PatternRefused as error:
            raise UsageError(
                f"{layout.ignore_file}, line {number} {error.message}",
                hint="mend the line, or remove it; nothing else is lost",
            ) from error
    return ignoring(lines)


def write_summary(layout: Layout, catalog: Catalog) -> None:
    """Writes `index.json` when it would say something new."""
    body = orjson.dumps(summarise(catalog), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    if not layout.summary.is_file() or layout.summary.read_bytes() != body:
        replace_file(layout.summary, body)


def summarise(catalog: Catalog) -> dict[str, Any]:
    """Projects, their agents and dates, and the totals, from the chunks that are not ignored."""
    rows = catalog.rows(
        "SELECT project, agent, group_concat(DISTINCT replace(date, '-', '')) AS dates, count(*) AS chunks,"
        " count(DISTINCT session_id) AS sessions, sum(messages) AS entries, max(completed_at) AS last_updated"
        " FROM chunks WHERE ignored=0 GROUP BY project, agent ORDER BY project, agent"
    )
    projects: dict[str, Any] = {}
    totals = {"projects": 0, "sessions": 0, "chunks": 0, "entries": 0}
    for row in rows:
        project = projects.setdefault(row["project"], {"agents": {}})
        project["agents"][row["agent"]] = {
            "dates": sorted(row["dates"].split(",")),
            "sessions": row["sessions"],
            "chunks": row["chunks"],
            "total_entries": row["entries"],
            "last_updated": row["last_updated"],
        }
        totals["chunks"] += row["chunks"]
        totals["entries"] += row["entries"]
    totals["projects"] = len(projects)
    # A session that worked in two repositories is one session.
    sessions = "SELECT count(*) AS n FROM (SELECT DISTINCT agent, session_id FROM chunks WHERE ignored=0)"
    totals["sessions"] = catalog.rows(sessions)[0]["n"]
    last = max((row["last_updated"] for row in rows), default=None)
    return {"schema": SUMMARY_SCHEMA, "projects": projects, "totals": totals, "last_updated": last}
