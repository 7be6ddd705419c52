"""Ranks earlier sessions for a task: scores from a few named, weighted signals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import Literal, NamedTuple

from aicx.evidence.sessions import SessionRow
from aicx.git.roots import Roots
from aicx.resume.select.mentions import Ask, Mentions

Confidence = Literal["low", "medium", "high"]

# What each signal is worth for a session. Words decide where the task has any; branch and folder say most where it has
# none ("review the changes in this branch"); being the latest breaks ties.
RECALL, FILES, BRANCH, FOLDER, RECENCY = 1.0, 0.6, 0.8, 0.3, 0.35
# A branch that everybody works on tells little of who went on with what: less than coming one session later.
MAIN_BRANCH = 0.05
# By how much a session counts less for each one that came after it.
_RECENCY_STEP = 0.25
# A branch on which as many sessions were is one that everybody works on, whatever its name.
_SHARED = 6
_MAIN_NAMES = frozenset({"main", "master", "trunk", "develop", "HEAD"})


# What it takes to say that work goes on from a session, rather than that it is the nearest there is. One word of two
# is not enough.
_SURE_COVERAGE, _LIKELY_COVERAGE, _SOME_COVERAGE, _MAX_FILES = 0.8, 0.65, 0.5, 0.5


class Scored(NamedTuple):
    """A session with its score and what it is made of."""

    session: SessionRow
    score: float
    parts: Mapping[str, float]
    files: tuple[str, ...]  # relative to the repository


def rank_sessions(
    sessions: Sequence[SessionRow],
    ask: Ask,
    recall: Mapping[tuple[str, str], float],
    mentions: Mentions,
    roots: Roots,
) -> list[Scored]:
    """The sessions, the one the task most likely goes on from first.

    ``recall`` is each one's share of the search, ``mentions`` says which files the task means.
    """
    began_on = Counter(session.branch for session in sessions)
    shared = _MAIN_NAMES | {branch for branch, count in began_on.items() if branch and count >= _SHARED}
    latest_first = sorted(sessions, key=lambda item: (item.completed_at, item.ref), reverse=True)
    scored = []
    for place, session in enumerate(latest_first):
        key, files = (session.agent, session.session_id), files_of(session, roots)
        parts = {
            "recall": RECALL * recall.get(key, 0.0),
            "files": FILES * mentions.share(files),
            "branch": _branch_worth(ask, session, shared),
            "folder": FOLDER * (ask.folder is not None and session.cwd == ask.folder),
            "recency": RECENCY / (1 + _RECENCY_STEP * place),
        }
        scored.append(Scored(session, sum(parts.values()), parts, files))
    return sorted(scored, key=lambda item: (-item.score, -item.session.completed_at.timestamp(), item.session.ref))


def confidence(item: Scored, ask: Ask, coverage: float, mentions: Mentions) -> Confidence:
    """How sure it is that the work goes on from a session; ``coverage`` is how much of the task it holds."""
    own_branch = item.parts["branch"] >= BRANCH
    # Words of a task are in the paths of some files in any repository.
    named = not mentions.written.isdisjoint(item.files)
    meant = bool(ask.changed) or named or coverage >= _SOME_COVERAGE
    files = meant and item.parts["files"] >= _MAX_FILES * FILES
    if not ask.task.strip():
        return "high" if own_branch else "medium"
    if coverage >= _SURE_COVERAGE or (coverage >= _LIKELY_COVERAGE and (own_branch or files)):
        return "high"
    return "medium" if coverage >= _LIKELY_COVERAGE or own_branch or files else "low"


def files_of(session: SessionRow, roots: Roots) -> tuple[str, ...]:
    """The files of a session, relative to the repository."""
    found = (roots.relative(path, session.cwd) for path in session.files)
    return tuple(dict.fromkeys(path for path in found if path))


def _branch_worth(ask: Ask, session: SessionRow, shared: Set[str]) -> float:
    """What it says that a session was on the branch that is checked out; little where ``shared`` has it."""
    if ask.branch is not None and session.branch == ask.branch:
        return MAIN_BRANCH if session.branch in shared else BRANCH
    return 0.0
