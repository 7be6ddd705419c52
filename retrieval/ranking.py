"""Joins the candidates of several rankers into one order of answers: documents, or groups of documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Annotated, NamedTuple

from aicx.types import Candidate
from aicx.values import dataclass
from retrieval.params import BEST_BY_MEANING, BEST_BY_WORDS, RankingParams

# Reciprocal rank fusion: Cormack, Clarke, Büttcher, SIGIR 2009.
_RRF_K = 60
# Below this, scores above 0 could no longer be told apart.
_LOWEST = 600.0


@dataclass(frozen=True, slots=True)
class Contribution:
    """One retriever's part in a score."""

    rank: Annotated[int, "from 1"]
    score: Annotated[float, "its own"]
    worth: Annotated[float, "its share of the fused score"]


_WORTH = attrgetter("worth")


class Fused(NamedTuple):
    """A document with its fused score, and the vote of every ranker that named it."""

    id: str
    score: float
    votes: Mapping[str, Contribution]


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of a retriever's scores: ``zero`` says nothing for a document, ``unit`` above it counts 1.

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
    votes: dict[str, dict[str, Contribution]] = {}
    for name in sorted(rankings):
        for rank, (candidate, worth) in enumerate(zip(rankings[name], worths[name], strict=True), 1):
            votes.setdefault(candidate.id, {})[name] = Contribution(rank, candidate.score, worth)
    made = positive_score if positive else float
    fused = [Fused(name, made(sum(map(_WORTH, found.values()))), found) for name, found in votes.items()]
    return sorted(fused, key=lambda item: (-item.score, item.id))


class RankedAnswer(NamedTuple):
    """A group of documents (or a document alone) with its fused score, its best document, and each ranker's vote.

    ``documents`` counts how many of the group's were named by any ranker.
    """

    group: str
    best: str
    score: float
    votes: Mapping[str, Contribution]
    documents: int = 1


def fuse(
    rankings: Mapping[str, Sequence[Candidate]],
    weights: Mapping[str, float],
    rules: RankingParams,
    scales: Mapping[str, Scale] | None = None,
) -> list[Fused]:
    """The rankings as one, best first: on ``scales`` where there are any, else by the rule that needs none."""
    if scales is not None:
        return standard_sum(rankings, weights, scales)
    return (reciprocal_rank if rules.fusion == "reciprocal" else weighted_sum)(rankings, weights)


def rank(
    rankings: Mapping[str, Sequence[Candidate]],
    weights: Mapping[str, float],
    rules: RankingParams,
    *,
    scales: Mapping[str, Scale] | None = None,
    group_of: Callable[[str], str] = str,
    factor_of: Callable[[str], float] | None = None,
) -> tuple[Sequence[RankedAnswer], Mapping[str, Sequence[Fused]]]:
    """One order out of every ranker's candidates: groups, best first, and the documents of each, best first.

    Args:
        rankings: candidates by ranker, best first.
        weights: what each ranker's vote is worth.
        rules: how scores are joined.
        scales: what each ranker's scores are compared with; None for a rule that compares what was found.
        group_of: the group of a document. Each ranker's scores are gathered per group before they are joined, so that
            a group is compared with groups. By default each document is one.
        factor_of: what a document's score is multiplied by (above 0).
    """
    if factor_of and scales is None:
        rankings = {name: _reweighed(candidates, factor_of) for name, candidates in rankings.items()}
    # On scales a factor cannot be put on one score: what is below the mean would count the more for it.
    factor = factor_of if factor_of and scales is not None else _whole
    fused = fuse(rankings, weights, rules, scales)
    if factor is not _whole:
        fused = [Fused(item.id, item.score * factor(item.id), item.votes) for item in fused]
        fused.sort(key=lambda item: (-item.score, item.id))
    documents: dict[str, list[Fused]] = {}
    for item in fused:
        documents.setdefault(group_of(item.id), []).append(item)
    gathered = {
        name: _gathered(candidates, group_of, rules)
        if scales is None or name != "dense"
        else _best_of(candidates, group_of)  # what speaks for a group by meaning is its one nearest passage
        for name, candidates in rankings.items()
    }
    groups = []
    for item in fuse(gathered, weights, rules, scales):
        best = documents[item.id][0].id
        groups.append(RankedAnswer(item.id, best, item.score * factor(best), item.votes, len(documents[item.id])))
    return sorted(groups, key=lambda answer: (-answer.score, answer.group)), documents


