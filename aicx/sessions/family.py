"""The edges of a session as they count: what is stated before what logs say, and that before what was derived.

`chain_of` follows them from one session to the next.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager

from aicx.corpus.catalog import Catalog
from aicx.paths import Layout
from aicx.refs import Ref
from aicx.sessions import Edge, EdgeType, Origin
from aicx.sessions.index import EdgeIndex, Progress, open_edges
from aicx.sessions.stated import StatedSessions, read_stated
from aicx.values import dataclass

_RANK: dict[Origin, int] = {"stated": 0, "log": 1, "derived": 2}
# What a session began with: it has one such origin, and what a log says of it leaves nothing to derive.
_BEGINNINGS: frozenset[EdgeType] = frozenset({"continues", "forked_from"})


@dataclass(frozen=True, slots=True)
class SessionFamily:
    """All edges between sessions but those that `.aicxignore` hides.

    ``is_current`` is False where some were not looked at yet.
    """

    index: EdgeIndex
    stated: StatedSessions
    hidden: frozenset[str]

    @property
    def is_current(self) -> bool:
        return self.index.is_current

    def older(self, refs: Sequence[str]) -> list[Edge]:
        """The edges that lead from these sessions to older ones."""
        wanted = set(refs)
        stated = [edge for ref in refs for edge in self.stated.ends.get(ref, ())]
        return self._settle([edge for edge in (*stated, *self.index.about(refs)) if edge.from_ref in wanted])

    def newer(self, ref: str) -> list[Edge]:
        """The edges that lead to a session from newer ones."""
        found = (*self.stated.ends.get(ref, ()), *self.index.about([ref]))
        names = dict.fromkeys(edge.from_ref for edge in found if edge.to_ref == ref)
        return [edge for edge in self.older(list(names)) if edge.to_ref == ref]

    def every(self) -> list[Edge]:
        return self._settle([*self.stated.edges, *self.index.every()])

    def _settle(self, edges: Iterable[Edge]) -> list[Edge]:
        """One edge for each pair of sessions, and no derived beginning beside a known one."""
        kept: dict[tuple[str, str], Edge] = {}
        begun: dict[str, Origin] = {}
        for edge in sorted(edges, key=_order):
            pair = (edge.from_ref, edge.to_ref)
            if (
                pair in kept
                or not self.hidden.isdisjoint(pair)
                or (pair in self.stated.removed and edge.origin != "stated")
            ):
                continue
            is_beginning = edge.type in _BEGINNINGS
            if is_beginning and edge.origin == "derived" and begun.get(edge.from_ref, "derived") != "derived":
                continue
            if is_beginning:
                begun.setdefault(edge.from_ref, edge.origin)
            kept[pair] = edge
        return list(kept.values())


def _order(edge: Edge) -> tuple[int, float, str, str, str]:
    return _RANK[edge.origin], -edge.confidence, edge.from_ref, edge.to_ref, edge.type


@contextmanager
def open_family(
    layout: Layout, catalog: Catalog, progress: Progress | None = None, *, refresh: bool = True
) -> Iterator[SessionFamily]:
    """The edges of the sessions in ``catalog``; without ``refresh`` as far as they are known, writing nothing."""
    with open_edges(layout, catalog, progress, refresh=refresh) as index:
        yield SessionFamily(index, read_stated(layout), _hidden(catalog))


def _hidden(catalog: Catalog) -> frozenset[str]:
    """The references of stored sessions of which no chunk may be shown."""
    rows = catalog.rows("SELECT DISTINCT agent, session_id FROM chunks WHERE ignored=1")
    shown = "SELECT 1 FROM chunks WHERE agent=? AND session_id=? AND ignored=0 LIMIT 1"
    return frozenset(str(Ref.of_session(*row)) for row in rows if not catalog.rows(shown, tuple(row)))


ANCESTRY: frozenset[EdgeType] = frozenset({"continues", "forked_from", "delegated_by"})
MAX_DEPTH = 1000


@dataclass(frozen=True, slots=True)
class ChainLink:
    """A session of a chain. ``edge`` leads to it from one that is a step nearer; None for the one asked about."""

    ref: str
    depth: int
    edge: Edge | None


def chain_of(
    family: SessionFamily, ref: str, depth: int, types: Collection[EdgeType] = ANCESTRY
) -> tuple[list[ChainLink], bool]:
    """The ancestors of a session, at most ``depth`` edges away, and whether there are more beyond.

    A circle ends where it meets itself.
    """
    links = [ChainLink(ref, 0, None)]
    met = {ref}
    level = [ref]
    for step in range(1, depth + 2):
        found = [edge for edge in family.older(level) if edge.type in types and edge.to_ref not in met]
        if not found or step > depth:
            return links, bool(found)
        level = []
        for edge in found:
            if edge.to_ref not in met:
                met.add(edge.to_ref)
                level.append(edge.to_ref)
                links.append(ChainLink(edge.to_ref, step, edge))
    raise AssertionError("a chain ends with its depth")
