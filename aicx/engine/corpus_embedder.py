"""The embedder that the corpus's vector index is made with, for other tables of documents beside it."""

from __future__ import annotations

from typing import NamedTuple

from aicx.config import Settings
from aicx.engine.embedder_choice import embedder_settings, recorded_choice
from aicx.engine.index_manifest import read_manifest
from retrieval.embedders import Embedder, open_embedder


class CorpusEmbedder(NamedTuple):
    """``near`` is how near chance comes in the corpus, None where that was not measured."""

    embedder: Embedder
    near: float | None

    @property
    def make(self) -> str:
        """Another one whenever the same text may get another vector."""
        return f"{self.embedder.fingerprint}/{self.embedder.dimensions}"


def open_corpus_embedder(settings: Settings) -> CorpusEmbedder | None:
    """The embedder of the corpus, None where it has no vector index. Raises AicxError where it cannot be opened."""
    made = read_manifest(settings.layout).get("vectors")
    if not made or "embedder" not in made:
        return None
    choice = recorded_choice(made)
    return CorpusEmbedder(open_embedder(choice.kind, embedder_settings(settings, choice)), made.get("near"))
