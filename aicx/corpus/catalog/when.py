"""Points in time and days as people write them: 2026-01-31, yesterday, last week, 36h."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from aicx.errors import UsageError
from aicx.text import day_bounds, local
from aicx.values import regex

_DAY = regex(r"\d{4}-\d{2}-\d{2}")
_AGO = regex(r"(?P<count>\d+)\s*(?P<unit>[hdw])")
_MONTH = regex(r"\d{4}-\d{2}")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


def parse_date_range(text: str, now: datetime) -> tuple[str | None, str | None]:
    """``2026-01-31``, ``2026-01-01..2026-01-31``, ``2026-01-01..`` or ``..2026-01-31``, both ends included.

    A month (``2026-01``) is all its days; ``yesterday``, ``last week`` and ``in march`` are days too. Days are those of
    `local`.
    """
    low, dots, high = text.partition("..")
    low, high = _day_of(low, now), _day_of(high, now)
    if not dots and low and not _MONTH.fullmatch(low) and not _is_day(low) and (said := _days_as_said(low, now)):
        return said
    if not dots and _MONTH.fullmatch(low):
        _check_day(f"{low}-01")
        last = next(day for day in ("31", "30", "29", "28") if _is_day(f"{low}-{day}"))
        return f"{low}-01", f"{low}-{last}"
    for day in (low, high):
        if day:
            _check_day(day)
    if low and high and low > high:
        raise UsageError(f"{text!r} ends before it begins", hint=f"write it as {high}..{low}")
    if dots:
        return low or None, high or None
    if not low:
        raise UsageError("an empty date", hint="write it as 2026-01-31 or 2026-01-01..2026-01-31")
    return low, low


def parse_instant(text: str, now: datetime, *, end_of_day: bool = False) -> datetime:
    """A point in time: ``2026-01-31``, ``2026-01-31T14:00``, ``last week``, or so long ago: ``36h``, ``7d``, ``2w``.

    Without an offset it is on the clock of `local`. Of several days it is the begin of the first or, for an end, the
    end of the last.
    """
    text = text.strip()
    if (" " in text or text.isalpha()) and (said := _days_as_said(text, now)):
        first, last = days_between(said)
        if moment := last - timedelta(microseconds=1) if end_of_day and last else first or last:
            return moment
    try:
        if match := _AGO.fullmatch(text.lower()):
            return now - timedelta(**{_UNITS[match["unit"]]: int(match["count"])})
        day = _day_of(text, now)
        if end_of_day and _is_day(day):
            return day_bounds(day)[1] - timedelta(microseconds=1)
        return local(day).astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is not a point in time",
            hint="write 2026-01-31, 2026-01-31T14:00, yesterday, last week, 36h, 7d or 2w",
        ) from None


def _days_as_said(text: str, now: datetime) -> tuple[str | None, str | None] | None:
    """The first and last day that ``text`` means, as in a question ("last week", "march"); None where it is no days."""
    from aicx.dates import lift_dates  # imported here: most dates are written in figures

    today = local(now).date()
    for asked in (text, f"in {text}", f"on {text}"):
        found = lift_dates(asked, today)
        if found.days and not found.text.strip():
            return found.days
    return None


def days_between(days: tuple[str | None, str | None]) -> tuple[datetime | None, datetime | None]:
    """Where the first of two inclusive days begins, and where the day after the last one does."""
    first, last = days
    return day_bounds(first)[0] if first else None, day_bounds(last)[1] if last else None


def _day_of(text: str, now: datetime) -> str:
    """``today`` and ``yesterday`` as the days they are here; the rest as it is."""
    past = {"today": 0, "yesterday": 1}.get(text.lower())
    return text if past is None else (local(now).date() - timedelta(days=past)).isoformat()


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _check_day(text: str) -> None:
    try:
        date.fromisoformat(text if _DAY.fullmatch(text) else "")
    except ValueError:
        raise UsageError(
            f"{text!r} is not a date", hint="write it as 2026-01-31, yesterday or 2026-01-01..2026-01-31"
        ) from None
