"""From the candidates of several rankers to one order of answers: documents, or groups of documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aicx.types import Candidate
from retrieval.fusion import Fused, Vote, reciprocal_rank, weighted_sum
from retrieval.params import RankingParams


@dataclass(frozen=True, slots=True)
class Answer:
    """A group of documents (or a document alone) with its fused score, its best document, and each ranker's vote.

    ``documents`` counts how many of the group's were named by any ranker.
    """

    group: str
    best: str
    score: float
    votes: Mapping[str, Vote]
    documents: int = 1


def fuse(
    rankings: Mapping[str, Sequence[Candidate]], weights: Mapping[str, float], rules: RankingParams
) -> list[Fused]:
    """The rankings as one, best first."""
    return (weighted_sum if rules.fusion == "weighted" else reciprocal_rank)(rankings, weights)


def rank(
    rankings: Mapping[str, Sequence[Candidate]],
    weights: Mapping[str, float],
    rules: RankingParams,
    *,
    group_of: Callable[[str], str] | None = None,
    factor_of: Callable[[str], float] | None = None,
) -> list[Answer]:
    """One order out of every ranker's candidates.

    Args:
        rankings: candidates by ranker, best first.
        weights: what each ranker's vote is worth.
        rules: how scores are joined.
        group_of: the group of a document. Each ranker's scores are gathered per group before they are normalised and
            joined, so that a group is compared with groups. None for documents on their own.
        factor_of: what a document's score is multiplied by (above 0).
    """
    if factor_of:
        rankings = {name: _reweighed(candidates, factor_of) for name, candidates in rankings.items()}
    documents = fuse(rankings, weights, rules)
    if group_of is None:
        return [Answer(item.id, item.id, item.score, item.votes) for item in documents]
    best: dict[str, str] = {}
    counts: dict[str, int] = {}
    for item in documents:
        group = group_of(item.id)
        best.setdefault(group, item.id)
        counts[group] = counts.get(group, 0) + 1
    gathered = {name: _gathered(candidates, group_of, rules) for name, candidates in rankings.items()}
    return [
        Answer(item.id, best[item.id], item.score, item.votes, counts[item.id])
        for item in fuse(gathered, weights, rules)
    ]


def above_noise(rankings: Mapping[str, Sequence[Candidate]], near: float) -> list[Candidate]:
    """The dense ranker's candidates without those that only meaning speaks for and that are no nearer than ``near``."""
    by_words = {item.id for name, found in rankings.items() if name != "dense" for item in found}
    return [item for item in rankings["dense"] if item.score >= near or item.id in by_words]


def diversified(answers: Sequence[Answer], group_of: Callable[[str], str], factor: float) -> list[Answer]:
    """The answers with each further one of a group worth ``factor`` as much as the one before, best first."""
    met: dict[str, int] = {}
    spread: list[Answer] = []
    for answer in answers:
        group = group_of(answer.best)
        times = met.get(group, 0)
        met[group] = times + 1
        spread.append(Answer(answer.group, answer.best, answer.score * factor**times, answer.votes, answer.documents))
    return sorted(spread, key=lambda answer: (-answer.score, answer.group))


def _reweighed(candidates: Sequence[Candidate], factor_of: Callable[[str], float]) -> list[Candidate]:
    """A factor makes a document count less. Times a negative cosine it would do the opposite."""
    changed = [
        Candidate(item.id, item.score * factor_of(item.id) if item.score > 0 else item.score, item.passage)
        for item in candidates
    ]
    return sorted(changed, key=lambda item: (-item.score, item.id))


def _gathered(candidates: Sequence[Candidate], group_of: Callable[[str], str], rules: RankingParams) -> list[Candidate]:
    """Groups with the sum of their best documents' scores, each times its share, best first.

    Every further document counts less the further it is behind the best one of all.
    """
    top = max((item.score for item in candidates), default=0.0)
    scores: dict[str, list[float]] = {}
    for item in candidates:
        scores.setdefault(group_of(item.id), []).append(item.score)

    def worth(found: Sequence[float]) -> float:
        shared = zip(found[1:], rules.session_shares[1:], strict=False)
        further = (score * share * max(0.0, score / top) ** rules.session_nearness for score, share in shared)
        return found[0] * rules.session_shares[0] + (sum(further) if top > 0 else 0.0)

    gathered = [Candidate(group, worth(found)) for group, found in scores.items()]
    return sorted(gathered, key=lambda item: (-item.score, item.id))
