"""Estimates of what embedding many documents will cost, measured on a few of them."""

from __future__ import annotations

import time
from collections.abc import Sequence

from aicx.types import Document
from aicx.values import dataclass
from indexer.passages import cut
from indexer.vector_table import EmbeddingModel

SAMPLE_DOCUMENTS = 96
_SAMPLE_PASSAGES = 24
_BYTES_OF_A_ROW = 60  # of columns beside the vector
# Each vector is in the table, and in the mapped copy or the index by which it is found.
_TIMES_KEPT = 2


@dataclass(frozen=True, slots=True)
class Estimate:
    """``size`` is in bytes, on disk."""

    passages: int
    seconds: float
    size: int


def estimate_cost(sample: Sequence[Document], total: int, model: EmbeddingModel) -> Estimate:
    """The cost of embedding ``total`` documents of which ``sample`` are typical."""
    started = time.monotonic()
    texts = [
        passage.text
        for document in sample
        for passage in cut(document, model.windows, model.token_ends, least_weight=model.least_weight)
    ]
    cutting = time.monotonic() - started
    if not texts:
        return Estimate(0, 0.0, 0)
    step = -(-len(texts) // _SAMPLE_PASSAGES)
    timed = texts[::step]
    model.embed(timed[:1])  # the first run of a model takes longer than the others
    started = time.monotonic()
    model.embed(timed)
    embedding = (time.monotonic() - started) / len(timed) * len(texts)
    factor = total / len(sample)
    passages = round(len(texts) * factor)
    size = passages * (_TIMES_KEPT * 2 * model.dimensions + _BYTES_OF_A_ROW)
    return Estimate(passages, (cutting + embedding) * factor, size)
