"""The stages that let a repository's history count: where a question names a commit, git tells when it was made.

They raise answers, and add some of that time; nothing is removed.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.sightings import SightedSubjects, nearest_sighting
from aicx.engine.stages import SearchState
from aicx.engine.stages.retrieve import pool
from aicx.git.subjects import may_be_subject
from aicx.values import replace
from retrieval.questions import Between

if TYPE_CHECKING:
    from aicx.git.named import NamedCommits


# What names one commit, or nearly: its time is looked through for more candidates.
_SURE = 0.5
_MAX_WINDOWS = 3
_EXACT = ("hash", "number")


def begin(state: SearchState) -> SearchState:
    """Has git look for what the question names, where that may be something, while the indexes are searched."""
    place = state.place
    if place is None or place.common is None or not state.query.rules.history:
        return state
    # Imported here, as below: outside a repository nothing of this is needed, and most questions name nothing.
    from aicx.git.named import MAX_TEXT, may_name

    text = state.question.text[:MAX_TEXT]
    if not may_name(text, place.root, place.common):
        return state
    # A session makes no commit before it begins.
    first = state.catalog.now.rows("SELECT min(started_at) AS at FROM chunks WHERE ignored=0")[0]["at"]
    if first is None:
        return state
    from aicx.engine.history import AFTER, FreshnessLook

    names = {name.rpartition("/")[2] for name in (place.project, *place.folders) if name}
    return replace(state, look=FreshnessLook(place.root, text, datetime.fromisoformat(first) - AFTER, names))


def widen(state: SearchState) -> SearchState:
    """Adds candidates by words from the time of the commits that are named: others may have more of the words."""
    named, notes = _named(state)
    state = replace(state, named=tuple(named), notes=(*state.notes, *notes))
    if not named or "lexical" not in state.rankings:
        return state
    from aicx.engine.history import windows

    candidates = {item.id: item for item in state.rankings["lexical"]}
    for first, last in windows(item for item in named if item.weight >= _SURE)[-_MAX_WINDOWS:]:
        time = (
            Between("completed_at", low=int(first.timestamp())),
            Between("started_at", high=int(last.timestamp())),
        )
        found = state.retrievers.lexical.retrieve(
            state.question, (*state.where, *time), pool(state), state.query.rules, state.catalog.now
        )
        candidates |= {item.id: item for item in found.candidates if item.id not in candidates}
    if not candidates:
        # No log has the words, as of a hash alone; from the commit's files and time its session is known all the same.
        asked = (item.name if item.kind == "hash" else f"'#{item.name}'" for item in named if item.kind in _EXACT)
        notes = [f"{name} is in this repository: `aicx why {name}` finds the session" for name in asked]
        state = replace(state, notes=(*state.notes, *notes))
    rows = state.catalog.rows(candidates)
    ranking = sorted((item for item in candidates.values() if item.id in rows), key=lambda item: (-item.score, item.id))
    return replace(state, rankings={**state.rankings, "lexical": ranking}, rows={**state.rows, **rows})


def raise_makers(state: SearchState) -> SearchState:
    """Multiplies the scores of sessions by how surely they made a commit that the question names."""
    if not state.named:
        return state
    from aicx.engine.history import trace

    keys = set()
    for answer in state.answers:
        row = state.rows[answer.best]
        if state.place is None or state.place.share(row["project"], row["cwd"]) is not None:
            keys.add((row["agent"], row["session_id"]))
    state = replace(state, traced=trace(state.catalog.now, state.named, keys))
    raised = [answer._replace(score=answer.score * factor_of(state, answer.best)) for answer in state.answers]
    return replace(state, answers=sorted(raised, key=lambda answer: (-answer.score, answer.group)))


def factor_of(state: SearchState, chunk: str) -> float:
    """Returns the factor of a chunk's score for the commits that its session may have made."""
    row = state.rows[chunk]
    traced = state.traced.get((row["agent"], row["session_id"]))
    return 1.0 + state.query.rules.history * traced.worth if traced else 1.0


def _named(state: SearchState) -> tuple[list[NamedCommits], list[str]]:
    """The commits that the question names: git knows them, or else what tools printed into the logs."""
    named, notes = state.look.found() if state.look else ([], [])
    named = [item for item in named if item.commits]
    if named or not state.query.rules.history or not state.query.rules.sightings:
        return named, notes

    return find_sighted(state.catalog.now, state.question.text, state.catalog.subjects()), notes


def find_sighted(catalog: Catalog, text: str, subjects: SightedSubjects | None = None) -> list[NamedCommits]:
    """The commit whose subject is nearly ``text``, where the command that made it is in a log; often none.

    One that is only listed is left out: what is at work when a commit is first listed looks at it, and who made it
    worked at some time before.
    """
    seen = nearest_sighting(catalog, text, subjects) if may_be_subject(text) else None
    if seen is None or seen.made_in is None or seen.hash.startswith("#"):
        return []
    # Imported here: hardly a question is the subject of a commit, and git is not asked for the others.
    from aicx.git.history import HistoryCommit
    from aicx.git.named import NamedCommits

    at = seen.first_seen
    commit = HistoryCommit(seen.hash, (), "", "", at, at, seen.subject)
    return [NamedCommits("subject", text, 1.0, (commit,))]
