"""Where a session came from: its ancestors, the nearest first, each once."""

from __future__ import annotations

from collections.abc import Collection

from aicx.sessions.family import SessionFamily
from aicx.sessions.lineage import Edge, EdgeType
from aicx.values import dataclass

ANCESTRY: frozenset[EdgeType] = frozenset({"continues", "forked_from", "delegated_by"})
MAX_DEPTH = 1000


@dataclass(frozen=True, slots=True)
class ChainLink:
    """A session of a chain. ``edge`` leads to it from one that is a step nearer; None for the one asked about."""

    ref: str
    depth: int
    edge: Edge | None


@dataclass(frozen=True, slots=True)
class Chain:
    """The sessions by their depth. ``more`` says whether it goes on beyond the depth that was asked for."""

    links: tuple[ChainLink, ...]
    more: bool


def chain_of(family: SessionFamily, ref: str, depth: int, types: Collection[EdgeType] = ANCESTRY) -> Chain:
    """The ancestors of a session, at most ``depth`` edges away; a circle ends where it meets itself."""
    links = [ChainLink(ref, 0, None)]
    met = {ref}
    level = [ref]
    for step in range(1, depth + 2):
        found = [edge for edge in family.older(level) if edge.type in types and edge.to_ref not in met]
        if not found or step > depth:
            return Chain(tuple(links), bool(found))
        level = []
        for edge in found:
            if edge.to_ref not in met:
                met.add(edge.to_ref)
                level.append(edge.to_ref)
                links.append(ChainLink(edge.to_ref, step, edge))
    raise AssertionError("a chain ends with its depth")
