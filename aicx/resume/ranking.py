"""Ranks earlier sessions for a task: what it mentions, and scores from a few named, weighted signals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from datetime import datetime
from typing import Literal, NamedTuple

from aicx.evidence.sessions import SessionRow
from aicx.git import Roots
from aicx.values import dataclass, regex

_PATH_LIKE = regex(r"[\w@.+-]*(?:/[\w@.+-]+)+|[\w@+-]+\.[A-Za-z]\w{0,9}\b")
# What each way of being meant is worth; words of a path together at most as much as a change.
_CHANGED, _WRITTEN, _WORDS = 1.0, 1.5, 1.0
# A task means a few files; how many more fit by a word must not matter.
_MAX = 5


class Ask(NamedTuple):
    """The grounds of ranking: the task, when, on which branch, in which folder, and the files that changed just now."""

    task: str
    now: datetime
    branch: str | None = None
    folder: str | None = None
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mentions:
    """How strongly each known file is meant. ``total`` is the weight of the few that are meant most.

    ``written`` are the files that the task itself names.
    """

    weights: Mapping[str, float]
    total: float
    written: frozenset[str] = frozenset()

    @classmethod
    def of(cls, ask: Ask, paths: Iterable[str]) -> Mentions:
        """Finds what ``ask`` means among ``paths`` and the changed files."""
        weights = _weights(ask, {*paths, *ask.changed}) if ask.task.strip() or ask.changed else {}
        names = _names(ask.task)
        written = frozenset(path for path in weights if _is_written(path.lower(), names))
        return cls(weights, sum(sorted(weights.values(), reverse=True)[:_MAX]), written)

    def share(self, paths: Iterable[str]) -> float:
        """Of what is meant, how much is among ``paths``: 0 to 1."""
        found = sum(sorted((self.weights.get(path, 0.0) for path in paths), reverse=True)[:_MAX])
        return found / self.total if self.total else 0.0


def _weights(ask: Ask, paths: set[str]) -> dict[str, float]:
    # Imported here: its stemmer is not needed where nothing is asked.
    from retrieval.analysis import analyze

    written = _names(ask.task)
    asked = set(analyze(ask.task).words)
    words = {path: set(analyze(path).words) for path in paths} if asked else {path: set() for path in paths}
    spread = Counter(word for of in words.values() for word in of)
    weights: dict[str, float] = {}
    for path, of in words.items():
        # A word that many paths share says little of any one of them.
        rare = math.fsum(1 / (1 + math.log(spread[word])) for word in of & asked)
        weight = (
            _CHANGED * (path in ask.changed) + _WRITTEN * _is_written(path.lower(), written) + min(_WORDS, rare / 2)
        )
        if weight > 0:
            weights[path] = weight
    return weights


def _names(task: str) -> set[str]:
    """Returns what looks like a path or a file's name in a task, in lower case."""
    return {found.strip("./").lower() for found in _PATH_LIKE.findall(task)}


def _is_written(path: str, written: set[str]) -> bool:
    return any(path == name or path.endswith(f"/{name}") or name.endswith(f"/{path}") for name in written)


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
MAIN_NAMES = frozenset({"main", "master", "trunk", "develop", "HEAD"})


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
    sessions: Sequence[SessionRow], ask: Ask, recall: Mapping[tuple[str, str], float], mentions: Mentions, roots: Roots
) -> list[Scored]:
    """The sessions, the one the task most likely goes on from first.

    ``recall`` is each one's share of the search, ``mentions`` says which files the task means.
    """
    shared = shared_branches(sessions)
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


def shared_branches(sessions: Iterable[SessionRow]) -> Set[str]:
    """The branches that everybody works on."""
    began_on = Counter(session.branch for session in sessions)
    return MAIN_NAMES | {branch for branch, count in began_on.items() if branch and count >= _SHARED}


def _branch_worth(ask: Ask, session: SessionRow, shared: Set[str]) -> float:
    """Returns what it says that a session was on the branch that is checked out; little where ``shared`` has it."""
    if not session.was_on(ask.branch):
        return 0.0
    return MAIN_BRANCH if ask.branch in shared else BRANCH
