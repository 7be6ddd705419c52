"""Reads the logs of one session into entries, and the facts between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from aicx.sources import load_source
from aicx.types import BadRecord, LogFile, SessionFact, TimelineEntry


@dataclass(slots=True)
class Reading:
    """What some logs said, in order. A fact comes with the number of entries before it."""

    entries: list[TimelineEntry] = field(default_factory=list)
    facts: list[tuple[int, SessionFact]] = field(default_factory=list)
    problems: dict[str, list[BadRecord]] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    grown: list[str] = field(default_factory=list)

    def unreadable(self, log: LogFile) -> bool:
        """Whether the log as a whole could not be read; such a log is tried again even if it never changes."""
        return any(problem.line is None for problem in self.problems.get(str(log.path), ()))


def read_logs(agent: str, logs: Iterable[LogFile]) -> Reading:
    """Everything the logs hold, each read up to the size it had when it was listed."""
    source = load_source(agent)
    reading = Reading()
    for log in logs:
        for item in source.read(log):
            if isinstance(item, TimelineEntry):
                reading.entries.append(item)
            elif isinstance(item, SessionFact):
                reading.facts.append((len(reading.entries), item))
            elif isinstance(item, BadRecord):
                reading.problems.setdefault(str(log.path), []).append(item)
            else:
                reading.skipped[item.reason] = reading.skipped.get(item.reason, 0) + item.count
        if _grew(log):
            reading.grown.append(str(log.path))
    return reading


def _grew(log: LogFile) -> bool:
    try:
        return log.path.is_file() and log.path.stat().st_size > log.size
    except OSError:
        return False
