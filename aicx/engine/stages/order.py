"""The stages that make one order of the candidates. Lane, age, place and diversity count softly: nothing is removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from datetime import datetime
from typing import TYPE_CHECKING, Any

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.filters import conditions
from aicx.corpus.catalog.query import FOUND, fold_runs, run_key
from aicx.corpus.views import searchable_texts
from aicx.engine.kept_catalog import COLUMNS
from aicx.engine.stages import SearchQuery, SearchState, is_shared, session_of
from aicx.engine.stages.retrieve import asked_text, is_lookup
from aicx.engine.stages.team import stored_of
from aicx.errors import AicxError
from aicx.types import Candidate
from aicx.values import batches, replace
from retrieval.decay import factor
from retrieval.questions import parse_question
from retrieval.ranking import RankedAnswer, diversified, rank
from retrieval.ranking import unfold as unfolded

if TYPE_CHECKING:
    from retrieval.embedders import Tokens


_ONLY_DATE = "only your own corpus answered: the share is not asked what is nothing but a date (steer --team --since)"
_SECONDS_PER_DAY = 86_400
_MAX_NAMED = 500  # sessions in one question to the catalogue
_DONE = """SELECT DISTINCT c.agent, c.session_id, t.name, n.work_from FROM chunks c LEFT JOIN tools t ON t.chunk=c.rowid
 LEFT JOIN names n ON n.chunk=c.rowid WHERE c.session_id IN ({})"""

# A static model's windows are short: so many characters around one are compared too.
_AROUND = 120


def fuse(state: SearchState) -> SearchState:
    """Joins the retrievers' rankings into one of sessions, every score above 0."""
    query, rows, rules = state.query, state.rows, state.query.rules
    idle = idle_sessions(state.catalog.now, rows.values())
    counts_less = bool(idle) or any(row["lane"] == "subagent" for row in rows.values())
    if state.scales is None:
        weights = rules.weights(lookup=is_lookup(state))
    else:
        reranks = bool(query.rerank and rules.rerank)
        weights = rules.standard_weights(state.retrievers.dense.open.words_kind(reranks=reranks))
    answers, chunks = rank(
        state.rankings,
        weights,
        rules,
        scales=state.scales,
        group_of={chunk: session_of(row) for chunk, row in rows.items()}.__getitem__,
        factor_of=(lambda chunk: _factor(rows[chunk], query, idle)) if counts_less else None,
    )
    return replace(state, answers=answers, documents=chunks)


def _factor(row: Any, query: SearchQuery, idle: Set[tuple[str, str]]) -> float:
    """Returns the factor of a chunk by who worked in it.

    A reviewer that a program started is not counted down twice.
    """
    by_lane = query.rules.subagent if row["lane"] == "subagent" else 1.0
    return min(by_lane, query.automated if (row["agent"], row["session_id"]) in idle else 1.0)


def idle_sessions(catalog: Catalog, rows: Iterable[Any]) -> set[tuple[str, str]]:
    """The sessions among ``rows`` that a program ran and that changed nothing: they reviewed, approved or observed.

    One that edited files or committed did work as a person's session does.
    """
    rows = [row for row in rows if row["automated_why"]]
    # Of a session in a share its own machine knew.
    shared = {(row["agent"], row["session_id"]) for row in rows if is_shared(row) and row["idle"]}
    found = {(row["agent"], row["session_id"]) for row in rows if not is_shared(row)}
    if not found:
        return shared
    from aicx.sources.tools import changes_files  # imported here: most questions meet no program's session

    names = sorted({session for _, session in found})
    for part in batches(names, _MAX_NAMED):
        for row in catalog.rows(_DONE.format(",".join("?" * len(part))), part):
            if row["work_from"] == "commit" or changes_files(row["name"]):
                found.discard((row["agent"], row["session_id"]))
    return found | shared


def rerank(state: SearchState) -> SearchState:
    """Adds what late interaction says of the best sessions, each by its nearest passage.

    A session without a passage that can be read keeps its score.
    """
    count, weight = state.query.rerank, state.query.rules.rerank
    if state.scales is None or not count or not weight:
        return state
    # Imported here: without a vector index there is nothing to compare.
    from retrieval import late

    vectors = state.retrievers.dense.open
    text = asked_text(state)
    if (asked := vectors.embed_tokens([text])) is None:
        return state
    passages = late.affordable(
        _passages(state, state.answers[: late.most_compared(count)]), count, vectors.embedder.kind
    )

    def embed(texts: Sequence[str]) -> list[Tokens]:
        return vectors.embed_tokens(texts) or []

    answers, compared = late.rerank(state.answers, passages, (text, asked[0]), embed, state.occurrences, weight)
    return replace(state, answers=answers, reranked=compared)


def _passages(state: SearchState, answers: Sequence[RankedAnswer]) -> Iterator[tuple[str, str]]:
    """Each session with the text of its nearest passage, in the order of ``answers``."""
    rows = state.rows
    wanted = {answer.group for answer in answers}
    nearest: dict[str, Candidate] = {}
    for candidate in state.rankings.get("dense", ()):  # best first
        group = session_of(rows[candidate.id])
        if group in wanted:
            nearest.setdefault(group, candidate)
    vectors = state.retrievers.dense.open
    places = vectors.places([one for one in nearest.values() if not is_shared(rows[one.id])])
    shared = [one.id for one in nearest.values() if is_shared(rows[one.id])]
    places |= {name: place for name in shared if (place := rows[name]["place"])}
    around = _AROUND if vectors.embedder.kind == "static" else 0
    for group in (answer.group for answer in answers if answer.group in nearest):
        candidate = nearest[group]
        if place := places.get(candidate.id):
            try:
                stored = stored_of(state, rows[candidate.id])
                text = searchable_texts(stored.sidecar, stored.markdown)[place.part]
            except (AicxError, IndexError):
                continue  # the stage that quotes it says what is wrong with it
            yield group, text[max(0, place.start - around) : place.stop + around]


