"""Fits a brief into an exact number of tokens: whole lines are left out, the least important first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from aicx.errors import UsageError
from aicx.resume.brief.part import Part
from aicx.text import estimate_tokens

# What even an empty brief takes: its head, and in JSON every key.
MIN_TOKENS = 500
# Of the Markdown for a task with which nothing in the history has to do: more would only be read in vain.
NO_HISTORY_TOKENS = 300
# How long texts from outside may be (the task, names, warnings) in the part of a brief that is never left out.
_TEXT_LIMITS = (300, 100, 30, 0)


class Fitted(NamedTuple):
    """A brief that fits: what is printed, its size, and the parts in it."""

    text: bytes
    tokens: int
    parts: tuple[Part, ...]
    limit: int  # how long outside texts are in it


def check_budget(budget: int) -> None:
    """Raises UsageError for a budget that no brief fits into."""
    if budget < MIN_TOKENS:
        raise UsageError(f"a brief does not fit into {budget} tokens", hint=f"--budget {MIN_TOKENS} or more")


def fit(parts: Sequence[Part], budget: int, render: Callable[[Sequence[Part], int], bytes]) -> Fitted:
    """The brief with as many parts as fit into ``budget`` tokens, the most important ones.

    ``render`` gives what is printed for some parts, with outside texts cut to a length.
    """
    by_worth = sorted(range(len(parts)), key=lambda number: (parts[number].priority, number))

    def with_first(count: int, limit: int) -> tuple[tuple[Part, ...], bytes]:
        kept = tuple(parts[number] for number in sorted(by_worth[:count]))
        return kept, render(kept, limit)

    for limit in _TEXT_LIMITS:
        if estimate_tokens(with_first(0, limit)[1]) > budget:
            continue
        # The greatest number of parts that fits: more parts never make it smaller.
        low, high = 0, len(parts)
        while low < high:
            middle = (low + high + 1) // 2
            if estimate_tokens(with_first(middle, limit)[1]) <= budget:
                low = middle
            else:
                high = middle - 1
        kept, text = with_first(low, limit)
        return Fitted(text, estimate_tokens(text), kept, limit)
    raise AssertionError("an empty brief is larger than the least budget")
