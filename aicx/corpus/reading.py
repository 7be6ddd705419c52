"""Reads the logs of a session into redacted messages; of many sessions on several cores, in order."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing.connection import wait

from aicx.corpus.drafts import Draft, draft_entries
from aicx.redaction import redact
from aicx.sources import load_source
from aicx.types import BadRecord, LogFile, Redacted, SessionFact, TimelineEntry

# Below this many bytes of logs, starting workers costs more than they save.
_WORTH_WORKERS = 16 * 1024 * 1024
# Sessions read ahead of the one being written: enough to keep the workers busy, few enough to bound memory.
_AHEAD_PER_WORKER = 3


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


def read_logs(agent: str, logs: Sequence[LogFile], redact_secrets: bool) -> Reading:
    """Everything the logs hold, each read up to the size it had when it was listed."""
    reading = Reading()
    entries = _entries(agent, logs, reading)
    reading.drafts = list(draft_entries(entries, redact if redact_secrets else Redacted))
    return reading


def read_sessions(
    sessions: Iterable[tuple[str, Sequence[LogFile]]], redact_secrets: bool, workers: int
) -> Iterator[Reading]:
    """`read_logs` of each session, in the order given. ``workers`` below 2 does it all in this process."""
    sessions = list(sessions)
    size = sum(log.size for _, logs in sessions for log in logs)
    if workers < 2 or size < _WORTH_WORKERS:
        for agent, logs in sessions:
            yield read_logs(agent, logs, redact_secrets)
        return
    done = 0
    try:
        for reading in _read_in_workers(sessions, redact_secrets, workers):
            yield reading
            done += 1
    except BrokenProcessPool:
        # A worker was killed from outside (out of memory, say). What it had begun is read here instead.
        for agent, logs in sessions[done:]:
            yield read_logs(agent, logs, redact_secrets)


def _read_in_workers(
    sessions: Sequence[tuple[str, Sequence[LogFile]]], redact_secrets: bool, workers: int
) -> Iterator[Reading]:
    # Spawned rather than forked: a worker must inherit neither the store's lock nor the catalogue's connection.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_die_with_parent) as pool:
        pending: deque[Future[Reading]] = deque()
        for agent, logs in sessions:
            pending.append(pool.submit(read_logs, agent, logs, redact_secrets))
            if len(pending) > workers * _AHEAD_PER_WORKER:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


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


def _die_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()
