"""Takes dates out of a question: what is said in "january 2026" is when, not what."""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

_NAMES = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTHS = {name[:length]: number for number, name in enumerate(_NAMES, 1) for length in (3, 4, len(name))}
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_START, _END = r"(?<![\w./#-])", r"(?![\w/#-]|\.\d)"
# Words that lead to a date and say nothing without it; some leave one side open.
_LEAD = r"(?:\b(?P<lead>in|on|from|during|of|since|until|till|before)\s+)?"

# The longest form first: each also matches a part of the ones before it.
_FORMS = [
    re.compile(_LEAD + _START + form + _END, re.IGNORECASE)
    for form in (
        rf"{_YEAR}-(?P<month>\d\d)-(?P<day>\d\d)",
        rf"{_MONTH}\s+{_DAY},?\s+{_YEAR}",
        rf"{_DAY}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}",
        rf"{_YEAR}-(?P<month>\d\d)",
        rf"{_MONTH},?\s+{_YEAR}",
        rf"{_YEAR}\s+{_MONTH}",
    )
]
_QUOTED = re.compile(r'"[^"\n]*"')


@dataclass(frozen=True, slots=True)
class Dated:
    """A question without its dates, and the inclusive ISO days that they span; None when there were none.

    One end is None where the question leaves it open ("since january 2026").
    """

    text: str
    days: tuple[str | None, str | None] | None


def lift_dates(text: str) -> Dated:
    """Splits a question into what is asked and when.

    Months and days are lifted only with their year ("may" and "march" are words), never out of a quoted phrase or a
    longer name such as a file's. Several dates span everything between the first and the last.
    """
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    found: list[tuple[date, date]] = []
    leads: set[str] = set()
    for form in _FORMS:
        for match in reversed(list(form.finditer(text))):
            span = _days(match)
            if span is None or any(low <= match.start() < high for low, high in quoted):
                continue
            found.append(span)
            leads.add((match["lead"] or "").lower())
            # As many blanks as were taken, so that the spans of quoted phrases stay true.
            text = text[: match.start()] + " " * (match.end() - match.start()) + text[match.end() :]
    if not found:
        return Dated(text, None)
    first, last = min(low for low, _ in found).isoformat(), max(high for _, high in found).isoformat()
    text = " ".join(text.split())
    if leads == {"since"}:
        return Dated(text, (first, None))
    if leads <= {"until", "till"}:
        return Dated(text, (None, last))
    if leads == {"before"}:
        return Dated(text, (None, (min(low for low, _ in found) - timedelta(days=1)).isoformat()))
    return Dated(text, (first, last))


def _days(match: re.Match[str]) -> tuple[date, date] | None:
    """The first and last day that a match names; None for what is no date, such as 2026-13."""
    parts = match.groupdict()
    year = int(parts["year"])
    month = int(parts["month"]) if parts["month"].isdigit() else _MONTHS[parts["month"].lower()]
    try:
        if parts.get("day"):
            day = date(year, month, int(parts["day"]))
            return day, day
        return date(year, month, 1), date(year, month, monthrange(year, month)[1])
    except ValueError:
        return None
