"""Search: asks every available retriever and fuses their results into answers with an explanation."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from aicx.api.filters import Filters
from aicx.config import Settings
from aicx.corpus.catalog.database import DAMAGED, Catalog
from aicx.corpus.catalog.filters import conditions
from aicx.corpus.catalog.query import Opened, open_catalog
from aicx.corpus.files.read import load_markdown, read_chunk, read_intact
from aicx.corpus.files.sidecar import Sidecar
from aicx.corpus.views.documents import asides, header_of, spoken
from aicx.engine.conditions import index_conditions
from aicx.engine.retrievers import Legs, Ranked
from aicx.engine.retrievers import Mode as Mode
from aicx.errors import AicxError, UsageError
from aicx.text import plural
from retrieval.analysis import written_as
from retrieval.conditions import Condition
from retrieval.dates import lift_dates
from retrieval.decay import PROFILES, Decay, factor
from retrieval.excerpts import Line, Tier, excerpt, lowered, opening_lines
from retrieval.fusion import Vote
from retrieval.params import DEFAULT_RULES, Rules
from retrieval.questions import Question, parse_question
from retrieval.ranking import Answer, diversified, near_enough, rank

if TYPE_CHECKING:
    from aicx.corpus.views.density import Density

Group = Literal["chunk", "session"]
Sort = Literal["relevance", "newest", "oldest"]

# How many candidates each ranker gives before anything is reordered; at least so many where only dense chunks are
# wanted, each of which has to be read to be known.
_POOL_LEAST, _POOL_MOST, _POOL_SCORED = 100, 5000, 1000
_LINES = 3
# What a kept searcher remembers of the catalogue at most: some 20 MB of rows.
_MOST_ROWS, _MOST_FILTERS = 20_000, 64
_SECONDS_PER_DAY = 86_400


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A question with everything that decides its answer, its own clock and the rules of ranking included.

    ``min_score``, from 0 to 10, leaves out chunks that `aicx rank` scores less. ``lift_dates`` says whether
    "january 2026" in the text limits the answers to that month.
    """

    text: str
    now: datetime
    filters: Filters = field(default_factory=Filters)
    mode: Mode = "auto"
    group: Group = "chunk"
    limit: int = 10
    sort: Sort = "relevance"
    decay: Decay | None = PROFILES["off"]
    min_score: float = 0.0
    lift_dates: bool = True
    rules: Rules = DEFAULT_RULES


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer: a chunk (the session's best one when grouped), why it is there, and enough to cite it."""

    rank: int
    score: float
    tier: Tier
    sidecar: Sidecar
    path: str
    lines: tuple[Line, ...]
    votes: Mapping[str, Vote]
    decay_factor: float
    chunks: int = 1  # how many chunks of the session matched, when grouped
    terms_found: int = 0  # of the question's words, names and phrases, this many are in the chunk
    terms_asked: int = 0
    altered: bool = False  # the chunk was altered on disk since it was stored, and so may the lines be
    said: tuple[str, ...] = ()  # the chunk's texts without those of tools

    def density(self) -> Density:
        """How much of the chunk is worth reading, as `aicx rank` measures it."""
        return _density(self.said)


@dataclass(frozen=True, slots=True)
class SearchReport:
    """The answers and how they were obtained. ``matched`` counts candidates before the limit."""

    query: SearchQuery
    hits: list[Hit]
    matched: int
    scanned: int
    notes: list[str] = field(default_factory=list)
    oracle_status: dict[str, Any] = field(default_factory=dict)


def search(settings: Settings, query: SearchQuery) -> SearchReport:
    """Answers one question; see `Searcher.search`. Whoever asks several keeps a `Searcher`."""
    with Searcher(settings) as searcher:
        return searcher.search(query)


class Searcher:
    """A corpus that is asked again and again: what was opened for one question serves the next.

    It sees what is stored and indexed while it is open. Not for several threads at once.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._legs = Legs(settings)
        self._open = ExitStack()
        self._seen: object = None
        self._opened: Opened | None = None
        # What was asked of the catalogue before, as of one of its states: rows (None for what is not there), filters.
        self._known: dict[str, Any] = {}
        self._filters: dict[Filters, tuple[list[Condition], list[str]]] = {}
        self._known_at = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def search(self, query: SearchQuery) -> SearchReport:
        """Answers a question from the corpus.

        Raises UsageError for a question that leaves nothing to look for, NotFound when nothing is stored yet. An index
        that is missing or damaged is never silently passed over: the report names the ranker that served instead.
        """
        try:
            return self._search(query, self._catalog())
        except DAMAGED:  # where nothing was recorded it may only show now; from here on the sidecars answer
            return self._search(query, self._catalog(without=True))

    def _search(self, query: SearchQuery, opened: Opened) -> SearchReport:
        if self._known_at != opened.catalog.sequence:
            self._known, self._filters, self._known_at = {}, {}, opened.catalog.sequence
        notes = list(opened.notes)
        dated = _dated(query, notes)
        question = parse_question(dated.text)
        if question.shortened:
            notes.append(f"the question was cut to its first {len(question.text)} characters")
        if question.empty:
            report = self._in_range(dated, opened.catalog, notes)
        else:
            report = self._ranked(dated, question, opened.catalog, notes)
        if opened.fallback_reason:
            reasons = filter(None, (opened.fallback_reason, report.oracle_status["fallback_reason"]))
            report.oracle_status.update(fallback_reason="; ".join(reasons), stale_or_unknown=True)
        return replace(report, query=query)

    def _ranked(self, query: SearchQuery, question: Question, catalog: Catalog, notes: list[str]) -> SearchReport:
        where, said = self._conditions(query.filters, catalog)
        notes += said
        pool = min(_POOL_MOST, max(_POOL_SCORED if query.min_score else _POOL_LEAST, 3 * query.limit))
        ranked = self._legs.rank(
            question,
            where,
            pool,
            deep=_POOL_MOST if question.phrases else pool,
            mode=query.mode,
            rules=query.rules,
            catalog=catalog,
            filters=query.filters,
        )
        facts = self._facts(catalog, {item.id for candidates in ranked.rankings.values() for item in candidates})
        if question.phrases:
            self._keep_holding(question.phrases, ranked, facts, pool)
        notes += _abstain(ranked, query.rules)
        notes += self._suggestions(ranked, catalog)
        answers = _answers(ranked, question, facts, query)
        chosen = _sorted(answers, facts, query.sort)
        hits, missing = self._hits(question, chosen, facts, ranked, query, notes)
        status = ranked.status(self._settings.layout)
        status |= {"candidate_count": len(chosen), "source_paths_verified": not missing}
        return SearchReport(query, hits, len(chosen), ranked.scanned, [*notes, *missing], status)

    def _catalog(self, *, without: bool = False) -> Opened:
        """The catalogue, opened anew when it or `.aicxignore` changed; ``without`` makes one from the sidecars."""
        layout = self._settings.layout
        seen = tuple(_identity(path) for path in (layout.catalog, layout.ignore_file))
        if self._opened is None or self._seen != seen or without:
            self._open.close()
            self._opened = None
            self._opened = self._open.enter_context(open_catalog(layout, without=without))
            self._known_at = -1
            self._seen = seen
        return self._opened

    def _conditions(self, filters: Filters, catalog: Catalog) -> tuple[list[Condition], list[str]]:
        if filters not in self._filters:
            if len(self._filters) >= _MOST_FILTERS:
                self._filters.clear()
            self._filters[filters] = index_conditions(filters, catalog)
        where, notes = self._filters[filters]
        return list(where), notes

    def _facts(self, catalog: Catalog, ids: Iterable[str]) -> dict[str, Any]:
        """What the catalogue says of chunks; without those that are gone or ignored since the index was made."""
        known = self._known
        if len(known) > _MOST_ROWS:
            known.clear()
        unknown = sorted(chunk for chunk in ids if chunk not in known)
        for start in range(0, len(unknown), 500):
            part = unknown[start : start + 500]
            marks = ",".join("?" * len(part))
            # The plus keeps SQLite from going through an index on `ignored`, which is every chunk.
            rows = catalog.rows(f"SELECT {_FACTS} FROM chunks WHERE +ignored=0 AND id IN ({marks})", part)
            found = {row["id"]: row for row in rows}
            known.update((chunk, found.get(chunk)) for chunk in part)
        return {chunk: row for chunk in ids if (row := known[chunk]) is not None}

    def _suggestions(self, ranked: Ranked, catalog: Catalog) -> list[str]:
        """What was probably meant by words that stand nowhere, as it is written in a chunk that may be seen."""
        facts = self._facts(catalog, {chunk for _, _, chunk in ranked.misspelt})
        notes = []
        for asked, term, chunk in ranked.misspelt:
            if chunk not in facts:
                continue
            with suppress(AicxError):  # whoever shows the chunk says what is wrong with it
                text = read_intact(self._settings.layout, facts[chunk]["path"]).markdown.decode("utf-8", "replace")
                notes.append(f"{asked!r} stands nowhere; did you mean {(written_as(term, text) or term)!r}?")
        return notes

    def _keep_holding(self, phrases: Sequence[str], ranked: Ranked, facts: Mapping[str, Any], most: int) -> None:
        """Leaves each ranker its best ``most`` chunks in which every phrase stands as it was quoted.

        An index knows stems and no stop words: to it, "could not compile" is a word.
        """
        wanted = [" ".join(lowered(phrase).split()) for phrase in phrases]
        known: dict[str, bool] = {}

        def holds(chunk: str) -> bool:
            if chunk not in known:
                try:
                    markdown = load_markdown(self._settings.layout, facts[chunk]["path"])
                except AicxError:
                    known[chunk] = True  # whoever shows it says what is wrong with it
                else:
                    text = " ".join(lowered(markdown.decode("utf-8", "replace")).split())
                    known[chunk] = all(phrase in text for phrase in wanted)
            return known[chunk]

        for name, candidates in ranked.rankings.items():
            holding = (item for item in candidates if item.id in facts and holds(item.id))
            ranked.rankings[name] = list(islice(holding, most))

    def _in_range(self, query: SearchQuery, catalog: Catalog, notes: list[str]) -> SearchReport:
        """The answer to a question that only says when: everything from then, newest first."""
        if query.filters.date is None:
            raise UsageError(
                f"nothing to look for in {query.text[:60]!r}: only stop words or symbols",
                hint="ask with a word that says more, or quote it exactly",
            )
        where, values, said = conditions(query.filters, catalog)
        rows = catalog.rows(f"SELECT {_FACTS} FROM chunks WHERE {where} ORDER BY started_at DESC, id DESC", values)
        facts = {row["id"]: row for row in rows}
        # A day as a whole is told session by session: its last chunks may well be all of one.
        by_session = query.group == "session" or query.sort == "relevance"
        answers: dict[str, Answer] = {}
        for chunk, row in facts.items():
            group = _session_of(row) if by_session else chunk
            known = answers.get(group)
            answers[group] = replace(known, documents=known.documents + 1) if known else Answer(group, chunk, 0.0, {})
        chosen = _sorted(list(answers.values()), facts, "newest" if query.sort == "relevance" else query.sort)
        ranked = Ranked(rankings={"date": []})
        hits, missing = self._hits(parse_question(""), chosen, facts, ranked, query, notes)
        status = ranked.status(self._settings.layout)
        status |= {"candidate_count": len(chosen), "source_paths_verified": not missing}
        return SearchReport(query, hits, len(chosen), 0, [*notes, *said, *missing], status)

    def _hits(
        self,
        question: Question,
        chosen: Sequence[Answer],
        facts: Mapping[str, Any],
        ranked: Ranked,
        query: SearchQuery,
        notes: list[str],
    ) -> tuple[list[Hit], list[str]]:
        """The answers with what there is to show of them, and what is wrong with those that cannot be read."""
        hits: list[Hit] = []
        missing: list[str] = []
        left_out = 0
        for answer in chosen if query.min_score else chosen[: query.limit]:
            if len(hits) == query.limit:
                break
            row = facts[answer.best]
            try:
                stored = read_chunk(self._settings.layout, row["path"])
            except AicxError as error:
                missing.append(f"{error.message}; `aicx doctor` says more")
                continue
            sidecar = stored.sidecar
            texts = spoken(sidecar, stored.markdown)
            tools = set(asides(sidecar))
            said = tuple(text for place, text in enumerate(texts) if place not in tools)
            if query.min_score and _density(said).score < query.min_score:
                left_out += 1
                continue
            found = excerpt(question, texts, header_of(sidecar), _LINES, tools)
            lines = found.lines
            if not lines:
                start = self._legs.start_of(answer.best, ranked) or (_last_said(len(texts), tools), 0)
                lines = opening_lines(texts, start, _LINES)
            hits.append(
                Hit(
                    rank=len(hits) + 1,
                    score=answer.score,
                    tier=found.tier,
                    sidecar=sidecar,
                    path=row["path"],
                    lines=lines,
                    votes=answer.votes,
                    decay_factor=_decay_of(row, query)[0],
                    chunks=answer.documents,
                    terms_found=found.found,
                    terms_asked=found.asked,
                    altered=stored.altered,
                    said=said,
                )
            )
        if left_out:
            count = plural(left_out, "answer")
            notes.append(f"{count} with a density below {query.min_score:g} left out")
        return hits, missing


def _density(said: Sequence[str]) -> Density:
    from aicx.corpus.views.density import measure  # its word lists are only read for those who ask

    return measure("\n".join(said))


def _last_said(count: int, tools: Collection[int]) -> int:
    """Which of a chunk's texts tells how it ended: the last that is no tool's."""
    return max((place for place in range(count) if place not in tools), default=0)


_FACTS = "id, path, agent, session_id, parent_session, lane, started_at, completed_at"


def _identity(path: Path) -> tuple[int, int, int, int] | None:
    """Changes when another file takes a path's place, or this one is written to."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size


def _dated(query: SearchQuery, notes: list[str]) -> SearchQuery:
    """The question with its dates taken out of its text and put into its filters, unless a date is set there."""
    if not query.lift_dates or query.filters.date is not None:
        return query
    dated = lift_dates(query.text)
    if dated.days is None:
        return query
    first, last = dated.days
    notes.append(f"only what is from {first or 'the beginning'} to {last or 'now'}, as the question says")
    return replace(query, text=dated.text, filters=replace(query.filters, date=dated.days))


def _abstain(ranked: Ranked, rules: Rules) -> list[str]:
    """Takes out what only meaning speaks for and is no nearer than unrelated questions come; says so if all is out."""
    near = ranked.near
    if not rules.abstain or near is None or not ranked.rankings.get("dense"):
        return []
    ranked.rankings["dense"] = near_enough(ranked.rankings, near)
    if any(ranked.rankings.values()):
        return []
    nearest = f"the nearest passage scores {ranked.nearest:.2f}"
    return [f"nothing is near: {nearest}, and unrelated questions come as near as {near:.2f}"]


def _answers(ranked: Ranked, question: Question, facts: Mapping[str, Any], query: SearchQuery) -> list[Answer]:
    """The candidates as one order. Lane, age and diversity count softly: nothing is removed."""
    rules = query.rules
    rankings = {name: [item for item in candidates if item.id in facts] for name, candidates in ranked.rankings.items()}

    def session_of(chunk: str) -> str:
        return _session_of(facts[chunk])

    answers = rank(
        rankings,
        rules.weights(lookup=question.is_lookup or ranked.verbatim),
        rules,
        group_of=session_of if query.group == "session" else None,
        factor_of=lambda chunk: rules.subagent if facts[chunk]["lane"] == "subagent" else 1.0,
    )
    if query.decay is not None:
        answers = _decayed(answers, facts, query)
    if query.group == "chunk" and rules.diversity < 1:
        answers = diversified(answers, session_of, rules.diversity)
    return answers


def _decayed(answers: Sequence[Answer], facts: Mapping[str, Any], query: SearchQuery) -> list[Answer]:
    aged = []
    for answer in answers:
        clamped, raw = _decay_of(facts[answer.best], query)
        aged.append((-answer.score * clamped, -answer.score * raw, answer.group, answer))
    aged.sort(key=lambda row: row[:3])
    return [replace(answer, score=-score) for score, _, _, answer in aged]


def _decay_of(row: Any, query: SearchQuery) -> tuple[float, float]:
    age = query.now.timestamp() - datetime.fromisoformat(row["completed_at"]).timestamp()
    return factor(age / _SECONDS_PER_DAY, query.decay)


def _session_of(row: Any) -> str:
    return f"{row['agent']}:{row['session_id']}"


def _sorted(answers: list[Answer], facts: Mapping[str, Any], sort: Sort) -> list[Answer]:
    if sort == "relevance":
        return answers
    return sorted(answers, key=lambda answer: (facts[answer.best]["started_at"], answer.best), reverse=sort == "newest")
