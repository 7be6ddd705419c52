"""The events of work, what happened to which task, note or session and when, and the files that they are about.

Both are written together, or not at all. An event has no word of a text. A log is cut into files of about a megabyte,
so that one more event never means writing a long log again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from aicx.config import Settings
from aicx.fields import INTERNAL
from aicx.paths import Layout
from aicx.storage import event_lines
from aicx.storage.event_lines import new_id
from aicx.storage.journaled import JournaledFolder
from aicx.storage.typed import from_json, to_json, with_texts
from aicx.values import dataclass, regex
from aicx.work.files import ATTEMPTS, CAPSULE, CLOSED, EVERY, NOTES, TASKS, encode, path_of
from aicx.work.record import Status, WorkRecord, stored

# Of tasks, handoffs and attempts, which are records with a status.
OF_RECORDS = frozenset({"started", "updated", "resumed", "closed", "handed_off", "redacted", "deleted"})
# Of continuity notes and of sessions, which have none: `data` says what is known.
OF_NOTES = frozenset({"continuity_saved", "continuity_refreshed", "continuity_cleared", "continuity_redacted"})
OF_SESSIONS = frozenset({"session_opened", "session_linked", "session_closed", "restore_marked", "restored"})
TYPES = OF_RECORDS | OF_NOTES | OF_SESSIONS
FIRST = "events-0001.jsonl"
_NAME = regex(r"events-(\d{4,})\.jsonl")
_OF_SESSION = regex(b"|".join(b'"type":"%b"' % kind.encode() for kind in sorted(OF_SESSIONS)))
MAX_SEGMENT = 1_000_000  # bytes
_TAIL = 20_000  # bytes, in which the last events are
# Who did it, as a word: `cli`, `finalize`, `hook`.
_SOURCE = regex(r"[a-z][a-z_-]{0,39}")


@dataclass(frozen=True, slots=True)
class WorkEvent:
    """One thing that happened to a task. It holds no text of it."""

    id: Annotated[str, "of the event"]
    at: datetime
    # Grows with each event of a repository, whatever the clock says.
    sequence: int = field(metadata=INTERNAL)
    type: Annotated[str, "`started`, `updated`, `resumed`, `closed` and others"]
    # The id of what it happened to: a note or a session too, which has neither a status (None) nor a revision (0).
    task: str = field(metadata=INTERNAL)
    status: Annotated[Status | None, "of the task afterwards", str]
    rev: Annotated[int, "of the task afterwards"]
    source: Annotated[str, "who did it: `cli`, `finalize`, `hook`"]
    fields: Annotated[tuple[str, ...], "what changed"] = ()
    # Ids, counts and codes.
    data: Mapping[str, Any] = field(default_factory=dict, metadata=INTERNAL)

    def encode(self) -> bytes:
        return event_lines.encode_line(to_json(self))


@dataclass(frozen=True, slots=True)
class WorkLog:
    """The events of a repository in their order, and the damaged lines as ``file:line``."""

    events: tuple[WorkEvent, ...] = ()
    damaged: tuple[str, ...] = ()

    def about(self, task: str) -> list[WorkEvent]:
        return [event for event in self.events if event.task == task]


def is_log(name: str) -> bool:
    return _NAME.fullmatch(name) is not None


def segments(folder: Path) -> list[Path]:
    """The files of a log, the oldest first."""
    try:
        found = [path for path in folder.iterdir() if is_log(path.name)]
    except OSError:
        return []
    return sorted(found, key=lambda path: (len(path.name), path.name))


def read_log(folder: Path, last: int = 0) -> WorkLog:
    """The events of the repository in ``folder``; a line that is not as it was written is skipped and named.

    With ``last`` only those in that many files at the end.
    """
    events: list[WorkEvent] = []
    damaged: list[str] = []
    for path in segments(folder)[-last:]:
        try:
            found, lines = event_lines.decode_lines(path.read_bytes(), _event)
        except OSError as error:
            damaged.append(f"{path.name}: {error.strerror}")
            continue
        events += found
        damaged += (f"{path.name}:{line}" for line in lines)
    return WorkLog(tuple(events), tuple(damaged))


def read_about_sessions(path: Path) -> list[WorkEvent]:
    """The events about sessions in one file of a log, without decoding the many about tasks."""
    try:
        body = path.read_bytes()
    except OSError:
        return []
    lines: dict[int, bytes] = {}
    for found in _OF_SESSION.finditer(body):
        begin = body.rfind(b"\n", 0, found.start()) + 1
        end = body.find(b"\n", begin)
        lines[begin] = body[begin : end if end >= 0 else len(body)]
    events, _ = event_lines.decode_lines(b"\n".join(lines.values()), _event)
    return [event for event in events if event.type in OF_SESSIONS]


def last_tasks(folder: Path) -> list[str]:
    """The ids of the records that the last events of a repository are about, the last one first, each once."""
    return list(dict.fromkeys(event.task for event in reversed(Tail(folder).events) if event.type in OF_RECORDS))


def fold(events: Iterable[WorkEvent]) -> dict[str, WorkEvent]:
    """The last event about each task, which says its status and revision."""
    return {event.task: event for event in events}


class Tail:
    """The end of a log, where further events go. Read and appended to under the lock."""

    def __init__(self, folder: Path) -> None:
        found = segments(folder)
        self._name = found[-1].name if found else FIRST
        self._body = found[-1].read_bytes() if found else b""
        self.events, _ = event_lines.decode_lines(self._body[-_TAIL:], _event)
        self.sequence = max((event.sequence for event in self.events), default=0)

    def next_sequence(self, now: datetime) -> int:
        """A number above all former ones, near the clock, so that it goes on growing where a log was lost."""
        self.sequence = max(self.sequence + 1, int(now.timestamp() * 1000))
        return self.sequence

    def appended(self, events: Iterable[WorkEvent]) -> tuple[str, bytes]:
        """The name of the file to write, and its whole content with ``events`` at the end."""
        lines = [event.encode() for event in events]
        if len(self._body) + sum(map(len, lines)) <= MAX_SEGMENT or not self._body:
            return self._name, event_lines.appended(self._body, lines)
        match = _NAME.fullmatch(self._name)
        assert match is not None
        return f"events-{int(match[1]) + 1:04d}.jsonl", b"".join(lines)


def _event(fields: Mapping[str, Any]) -> WorkEvent | None:
    event = from_json(WorkEvent, fields)
    known = event.type in TYPES and (event.status is not None or event.type not in OF_RECORDS)
    return event if known else None


def work_folder(layout: Layout) -> JournaledFolder:
    return JournaledFolder("work", layout.work, layout.work, layout.locks, _owns)


def _owns(parts: Sequence[str]) -> bool:
    return (len(parts) == 2 and is_log(parts[1])) or (len(parts) == 3 and parts[1] in (*EVERY, NOTES))


@dataclass(slots=True)
class Change:
    """The changes of one call, collected under the lock and published together."""

    layout: Layout
    now: datetime
    source: str
    _files: dict[str, bytes | None] = field(default_factory=dict)
    _events: dict[str, list[WorkEvent]] = field(default_factory=dict)  # by repository
    _tails: dict[str, Tail] = field(default_factory=dict)

    def put(self, record: WorkRecord, kind: str, fields: Iterable[str] = ()) -> WorkRecord:
        """Stages ``record`` as it is after an event of this ``kind``, which changed ``fields``; returns it so.

        This is the gate of work: no text of a record gets past it with a secret, whatever field it is in.
        """
        record = with_texts(record, stored)
        sequence = self._tail(record.repo_id).next_sequence(self.now)
        event = new_id()
        record = replace(
            record,
            updated_at=self.now,
            rev=record.rev + (kind != "started"),
            sequence=sequence,
            focused=sequence if kind in ("started", "resumed") else record.focused,
            last_event=event,
        )
        self._say(record, event, sequence, kind, fields)
        path = path_of(record)
        self._files[path] = encode(record)
        part = TASKS if not record.is_open else CLOSED
        other = f"{record.repo_id}/{part}/{record.id}.json"
        if record.kind == "thread" and (self.layout.work / other).exists():
            self._files[other] = None
        return record

    def remove(self, record: WorkRecord) -> None:
        """Stages that a record goes for good; what the log keeps has no text of it."""
        sequence = self._tail(record.repo_id).next_sequence(self.now)
        self._say(record, new_id(), sequence, "deleted", ())
        self._files |= {f"{record.repo_id}/{part}/{record.id}.json": None for part in EVERY}
        self._files[f"{record.repo_id}/{ATTEMPTS}/{record.id}{CAPSULE}"] = None

    def note(self, repo_id: str, kind: str, subject: str, data: Mapping[str, Any]) -> WorkEvent:
        """Stages an event about what is no record: a continuity note or a session."""
        sequence = self._tail(repo_id).next_sequence(self.now)
        event = WorkEvent(
            new_id(), self.now, sequence, kind, stored(subject), None, 0, self.source, data=with_texts(data, stored)
        )
        self._events.setdefault(repo_id, []).append(event)
        return event

    def put_file(self, path: str, body: bytes | None) -> None:
        """Stages a file below ``work/`` that is no record, or with None that it goes."""
        self._files[path] = body

    @property
    def staged(self) -> bool:
        """Whether there is anything to publish."""
        return bool(self._files or self._events)

    def publish(self) -> None:
        """Puts everything in its place: first the files, then the events, and last what goes."""
        logs = ((folder, *self._tails[folder].appended(events)) for folder, events in self._events.items())
        work_folder(self.layout).publish(self._files | {f"{folder}/{name}": body for folder, name, body in logs})

    def _say(self, record: WorkRecord, event: str, sequence: int, kind: str, fields: Iterable[str]) -> None:
        said = WorkEvent(
            event, self.now, sequence, kind, record.id, record.status, record.rev, self.source, tuple(fields)
        )
        self._events.setdefault(record.repo_id, []).append(said)

    def _tail(self, folder: str) -> Tail:
        if folder not in self._tails:
            self._tails[folder] = Tail(self.layout.work / folder)
        return self._tails[folder]


@contextmanager
def changing(settings: Settings, now: datetime, source: str, notify: Callable[[str], None]) -> Iterator[Change]:
    """Holds the work's lock, after finishing what a killed writer left. What the block stages is for it to publish.

    ``source`` says as a word who changes it. Raises StoreLocked, StoreUnwritable, CorpusDamaged for a journal that
    cannot be read.
    """
    assert _SOURCE.fullmatch(source), source
    with work_folder(settings.layout).locked(settings.lock_wait_seconds, notify):
        yield Change(settings.layout, now, source)
