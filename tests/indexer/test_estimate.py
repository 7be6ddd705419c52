"""The estimate of what embedding costs is in proportion to what is embedded."""

from __future__ import annotations

import time
from typing import Any

from aicx.types import Document, Part
from indexer.estimate import Estimate, estimate_cost
from indexer.passages import Windows
from indexer.vector_table import EmbeddingModel
from tests.indexer.test_passages import words
from tests.parts import require


def model(seconds: float = 0.0) -> EmbeddingModel:
    """Takes ``seconds`` for a text."""
    require("semantic")
    import numpy as np

    def embed(texts: list[str]) -> Any:
        time.sleep(seconds * len(texts))
        return np.ones((len(texts), 10))

    return EmbeddingModel("m", "m", 10, Windows(8, 2), embed, words)


DOCUMENT = Document("d", "1", "head", (Part("one two three four five six seven eight nine ten " * 4, 1.0),), {})


def test_passages_and_bytes_grow_with_the_documents() -> None:
    few, many = (estimate_cost([DOCUMENT], total, model()) for total in (10, 1000))
    assert few.passages > 40
    assert (many.passages, many.size) == (100 * few.passages, 100 * few.size)
    assert few.size > few.passages * 40


def test_seconds_are_those_of_the_embedder() -> None:
    found = estimate_cost([DOCUMENT], 100, model(0.002))
    assert found.passages * 0.002 <= found.seconds <= found.passages * 0.02


def test_nothing_to_embed_costs_nothing() -> None:
    assert estimate_cost([], 0, model()) == Estimate(0, 0.0, 0)
