"""`aicx.index/1`: the state of both indexes, what a build did, and that an index was deleted."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Annotated

from aicx.fields import INLINE
from aicx.values import dataclass

if TYPE_CHECKING:
    from indexer.vectors import Synced

SCHEMA = "aicx.index/1"


@dataclass(frozen=True, slots=True)
class WordIndex:
    """The BM25 index."""

    exists: Annotated[bool, "whether there is one"]
    behind: Annotated[int | None, "number of chunks it lacks, or still has though they are gone; null if unknown"]
    size: Annotated[int, "bytes"]


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """The vector index."""

    embedder: Annotated[str, "the kind of embedder"]
    model: Annotated[str | None, "its model"]
    uri: Annotated[str, "where the index is"]
    passages: Annotated[int, "passages held"]
    chunks: Annotated[int, "chunks held"]
    behind: Annotated[int | None, "number of chunks it lacks, or still has though they are gone; null if unknown"]
    dimensions: Annotated[int, "of a vector"]
    bytes: Annotated[int | None, "size on disk; null where it is not in a local folder"]


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """The state of both indexes. The fields from ``embedder`` on are there where a vector index exists."""

    lexical: Annotated[WordIndex, "the BM25 index"]
    exists: Annotated[bool, "whether there is a vector index"]
    vectors: VectorIndex | None = field(metadata=INLINE)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % interval."""

    mean: Annotated[float, "of all questions"]
    low: Annotated[float, "where the interval begins"]
    high: Annotated[float, "where it ends"]


@dataclass(frozen=True, slots=True)
class IndexGain:
    """The gain of meaning on one's own history, as MRR@10. Without figures where too few questions could be mined."""

    questions: Annotated[int, "questions mined from it that were asked"]
    words: Annotated[Interval | None, "by words alone"] = None
    both: Annotated[Interval | None, "by words and meaning"] = None
    more: Annotated[Interval | None, "what the second has more, question by question"] = None


@dataclass(frozen=True, slots=True)
class IndexBuilt:
    """The outcome of a build."""

    added: Annotated[int, "chunks that are new"]
    changed: Annotated[int, "chunks that were embedded again"]
    removed: Annotated[int, "chunks that are gone"]
    unchanged: Annotated[int, "chunks that were up to date"]
    passages: Annotated[int, "passages embedded"]
    seconds: float
    gain: Annotated[IndexGain | None, "what the index gains on this history; null where that was not measured"]


@dataclass(frozen=True, slots=True)
class IndexDropped:
    dropped: Annotated[bool, "`true`"]


def index_built(synced: Synced, gain: IndexGain | None = None) -> IndexBuilt:
    done = (synced.added, synced.changed, synced.removed, synced.unchanged, synced.passages, synced.seconds)
    return IndexBuilt(*done, gain)
