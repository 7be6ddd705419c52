"""aicx itself, as a user gets it: ``aicx`` as it is after `aicx store`, ``aicx:static`` or ``aicx:minilm`` after
`aicx index` with that embedder.

Over stored sessions it is `aicx.engine.search`; over any other documents the same retrievers and fusion rules by
hand, see `Plain`.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from aicx.bench.dataset import Query
from aicx.bench.rankers import DEFAULT_CHOICES, Choices, Ranker, RankerFolders, dense, lexical
from aicx.bench.stores import seconds_of_lexical, settings_for, untold
from aicx.dates import lift_dates
from aicx.engine.index_manifest import read_manifest, write_manifest
from aicx.engine.lexical_index import refresh_lexical
from aicx.engine.search import Mode, Searcher, SearchQuery, SearchReport
from aicx.engine.vector_index import build_vectors
from aicx.errors import AicxError, UsageError
from aicx.paths import Layout
from aicx.storage import derived
from aicx.types import Candidate, Document
from retrieval.decay import PROFILES
from retrieval.dense import MeaningSearch
from retrieval.evidence import Evidence, Occurrences
from retrieval.late import affordable, most_compared, rerank
from retrieval.questions import Between, Condition, parse_question
from retrieval.ranking import RankedAnswer, above_noise, rank

IN_MEMORY = False


class OtherRankers(AicxError):
    """Not the rankers that were to be measured have answered."""


class Product:
    """`aicx search --group session` over a store."""

    def __init__(self, searcher: Searcher, choices: Choices, mode: Mode) -> None:
        self.searcher, self.choices, self.mode = searcher, choices, mode

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
        return build_documents(_embedder(name), documents, place)
    lexical = seconds_of_lexical(place.home)
    if _embedder(name) == LEXICAL:
        return lexical
    return _build_twin(name, place) + (lexical or 0.0)


def open_ranker(
    name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
) -> Ranker:
    if place.home is None:
        return Plain(_embedder(name), documents, place, choices)
    # A home may have a vector index of its own, which `aicx` alone does not stand for.
    mode: Mode = "lexical" if _embedder(name) == LEXICAL else "auto"
    return Product(Searcher(settings_for(home_of(name, place))), choices, mode)


def home_of(name: str, place: RankerFolders) -> Path:
    """The home that the ranker asks: the corpus's own as it is, or its twin with the vector index."""
    assert place.home is not None
    return place.home if _embedder(name) == LEXICAL else _twin(name, place)


def index_paths(name: str, place: RankerFolders) -> Sequence[Path]:
    if place.home is None:
        return document_paths(_embedder(name), place)
    return (Layout(home_of(name, place)).lexical_index.parent,)


def _embedder(name: str) -> str:
    return name.partition(":")[2] or LEXICAL


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
    derived.withdraw(ours.lexical_index)
    if derived.is_recorded(theirs.lexical_index):
        shutil.copyfile(derived.record_of(theirs.lexical_index), derived.record_of(ours.lexical_index))
    derived.withdraw(ours.catalog)
    read_only = f"{theirs.catalog.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(read_only, uri=True)) as catalog, closing(sqlite3.connect(ours.catalog)) as copy:
        catalog.backup(copy)
    write_manifest(ours, "lexical", read_manifest(theirs).get("lexical"))
    place.models.mkdir(parents=True, exist_ok=True)
    if not ours.models.is_symlink():
        ours.models.symlink_to(place.models.resolve())
    settings, choice = settings_for(ours.home), dense.choice_of(_embedder(name))
    refresh_lexical(settings, untold)
    windows = dense.windows_of(_embedder(name))
    try:
        synced = build_vectors(settings, choice, rebuild=False, on_progress=untold, notify=untold, windows=windows)
    except UsageError:  # it was made by a model that is gone
        synced = build_vectors(settings, choice, rebuild=True, on_progress=untold, notify=untold, windows=windows)
    return dense.first_seconds(ours.lexical_index.parent, synced)


