"""What embedding many documents will cost, measured on a few of them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from aicx.types import Document
from indexer.passages import cut
from indexer.vector_table import Model

SAMPLE_DOCUMENTS = 16
_SAMPLE_PASSAGES = 24
_BYTES_OF_A_ROW = 120  # of columns beside the vector, as LanceDB stores them


@dataclass(frozen=True, slots=True)
class Estimate:
    """``size`` is in bytes, on disk."""

    passages: int
    seconds: float
    size: int


def estimate_cost(sample: Sequence[Document], total: int, model: Model) -> Estimate:
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
    return Estimate(passages, (cutting + embedding) * factor, passages * (2 * model.dimensions + _BYTES_OF_A_ROW))
