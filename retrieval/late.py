"""Late interaction: a question and a passage compared token by token, by the vectors of an embedder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from statistics import fmean, pstdev
from typing import Any, Protocol

from retrieval.embedders import Kind
from retrieval.evidence import Occurrences
from retrieval.ranking import Contribution, RankedAnswer, raised

# A static model looks its tokens' vectors up, so comparing five passages takes it less time than one takes another. For
# other models it is the most that short ones may be.
_TIMES = 5
# A passage of a contextual model has from 64 to 128 tokens where a message is long enough. 96 of them are about this
# many bytes.
_USUAL = 384
# Below it values differ by rounding.
_MIN_DEVIATION = 1e-6


class TokenVectors(Protocol):
    """The tokens of a text: a unit vector for each, and the characters it stands for."""

    @property
    def vectors(self) -> Any: ...

    @property
    def starts(self) -> Sequence[int]: ...

    @property
    def stops(self) -> Sequence[int]: ...


def rerank(
    answers: Sequence[RankedAnswer],
    passages: Mapping[str, str],
    asked: tuple[str, TokenVectors],
    embed_tokens: Callable[[Sequence[str]], Sequence[TokenVectors]],
    occurrences: Occurrences | None,
    weight: float,
) -> tuple[list[RankedAnswer], int]:
    """The answers in order again, and how many were compared with the question.

    Args:
        answers: best first; those with a passage are compared, all or none of them, so that the same question has the
            same order whatever else the machine does.
        passages: the text of answers' nearest passages, by their groups.
        asked: the question, and its tokens.
        embed_tokens: gives the tokens of texts.
        occurrences: how rare the question's words are; None where that is not known.
        weight: what a deviation among those compared counts.
    """
    compared = [answer for answer in answers if passages.get(answer.group, "").strip()]
    if len(compared) < 2:
        return list(answers), 0
    found = embed_tokens([passages[answer.group] for answer in compared])
    scores = interactions(asked[1], token_weights(*asked, occurrences), found)
    ranks = {place: rank for rank, place in enumerate(sorted(range(len(scores)), key=lambda at: -scores[at]), 1)}
    changed: dict[str, RankedAnswer] = {}
    for place, (answer, value) in enumerate(zip(compared, standardised(scores), strict=True)):
        vote = Contribution(ranks[place], scores[place], weight * value)
        votes = {**answer.votes, "rerank": vote}
        changed[answer.group] = answer._replace(score=raised(answer.score, vote.worth), votes=votes)
    again = [changed.get(answer.group, answer) for answer in answers]
    return sorted(again, key=lambda answer: (-answer.score, answer.group)), len(compared)


def most_compared(count: int) -> int:
    """How many of the best answers are compared at most where ``count`` was asked for."""
    return count * _TIMES


def affordable(passages: Iterable[tuple[str, str]], count: int, kind: Kind) -> dict[str, str]:
    """The passages, by their answers' groups and best first, that take a model no longer than ``count`` usual ones.

    At least ``count`` where there are as many, at most `most_compared`. No further ones are read from ``passages``.
    """
    taken: dict[str, str] = {}
    size = 0
    for group, text in islice(passages, most_compared(count)):
        size += len(text.encode())
        if kind != "static" and len(taken) >= count and size > count * _USUAL:
            break
        taken[group] = text
    return taken


def token_weights(text: str, tokens: TokenVectors, occurrences: Occurrences | None) -> list[float]:
    """Returns the weight of each token of a question: its word's share of the rarity of the word, 0 for a stop word.

    All count alike where it is not known how rare words are.
    """
    weights = [0.0] * len(tokens.starts)
    for unit, rare in zip(occurrences.units, occurrences.weights, strict=True) if occurrences else ():
        at = text.find(unit.typed) if unit.typed else -1
        while at >= 0:
            stop = at + len(unit.typed)
            of_it = [
                number
                for number, (first, last) in enumerate(zip(tokens.starts, tokens.stops, strict=True))
                if at <= first and last <= stop
            ]
            for number in of_it:
                weights[number] = max(weights[number], rare / len(of_it))
            at = text.find(unit.typed, stop)
    return weights if any(weights) else [1.0] * len(weights)


def interactions(asked: TokenVectors, weights: Sequence[float], passages: Sequence[TokenVectors]) -> list[float]:
    """For each passage, the mean over the question's tokens of the best cosine with one of its own, from -1 to 1."""
    import numpy as np

    counts = np.array(weights, dtype=np.float32)
    whole = float(counts.sum()) or 1.0
    found = []
    for passage in passages:
        best = (asked.vectors @ passage.vectors.T).max(axis=1) if len(passage.vectors) else np.zeros(len(counts))
        found.append(float(best @ counts) / whole if len(counts) else 0.0)
    return found


def standardised(values: Sequence[float]) -> list[float]:
    """Each value in deviations from the mean; zeros where all are alike."""
    deviation = pstdev(values) if len(values) > 1 else 0.0
    return [(value - fmean(values)) / deviation if deviation > _MIN_DEVIATION else 0.0 for value in values]
