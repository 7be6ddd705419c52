"""Takes dates out of a question: "january 2026" or "last week" limits the time and is not a search term."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache

from aicx.values import dataclass, regex

_NAMES = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_MONTHS = {name[:length]: number for number, name in enumerate(_NAMES, 1) for length in (3, 4, len(name))}
# ASCII, or without regard to case an old long s would be an s of "sept", and no month of ours.
_MONTH = "(?a:(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r"))\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_START, _END = r"(?<![\w./#-])", r"(?![\w/#-]|\.\w|['\u2019]s\b)"
# Words that lead to a date and say nothing without it; some leave one side open.
_LEADS = r"\b(?P<lead>in|on|from|between|during|of|since|after|until|till|before)\s+"
_LEAD = rf"(?:{_LEADS})?"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()  # noqa: SIM905
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_UNIT = r"(?P<unit>day|week|month|year)"

# Most questions have no date, and need none of what follows: every form has a year or one of these words.
_ANY_YEAR = regex(r"(?:19|20)\d\d")
_HINTS = frozenset(
    """
    ago day days month months out release released releasing today week weeks year years yesterday
    """.split()  # noqa: SIM905
).union(_MONTHS, _DAYS)
_NO_WORD = regex(r"[^a-z]+")
_QUOTED = regex(r'"[^"\n]*"')


@dataclass(frozen=True, slots=True)
class Dated:
    """A question without its dates, and the inclusive ISO days that they span; None when there were none.

    One end is None where the question leaves it open ("since january 2026"). ``unknown`` are the releases that it names
    and whose day is not known; they stay in the text.
    """

    text: str
    days: tuple[str | None, str | None] | None
    unknown: tuple[str, ...] = ()


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


@cache
def _relative_forms() -> list[re.Pattern[str]]:
    """How days are written that depend on today. A month or a weekday alone needs a word before it: "may" is one."""
    forms = (
        rf"{_LEAD}{_START}(?P<back>the\s+day\s+before\s+yesterday|yesterday|today){_END}",
        rf"{_LEAD}{_START}{_COUNT}\s+{_UNIT}s?\s+ago{_END}",
        rf"{_LEAD}{_START}(?:the\s+)?(?:last|past)\s+{_COUNT}\s+{_UNIT}s?{_END}",
        rf"{_LEAD}{_START}(?:the\s+)?(?P<which>last|this)\s+{_UNIT}{_END}",
        rf"{_LEAD}{_START}(?:the\s+)?past\s+{_UNIT}{_END}",
        rf"{_LEAD}{_START}(?P<which>last|this)\s+(?P<weekday>{'|'.join(_DAYS)}){_END}",
        rf"{_LEADS}{_START}(?P<weekday>{'|'.join(_DAYS)}){_END}",
        rf"{_LEAD}{_START}{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th){_END}",
        rf"{_LEADS}{_START}(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}{_END}",
        rf"{_LEADS}{_START}{_MONTH}\s+{_DAY}{_END}",
        rf"{_LEADS}{_START}(?:(?:last|this)\s+)?{_MONTH}{_END}",
        rf"{_LEAD}{_START}(?:last|this)\s+{_MONTH}{_END}",
    )
    return [re.compile(form, re.IGNORECASE) for form in forms]


@cache
def _release_form() -> re.Pattern[str]:
    version = r"v?(?P<{}>\d+(?:\.\d+)+(?:-[\w.]+)?)"
    named = (
        rf"(?:the\s+)?releas(?:e|ing)\s+(?:of\s+)?(?:version\s+)?{version.format('first')}",
        rf"(?:the\s+)?{version.format('second')}\s+(?:release|was\s+released|came\s+out)",
    )
    form = rf"\b(?P<lead>since|after|until|till|before)\s+(?:{'|'.join(named)})(?![\w-]|\.\w)"
    return re.compile(form, re.IGNORECASE)


def lift_dates(
    text: str, today: date | None = None, released: Callable[[str], date | None] = lambda version: None
) -> Dated:
    """Splits a question into what is asked and when.

    Months and days are lifted with their year, or as they are said from ``today`` ("last week", "in march"), which is
    None where nothing is known of it: "may" and "march" are words. ``released`` has the day of a version's release.
    Nothing is lifted out of a quoted phrase or a longer name such as a file's. Several dates span everything between
    the first and the last.
    """
    if not _ANY_YEAR.search(text) and _HINTS.isdisjoint(_NO_WORD.split(text.lower())):
        return Dated(text, None)
    # Quoted phrases are hidden, as are dates once they are found; every character keeps its place.
    open_text = _QUOTED.sub(lambda match: "\0" * len(match[0]), text)
    firsts: list[date] = []
    lasts: list[date] = []
    unknown: list[str] = []

    def lift(match: re.Match[str], span: tuple[date | None, date | None]) -> None:
        nonlocal text, open_text
        first, last = span
        firsts.extend([first] if first else [])
        lasts.extend([last] if last else [])
        start, end = match.span()
        text = text[:start] + " " * (end - start) + text[end:]
        open_text = open_text[:start] + " " * (end - start) + open_text[end:]

    for form in (*_forms(), *(_relative_forms() if today else ())):
        for match in reversed(list(form.finditer(open_text))):
            if span := _days(match) if "year" in form.groupindex else _relative_days(match, today or date.min):
                lift(match, _opened(span, (match["lead"] or "").lower()))
    for match in reversed(list(_release_form().finditer(open_text))):
        version = match["first"] or match["second"]
        if day := released(version):
            # On the day of a release there is a time before it and one after it.
            lift(match, (None, day) if match["lead"].lower() in ("until", "till", "before") else (day, None))
        else:
            unknown.append(version)
    if not firsts and not lasts:
        return Dated(text, None, tuple(unknown))
    days = (min(firsts).isoformat() if firsts else None, max(lasts).isoformat() if lasts else None)
    return Dated(" ".join(text.split()), days, tuple(unknown))


def _relative_days(match: re.Match[str], today: date) -> tuple[date, date] | None:
    """The first and last day that a match means today; None for what is no date."""
    parts = {name: value.lower() for name, value in match.groupdict().items() if value}
    if back := parts.get("back"):
        day = today - timedelta(days={"today": 0, "yesterday": 1}.get(back, 2))
        return day, day
    if weekday := parts.get("weekday"):
        ago = (today.weekday() - _DAYS.index(weekday)) % 7
        day = today - timedelta(days=ago or 7 * (parts.get("which") == "last"))
        return day, day
    if unit := parts.get("unit"):
        count = parts.get("count", "0" if parts.get("which") == "this" else "1")
        number = _NUMBERS.get(count) or int(count)
        if parts.get("which") or match[0].lower().endswith("ago"):
            return _span(unit, number, today)
        return _span("day", {"day": 1, "week": 7, "month": 30, "year": 365}[unit] * number, today)[0], today
    return _latest(_MONTHS[parts["month"]], int(parts["day"]) if "day" in parts else None, today)


def _span(unit: str, back: int, today: date) -> tuple[date, date]:
    """The day, week, month or year that is so many before the one of today."""
    match unit:
        case "day":
            first = today - timedelta(days=back)
            return first, first
        case "week":
            first = today - timedelta(days=today.weekday() + 7 * back)
            return first, first + timedelta(days=6)
        case "month":
            months = today.year * 12 + today.month - 1 - back
            return _month(months // 12, months % 12 + 1)
    return date(today.year - back, 1, 1), date(today.year - back, 12, 31)


def _latest(month: int, day: int | None, today: date) -> tuple[date, date] | None:
    """The last such month, or day of a month, that has begun."""
    for year in (today.year, today.year - 1):
        try:
            first, last = (date(year, month, day),) * 2 if day else _month(year, month)
        except ValueError:
            continue
        if first <= today:
            return first, last
    return None


def _month(year: int, month: int) -> tuple[date, date]:
    first = date(year, month, 1)
    return first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)


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
        return _month(year, month)
    except ValueError:
        return None