def scales_of(
    rankings: Mapping[str, Sequence[Candidate]], rules: RankingParams, best_possible: float | None, spread: Scale | None
) -> dict[str, Scale] | None:
    """The scale of every ranking, or None where one of them has none, and where ``rules`` want another fusion.

    Args:
        rankings: candidates by ranker.
        rules: which scales are used.
        best_possible: the best score by words that the question could get; None where that is unknown.
        spread: mean and deviation of the scores by meaning; None where they are unknown.
    """
    if rules.fusion != "standard" or not rankings.keys() <= {"lexical", "dense"}:
        return None
    scales: dict[str, Scale] = {}
    for name, found in rankings.items():
        scores = [item.score for item in found] or [0.0]
        if name == "lexical":
            unit = best_possible if rules.share else max(scores) / BEST_BY_WORDS
            scale = Scale(0.0, unit or 1.0) if unit is not None else None
        elif rules.standardise:
            scale = spread
        else:
            scale = Scale(min(scores), (max(scores) - min(scores)) / BEST_BY_MEANING or 1.0)
        if scale is None:
            return None
        scales[name] = scale
    return scales


def unfold(groups: Sequence[RankedAnswer], documents: Mapping[str, Sequence[Fused]]) -> list[RankedAnswer]:
    """The documents of groups, each worth as much of its group's score as it has of the best document's own.

    So the best document is the best group's, and what speaks for a session speaks for its chunks.
    """
    answers = []
    for group in groups:
        best = documents[group.group][0].score
        for item in documents[group.group]:
            share = item.score / best if best > 0 else 1.0
            votes = {**group.votes, **item.votes} if item.id == group.best else item.votes
            answers.append(RankedAnswer(item.id, item.id, group.score * share, votes))
    return sorted(answers, key=lambda answer: (-answer.score, answer.group))


def above_noise(
    rankings: Mapping[str, Sequence[Candidate]], near: float, *, lookup: bool
) -> dict[str, Sequence[Candidate]]:
    """The rankings without noise: what only meaning speaks for and comes no nearer than ``near``.

    Of a question that is interpreted (not ``lookup``) only where words found nothing at all: else they say whether
    there is an answer, and in a sum of scores what is far off counts little.
    """
    by_words = {item.id for name, found in rankings.items() if name != "dense" for item in found}
    if by_words and not lookup:
        return dict(rankings)
    return {
        name: [item for item in found if name != "dense" or item.id in by_words or item.score >= near]
        for name, found in rankings.items()
    }


def diversified(answers: Sequence[RankedAnswer], group_of: Callable[[str], str], factor: float) -> list[RankedAnswer]:
    """The answers with each further one of a group worth ``factor`` as much as the one before, best first."""
    met: dict[str, int] = {}
    spread: list[RankedAnswer] = []
    for answer in answers:
        group = group_of(answer.best)
        times = met[group] = met.get(group, -1) + 1
        spread.append(answer._replace(score=answer.score * factor**times) if times else answer)
    return sorted(spread, key=lambda answer: (-answer.score, answer.group))


def _reweighed(candidates: Sequence[Candidate], factor_of: Callable[[str], float]) -> list[Candidate]:
    """A factor makes a document count less. Times a negative cosine it would do the opposite."""
    changed = [item._replace(score=item.score * factor_of(item.id)) if item.score > 0 else item for item in candidates]
    return sorted(changed, key=lambda item: (-item.score, item.id))


def _whole(_: str) -> float:
    return 1.0


def _best_of(candidates: Sequence[Candidate], group_of: Callable[[str], str]) -> list[Candidate]:
    """Groups with their best document's score, best first."""
    best: dict[str, Candidate] = {}
    for item in candidates:
        group = group_of(item.id)
        if group not in best or item.score > best[group].score:
            best[group] = Candidate(group, item.score, item.passage)
    return sorted(best.values(), key=lambda item: (-item.score, item.id))


def _gathered(candidates: Sequence[Candidate], group_of: Callable[[str], str], rules: RankingParams) -> list[Candidate]:
    """Groups with the sum of their best documents' scores, each times its share, best first.

    Every further document counts less the further it is behind the best one of all.
    """
    top = max((item.score for item in candidates), default=0.0)
    scores: dict[str, list[float]] = {}
    for item in candidates:
        scores.setdefault(group_of(item.id), []).append(item.score)

    def worth(found: Sequence[float]) -> float:
        if len(found) == 1:  # as most have it
            return found[0] * rules.session_shares[0]
        shared = zip(found[1:], rules.session_shares[1:], strict=False)
        further = (score * share * max(0.0, score / top) ** rules.session_nearness for score, share in shared)
        return found[0] * rules.session_shares[0] + (sum(further) if top > 0 else 0.0)

    gathered = [Candidate(group, worth(found)) for group, found in scores.items()]
    return sorted(gathered, key=lambda item: (-item.score, item.id))
