"""Joins the votes of several rankers into one order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aicx.types import Candidate
from aicx.values import dataclass

# Reciprocal rank fusion: Cormack, Clarke, Büttcher, SIGIR 2009.
_RRF_K = 60
# Below this, scores above 0 could no longer be told apart.
_LOWEST = 600.0


class Vote(NamedTuple):
    """One ranker's part in a fused score: its rank (from 1), its own score, and what that was worth."""

    rank: int
    score: float
    worth: float


class Fused(NamedTuple):
    """A document with its fused score, and the vote of every ranker that named it."""

    id: str
    score: float
    votes: Mapping[str, Vote]


@dataclass(frozen=True, slots=True)
class Scale:
    """What a retriever's scores are compared with: ``zero`` says nothing for a document, ``unit`` above it counts 1.

    By words, zero and the best score that the question could get; by meaning, mean and deviation of its scores.
    """

    zero: float
    unit: float

    def worth(self, score: float) -> float:
        return (score - self.zero) / self.unit


def pooled(spreads: Sequence[tuple[Scale, int]]) -> Scale:
    """The mean and deviation of the scores of several tables as those of one: of each its scale, and how many."""
    count = sum(size for _, size in spreads)
    mean = sum(size * scale.zero for scale, size in spreads) / count
    variance = sum(size * (scale.unit**2 + (scale.zero - mean) ** 2) for scale, size in spreads) / count
    return Scale(mean, math.sqrt(variance))


def standard_sum(
    rankings: Mapping[str, Sequence[Candidate]], weights: Mapping[str, float], scales: Mapping[str, Scale]
) -> list[Fused]:
    """Sum of each retriever's scores on its scale times its weight, best first, ties by id.

    Every sum is above 0, so that it can be multiplied; the order is that of the sums themselves.
    """
    worths = {
        name: [weights[name] * scales[name].worth(candidate.score) for candidate in ranking]
        for name, ranking in rankings.items()
    }
    return _fuse(rankings, worths, positive=True)


def positive_score(score: float) -> float:
    """A score above 0 in place of any: from 1 on the same, below it ever nearer to 0."""
    return score if score >= 1.0 else math.exp(max(score, -_LOWEST) - 1.0)


def raised(score: float, more: float) -> float:
    """A score of `positive_score` with ``more`` added to what it was made from."""
    return positive_score((score if score >= 1.0 else 1.0 + math.log(score)) + more)


def weighted_sum(rankings: Mapping[str, Sequence[Candidate]], weights: Mapping[str, float]) -> list[Fused]:
    """Sum of each ranker's min-max normalised scores times its weight, best first, ties by id.

    A document that a ranker did not name gets nothing from it. With a single ranker the order is that ranker's own.
    """
    total = sum(weights[name] for name, ranking in rankings.items() if ranking) or 1.0
    worths = {
        name: [weights[name] / total * value for value in _normalised(ranking)] for name, ranking in rankings.items()
    }
    return _fuse(rankings, worths)


def reciprocal_rank(rankings: Mapping[str, Sequence[Candidate]], weights: Mapping[str, float]) -> list[Fused]:
    """Sum of ``weight / (60 + rank)``, best first, ties by id."""
    worths = {
        name: [weights[name] / (_RRF_K + rank) for rank in range(1, len(ranking) + 1)]
        for name, ranking in rankings.items()
    }
    return _fuse(rankings, worths)


def _normalised(ranking: Sequence[Candidate]) -> list[float]:
    """Scores between 0 and 1. The last of a long ranking is no worse than unnamed, so the floor is a little above."""
    if not ranking:
        return []
    high = max(candidate.score for candidate in ranking)
    low = min(candidate.score for candidate in ranking)
    if high == low:
        return [1.0] * len(ranking)
    return [0.05 + 0.95 * (candidate.score - low) / (high - low) for candidate in ranking]


def _fuse(
    rankings: Mapping[str, Sequence[Candidate]], worths: Mapping[str, Sequence[float]], *, positive: bool = False
) -> list[Fused]:
    votes: dict[str, dict[str, Vote]] = {}
    for name in sorted(rankings):
        for rank, (candidate, worth) in enumerate(zip(rankings[name], worths[name], strict=True), 1):
            votes.setdefault(candidate.id, {})[name] = Vote(rank, candidate.score, worth)
    made = positive_score if positive else float
    fused = [Fused(name, made(sum(vote.worth for vote in found.values())), found) for name, found in votes.items()]
    return sorted(fused, key=lambda item: (-item.score, item.id))
