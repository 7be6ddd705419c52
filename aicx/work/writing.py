"""Writing: a task's file and its event, together or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import datetime
from typing import Any

from aicx.config import Settings
from aicx.paths import Layout
from aicx.storage.event_lines import new_id
from aicx.storage.journaled import JournaledFolder
from aicx.storage.texts import with_texts
from aicx.values import dataclass
from aicx.work.events import Tail, WorkEvent, is_log, is_source
from aicx.work.files import ATTEMPTS, CAPSULE, CLOSED, EVERY, NOTES, TASKS, encode, path_of
from aicx.work.record import WorkRecord, stored


def work_folder(layout: Layout) -> JournaledFolder:
    return JournaledFolder("work", layout.work, layout.work, layout.locks, _owns)


def _owns(parts: Sequence[str]) -> bool:
    return (len(parts) == 2 and is_log(parts[1])) or (len(parts) == 3 and parts[1] in (*EVERY, NOTES))


@dataclass(slots=True)
class Change:
    """What one call changes, collected under the lock and published together."""

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
    assert is_source(source), source
    with work_folder(settings.layout).locked(settings.lock_wait_seconds, notify):
        yield Change(settings.layout, now, source)
