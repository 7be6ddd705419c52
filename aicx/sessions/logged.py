"""The edges that logs state: the session that started a subagent's, the one a fork names, and the one it copied."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from aicx.corpus.catalog.database import Catalog
from aicx.refs import Ref
from aicx.sessions.lineage import Edge, EdgeType
from aicx.text import instant

_PARENTS = """SELECT agent, session_id, max(parent_session) AS parent, max(lane='subagent') AS subagent,
 min(started_at) AS started_at FROM chunks WHERE parent_session IS NOT NULL AND ignored=0 AND stream=''
 GROUP BY agent, session_id"""
# For each session the others whose messages its log begins with, and when the last such message is from.
_COPIES = """SELECT c.agent, c.session_id AS owner, json_extract(d.reference, '$.session_id') AS copier,
 count(DISTINCT d.key) AS messages, max(m.at) AS last FROM duplicates d JOIN messages m ON m.key=d.key
 JOIN chunks c ON c.rowid=m.chunk WHERE c.ignored=0 AND c.stream='' AND json_extract(d.reference, '$.agent')=c.agent
 GROUP BY c.agent, owner, copier HAVING owner<>copier AND messages>=?"""
_SPAN = """SELECT min(m.at) AS first, max(m.at) AS last FROM messages m JOIN chunks c ON c.rowid=m.chunk
 WHERE c.agent=? AND c.session_id=? AND c.ignored=0 AND c.stream=''"""
# One message alone may be a prompt that two sessions were given at once.
_LEAST_COPIED = 2


def logged_edges(catalog: Catalog) -> list[Edge]:
    """An edge for each session that a log connects with an older one, whether that is stored or not."""
    found = {edge.from_ref: edge for edge in _named(catalog)}
    # Of several sessions that a log begins with, the catalogue names the one it has most of.
    for edge in _copied(catalog):
        if edge.from_ref not in found or found[edge.from_ref].type != "delegated_by":
            found[edge.from_ref] = edge
    return list(found.values())


def _named(catalog: Catalog) -> Iterator[Edge]:
    for row in catalog.rows(_PARENTS):
        if row["parent"] == row["session_id"]:
            continue
        newer, older = (str(Ref.of_session(row["agent"], row[name])) for name in ("session_id", "parent"))
        kind: EdgeType = "delegated_by" if row["subagent"] else "forked_from"
        why = "that started it" if row["subagent"] else "it was forked from"
        yield Edge(newer, older, kind, f"its log names the session {why}", 1.0, "log", row["started_at"])


def _copied(catalog: Catalog) -> Iterator[Edge]:
    latest = {}
    for row in sorted(catalog.rows(_COPIES, (_LEAST_COPIED,)), key=lambda row: (row["last"], row["owner"])):
        latest[row["agent"], row["copier"]] = row  # a fork of a fork has messages of both
    for (agent, copier), row in latest.items():
        own, owner = (catalog.rows(_SPAN, (agent, name))[0] for name in (copier, row["owner"]))
        if own["first"] is None or own["first"] < row["last"]:
            continue  # it has nothing of its own, or did not begin with them
        kind: EdgeType = "continues" if owner["last"] <= row["last"] else "forked_from"
        yield Edge(
            str(Ref.of_session(agent, copier)),
            str(Ref.of_session(agent, row["owner"])),
            kind,
            f"its log begins with {row['messages']} messages of that one"
            + (", which went on without it" if kind == "forked_from" else ""),
            1.0,
            "log",
            instant(datetime.fromtimestamp(own["first"] / 1000, UTC)),
        )