def unfold(state: SearchState) -> SearchState:
    """Ranks the chunks of the sessions where chunks are asked for: the best chunk is one of the best session's.

    From here on a score is a share of the best one, whichever rule joined them.
    """
    answers = state.answers if state.query.group == "session" else unfolded(state.answers, state.documents)
    if state.scales is None:
        return replace(state, answers=answers)
    best = max((answer.score for answer in answers), default=1.0)
    return replace(state, answers=[_share(answer, best) for answer in answers])


def _share(answer: RankedAnswer, best: float) -> RankedAnswer:
    """An answer with its score, and what each vote was worth, as shares of the best score."""
    votes = {name: replace(vote, worth=vote.worth / best) for name, vote in answer.votes.items()}
    return answer._replace(score=answer.score / best, votes=votes)


def prefer_own(state: SearchState) -> SearchState:
    """Multiplies the scores of what was done in this repository; softly, so that what fits better stays first."""
    if state.place is None or not state.query.rules.own_repository:
        return state
    raised = [answer._replace(score=answer.score * place_factor(state, answer.best)) for answer in state.answers]
    return replace(state, answers=sorted(raised, key=lambda answer: (-answer.score, answer.group)))


def place_factor(state: SearchState, chunk: str) -> float:
    """Returns the factor of a chunk's score for the repository it is of."""
    row = state.rows[chunk]
    share = state.place.share(row["project"], row["cwd"]) if state.place else None
    return 1.0 + state.query.rules.own_repository * (share or 0.0)


def prefer_recent(state: SearchState) -> SearchState:
    """Multiplies scores by age where the query asks for decay; beyond its floor, the more recent still comes first."""
    if state.query.decay is None:
        return state
    aged = []
    for answer in state.answers:
        clamped, raw = decay_of(state.rows[answer.best], state.query)
        aged.append((-answer.score * clamped, -answer.score * raw, answer.group, answer))
    aged.sort(key=lambda row: row[:3])
    return replace(state, answers=[answer._replace(score=-score) for score, _, _, answer in aged])


def decay_of(row: Any, query: SearchQuery) -> tuple[float, float]:
    """Returns the factors of a chunk's age, with the floor of the decay and without."""
    age = query.now.timestamp() - datetime.fromisoformat(row["completed_at"]).timestamp()
    return factor(age / _SECONDS_PER_DAY, query.decay)


def fold_same_prompts(state: SearchState) -> SearchState:
    """Keeps, of the sessions that a program began with one prompt, the best; it speaks for the others."""
    if state.query.filters.automated:
        return state
    rows = state.rows
    folded = fold_runs(
        state.answers, lambda answer: str(rows[answer.best]["session_id"]), lambda answer: run_key(rows[answer.best])
    )
    return replace(
        state,
        answers=[answer for answer, _ in folded],
        runs={answer.best: sessions for answer, sessions in folded if len(sessions) > 1},
    )


def spread_sessions(state: SearchState) -> SearchState:
    """Makes each further chunk of a session count less."""
    query, rows = state.query, state.rows
    if query.group != "chunk" or query.rules.diversity >= 1:
        return state
    spread = diversified(state.answers, lambda chunk: session_of(rows[chunk]), query.rules.diversity)
    return replace(state, answers=spread)


def sort_by_time(state: SearchState) -> SearchState:
    """Puts the newest or the oldest first where the query asks for that."""
    sort, rows = state.query.sort, state.rows
    if sort == "relevance":
        return state

    def began(answer: RankedAnswer) -> tuple[str, str]:
        return rows[answer.best]["started_at"], answer.best

    return replace(state, answers=sorted(state.answers, key=began, reverse=sort == "newest"))


def list_by_date(state: SearchState) -> SearchState:
    """Answers a question that is nothing but a date: everything from then, newest first unless asked otherwise."""
    query = state.query
    where, values, notes = conditions(query.filters, state.catalog.now)
    found = state.catalog.now.rows(
        f"SELECT {COLUMNS} FROM {FOUND.format(where)} ORDER BY started_at DESC, id DESC", values
    )
    rows = {row["id"]: row for row in found}
    # Relevance means session by session here: the last chunks of a day may well all be of one.
    by_session = query.group == "session" or query.sort == "relevance"
    answers: dict[str, RankedAnswer] = {}
    for chunk, row in rows.items():
        group = session_of(row) if by_session else chunk
        known = answers.get(group)
        answers[group] = known._replace(documents=known.documents + 1) if known else RankedAnswer(group, chunk, 0.0, {})
    return replace(
        state,
        query=replace(query, sort="newest" if query.sort == "relevance" else query.sort),
        question=parse_question(""),
        rankings={"date": ()},
        rows=rows,
        answers=list(answers.values()),
        notes=(*state.notes, *notes, *([_ONLY_DATE] if query.team else [])),
    )
