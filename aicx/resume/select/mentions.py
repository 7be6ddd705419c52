"""Finds the files a task means: named in it, changed now, or matching its words."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from aicx.values import dataclass

_PATH_LIKE = re.compile(r"[\w@.+-]*(?:/[\w@.+-]+)+|[\w@+-]+\.[A-Za-z]\w{0,9}\b")
# What each way of being meant is worth; words of a path together at most as much as a change.
_CHANGED, _WRITTEN, _WORDS = 1.0, 1.5, 1.0
# A task means a few files; how many more fit by a word must not matter.
_MAX = 5


class Ask(NamedTuple):
    """What there is to go by: the task, when, on which branch, in which folder, and the files that changed just now."""

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
        """What ``ask`` means among ``paths`` and the changed files."""
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
        rare = sum(1 / (1 + math.log(spread[word])) for word in of & asked)
        weight = (
            _CHANGED * (path in ask.changed) + _WRITTEN * _is_written(path.lower(), written) + min(_WORDS, rare / 2)
        )
        if weight > 0:
            weights[path] = weight
    return weights


def _names(task: str) -> set[str]:
    """What looks like a path or a file's name in a task, in lower case."""
    return {found.strip("./").lower() for found in _PATH_LIKE.findall(task)}


def _is_written(path: str, written: set[str]) -> bool:
    return any(path == name or path.endswith(f"/{name}") or name.endswith(f"/{path}") for name in written)
