"""Finds the logs that changed, by session, and reads them into redacted messages: on several cores, in order."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.watermarks import fingerprints, session_paths
from aicx.corpus.ingest.drafts import MessageDraft, draft_entries
from aicx.corpus.ingest.growth import Following, PlaceRead, made_by, only_grew
from aicx.corpus.ingest.observing import Observer
from aicx.corpus.ingest.workers import map_in_order
from aicx.folders import FolderClue
from aicx.redaction import redactor
from aicx.sources.door import CleanSource, Door, fingerprint_of
from aicx.sources.items import (
    BadRecord,
    LogFile,
    LogIdentity,
    ReadPoint,
    RecordMarks,
    RecordsEnd,
    Redact,
    SessionEvent,
    TimelineEntry,
    clean_id,
)
from aicx.text import first_of
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
    def size(self) -> int:
        return sum(log.size for log, _ in self.logs)


@dataclass(slots=True)
class IngestPlan:
    """The logs that a run has to read. ``shared`` are those with prompts of many sessions."""

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
        source = CleanSource(agent, door)
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
        recorded = session_paths(catalog, agent, list(by_session))
        if any("[REDACTED:" in path for paths in recorded.values() for path in paths):
            logs = {clean_id(path, redact): log for path, log in logs.items()} | logs
        for session_id, found in by_session.items():
            for path in recorded[session_id]:
                if path in logs and str(logs[path].path) not in found:
                    found[path] = (logs[path], source.identify(logs[path]))
            ordered = sorted(found.values(), key=lambda pair: (pair[1].started_at or _LATEST, str(pair[0].path)))
            plan.sessions.append(SessionLogs(agent, session_id, tuple(ordered)))

    def order(session: SessionLogs) -> tuple[datetime, bool, str, str]:
        # A fork begins with its original's first message, so what says that it is one comes second.
        is_fork = any(identity.parent_session for _, identity in session.logs)
        return session.started_at, is_fork, session.agent, session.session_id

    plan.sessions.sort(key=order)
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


_MAX_REASONS = 4  # named of a log that holds nothing to store
# Whose agent's it is, its logs, and the place from which its one log may be read on.
Session = tuple[str, Sequence[LogFile], PlaceRead | None]
Task = tuple[Sequence[Session], bool, bool]

# Below this many bytes of logs and this many sessions, starting workers costs more than they save.
_WORTH_WORKERS = 16 * 1024 * 1024
_MANY_SESSIONS = 4000
# A worker gets sessions until they are this many, or this many bytes: what waits to be stored has to fit into memory.
_GROUP_BYTES = 256 * 1024
_GROUP_SESSIONS = 100


@dataclass(slots=True)
class LogReading:
    """The contents of some logs, in order. A fact comes with the number of entries before it."""

    drafts: list[MessageDraft] = field(default_factory=list)
    facts: list[tuple[int, SessionEvent]] = field(default_factory=list)
    problems: dict[str, list[BadRecord]] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    grown: list[str] = field(default_factory=list)
    silent: dict[str, str] = field(default_factory=dict)  # log -> why nothing of it can be stored
    leaf_titles: list[tuple[str, str, str]] = field(default_factory=list)  # record id, its title, the log that has it
    seen: dict[int, list[FolderClue]] = field(default_factory=dict)  # by the index of the draft that showed it
    records: bytes = b""  # as in `RecordMarks`, of all the logs
    since: PlaceRead | None = None  # the log was read on from there, and all the above is what it said behind it
    place: PlaceRead | None = None  # from which the log can be read on when it grows
    settled: int = 0  # entries that stay as they are when the log grows; 0 where that is not known

    def unreadable(self, log: LogFile) -> bool:
        """Whether the log as a whole could not be read; such a log is tried again even if it never changes."""
        return any(problem.line is None for problem in self.problems.get(str(log.path), ()))


def read_logs(agent: str, logs: Sequence[LogFile], redact_secrets: bool, whole: bool = True) -> LogReading:
    """Everything the logs hold, each read up to the size it had when it was listed; ``whole`` as in `draft_entries`."""
    return _reading(CleanSource(agent, Door(redactor(redact_secrets))), logs, whole, None)


def read_growing(
    agent: str, logs: Sequence[LogFile], redact_secrets: bool, whole: bool, since: PlaceRead | None
) -> LogReading:
    """As `read_logs`, but notes where reading stopped, and reads on from ``since`` where the log only grew."""
    clean = redactor(redact_secrets)
    source = CleanSource(agent, Door(clean))
    if since and not (len(logs) == 1 and only_grew(logs[0].path, since)):
        since = None
    following = None if whole else Following.of(source, logs, since, clean, made_by(redacts=redact_secrets))
    reading = _reading(source, logs, whole, following)
    if following and following.drafted.repeats:
        return read_growing(agent, logs, redact_secrets, whole, None)
    return reading


def _reading(source: CleanSource, logs: Sequence[LogFile], whole: bool, following: Following | None) -> LogReading:
    clean = source.door.redact
    reading, observer = LogReading(since=following.since if following else None), Observer(clean)
    entries = _entries(source, logs, reading, observer, following)
    drafted = following.drafted if following else None
    reading.drafts = list(draft_entries(entries, clean, whole=whole, drafted=drafted))
    if following and not following.drafted.repeats:
        reading.place = following.place(reading.drafts, reading.settled, observer.unanswered)
    return reading


def read_sessions(
    sessions: Sequence[Session], redact_secrets: bool, whole: bool, workers: int
) -> Generator[LogReading]:
    """`read_logs` of each session, in the order given, on several cores where there is enough to read."""
    size = sum(map(_to_read, sessions))
    tasks = list(_grouped(sessions, redact_secrets, whole))
    worth = size >= _WORTH_WORKERS or len(sessions) >= _MANY_SESSIONS
    for readings in map_in_order(_read, tasks, workers if worth else 1):
        yield from readings


def _grouped(sessions: Sequence[Session], redact_secrets: bool, whole: bool) -> Iterator[Task]:
    """Sessions in groups: handing a tiny one to a worker would cost more than reading it."""
    group: list[Session] = []
    size = 0
    for session in sessions:
        group.append(session)
        size += _to_read(session)
        if size >= _GROUP_BYTES or len(group) == _GROUP_SESSIONS:
            yield group, redact_secrets, whole
            group, size = [], 0
    if group:
        yield group, redact_secrets, whole


def _to_read(session: Session) -> int:
    _, logs, since = session
    return sum(log.size for log in logs) - (since.start if since else 0)


def _read(task: Task) -> list[LogReading]:
    sessions, redact_secrets, whole = task
    return [read_growing(agent, logs, redact_secrets, whole, since) for agent, logs, since in sessions]


def _entries(
    source: CleanSource, logs: Sequence[LogFile], reading: LogReading, observer: Observer, following: Following | None
) -> Iterator[TimelineEntry]:
    count = following.entries if following else 0
    cwd = following.cwd if following else None
    remotes: list[tuple[int, SessionEvent]] = []  # old logs name their folder after their remote
    for log in logs:
        before, stated, passed = count, len(reading.facts), dict[str, int]()
        for item in following.items(source) if following else source.read(log):
            if isinstance(item, TimelineEntry):
                cwd = cwd or item.cwd
                if found := list(observer.watch(item)):
                    reading.seen.setdefault(count, []).extend(found)
                count += 1
                yield item
            elif isinstance(item, SessionEvent):
                reading.facts.append((count, item))
                if item.remote_url:
                    remotes.append((max(count - 1, 0), item))
                if item.title and item.title_of_record:
                    reading.leaf_titles.append((item.title_of_record, item.title, str(log.path)))
            elif isinstance(item, BadRecord):
                reading.problems.setdefault(str(log.path), []).append(item)
            elif isinstance(item, RecordMarks):
                reading.records += item.marks
            elif isinstance(item, ReadPoint):
                if following:
                    following.meet(item, count, len(reading.problems.get(str(log.path), ())), observer.unanswered)
            elif isinstance(item, RecordsEnd):
                reading.settled = count
            else:
                passed[item.reason] = item.count
                reading.skipped[item.reason] = reading.skipped.get(item.reason, 0) + item.count
        if count == before and not reading.since and not reading.unreadable(log):
            reading.silent[str(log.path)] = _why_silent(log, passed, len(reading.facts) > stated)
        if _grew(log):
            reading.grown.append(observer.clean(str(log.path)).text)
    if following:
        following.cwd = cwd
    for index, event in remotes:
        if found := list(observer.recorded(event, cwd)):
            reading.seen.setdefault(index, []).extend(found)


def _why_silent(log: LogFile, passed: dict[str, int], has_facts: bool) -> str:
    if log.size == 0:
        return "is empty"
    if passed:
        counts = sorted(passed.items(), key=lambda item: (-item[1], item[0]))
        return f"holds nothing to store, only: {first_of((f'{why} ({count})' for why, count in counts), _MAX_REASONS)}"
    return "holds only a title or other facts about a session" if has_facts else "holds no message that can be read"


def _grew(log: LogFile) -> bool:
    try:
        return log.path.is_file() and log.path.stat().st_size > log.size
    except OSError:
        return False
