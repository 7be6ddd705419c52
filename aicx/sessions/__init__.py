"""Sessions as a family: what came from what, where they stand, and what was said in their windows.

Two of them are related by an edge, which leads from the newer to the older.
"""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from aicx.values import dataclass

EdgeType = Literal["continues", "forked_from", "delegated_by", "related"]
Origin = Literal["log", "derived", "stated"]
EDGE_TYPES: tuple[EdgeType, ...] = get_args(EdgeType)


@dataclass(frozen=True, slots=True)
class Edge:
    """That one session came from another, or has to do with it."""

    from_ref: Annotated[str, "the newer session, as `session:<agent>:<id>`"]
    to_ref: Annotated[str, "the older session"]
    type: Annotated[
        EdgeType,
        "`continues` goes on with its work, `forked_from` began with a copy of it, `delegated_by` was started by it as"
        " a subagent, `related` has its subject or its files in common",
    ]
    reason: Annotated[str, "why, in a sentence"]
    confidence: Annotated[float, "0 to 1; 1 for what a log or a person states"]
    origin: Annotated[
        Origin, "`log` where a log says so, `derived` from what both did, `stated` by a person or an agent"
    ]
    at: Annotated[str, "when the newer session began, or the edge was stated"]
