"""An embedder as an index is made with it, and how near chance comes with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aicx.engine.vector_place import TABLES
from retrieval.embedders import Embedder

if TYPE_CHECKING:
    from indexer.vector_table import EmbeddingModel


# Tool output costs five times the embedding and finds nothing more: docs/decisions/static-embedder.md.
_MIN_WEIGHT = 0.5

# By kind of embedder: tokens of a window, how many of them are repeated in the next, and up to how many a text is one
# window: docs/decisions/windows-and-fusion.md.
_WINDOWS = {"contextual": (64, 8, 128), "static": (16, 4, 0)}


def model_of(embedder: Embedder, windows: tuple[int, int, int] | None = None) -> EmbeddingModel:
    """An embedder as an index is made with it: what counts little, tool output, is not embedded.

    ``windows`` are other tokens of a window, of its overlap and of a whole text than those of its kind.
    """
    from indexer.passages import Windows
    from indexer.vector_table import EmbeddingModel

    tokens, overlap, whole = windows or _WINDOWS[embedder.kind]
    return EmbeddingModel(
        embedder.name,
        embedder.fingerprint,
        embedder.dimensions,
        Windows(min(tokens, embedder.max_tokens), overlap, min(whole, embedder.max_tokens)),
        embedder.embed_passages,
        embedder.token_ends,
        _MIN_WEIGHT,
    )


def calibrate_noise(uri: str, embedder: Embedder, table: str = TABLES[0]) -> float | None:
    """How near the nearest passages come to unrelated questions: the 95th percentile of their scores.

    What a ranker by meaning finds is always nearest to something. An answer that no word speaks for has to be nearer
    than this to be one. None for an index without passages.
    """
    from importlib.resources import files
    from statistics import quantiles

    from retrieval.dense import DenseSearcher, Unusable

    text = files("aicx").joinpath("data/unrelated.txt").read_text("utf-8")
    try:
        searcher = DenseSearcher(uri, table, embedder)
        # Embedded together: an endpoint may allow few requests a minute. As passages are: the process that embedded
        # those need not open the model once more, which would double its memory.
        vectors = embedder.embed_passages(_lines(text))
        scores = [found[0].score for vector in vectors if (found := searcher.search_near(vector, [], 1))]
    except Unusable:
        return None
    return round(quantiles(scores, n=20)[-1], 4) if len(scores) > 1 else None


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]
