"""Takes dates out of a question: "january 2026" limits the time and is not a search term."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache

_NAMES = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_MONTHS = {name[:length]: number for number, name in enumerate(_NAMES, 1) for length in (3, 4, len(name))}
# ASCII, or without regard to case an old long s would be an s of "sept", and no month of ours.
_MONTH = "(?a:(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r"))\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_START, _END = r"(?<![\w./#-])", r"(?![\w/#-]|\.\w)"
# Words that lead to a date and say nothing without it; some leave one side open.
_LEAD = r"(?:\b(?P<lead>in|on|from|between|during|of|since|after|until|till|before)\s+)?"

# No date without a year; most questions have none, and need none of what follows.
_ANY_YEAR = re.compile(r"(?:19|20)\d\d")
_QUOTED = re.compile(r'"[^"\n]*"')


@dataclass(frozen=True, slots=True)
class Dated:
    """A question without its dates, and the inclusive ISO days that they span; None when there were none.

    One end is None where the question leaves it open ("since january 2026").
    """

    text: str
    days: tuple[str | None, str | None] | None


@cache
def _forms() -> list[re.Pattern[str]]:
    """How dates are written, the longest form first: each also matches a part of the ones before it."""
    forms = (
        rf"{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)",
        rf"{_MONTH}\s+{_DAY},?\s+{_YEAR}",
        rf"{_DAY}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}",
        rf"{_YEAR}-(?P<month>\d\d)",
        rf"{_MONTH},?\s+{_YEAR}",
        rf"{_YEAR}\s+{_MONTH}",
    )
    return [re.compile(_LEAD + _START + form + _END, re.IGNORECASE) for form in forms]


def lift_dates(text: str) -> Dated:
    """Splits a question into what is asked and when.

    Months and days are lifted only with their year ("may" and "march" are words), never out of a quoted phrase or a
    longer name such as a file's. Several dates span everything between the first and the last.
    """
    if not _ANY_YEAR.search(text):
        return Dated(text, None)
    # Quoted phrases are hidden, as are dates once they are found; every character keeps its place.
    open_text = _QUOTED.sub(lambda match: "\0" * len(match[0]), text)
    firsts: list[date] = []
    lasts: list[date] = []
    for form in _forms():
        for match in reversed(list(form.finditer(open_text))):
            span = _days(match)
            if span is None:
                continue
            first, last = _opened(span, (match["lead"] or "").lower())
            firsts += [first] if first else []
            lasts += [last] if last else []
            start, end = match.span()
            text = text[:start] + " " * (end - start) + text[end:]
            open_text = open_text[:start] + " " * (end - start) + open_text[end:]
    if not firsts and not lasts:
        return Dated(text, None)
    days = (min(firsts).isoformat() if firsts else None, max(lasts).isoformat() if lasts else None)
    return Dated(" ".join(text.split()), days)


def _opened(days: tuple[date, date], lead: str) -> tuple[date | None, date | None]:
    """The days that are meant by a date with the word before it; one end is None where the word leaves it open."""
    first, last = days
    match lead:
        case "since":
            return first, None
        case "after":
            return last + timedelta(days=1), None
        case "until" | "till":
            return None, last
        case "before":
            return None, first - timedelta(days=1)
    return first, last


def _days(match: re.Match[str]) -> tuple[date, date] | None:
    """The first and last day that a match names; None for what is no date, such as 2026-13."""
    parts = match.groupdict()
    year = int(parts["year"])
    month = int(parts["month"]) if parts["month"].isdigit() else _MONTHS[parts["month"].lower()]
    try:
        if parts.get("day"):
            day = date(year, month, int(parts["day"]))
            return day, day
        first = date(year, month, 1)
        return first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    except ValueError:
        return None
