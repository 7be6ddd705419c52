"""The vector index, open: its tables and the models that questions are embedded with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aicx.config import Settings
from aicx.corpus.catalog.database import Catalog
from aicx.engine.embedder_choice import embedder_settings, recorded_choice
from aicx.engine.index_manifest import chunks_behind
from aicx.engine.vector_index import manifest_entry
from aicx.engine.vector_place import SLOTS, recorded_address, table_of
from retrieval.dense import DenseSearcher
from retrieval.embedders import open_embedder
from retrieval.legs import Leg, Legs


class OpenVectors(Legs):
    """The legs that the manifest tells of."""

    def __init__(self, settings: Settings) -> None:
        self._made = manifest_entry(settings)
        address = recorded_address(settings, self._made)
        legs = {}
        for name in SLOTS:
            made: Mapping[str, Any] = self._made if name == "dense" else self._made.get("light", {})
            if table := table_of(self._made, name):
                choice = recorded_choice(made)
                embedder = open_embedder(choice.kind, embedder_settings(settings, choice))
                legs[name] = Leg(DenseSearcher(address, table, embedder), embedder, made.get("near"))
        super().__init__(legs)

    def behind(self, catalog: Catalog) -> int | None:
        """How many chunks the index lacks or still has; None when that is unknown."""
        return chunks_behind(self._made, catalog)
