"""Chooses among the passages that a search gave: this repository's and related ones', a few of each session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from aicx.evidence.patterns import request_rules, statement_rules
from aicx.evidence.statements import COMPACTION, weigh
from aicx.evidence.texts import sentences, words
from aicx.evidence.transcript import Step
from aicx.refs import Ref
from aicx.resume.select.considered import Considered, Reason
from aicx.resume.select.term_weights import TermWeights
from aicx.text import shorten
from aicx.values import dataclass

# A session and its subagents; more of them say the same, and the places of other sessions are better used.
MAX_OF_SESSION = 2
_QUOTED_LENGTH = 220
_MIN_WORDS = 5
# The level of a prompt that can be understood without what came before it.
_BY_ITSELF = 2
# By how much a sentence counts more that names a cause, a fix or a result.
_ANSWERS = 1.6
# Below this part of the best score a passage shares only common words with the task.
_MIN_SHARE = 0.25
# What a sentence has to hold to be about the task: words that few sessions have, and some of the task where it names a
# result, most of it where it does not.
_MIN_HELD, _SOME, _MOST = 2.0, 0.2, 0.5
# A passage that holds less of the task, counted by how rare its words are, has to do with something else; below the
# second figure it shares no more than a word that stands everywhere.
_MIN_COVERAGE, _MIN_SHARED = 0.45, 0.2


@dataclass(frozen=True, slots=True)
class Passage:
    """A session's best passage for the task, scored as the session was. ``relation`` None for the repository's own."""

    chunk: str
    path: str
    agent: str
    session_id: str
    project: str
    cwd: str | None
    parent: str | None
    lane: str
    started_at: datetime
    completed_at: datetime
    score: float
    tier: str
    title: str | None
    lines: tuple[str, ...]
    coverage: float  # how much of the task it holds
    files: tuple[str, ...]
    relation: str | None = None
    altered: bool = False  # on disk since it was stored
    automated_why: str | None = None  # the evidence that a program ran its session
    raised: float = 1.0  # the part of the score that is for a commit which the task names and the session may have made

    @property
    def fit(self) -> float:
        """How well it fits the task by itself."""
        return self.score / self.raised

    @property
    def facts(self) -> Mapping[str, Any]:
        named = {"agent": self.agent, "session_id": self.session_id, "project": self.project, "title": self.title}
        return named | {"automated_why": self.automated_why}

    @property
    def owner(self) -> tuple[str, str]:
        """The session it speaks for: a subagent works for the one that started it."""
        return self.agent, (self.parent or self.session_id) if self.lane == "subagent" else self.session_id


def shares(passages: Iterable[Passage]) -> dict[tuple[str, str], float]:
    """Each session's share of a search, relative to the best session's. From 0 to 1."""
    scores: dict[tuple[str, str], float] = {}
    for passage in passages:
        scores[passage.owner] = max(scores.get(passage.owner, 0.0), passage.score)
    most = max(scores.values(), default=0.0)
    return {owner: found / most for owner, found in scores.items()} if most > 0 else {}


def coverages(passages: Iterable[Passage]) -> dict[tuple[str, str], float]:
    """For each session how much of the task its best passage holds. From 0 to 1."""
    found: dict[tuple[str, str], float] = {}
    for passage in passages:
        found[passage.owner] = max(found.get(passage.owner, 0.0), passage.coverage)
    return found


def choose(
    passages: Sequence[Passage], now: datetime, excluded: tuple[str, ...], limit: int, related_limit: int
) -> tuple[list[Passage], list[Considered]]:
    """The passages to quote, best first, the repository's own before related ones; and all that were considered."""
    chosen: list[Passage] = []
    considered: list[Considered] = []
    of_session: dict[tuple[str, str], int] = {}
    # Scores of two searches do not compare.
    best = {
        own: max((item.fit for item in passages if (item.relation is None) == own), default=0.0)
        for own in (True, False)
    }
    counts = {True: 0, False: 0}
    for passage in sorted(passages, key=lambda item: (item.relation is not None, -item.score, item.chunk)):
        own = passage.relation is None
        left_out = _against(passage, now, excluded, best[own])
        if left_out is None and of_session.get(passage.owner, 0) >= MAX_OF_SESSION:
            left_out = Reason.ENOUGH_OF_SESSION
        if left_out is None and counts[own] >= (limit if own else related_limit):
            left_out = Reason.OVER_LIMIT
        if left_out is None:
            chosen.append(passage)
            counts[own] += 1
            of_session[passage.owner] = of_session.get(passage.owner, 0) + 1
        reasons: tuple[Reason, ...] = (
            (Reason.MATCHES_TASK,) if own else (Reason.MATCHES_TASK, Reason.RELATED_REPOSITORY)
        )
        reasons += (Reason.NEAR_COMMIT,) if passage.raised > 1 else ()
        considered.append(
            Considered(str(Ref("chunk", passage.chunk)), "chunk", passage.score, reasons, left_out, _why(passage))
        )
    return chosen, considered


