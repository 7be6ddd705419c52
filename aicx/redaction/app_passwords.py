"""Four groups of four small letters, as Google and Apple write passwords for apps; and how they differ from prose."""

from __future__ import annotations

import re
from functools import cache


@cache
def app_password() -> re.Pattern[str]:
    """Four groups of four letters, as Google and Apple write passwords for apps."""
    return re.compile(r"""[ \t]{0,3}(?:\\?["'`])?([a-z]{4}(?:[ ][a-z]{4}){3}|[a-z]{4}(?:-[a-z]{4}){3})(?![\w -]*\w)""")


_FOUR_LETTERS = frozenset(
    """
    able also been best both came card case code come data does done down each else even ever file find form from
    full gave give goes good have help here high hold home hour idea into item just keep kept kind know last late less
    like line list long look made mail main make many mean more most move much must name need next once only open over
    page part pass past path plan play read real rest rule same save seen send sent show side some soon sure take tell
    test text than that them then they this time told true turn type upon used user uses very view wait want week well
    went were what when will with word work year your
    """.split()  # noqa: SIM905 - a paragraph of words reads better than a hundred quoted ones
)


def is_said(groups: str) -> bool:
    """Whether four words of four letters are words of a sentence."""
    return sum(word in _FOUR_LETTERS for word in re.split("[ -]", groups)) > 1
