"""The first stages: the question as it is meant, a date or a release in it as a limit of time; then those that collect
candidates, one a retriever, and drop those that are no answer.

A retriever that was asked for by name and cannot answer is an error; in ``auto`` the answer says what served instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from functools import cache
from itertools import islice

from aicx.corpus.files.read import load_markdown, read_intact
from aicx.dates import lift_dates
from aicx.engine.stages import SearchState
from aicx.errors import AicxError, CorpusDamaged, NotFound, UsageError
from aicx.text import local
from aicx.types import Candidate
from aicx.values import replace
from retrieval.lines import has_letters_beyond_ascii, lowered
from retrieval.questions import parse_question
from retrieval.ranking import above_noise


def lift_date(state: SearchState) -> SearchState:
    """Takes a date out of the question's text and puts it into the filters, unless one is set there."""
    query = state.query
    if not query.lift_dates or query.filters.date is not None:
        return state
    dated = lift_dates(query.text, local(query.now).date(), lambda version: released_on(state, version))
    notes = [f"no release of {version} is known, so that it limits nothing" for version in dated.unknown]
    if dated.days is not None:
        first, last = dated.days
        notes.append(f"only what is from {first or 'the beginning'} to {last or 'now'}, as the question says")
        query = replace(query, text=dated.text, filters=replace(query.filters, date=dated.days))
    return replace(state, query=query, notes=(*state.notes, *notes))


def parse(state: SearchState) -> SearchState:
    """Reads words, names and phrases out of the text.

    Raises UsageError where it leaves nothing to look for, not even a date.
    """
    query, question = state.query, parse_question(state.query.text)
    notes = state.notes
    if question.shortened:
        notes = (*notes, f"the question was cut to its first {len(question.text)} characters")
    if question.empty and query.filters.date is None:
        raise UsageError(
            f"nothing to look for in {query.text[:60]!r}: only stop words or symbols",
            hint="ask with a word that says more, or quote it exactly",
        )
    return replace(state, question=question, notes=notes)


def limit(state: SearchState) -> SearchState:
    """Turns the filters into conditions that every index applies before it ranks."""
    where, notes = state.catalog.conditions(state.query.filters)
    return replace(state, where=tuple(where), notes=(*state.notes, *notes))


# How many chunks that name the version are read.
_MAX_READ = 200
# What says that a version is out, the surest first; each is looked for before the next.
_SIGNS = (
    r"(?:git tag|gh release create|\[new tag\]|git push \S+)\b[^\n]*{version}",
    r"git commit\b[^\n]*\b(?:release|version|bump)\b[^\n]*{version}|^\W*(?:chore\W+)?release\b\W+{version}\W*$",
    r"\b(?:released|published|shipped|tagged)\b[^\n.]{{0,60}}{version}|{version}[^\n.]{{0,40}}\b(?:released|is out)\b",
)


def released_on(state: SearchState, version: str) -> date | None:
    """The local day of the first such sign of ``version`` within the filters; None where there is none."""
    at = _first_sign(list(_messages(state, version)), version)
    return local(at).date() if at else None


def _first_sign(messages: list[tuple[datetime, str]], version: str) -> datetime | None:
    exactly = rf"(?<![\w.])v?{re.escape(version)}(?:\.0)?(?![\w-]|\.\d)"
    for sign in _SIGNS:
        pattern = re.compile(sign.format(version=exactly), re.IGNORECASE | re.MULTILINE)
        if found := [at for at, text in messages if pattern.search(text)]:
            return min(found)
    return None


def _messages(state: SearchState, version: str) -> Iterator[tuple[datetime, str]]:
    """The messages of chunks that name a version, each with its time."""
    where, _ = state.catalog.conditions(state.query.filters)
    asked = parse_question(f"{version} v{version} {version}.0 v{version}.0")
    try:
        found = state.retrievers.lexical.retrieve(asked, where, _MAX_READ, state.query.rules, state.catalog.now)
    except AicxError:  # without the index there is no telling where it is named; the search says what is wrong with it
        return
    for row in state.catalog.rows(item.id for item in found.candidates).values():
        try:
            stored = read_intact(state.layout, row["path"])
        except AicxError:  # a chunk that cannot be read tells nothing; `aicx doctor` names it
            continue
        for message in stored.sidecar.messages:
            low, high = message["span"]
            yield datetime.fromisoformat(message["at"]), stored.markdown[low:high].decode("utf-8", "replace")


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
    return replace(state, question=found.question, scanned=found.size, occurrences=found.occurrences)


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
    phrases = [" ".join(lowered(phrase).split()) for phrase in state.question.phrases]
    anyhow = [re.compile(r"\s+".join(map(re.escape, phrase.split()))) for phrase in phrases]
    words = set(" ".join(phrases).encode("utf-8", "replace").split())
    plain = all(map(str.isascii, phrases))

    @cache
    def holds(path: str) -> bool:
        try:
            body = load_markdown(state.layout, path)
        except AicxError:
            return True  # the stage that quotes it says what is wrong with it
        if plain:  # as bytes a text is in lower case in a tenth of the time, and marks leave what is ASCII as it is
            low = body.lower()
            if all(phrase.encode() in low for phrase in phrases):
                return True
            if not all(word in low for word in words) and not has_letters_beyond_ascii(body):
                return False
        text = lowered(body.decode("utf-8", "replace"))
        return all(phrase.search(text) for phrase in anyhow)

    def kept(state: SearchState) -> dict[str, Sequence[Candidate]]:
        return {
            name: list(islice((item for item in found if holds(state.rows[item.id]["path"])), pool(state)))
            for name, found in state.rankings.items()
        }

    rankings = kept(state)
    # What history added may be below the cut, and one that scores as much as the last may have been left out there.
    cut = state.cut
    if cut is not None and (state.named or sum(item.score > cut for item in rankings["lexical"]) < pool(state)):
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
