"""Chooses among the passages that a search gave: this repository's and related ones', a few of each session."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from aicx.evidence import Step
from aicx.evidence.patterns import request_rules, statement_rules
from aicx.evidence.statements import COMPACTION, is_announcement, weigh
from aicx.evidence.texts import sentences, words
from aicx.refs import Ref
from aicx.resume.report import Considered, Passage, Reason
from aicx.text import shorten
from aicx.values import dataclass

if TYPE_CHECKING:
    from retrieval.analysis import Terms


# What stands first in a task says what it is about; a pasted log follows, whose every word takes time to count.
_MAX_TERMS = 60
# So many documents more, in which a word stands once, keep a handful of sessions from calling every word common.
_INVISIBLE = 10
# A passage that holds so much has enough of a long task, of which no passage holds most: some ten rare words.
_ENOUGH = 30.0
# A task worth less, of one common word or of several that stand everywhere, fits every session alike.
_MIN = 1.5


@dataclass(frozen=True, slots=True)
class TermWeights:
    """The words and names of a task, each with what it is worth: more, the fewer documents hold it."""

    runs: tuple[Terms, ...]
    worths: tuple[float, ...]

    @classmethod
    def of(cls, task: str, documents: Sequence[str]) -> TermWeights:
        """Counts the terms of ``task`` in lowered ``documents``, a sample of what the repository's sessions hold."""
        from retrieval.analysis import analyze_runs  # imported here, as below: without a task no word is compared

        runs = {(tuple(run.words), tuple(run.names)): run for run in analyze_runs(task)}
        terms = tuple(runs.values())[:_MAX_TERMS]
        size = len(documents) + _INVISIBLE
        return cls(terms, tuple(math.log(size / (1 + _count(run, documents))) for run in terms))

    @property
    def is_discriminative(self) -> bool:
        """Whether the words of the task are in some sessions and not in others."""
        return sum(self.worths) >= _MIN

    def coverage(self, texts: Iterable[str]) -> float:
        """How much of the task ``texts`` hold. From 0 to 1."""
        return next(self.coverages(texts))

    def coverages(self, *parts: Iterable[str]) -> Iterator[float]:
        """How much of the task the texts of the first part hold, of the first two, and so on."""
        most = min(sum(self.worths), _ENOUGH)
        words: set[str] = set()
        names: set[str] = set()
        for texts in parts:
            for text in texts:
                found = _analyze(text)
                words.update(found.words)
                names.update(found.names)
            yield min(1.0, self._worth(words, names) / most) if most else 0.0

    def _worth(self, words: set[str], names: set[str]) -> float:
        """Returns what those terms of the task are worth together that are among ``words`` and ``names``."""
        return sum(worth for run, worth in zip(self.runs, self.worths, strict=True) if _holds(run, words, names))

    def without(self, words: Iterable[str]) -> TermWeights:
        """The task without plain words that say little by themselves; the whole task where nothing else is in it."""
        little = set(_analyze(" ".join(words)).words)
        kept = [
            (run, worth)
            for run, worth in zip(self.runs, self.worths, strict=True)
            if run.names or not little.issuperset(run.words)
        ]
        return TermWeights(tuple(run for run, _ in kept), tuple(worth for _, worth in kept)) if kept else self

    def shared(self, text: str) -> float:
        """The same for one sentence, in which half of a name counts that is told in its words."""
        found = _analyze(text)
        words = set(found.words)
        if held := self._worth(words, set(found.names)):
            return held
        return sum(
            worth * sum(word in words for word in run.words) / len(run.words) / 2
            for run, worth in zip(self.runs, self.worths, strict=True)
            if run.names and run.words
        )


def _analyze(text: str) -> Terms:
    from retrieval.analysis import analyze

    return analyze(text)


def _holds(run: Terms, words: set[str], names: set[str]) -> bool:
    if run.names:
        return not names.isdisjoint(run.names)
    return words.issuperset(run.words) or run.whole in names


def _count(run: Terms, documents: Iterable[str]) -> int:
    """In how many documents a term stands: its name, or its words each at the beginning of one."""
    stems = run.names[:1] or run.words
    starts = [re.compile(rf"(?<![^\W_]){re.escape(stem)}") for stem in stems]
    # Looking for plain text first is many times as fast.
    return sum(
        all(stem in document and start.search(document) for stem, start in zip(stems, starts, strict=True))
        for document in documents
    )


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
_MIN_HELD, _SOME, _MAJORITY = 2.0, 0.2, 0.5
# A passage that holds less of the task, counted by how rare its words are, has to do with something else; below the
# second figure it shares no more than a word that stands everywhere.
_MIN_COVERAGE, _MIN_SHARED = 0.45, 0.2


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
        ref, why = str(Ref("chunk", passage.chunk)), {"relation": passage.relation, "project": passage.project}
        considered.append(Considered(ref, "chunk", passage.score, reasons, left_out, None if own else why))
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


def informative_sentences(steps: Sequence[Step], rarity: TermWeights, limit: int) -> tuple[str, ...]:
    """Finds sentences in a passage that have most to do with the task; none where only tools spoke."""
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
            if rarity.coverage([said.text]) < (_SOME if settles else _MAJORITY):
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
    return not rules.unquotable.search(text) and not (by_agent and is_announcement(text))
