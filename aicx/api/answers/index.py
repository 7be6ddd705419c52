"""`aicx.index/1`: the state of both indexes, what a build did, and that an index was deleted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aicx.api.answers import INLINE

if TYPE_CHECKING:
    from aicx.engine.vector_index import LexicalState, VectorState
    from indexer.vectors import Synced

SCHEMA = "aicx.index/1"


@dataclass(frozen=True, slots=True)
class WordIndex:
    """The BM25 index; how many chunks it is behind is null where that is not known. ``size`` is in bytes."""

    exists: bool
    behind: int | None
    size: int


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """The vector index; its size in bytes is null where it is not in a local folder."""

    embedder: str
    model: str | None
    uri: str
    passages: int
    chunks: int
    behind: int | None
    dimensions: int
    bytes: int | None


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """Both indexes. The fields of the vector index are there where it ``exists``."""

    lexical: WordIndex
    exists: bool
    vectors: VectorIndex | None = field(metadata=INLINE)


@dataclass(frozen=True, slots=True)
class IndexBuilt:
    """What a build did, in chunks; ``passages`` were embedded."""

    added: int
    changed: int
    removed: int
    unchanged: int
    passages: int
    seconds: float


@dataclass(frozen=True, slots=True)
class IndexDropped:
    dropped: bool


def index_answer(words: LexicalState, meaning: VectorState | None) -> IndexAnswer:
    lexical = WordIndex(words.exists, words.behind, words.size)
    if meaning is None:
        return IndexAnswer(lexical, False, None)
    table = meaning.table
    vectors = VectorIndex(
        embedder=meaning.choice.kind,
        model=table.model,
        uri=meaning.uri,
        passages=table.rows,
        chunks=len(table.versions),
        behind=meaning.behind,
        dimensions=table.dimensions,
        bytes=meaning.size,
    )
    return IndexAnswer(lexical, True, vectors)


def index_built(synced: Synced) -> IndexBuilt:
    return IndexBuilt(synced.added, synced.changed, synced.removed, synced.unchanged, synced.passages, synced.seconds)