def _against(passage: Passage, now: datetime, excluded: tuple[str, ...], best: float) -> Reason | None:
    if passage.session_id.startswith(excluded):
        return Reason.EXCLUDED_BY_USER
    if passage.completed_at > now:
        return Reason.AFTER_NOW
    if passage.altered:
        return Reason.ALTERED_ON_DISK
    if not fits(passage) or passage.fit < _MIN_SHARE * best:
        return Reason.WEAK_MATCH
    return None


def fits(passage: Passage) -> bool:
    """Whether a passage has to do with the task, by its words or by what it means."""
    return passage.tier == "meaning" or (passage.tier != "nearest" and passage.coverage >= _MIN_COVERAGE)


def is_near(passage: Passage) -> bool:
    """Whether a passage shares enough with the task to say which session is nearest to it."""
    return fits(passage) or passage.coverage >= _MIN_SHARED


def _why(passage: Passage) -> Mapping[str, Any] | None:
    return {"relation": passage.relation, "project": passage.project} if passage.relation else None


def informative_sentences(steps: Sequence[Step], rarity: TermWeights, limit: int) -> tuple[str, ...]:
    """What people and agents said in a passage that has most to do with the task; empty where only tools did."""
    rules = statement_rules()
    # That both want something fixed, or reviewed, ties a sentence to no task.
    rarity = rarity.without(request_rules().procedural)
    scored: list[tuple[float, int, str]] = []
    for step in steps:
        by_person = step.role == "user"
        if not by_person and step.role != "assistant" and step.origin != COMPACTION:
            continue
        for said in sentences(step.text):
            length = len(words(said.text))
            # Most sentences share nothing, which is soon seen.
            shared = rarity.shared(said.text) if length >= _MIN_WORDS else 0.0
            if shared < _MIN_HELD or not is_quotable(said.text, by_agent=not by_person):
                continue
            if said.text.endswith("?") or (by_person and weigh(said.text).level < _BY_ITSELF):
                continue  # the question stood in other words before, and here is what came of it
            # What a person ordered, and what an agent found, may hold today; the rest has to be about the task.
            settles = (rules.human if by_person else rules.answers).search(said.text)
            if rarity.coverage([said.text]) < (_SOME if settles else _MOST):
                continue
            # A long sentence shares more by chance. What was wrong, and what came of it, is what a reader wants.
            worth = shared / (8 + length) ** 0.5 * (_ANSWERS if rules.answers.search(said.text) else 1.0)
            scored.append((worth, len(scored), shorten(said.text, _QUOTED_LENGTH)))
    best = sorted(scored, key=lambda item: (-item[0], item[1]))[:limit]
    return tuple(dict.fromkeys(text for _, _, text in sorted(best, key=lambda item: item[1])))


def answers_something(text: str) -> bool:
    """Whether a line names a cause, a fix or a result, and asks nothing."""
    return not text.endswith("?") and bool(statement_rules().answers.search(text))


def is_quotable(text: str, *, by_agent: bool = True) -> bool:
    """Whether a line says something to a reader: links, code, what programs print, and agents' announcements do not."""
    rules = statement_rules()
    text = text.strip()
    return not rules.unquotable.search(text) and not (by_agent and rules.announcements.search(text))
