"""The vector index, open: its table and the model that questions are embedded with."""

from __future__ import annotations

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.engine.embedder_choice import embedder_settings, recorded_choice
from aicx.engine.index_manifest import chunks_behind, documents_behind
from aicx.engine.vector_files import recorded_address, table_of
from aicx.engine.vector_state import manifest_entry
from retrieval.dense import DenseSearcher, MeaningSearch
from retrieval.embedders import open_embedder


class OpenVectors(MeaningSearch):
    """The index that the manifest tells of."""

    def __init__(self, settings: Settings) -> None:
        self._made = manifest_entry(settings)
        self._compared: tuple[object, int] | None = None
        address = recorded_address(settings, self._made)
        choice = recorded_choice(self._made)
        embedder = open_embedder(choice.kind, embedder_settings(settings, choice))
        super().__init__(DenseSearcher(address, table_of(self._made), embedder), embedder, self._made.get("near"))

    def behind(self, catalog: Catalog) -> int:
        """How many chunks the index lacks or still has.

        A catalogue that was made anew counts changes anew, so they are compared, once for each state of it.
        """
        known = chunks_behind(self._made, catalog)
        if known is not None:
            return known
        state = catalog.identity, catalog.sequence
        if self._compared is None or self._compared[0] != state:
            self._compared = state, documents_behind(self.searcher.versions(), catalog)
        return self._compared[1]
