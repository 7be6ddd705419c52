"""Fits a brief into an exact number of tokens: whole lines are left out, the least important first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from aicx import text as texts
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
    worth = [part.priority for part in parts]
    for limit in _TEXT_LIMITS:

        def text_of(numbers: Sequence[int], limit: int = limit) -> bytes:
            return render([parts[number] for number in numbers], limit)

        if estimate_tokens(text_of([])) <= budget:
            kept, _ = texts.fit(worth, lambda numbers: estimate_tokens(text_of(numbers)) <= budget)
            text = text_of(kept)
            return Fitted(text, estimate_tokens(text), tuple(parts[number] for number in kept), limit)
    raise AssertionError("an empty brief is larger than the least budget")
