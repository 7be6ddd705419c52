"""The stages that ask a share beside one's own corpus, and make one ranking of both.

The question goes out before one's own indexes are asked, and its answer is waited for once they have answered. What the
share gives is a candidate like any other from there on; its row has the text it is quoted from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from aicx.corpus.catalog.names import stored_sessions
from aicx.corpus.files.read import StoredText, read_chunk
from aicx.engine.stages import Meant, SearchState, Shared, is_shared
from aicx.engine.stages.retrieve import is_lookup, pool
from aicx.types import Candidate
from aicx.values import replace
from retrieval.evidence import Occurrences
from retrieval.lines import lowered
from retrieval.ranking import Scale, above_noise, pooled


def ask(state: SearchState) -> SearchState:
    """Sends the question to the share."""
    query = state.query
    if query.team is not None and not state.question.empty:
        query.team.ask(state.question, query.filters, query.rules, pool(state))
    return state


def _meant(state: SearchState) -> Meant:
    opened = state.retrievers.dense.open
    return Meant(opened.vector(state.question.text), opened.embedder.fingerprint, opened.embedder.name)


def join(state: SearchState) -> SearchState:
    """Puts the share's candidates among one's own, their scores on one scale."""
    team = state.query.team
    if team is None:
        return state
    by_meaning = "dense" in state.rankings
    shared, notes = team.answer(_meant(state) if by_meaning else None)
    state = replace(state, notes=(*state.notes, *notes))
    parts = list(_without_own(state, shared))
    if not parts:
        return state
    state = replace(state, verbatim=state.verbatim or any(part.verbatim for part in parts))
    lookup = is_lookup(state)
    own = {name: list(found) for name, found in state.rankings.items()}
    words = next((name for name in ("lexical", "scan") if name in own), "lexical")
    scales = dict(state.scales or _own_scales(state, words))
    asked = _together(state.occurrences, [part.occurrences for part in parts])
    for name, scale in parts[0].scales.items():
        scales.setdefault(words if name == "lexical" else name, scale)
    if by_meaning:
        scales |= _spread_of_all(state, parts)
    # Else the candidates of each retriever are compared as they were found, as in `retrieve.complete`.
    joins = words == "lexical" and not lookup and {words, "dense"} <= scales.keys()
    joins = joins and by_meaning and state.query.rules.fusion == "standard"
    of_own = _share_there(state.occurrences, asked)
    known = {
        name: [one._replace(score=one.score * of_own) if name == words else one for one in own.get(name, [])]
        for name in (words, *(("dense",) if by_meaning else ()))
    }
    rows = dict(state.rows)
    for part in parts:
        rankings = part.rankings
        if not joins:
            rankings = {name: [one for one in found if one.id in part.found[name]] for name, found in rankings.items()}
        if state.near is not None:
            rankings = above_noise(rankings, state.near, lookup=lookup or len(state.question.runs) == 1)
        known[words] += _on_scale(
            rankings["lexical"], part.scales.get("lexical"), scales.get(words), _share_there(part.occurrences, asked)
        )
        if by_meaning:
            known["dense"] += rankings.get("dense", ())  # cosines of one model compare as they are
        rows.update(part.rows)
    rankings = {name: sorted(found, key=lambda one: (-one.score, one.id)) for name, found in known.items()}
    return replace(
        state,
        rankings=rankings,
        rows=rows,
        scales={"dense": scales["dense"], words: scales[words]} if joins else None,
        occurrences=asked,
        meant=state.meant and not known[words],  # a word of the question does occur
    )


def stored_of(state: SearchState, row: Mapping[str, Any]) -> StoredText:
    """The text of a candidate: from the store, or as the share has it. Raises NotFound or CorpusDamaged."""
    found: StoredText | None = row["stored"] if is_shared(row) else None
    return read_chunk(state.layout, row["path"]) if found is None else found


def _own_scales(state: SearchState, words: str) -> dict[str, Scale]:
    """The scale of one's own words, where the index answered; meaning has none where few documents are stored."""
    if words != "lexical" or not state.rankings.get(words):
        return {}
    return {words: Scale(0.0, state.retrievers.lexical.open.best_possible(state.question, state.query.rules) or 1.0)}


def _on_scale(
    found: Sequence[Candidate], scale: Scale | None, wanted: Scale | None, share: float
) -> Iterator[Candidate]:
    """Candidates with the scores that they would have on another scale, of which they can have a share at most."""
    for item in found:
        worth = item.score if scale is None or wanted is None else scale.worth(item.score) * wanted.unit
        yield item._replace(score=share * worth)


def _share_there(part: Occurrences | None, asked: Occurrences | None) -> float:
    """From 0 to 1, how much of the words of a question that occur anywhere occur in a part, the rarer the more.

    Without it a corpus that has one common word of a question would be taken to answer all of it.
    """
    if part is None or asked is None:
        return 1.0
    there = {unit.typed for unit, count in zip(part.units, part.counts, strict=True) if count}
    known = [
        (unit.typed, weight)
        for unit, count, weight in zip(asked.units, asked.counts, asked.weights, strict=True)
        if count
    ]
    whole = sum(weight for _, weight in known)
    return sum(weight for typed, weight in known if typed in there) / whole if whole else 1.0


def _spread_of_all(state: SearchState, parts: Sequence[Shared]) -> dict[str, Scale]:
    """The spread of the scores by meaning of all that was asked, as of one corpus."""
    own = (state.scales or {}).get("dense"), state.occurrences
    asked = [own, *((part.scales.get("dense"), part.occurrences) for part in parts)]
    spreads = [(scale, counted.documents) for scale, counted in asked if scale and counted and counted.documents]
    return {"dense": pooled(spreads)} if spreads else {}


def _without_own(state: SearchState, parts: Sequence[Shared]) -> Iterator[Shared]:
    """The parts without sessions that are stored here, without a chunk that another member already gave, and with
    quoted phrases as they were quoted."""
    rows = [row for part in parts for row in part.rows.values()]
    stored = stored_sessions(state.catalog.now, [row["session_id"] for row in rows])
    phrases = [" ".join(lowered(phrase).split()) for phrase in state.question.phrases]
    given: dict[str, str] = {}
    for part in parts:
        kept = {
            name: row
            for name, row in sorted(part.rows.items())
            if (row["agent"], row["session_id"]) not in stored
            and given.setdefault(row["chunk"], name) == name
            and _holds(row, phrases)
        }
        rankings = {name: [item for item in found if item.id in kept] for name, found in part.rankings.items()}
        yield replace(part, rows=kept, rankings=rankings)


def _holds(row: Mapping[str, Any], phrases: Sequence[str]) -> bool:
    if not phrases:
        return True
    text = " ".join(lowered(row["stored"].markdown.decode("utf-8", "replace")).split())
    return all(phrase in text for phrase in phrases)


def _together(own: Occurrences | None, others: Sequence[Occurrences]) -> Occurrences | None:
    """How often the question's words occur here and there, in the forms in which one's own corpus was asked."""
    if own is None:
        return others[0] if others else None
    counted: dict[str, int] = {}
    for other in others:
        for unit, count in zip(other.units, other.counts, strict=True):
            counted[unit.typed] = counted.get(unit.typed, 0) + count
    counts = tuple(count + counted.get(unit.typed, 0) for unit, count in zip(own.units, own.counts, strict=True))
    return Occurrences(own.units, counts, own.documents + sum(other.documents for other in others))
