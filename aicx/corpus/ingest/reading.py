"""Reads the logs of a session into redacted messages; of many sessions on several cores, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from aicx.corpus.ingest.drafts import Draft, draft_entries
from aicx.corpus.ingest.workers import map_in_order
from aicx.redaction import redact
from aicx.sources import load_source
from aicx.types import BadRecord, LogFile, Redacted, SessionFact, TimelineEntry

# Below this many bytes of logs, starting workers costs more than they save.
_WORTH_WORKERS = 16 * 1024 * 1024


@dataclass(slots=True)
class Reading:
    """What some logs said, in order. A fact comes with the number of entries before it."""

    drafts: list[Draft] = field(default_factory=list)
    facts: list[tuple[int, SessionFact]] = field(default_factory=list)
    problems: dict[str, list[BadRecord]] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    grown: list[str] = field(default_factory=list)

    def unreadable(self, log: LogFile) -> bool:
        """Whether the log as a whole could not be read; such a log is tried again even if it never changes."""
        return any(problem.line is None for problem in self.problems.get(str(log.path), ()))


def read_logs(agent: str, logs: Sequence[LogFile], redact_secrets: bool, whole: bool = True) -> Reading:
    """Everything the logs hold, each read up to the size it had when it was listed; ``whole`` as in `draft_entries`."""
    reading = Reading()
    entries = _entries(agent, logs, reading)
    reading.drafts = list(draft_entries(entries, redact if redact_secrets else Redacted, whole=whole))
    return reading


def read_sessions(
    sessions: Sequence[tuple[str, Sequence[LogFile]]], redact_secrets: bool, whole: bool, workers: int
) -> Iterator[Reading]:
    """`read_logs` of each session, in the order given, on several cores where there is enough to read."""
    size = sum(log.size for _, logs in sessions for log in logs)
    tasks = [(agent, logs, redact_secrets, whole) for agent, logs in sessions]
    yield from map_in_order(_read, tasks, workers if size >= _WORTH_WORKERS else 1)


def _read(task: tuple[str, Sequence[LogFile], bool, bool]) -> Reading:
    return read_logs(*task)


def _entries(agent: str, logs: Sequence[LogFile], reading: Reading) -> Iterator[TimelineEntry]:
    source = load_source(agent)
    count = 0
    for log in logs:
        for item in source.read(log):
            if isinstance(item, TimelineEntry):
                count += 1
                yield item
            elif isinstance(item, SessionFact):
                reading.facts.append((count, item))
            elif isinstance(item, BadRecord):
                reading.problems.setdefault(str(log.path), []).append(item)
            else:
                reading.skipped[item.reason] = reading.skipped.get(item.reason, 0) + item.count
        if _grew(log):
            reading.grown.append(str(log.path))


def _grew(log: LogFile) -> bool:
    try:
        return log.path.is_file() and log.path.stat().st_size > log.size
    except OSError:
        return False