def _link(source: str, target: str) -> None:
    """A file under a second name: chunks and segments are replaced, never written over. Copied on another disk."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


# The embedder's name where there is none.
LEXICAL = "lexical"

_NEAR = "near.txt"
# As `aicx search` has it: so many of the best answers are compared with the question token by token.
RERANKED = 10


class Plain:
    """The search of `aicx search` over documents that are not sessions: all retrievers, or words alone.

    ``dated`` says that a date in the question limits the answers, where documents have days. What only meaning speaks
    for has to be nearer than unrelated questions come. ``texts`` are the parts of each document, for what compares
    passages with the question.
    """

    def __init__(self, embedder: str, documents: Sequence[Document], place: RankerFolders, choices: Choices) -> None:
        self.lexical = lexical.open_ranker(LEXICAL, documents, place, choices)
        self.dated = choices.lift_dates and any("day" in document.columns for document in documents)
        self.texts = {document.id: [part.text for part in document.parts] for document in documents}
        self.rules = choices.rules
        self.meaning: MeaningSearch | None = None
        if embedder != LEXICAL:
            noted = (dense.folder_of(f"dense:{embedder}", place) / _NEAR).read_text()
            opened = dense.open_ranker(f"dense:{embedder}", documents, place)
            self.meaning = MeaningSearch(opened.searcher, opened.embedder, float(noted) if noted else None)

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        pool = self.rules.candidates(limit)
        text, where = _when(query.text) if self.dated else (query.text, [])
        question = parse_question(text)
        if question.empty:
            return []
        searcher, rules = self.lexical.searcher, self.rules
        looked_up = question.is_lookup or (rules.verbatim and searcher.holds(question, where, rules))
        rankings: dict[str, Sequence[Candidate]] = {"lexical": searcher.search(question, where, pool, rules)}
        if self.meaning is None:
            return _first(rank(rankings, rules.weights(lookup=looked_up), rules)[0], limit)
        # Where no word stands in any document, only what the model knows as a word can mean something.
        asked = question.text if rankings["lexical"] else self.meaning.known_words(question.text)
        standard = rules.fusion == "standard" and not looked_up
        rankings["dense"] = self.meaning.nearest(asked, where, pool)
        if rules.abstain and self.meaning.near is not None:
            lookup = looked_up or len(question.runs) == 1
            rankings.update(above_noise(rankings, self.meaning.near, lookup=lookup))
        completed = self.meaning.complete(rankings, searcher, question, asked, where, rules) if standard else None
        if completed is None:
            return _first(rank(rankings, rules.weights(lookup=looked_up), rules)[0], limit)
        rankings, scales = completed
        weights = rules.standard_weights(self.meaning.words_kind(reranks=bool(rules.rerank)))
        answers = rank(rankings, weights, rules, scales=scales)[0]
        if rules.rerank:
            answers = self._reranked(answers, rankings, asked, searcher.occurrences(question, where, rules))
        return _first(answers, limit)

    def _reranked(
        self,
        answers: Sequence[RankedAnswer],
        rankings: Mapping[str, Sequence[Candidate]],
        asked: str,
        occurrences: Occurrences,
    ) -> Sequence[RankedAnswer]:
        assert self.meaning is not None
        if (found := self.meaning.embed_tokens([asked])) is None:
            return answers
        meaning = self.meaning
        wanted = [answer.group for answer in answers[: most_compared(RERANKED)]]
        places = meaning.places([item for item in rankings["dense"] if item.id in wanted])
        around = 120 if meaning.embedder.kind == "static" else 0
        found_texts = (
            (document, self.texts[document][place.part][max(0, place.start - around) : place.stop + around])
            for document in wanted
            if (place := places.get(document)) and document in self.texts
        )
        passages = affordable(found_texts, RERANKED, meaning.embedder.kind)
        again, _ = rerank(
            answers,
            passages,
            (asked, found[0]),
            lambda texts: meaning.embed_tokens(texts) or [],
            occurrences,
            self.rules.rerank,
        )
        return again


def _first(answers: Sequence[RankedAnswer], limit: int) -> list[Candidate]:
    return [Candidate(answer.best, answer.score) for answer in answers[:limit]]


def build_documents(embedder: str, documents: Sequence[Document], place: RankerFolders) -> float:
    seconds = lexical.build(LEXICAL, documents, place)
    if embedder == LEXICAL:
        return seconds
    from aicx.engine.embedder_choice import calibrate_noise

    seconds += dense.build(f"dense:{embedder}", documents, place)
    folder = dense.folder_of(f"dense:{embedder}", place)
    near = calibrate_noise(str(folder), dense.prepared(embedder, place))
    (folder / _NEAR).write_text("" if near is None else str(near))
    return seconds


def document_paths(embedder: str, place: RankerFolders) -> Sequence[Path]:
    words = lexical.index_paths(LEXICAL, place)
    if embedder == LEXICAL:
        return words
    return (*words, *dense.index_paths(f"dense:{embedder}", place))


def _when(text: str) -> tuple[str, list[Condition]]:
    """A question without its dates, and the days they span as a condition."""
    dated = lift_dates(text)
    if dated.days is None:
        return text, []
    low, high = (int(day.replace("-", "")) if day else None for day in dated.days)
    return dated.text, [Between("day", low, high)]
