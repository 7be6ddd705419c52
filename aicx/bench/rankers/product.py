"""aicx itself, as a user gets it: ``aicx`` as it is after `aicx store`, ``aicx:static`` or ``aicx:minilm`` after
`aicx index` with that embedder.

Over stored sessions it is `aicx.engine.search`; over any other documents the same by hand, see `plain`.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from aicx.bench.dataset import Query
from aicx.bench.rankers import DEFAULT_CHOICES, Choices, Ranker, RankerFolders, dense, plain
from aicx.bench.stores import seconds_of_lexical, settings_for
from aicx.engine.index_manifest import read_manifest, write_manifest
from aicx.engine.lexical_index import refresh_lexical
from aicx.engine.search import Mode, Searcher, SearchQuery, SearchReport
from aicx.engine.vector_index import build_vectors
from aicx.errors import AicxError, UsageError
from aicx.paths import Layout
from aicx.storage import checksums
from aicx.types import Candidate, Document
from aicx.values import dataclass
from retrieval.decay import PROFILES
from retrieval.evidence import Evidence

IN_MEMORY = False


class OtherRankers(AicxError):
    """Not the rankers that were to be measured have answered."""


@dataclass(frozen=True, slots=True)
class Product:
    """`aicx search --group session` over a store."""

    searcher: Searcher
    choices: Choices
    mode: Mode = "auto"

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        return self.labelled(query, limit)[0]

    def labelled(self, query: Query, limit: int) -> tuple[list[Candidate], Evidence]:
        report = self.report(query, limit)
        if report is None:
            return [], "none"
        return [Candidate(hit.sidecar.id, hit.score) for hit in report.hits], report.evidence

    def excerpts(self, query: Query, limit: int) -> list[str]:
        report = self.report(query, limit)
        return [line.text for hit in report.hits for line in hit.lines] if report else []

    def report(self, query: Query, limit: int) -> SearchReport | None:
        """None for a question without a word to look for; the command line says so in as many words."""
        asked = SearchQuery(
            query.text,
            query.now,
            mode=self.mode,
            group=self.choices.group,
            limit=limit,
            decay=PROFILES[self.choices.decay],
            lift_dates=self.choices.lift_dates,
            automated=self.choices.automated,
            place=query.place if self.choices.in_place else None,
            rules=self.choices.rules,
        )
        try:
            report = self.searcher.search(asked)
        except UsageError:
            return None
        if reason := report.oracle_status["fallback_reason"]:
            raise OtherRankers(f"a fallback has answered: {reason}")
        return report


def build(name: str, documents: Sequence[Document], place: RankerFolders) -> float | None:
    if place.home is None:
        return plain.build(_embedder(name), documents, place)
    lexical = seconds_of_lexical(place.home)
    if _embedder(name) == plain.LEXICAL:
        return lexical
    return _build_twin(name, place) + (lexical or 0.0)


def open_ranker(
    name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
) -> Ranker:
    if place.home is None:
        return plain.open_ranker(_embedder(name), documents, place, choices)
    # A home may have a vector index of its own, which `aicx` alone does not stand for.
    mode: Mode = "lexical" if _embedder(name) == plain.LEXICAL else "auto"
    return Product(Searcher(settings_for(home_of(name, place))), choices, mode)


def home_of(name: str, place: RankerFolders) -> Path:
    """The home that the ranker asks: the corpus's own as it is, or its twin with the vector index."""
    assert place.home is not None
    return place.home if _embedder(name) == plain.LEXICAL else _twin(name, place)


def index_paths(name: str, place: RankerFolders) -> Sequence[Path]:
    if place.home is None:
        return plain.index_paths(_embedder(name), place)
    return (Layout(home_of(name, place)).lexical_index.parent,)


def _embedder(name: str) -> str:
    return name.partition(":")[2] or plain.LEXICAL


def _twin(name: str, place: RankerFolders) -> Path:
    return place.folder / f"home-{_embedder(name).replace('/', '-')}"


def _build_twin(name: str, place: RankerFolders) -> float:
    """A second home over the same chunks: a home has room for one vector index, and that is its owner's.

    Everything but the vectors is put there anew; what was embedded before is kept, as `aicx index` keeps it.
    """
    assert place.home is not None
    theirs, ours = Layout(place.home), Layout(_twin(name, place))
    for source, folder in (
        (theirs.store, ours.store),
        (theirs.non_repository, ours.non_repository),
        (theirs.lexical_index, ours.lexical_index),
    ):
        shutil.rmtree(folder, ignore_errors=True)
        if source.exists():
            shutil.copytree(source, folder, copy_function=_link)
    checksums.withdraw(ours.lexical_index)
    if checksums.is_recorded(theirs.lexical_index):
        shutil.copyfile(checksums.record_of(theirs.lexical_index), checksums.record_of(ours.lexical_index))
    checksums.withdraw(ours.catalog)
    read_only = f"{theirs.catalog.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(read_only, uri=True)) as catalog, closing(sqlite3.connect(ours.catalog)) as copy:
        catalog.backup(copy)
    write_manifest(ours, "lexical", read_manifest(theirs).get("lexical"))
    place.models.mkdir(parents=True, exist_ok=True)
    if not ours.models.is_symlink():
        ours.models.symlink_to(place.models.resolve())
    settings, choice = settings_for(ours.home), dense.choice_of(_embedder(name))
    refresh_lexical(settings, _nobody)
    windows = dense.windows_of(_embedder(name))
    try:
        synced = build_vectors(settings, choice, rebuild=False, on_progress=_nobody, notify=_nobody, windows=windows)
    except UsageError:  # it was made by a model that is gone
        synced = build_vectors(settings, choice, rebuild=True, on_progress=_nobody, notify=_nobody, windows=windows)
    return dense.first_seconds(ours.lexical_index.parent, synced)


def _nobody(_: object) -> None:
    """Nobody is told."""


def _link(source: str, target: str) -> None:
    """A file under a second name: chunks and segments are replaced, never written over. Copied on another disk."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
