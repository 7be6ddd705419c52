"""A brief: lines in sections, as many as have room, quoted in Markdown after the notice that says what is quoted.

`resume`, packs, restored sessions, startup blocks, seeds and `why` are tables of sections and lists of lines for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from aicx.errors import UsageError
from aicx.quoting import fenced

Text = TypeVar("Text", str, bytes)


def fit(
    worth: Sequence[Any], render: Callable[[list[int], list[int]], Text], fits: Callable[[Text], bool], always: int = 0
) -> tuple[Text, list[int], list[int]]:
    """The text of as many lines as have room, those of the lowest ``worth`` first and among equals the earlier one.

    With it come the numbers of these lines in order, and of those left out, the best first. ``render`` makes the text
    of some lines and of what it says of others that are left out. The ``always`` best are in it, with room or without.
    """
    by_worth = sorted(range(len(worth)), key=lambda number: (worth[number], number))
    low, high = always, len(by_worth)
    while low < high:  # how many have room if nothing is said of the others
        middle = (low + high + 1) // 2
        if fits(render(sorted(by_worth[:middle]), [])):
            low = middle
        else:
            high = middle - 1
    while True:
        kept, left = sorted(by_worth[:low]), by_worth[low:]
        text = render(kept, left)
        if low <= always or fits(text):
            return text, kept, left
        low -= 1


def first_that_fit(sizes: Iterable[int], room: int) -> int:
    """How many of the first of ``sizes`` have ``room`` together."""
    count = 0
    for size in sizes:
        room -= size
        if room < 0:
            break
        count += 1
    return count


def check_budget(what: str, budget: int, least: int) -> None:
    """Raises UsageError for a budget that not even an empty one of ``what`` fits into."""
    if budget < least:
        raise UsageError(f"a {what} does not fit into {budget} tokens", hint=f"--budget {least} or more")


def listed(sections: Iterable[tuple[str, Sequence[str]]]) -> str:
    """Sections, each a title and its lines; one without lines is left out."""
    return "\n\n".join(
        "\n".join([f"## {title}", *(f"- {line}" for line in lines)]) for title, lines in sections if lines
    )


def page(top: Iterable[str], notice: str, body: str, *bottom: str) -> str:
    """Paragraphs around ``body``, which is quoted between fences after its notice; without a body they are alone."""
    quotation = [notice, fenced(body)] if body else []
    return "\n\n".join([*top, *quotation, *filter(None, bottom)]) + "\n"
