"""Significance: intervals by paired bootstrap, and the paired randomisation test.

Both resample questions and keep what was measured on one question together, so rankers are compared on the same
questions. With a seed, the same values give the same figures.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from aicx.engine.index_answer import Interval
from aicx.values import dataclass

RESAMPLES = 10_000
_CONFIDENCE = 0.95
# Resamples drawn at a time: bounds the memory for many questions.
_AT_ONCE = 1000
# Means of the same numbers added up in another order differ by rounding, and more than this nobody reads.
_DIGITS = 6
_TINY = 1e-9

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Difference:
    """How much better one ranker is than another on the same questions, and how often chance does as much."""

    mean: Annotated[float, "of all questions"]
    low: Annotated[float, "where its 95 % interval begins"]
    high: Annotated[float, "where it ends"]
    p: Annotated[float, "how often chance does as much"]


def intervals(columns: Mapping[Key, Sequence[float]], seed: int, resamples: int = RESAMPLES) -> dict[Key, Interval]:
    """The mean of each column with its bootstrap percentile interval. All columns are over the same questions."""
    import numpy as np

    values = np.asarray(list(columns.values()), dtype=float).T
    if not values.size:
        return {}
    outside = (1 - _CONFIDENCE) / 2
    ends = np.quantile(_resampled_means(values, seed, resamples), [outside, 1 - outside], axis=0)
    return {
        key: Interval(*(round(float(number), _DIGITS) for number in (values[:, place].mean(), *ends[:, place])))
        for place, key in enumerate(columns)
    }


def differences(
    columns: Mapping[Key, Sequence[float]], reference: Sequence[float], seed: int, resamples: int = RESAMPLES
) -> dict[Key, Difference]:
    """Each column minus ``reference``, question by question.

    ``p`` is two-sided: how often signs thrown at random give a mean at least as far from zero as the one seen, which
    counts as one of them.
    """
    import numpy as np

    base = np.asarray(reference, dtype=float)
    gaps = {key: np.asarray(column, dtype=float) - base for key, column in columns.items()}
    around = intervals(gaps, seed, resamples)
    if not around:
        return {}
    table = np.asarray(list(gaps.values())).T
    seen = abs(table.mean(axis=0)) - _TINY
    generator = np.random.default_rng(seed)
    extreme = np.zeros(table.shape[1], dtype=int)
    for count in _portions(resamples):
        signs = generator.integers(0, 2, size=(count, len(table))) * 2.0 - 1.0
        extreme += (abs(signs @ table / len(table)) >= seen).sum(axis=0)
    return {
        key: Difference(
            found.mean, found.low, found.high, round(float((extreme[place] + 1) / (resamples + 1)), _DIGITS)
        )
        for place, (key, found) in enumerate(around.items())
    }


def holm(probabilities: Mapping[Key, float]) -> dict[Key, float]:
    """The probabilities corrected for asking that many questions at once (Holm 1979)."""
    corrected: dict[Key, float] = {}
    highest = 0.0
    for rank, key in enumerate(sorted(probabilities, key=lambda key: probabilities[key])):
        highest = max(highest, min(1.0, probabilities[key] * (len(probabilities) - rank)))
        corrected[key] = highest
    return {key: corrected[key] for key in probabilities}


def _resampled_means(values: Any, seed: int, resamples: int) -> Any:
    """Means of the columns over questions drawn with replacement; how often each is drawn decides its weight."""
    import numpy as np

    size = len(values)
    generator = np.random.default_rng(seed)
    draws = (generator.multinomial(size, [1 / size] * size, size=count) for count in _portions(resamples))
    return np.concatenate([drawn @ values / size for drawn in draws])


def _portions(total: int) -> Iterator[int]:
    for start in range(0, total, _AT_ONCE):
        yield min(_AT_ONCE, total - start)
