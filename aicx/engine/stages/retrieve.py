"""The stages that collect candidates, one a retriever, and drop those that are no answer.

A retriever that was asked for by name and cannot answer is an error; in ``auto`` the answer says what served instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import islice

from aicx.corpus.files.read import load_markdown
from aicx.engine.stages.state import SearchState
from aicx.errors import AicxError, CorpusDamaged, NotFound
from aicx.types import Candidate
from aicx.values import replace
from retrieval.lines import lowered
from retrieval.ranking import above_noise

# How many candidates each retriever gives at most; and at least where only dense chunks are wanted, each of which has
# to be read to be known.
_MAX_POOL, _MIN_POOL_SCORED = 5000, 1000
# The share of the chunks in question that the vector index has to hold to be asked in ``auto``.
_ENOUGH_HELD = 0.9


def by_words(state: SearchState) -> SearchState:
    """Asks the BM25 index."""
    query = state.query
    if query.mode not in ("auto", "lexical", "hybrid"):
        return state
    # With a phrase half of them may well be dropped again; `keep_phrases` asks for the others where that is not enough.
    depth = min(_MAX_POOL, 2 * pool(state)) if state.question.phrases else pool(state)
    try:
        found = state.retrievers.lexical.retrieve(state.question, state.where, depth, query.rules, state.catalog.now)
    except (NotFound, CorpusDamaged) as error:
        if query.mode != "auto":
            raise
        reason = f"{error.message}; every chunk was read instead (next: {error.hint})"
        return replace(state, reasons=(*state.reasons, reason))
    state = _with(state, "lexical", found.candidates, found.behind)
    known = replace(state, question=found.question, occurrences=found.occurrences)
    cut = found.candidates[-1].score if pool(state) < len(found.candidates) == depth < _MAX_POOL else None
    return replace(known, indexed=found.size, verbatim=found.verbatim, cut=cut)


def by_meaning(state: SearchState) -> SearchState:
    """Asks the vector index; in ``auto`` where one was ever made."""
    query, dense = state.query, state.retrievers.dense
    if not (query.mode in ("dense", "hybrid") or (query.mode == "auto" and dense.wanted)):
        return state
    # Where no word occurs in any chunk, only what the model knows as a word can mean something.
    only_known = not state.rankings.get("lexical", (None,))
    try:
        found = dense.retrieve(state.question.text, state.where, pool(state), state.catalog.now, only_known=only_known)
    except AicxError as error:
        if query.mode != "auto":
            raise
        reason = f"answered without meaning: {error.message} (next: {error.hint or 'aicx index'})"
        return replace(state, reasons=(*state.reasons, reason))
    if query.mode == "auto" and found.held is not None and (few := _too_few(state, found.held)):
        freshness = {**state.freshness, "dense": found.behind}
        return replace(state, reasons=(*state.reasons, few), freshness=freshness)
    nearest = found.candidates[0].score if found.candidates else None
    state = replace(state, near=found.near, nearest=nearest, meant=only_known)
    return _with(state, "dense", found.candidates, found.behind)


def _too_few(state: SearchState, held: int) -> str | None:
    """Why the vector index does not answer: what it holds would come before the rest only for being held."""
    where, values, _ = state.catalog.selection(state.query.filters)
    [row] = state.catalog.now.rows(f"SELECT count(*) AS chunks FROM chunks WHERE {where}", values)
    if held >= _ENOUGH_HELD * row["chunks"]:
        return None
    return f"answered without meaning: the vector index holds {held:,} of {row['chunks']:,} chunks (next: aicx index)"


def by_reading(state: SearchState) -> SearchState:
    """Reads every chunk where the BM25 index did not answer."""
    query = state.query
    if "lexical" in state.rankings or query.mode not in ("auto", "scan"):
        return state
    depth = _MAX_POOL if state.question.phrases else pool(state)
    found = state.retrievers.scan.retrieve(state.question, query.filters, depth, state.catalog.now)
    state = _with(state, "scan", found.candidates, 0)
    return replace(state, question=found.question, scanned=found.read, occurrences=found.occurrences)


def look_up(state: SearchState) -> SearchState:
    """Looks the candidates up in the catalogue and drops those that are gone or hidden since the index was made."""
    rows = state.catalog.rows(item.id for candidates in state.rankings.values() for item in candidates)
    known = {name: [item for item in found if item.id in rows] for name, found in state.rankings.items()}
    return replace(state, rows=rows, rankings=known)


def keep_phrases(state: SearchState) -> SearchState:
    """Keeps each retriever's best candidates in which every phrase occurs as it was quoted.

    An index knows stems and no stop words: to it, "could not compile" is a word.
    """
    if not state.question.phrases:
        return state
    phrases = [_one_line(lowered(phrase)) for phrase in state.question.phrases]

    @cache
    def holds(path: str) -> bool:
        try:
            text = lowered(load_markdown(state.layout, path).decode("utf-8", "replace"))
        except AicxError:
            return True  # the stage that quotes it says what is wrong with it
        return all(phrase in text for phrase in phrases) or all(phrase in _one_line(text) for phrase in phrases)

    def kept(state: SearchState) -> dict[str, Sequence[Candidate]]:
        return {
            name: list(islice((item for item in found if holds(state.rows[item.id]["path"])), pool(state)))
            for name, found in state.rankings.items()
        }

    rankings = kept(state)
    if state.cut is not None:
        # What history added may be below the cut, and one that scores as much as the last may have been left out there.
        sure = sum(item.score > state.cut for item in rankings["lexical"])
        if state.named or sure < pool(state):
            state = _deepened(state)
            rankings = kept(state)
    return replace(state, rankings=rankings)


def _deepened(state: SearchState) -> SearchState:
    """The state with as many candidates by words as are asked for at most."""
    words = state.retrievers.lexical.open
    more = words.search(state.question, state.where, _MAX_POOL, state.query.rules)
    candidates = {item.id: item for item in (*state.rankings["lexical"], *more)}
    rows = state.catalog.rows(candidates)
    ranking = sorted((item for item in candidates.values() if item.id in rows), key=lambda item: (-item.score, item.id))
    return replace(state, rankings={**state.rankings, "lexical": ranking}, rows={**state.rows, **rows})


def _one_line(text: str) -> str:
    return " ".join(text.split())


def keep_telling(state: SearchState) -> SearchState:
    """Drops what was found by words alone where none of them tells: "how does X work" is not about work.

    A name that occurs nowhere was looked for by its parts, too. Within filters a common word may be what is asked.
    """
    if state.occurrences is None or state.occurrences.telling or state.question.terms.names or state.where:
        return state
    return replace(state, rankings={name: found if name == "dense" else () for name, found in state.rankings.items()})


def drop_noise(state: SearchState) -> SearchState:
    """Drops what only meaning names and scores no better than unrelated questions do: where words found nothing, and of
    what is looked up, as one word is too."""
    near = state.near
    if not state.query.rules.abstain or near is None or not state.rankings.get("dense"):
        return state
    lookup = is_lookup(state) or len(state.question.runs) == 1
    rankings = above_noise(state.rankings, near, lookup=lookup)
    notes = state.notes
    if not any(rankings.values()):
        nearest = f"the nearest passage scores {state.nearest:.2f}"
        notes = (*notes, f"nothing is near: {nearest}, and unrelated questions come as near as {near:.2f}")
    return replace(state, rankings=rankings, notes=notes)


def complete(state: SearchState) -> SearchState:
    """Has every candidate scored by every retriever, whichever found it, and says what their scores compare with.

    Without scales (of an index of a former release, for what is looked up) candidates stay as they were found.
    """
    rules, found = state.query.rules, state.rankings
    if rules.fusion != "standard" or is_lookup(state) or "dense" not in found or "scan" in found:
        return state
    words = state.retrievers.lexical.open if "lexical" in found else None
    completed = state.retrievers.dense.open.complete(
        found, words, state.question, asked_text(state), state.where, rules
    )
    if completed is None:
        return state
    return replace(state, rankings=completed[0], scales=completed[1])


def asked_text(state: SearchState) -> str:
    """The question as models are asked it."""
    text = state.question.text
    return state.retrievers.dense.open.known_words(text) if state.meant else text


def is_lookup(state: SearchState) -> bool:
    """Whether the question is looked up rather than interpreted: names alone, or what stands somewhere as it is."""
    return state.question.is_lookup or state.verbatim


def pool(state: SearchState) -> int:
    """How many candidates of each retriever are ranked."""
    query = state.query
    return min(_MAX_POOL, max(_MIN_POOL_SCORED if query.min_score else 0, query.rules.candidates(query.limit)))


def _with(state: SearchState, name: str, candidates: Sequence[Candidate], behind: int | None) -> SearchState:
    return replace(state, rankings={**state.rankings, name: candidates}, freshness={**state.freshness, name: behind})
