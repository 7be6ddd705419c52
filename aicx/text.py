"""Text for people and files: a bounded length, counts, instants and local times."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from functools import cache

from aicx.terminal import invisible
from aicx.values import regex

_TORN_MARK = regex(r"\[REDACTED:[^\]]*\Z")
_ASCII = bytes(range(128))

# A token of what is stored and shown, in bytes of UTF-8.
BYTES_PER_TOKEN = 4

_NEAR = ("today", "yesterday")
_UNUSUAL = regex(r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d]{16,}|[=:@]")


def estimate_tokens(text: bytes) -> int:
    """Tokens of UTF-8 ``text``, at four bytes each: no model's count, but the same for every machine."""
    return -(-len(text) // BYTES_PER_TOKEN)


def shorten(text: str, limit: int) -> str:
    """``text`` on one line of at most ``limit`` characters, cut between words, never inside a redaction mark."""
    line = " ".join(printable(text).split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    space = cut.rfind(" ")
    cut = cut[:space] if space > limit // 2 else cut
    return _TORN_MARK.sub("", cut).rstrip(" ,;:-…") + "…"


def printable(text: str) -> str:
    """``text`` as valid Unicode without invisible characters; spaces for what steers a terminal."""
    # What is not ASCII is mostly a dash or an ellipsis, and looking up each sign of a text takes ten times as long.
    beyond = "" if text.isascii() else text.encode("utf-8", "replace").translate(None, _ASCII).decode()
    if text.isprintable() and (not beyond or _unprinted().keys().isdisjoint(map(ord, beyond))):
        return text
    return text.encode("utf-8", "replace").decode().translate(_unprinted())


def plural(count: int, noun: str) -> str:
    """``3 chunks``, ``1 chunk``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def ago(then: datetime, now: datetime) -> str:
    """How long before ``now`` something was, in the largest unit: ``2 hours ago``, or ``just now``."""
    minutes = max(0, int((now - then).total_seconds() // 60))
    for size, unit in ((1440, "day"), (60, "hour")):
        if minutes >= size:
            return f"{plural(minutes // size, unit)} ago"
    return f"{plural(minutes, 'minute')} ago" if minutes else "just now"


def said(at: datetime, now: datetime) -> str:
    """An instant as people say it, both on the same clock: ``today 14:05``, ``Tuesday 14:05``, ``3 March 2025``."""
    days = (now.date() - at.date()).days
    if 0 <= days < 7:
        return f"{_NEAR[days] if days < len(_NEAR) else f'{at:%A}'} {at:%H:%M}"
    return f"{at.day} {at:%B} {at:%H:%M}" if at.year == now.year else f"{at.day} {at:%B %Y}"


def is_plain_name(name: str) -> bool:
    """Whether a name surely holds no secret: no long run of letters and digits mixed, nothing that assigns a value.

    It spares most names the rules of redaction, which take a while to load.
    """
    return _UNUSUAL.search(name) is None


def first_of(words: Iterable[str], most: int = 5, between: str = ", ") -> str:
    """The first ``most`` of some words, and how many more there are: ``a, b and 3 more``."""
    every = list(words)
    shown = between.join(every[:most])
    return f"{shown} and {len(every) - most:,} more" if len(every) > most else shown


def instant(at: datetime, timespec: str = "milliseconds") -> str:
    """An aware instant in UTC as files and JSON have it: ``2026-01-31T09:30:00.000Z``."""
    return at.astimezone(UTC).isoformat(timespec=timespec).replace("+00:00", "Z")


class Zone:
    """Whether people read and write times in UTC rather than in the zone of this machine; set at the door."""

    utc: bool = False


def local(at: datetime | str) -> datetime:
    """An instant on the clock of the person who reads it. Text is an ISO instant, and a naive one is on that clock."""
    at = datetime.fromisoformat(at) if isinstance(at, str) else at
    if Zone.utc:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    try:
        return at.astimezone()
    except OverflowError:  # beyond the last day that there is, or before the first
        return at


def time_span(began: datetime, ended: datetime) -> str:
    """From when to when, to the minute, without what the end repeats: ``2026-01-31 14:00 to 15:20``."""
    first, last = (f"{at:%Y-%m-%d %H:%M}" for at in (began, ended))
    day, _, time = last.partition(" ")
    return first if first == last else f"{first} to {time if first.startswith(day) else last}"


def day_bounds(day: str) -> tuple[datetime, datetime]:
    """Where a person's ISO day begins, and where the next one does: 23 or 25 hours later when the clocks change."""
    first = date.fromisoformat(day)
    try:
        begin, end = (local(found.isoformat()) for found in (first, first + timedelta(days=1)))
        return begin.astimezone(UTC), end.astimezone(UTC)
    except (OverflowError, ValueError):  # the first and the last day of the calendar have no neighbour, or no zone
        begin = datetime(first.year, first.month, first.day, tzinfo=UTC)
        return begin, datetime.max.replace(tzinfo=UTC) if first == date.max else begin + timedelta(days=1)


def zone_name(now: datetime) -> str:
    """The zone that times are shown in: ``UTC``, ``CET (UTC+01:00)``."""
    shown = local(now)
    name, offset = shown.tzname(), f"UTC{shown.isoformat()[-6:]}"
    return "UTC" if name == "UTC" else f"{name} ({offset})" if name else offset


@cache
def _unprinted() -> dict[int, str | None]:
    return invisible() | dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029), " ")
