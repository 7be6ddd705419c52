"""Collecting garbage: objects that are not pinned and were not put for a while. Shown first, deleted on request."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from aicx.cas.entry import StoredObject, names_in
from aicx.cas.reading import entry_or_none
from aicx.cas.writing import clear_leftovers, delete, leftovers, locked
from aicx.config import Settings
from aicx.paths import Layout
from aicx.values import dataclass

DAYS = 30.0


@dataclass(frozen=True, slots=True)
class Collected:
    """What goes or has gone, the longest unused first. ``unknown`` are objects without a readable sidecar, which stay:
    they may be pinned. ``leftovers`` counts files of killed writers.
    """

    entries: list[StoredObject]
    pinned: int
    younger: int
    unknown: list[str]
    leftovers: int
    applied: bool


def collect(
    settings: Settings,
    now: datetime,
    *,
    days: float = DAYS,
    most: int | None = None,
    apply: bool = False,
    notify: Callable[[str], None] = lambda _: None,
) -> Collected:
    """Finds objects put last more than ``days`` ago and not pinned, at most ``most``; deletes them with ``apply``."""
    layout = settings.layout
    if not apply:
        return _look(layout, now, days, most)
    with locked(settings, notify):
        found = _look(layout, now, days, most, applied=True)
        delete(layout, (entry.name for entry in found.entries))
        clear_leftovers(layout)
    return found


def _look(layout: Layout, now: datetime, days: float, most: int | None, *, applied: bool = False) -> Collected:
    names = names_in(layout)
    known = [(name, entry_or_none(layout, name)) for name in names]
    entries = [entry for _, entry in known if entry is not None]
    free = [entry for entry in entries if not entry.pinned]
    old = [entry for entry in free if now - entry.put_at >= timedelta(days=days)]
    old.sort(key=lambda entry: (entry.put_at, entry.name))
    unknown = [name for name, entry in known if entry is None]
    counts = len(entries) - len(free), len(free) - len(old)
    return Collected(old[:most], *counts, unknown, len(leftovers(layout)), applied)
