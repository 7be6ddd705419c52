"""Our dense retriever over any documents and embedder: ``dense:static``, ``dense:minilm``, ``dense:NAME/int8``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.bench.dataset import Query
from aicx.bench.rankers import DEFAULT_CHOICES, LONG, Choices, RankerFolders
from aicx.bench.stores import settings_for, untold
from aicx.corpus.views import NUMBER_COLUMNS, TEXT_COLUMNS
from aicx.types import Candidate, Document
from retrieval.embedders import Embedder, EmbedderSettings, open_embedder

if TYPE_CHECKING:
    from aicx.engine.embedder_choice import Choice
    from indexer.vectors import Synced

IN_MEMORY = False

TABLE = "vectors"
_INT8 = "/int8"
# As much as MiniLM takes in, and a tenth of it.
_LONG_WINDOWS = (254, 25, 0)
_NOTE = "seconds.txt"


class Dense:
    def __init__(
        self, name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
    ) -> None:
        from retrieval.dense import DenseSearcher

        self.embedder = _opened(_embedder_name(name), place)
        self.searcher = DenseSearcher(str(folder_of(name, place)), TABLE, self.embedder)

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        return self.searcher.search(query.text, (), limit)


open_ranker = Dense


def build(name: str, documents: Sequence[Document], place: RankerFolders) -> float:
    """Embeds what the table lacks: a document whose text and model are unchanged is never embedded twice."""
    from aicx.engine.embedder_choice import model_of
    from indexer.vector_table import Columns, Location, OtherModel
    from indexer.vectors import VectorIndexWriter

    model = model_of(prepared(_embedder_name(name), place), windows_of(_embedder_name(name)))
    by_id = {document.id: document for document in documents}

    def fetch(ids: Sequence[str]) -> Iterator[Document]:
        return (by_id[document_id] for document_id in ids)

    versions = {document.id: document.version for document in documents}
    index = VectorIndexWriter(
        Location(str(folder_of(name, place)), TABLE), Columns(TEXT_COLUMNS, NUMBER_COLUMNS), model
    )
    try:
        synced = index.sync(versions, fetch)
    except OtherModel:
        synced = index.sync(versions, fetch, rebuild=True)
    return first_seconds(folder_of(name, place), synced)


def index_paths(name: str, place: RankerFolders) -> Sequence[Path]:
    return (folder_of(name, place),)


def first_seconds(folder: Path, synced: Synced) -> float:
    """How long the vectors in ``folder`` took to make: this run's time when it made them, else what was noted then."""
    note = folder / _NOTE
    if synced.unchanged == 0:
        note.write_text(str(synced.seconds))
    return float(note.read_text())


def _embedder_name(name: str) -> str:
    return name.partition(":")[2] or "static"


def folder_of(name: str, place: RankerFolders) -> Path:
    """Where the vectors of the ranker called ``name`` lie."""
    return place.folder / f"dense-{re.sub(r'[^A-Za-z0-9]+', '-', _embedder_name(name))}"


def prepared(name: str, place: RankerFolders) -> Embedder:
    """The embedder called ``name``, its model distilled or exported first where that has not been done yet."""
    from aicx.engine.embedder_choice import prepare_embedder

    # Models lie in a home's folder of that name, and preparing one asks for nothing else of the home.
    return prepare_embedder(settings_for(place.models.parent), choice_of(name), untold)


def choice_of(name: str) -> Choice:
    """An embedder's name here (``static``, ``minilm``, ``NAME/int8``) as the product has it."""
    from aicx.engine.embedder_choice import Choice

    name = name.removesuffix(LONG)
    model, quantized = name.removesuffix(_INT8), name.endswith(_INT8)
    if model in ("static", "minilm"):
        return Choice(model)  # packaged, with weights of 8 bits
    return Choice("sentence-transformers", model, quantized=quantized)


def windows_of(name: str) -> tuple[int, int, int] | None:
    """A window, its overlap and a whole text, in tokens, where the embedder's name says they are not the usual ones."""
    return _LONG_WINDOWS if name.endswith(LONG) else None


def _opened(name: str, place: RankerFolders) -> Embedder:
    choice = choice_of(name)
    return open_embedder(choice.kind, EmbedderSettings(place.models, model=choice.model, quantized=choice.quantized))
