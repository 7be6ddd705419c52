"""Decides what a run has to read: which logs changed, which sessions they belong to, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field, replace
from datetime import UTC, datetime

from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.watermarks import fingerprints, session_paths
from aicx.sources import load_source
from aicx.sources.door import CleanSource, Door, fingerprint_of
from aicx.sources.items import BadRecord, LogFile, LogIdentity
from aicx.sources.naming import Redact, clean_id
from aicx.types import AgentHomes
from aicx.values import dataclass

_TELL_EVERY = 256  # logs
_LATEST = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class SessionLogs:
    """A session with a changed log, and every log that holds a part of it, oldest first."""

    agent: str
    session_id: str
    logs: tuple[tuple[LogFile, LogIdentity], ...]

    @property
    def started_at(self) -> datetime:
        return min(identity.started_at or _LATEST for _, identity in self.logs)

    @property
    def has_parent(self) -> bool:
        return any(identity.parent_session for _, identity in self.logs)

    @property
    def size(self) -> int:
        return sum(log.size for log, _ in self.logs)


@dataclass(slots=True)
class IngestPlan:
    """What a run has to read. ``shared`` are logs with prompts of many sessions."""

    sessions: list[SessionLogs] = field(default_factory=list)
    shared: list[LogFile] = field(default_factory=list)
    problems: list[BadRecord] = field(default_factory=list)
    logs: int = 0

    @property
    def size(self) -> int:
        return sum(session.size for session in self.sessions) + sum(log.size for log in self.shared)


def make_plan(
    homes: AgentHomes,
    agents: Iterable[str],
    catalog: Catalog,
    redact: Redact,
    *,
    full_rescan: bool,
    on_progress: Callable[[str], None] = lambda label: None,
) -> IngestPlan:
    """The logs that changed since they were last read, by session, oldest session first.

    The order decides which session owns a record that several hold, so it comes from the logs themselves. ``tell``
    hears every few hundred logs how far it is.
    """
    plan = IngestPlan()
    door = Door(redact)
    known = fingerprints(catalog)
    for agent in agents:
        source = CleanSource(load_source(agent), door)
        logs = _discover(source, homes, plan, on_progress)
        changed = [log for log in logs.values() if full_rescan or fingerprint_of(known, log) != log.fingerprint]
        by_session: dict[str, dict[str, tuple[LogFile, LogIdentity]]] = {}
        for number, log in enumerate(changed):
            if number % _TELL_EVERY == 0:
                on_progress(f"opened {number:,} of {len(changed):,}")
            identity = source.identify(log)
            if identity.session_id is None:
                plan.shared.append(log)
            else:
                by_session.setdefault(identity.session_id, {})[str(log.path)] = (log, identity)
        recorded = {session_id: session_paths(catalog, agent, session_id) for session_id in by_session}
        if any("[REDACTED:" in path for paths in recorded.values() for path in paths):
            logs = {clean_id(path, redact): log for path, log in logs.items()} | logs
        for session_id, found in by_session.items():
            for path in recorded[session_id]:
                if path in logs and str(logs[path].path) not in found:
                    found[path] = (logs[path], source.identify(logs[path]))
            ordered = sorted(found.values(), key=lambda pair: (pair[1].started_at or _LATEST, str(pair[0].path)))
            plan.sessions.append(SessionLogs(agent, session_id, tuple(ordered)))
    # A fork begins with its original's first message, so what says that it is one comes second.
    plan.sessions.sort(key=lambda session: (session.started_at, session.has_parent, session.agent, session.session_id))
    return plan


def _discover(
    source: CleanSource, homes: AgentHomes, plan: IngestPlan, on_progress: Callable[[str], None]
) -> dict[str, LogFile]:
    logs: dict[str, LogFile] = {}
    for item in source.discover(homes):
        if plan.logs % _TELL_EVERY == 0:
            on_progress(f"found {plan.logs:,} logs")
        plan.logs += 1
        name = str(item.path)
        written = name.encode("utf-8", "backslashreplace").decode()
        if isinstance(item, BadRecord):
            plan.problems.append(replace(item, path=written))
        elif name != written:
            bad = BadRecord(written, "has a name that is not UTF-8 and cannot be recorded; rename it")
            plan.problems.append(source.door.problem(bad))
        else:
            logs[name] = item
    return logs
