"""Suggests the known word that a misspelt one was probably meant to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

# A word of so many letters may have one slip in it, or two. In shorter ones a slip is another word.
_ONE_SLIP, _TWO_SLIPS = 4, 8


def nearest(asked: str, known: Mapping[str, int]) -> str | None:
    """The word of ``known`` with the fewest slips between it and ``asked``, of equals the one that occurs more often.

    ``known`` counts occurrences. None where nothing is near enough.
    """
    allowed = (len(asked) >= _ONE_SLIP) + (len(asked) >= _TWO_SLIPS)
    letters = Counter(asked)
    near = [
        (slips, -count, word)
        for word, count in known.items()
        # Comparing letter by letter takes long, and most words differ in more letters than may be.
        if abs(len(word) - len(asked)) <= allowed and (letters - Counter(word)).total() <= allowed
        if 0 < (slips := _slips(asked, word)) <= allowed
    ]
    return min(near)[2] if near else None


def _slips(first: str, second: str) -> int:
    """Letters to insert, leave out, replace or swap with their neighbour (optimal string alignment distance)."""
    before: list[int] = []
    row = list(range(len(second) + 1))
    for at, letter in enumerate(first):
        last, before, row = before, row, [at + 1]
        for place, other in enumerate(second):
            cost = min(before[place + 1] + 1, row[place] + 1, before[place] + (letter != other))
            if at and place and letter == second[place - 1] and first[at - 1] == other:
                cost = min(cost, last[place - 1] + 1)
            row.append(cost)
    return row[-1]
