"""Term weights (IDF over sessions): how much of a task a passage covers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

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

        runs = {_key(run): run for run in analyze_runs(task)}
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
        """What those terms of the task are worth together that are among ``words`` and ``names``."""
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


def _key(run: Terms) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(run.words), tuple(run.names)


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
