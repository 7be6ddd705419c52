"""Writing: a record's files and its event, together or not at all."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from datetime import datetime

from aicx.config import Settings
from aicx.memory.anchors import claim_marks, place_mark
from aicx.memory.events import LOG, Event, appended, last_about, new_id
from aicx.memory.files import encode, path_of, proposal_of, sidecar_of
from aicx.memory.record import Adoption, Record, digest_of
from aicx.memory.seal import SEAL, seal_with
from aicx.paths import Layout
from aicx.storage.journaled import JournaledFolder
from aicx.storage.typed import with_texts
from aicx.values import dataclass

_BY_HAND = "by hand"  # in the event of an edit that nobody announced


def memory_folder(layout: Layout) -> JournaledFolder:
    """``memory/``, and the seal beside it."""
    return JournaledFolder("memory", layout.home, layout.memory, layout.locks, _owns, beside=SEAL)


def _owns(parts: Sequence[str]) -> bool:
    return len(parts) == 3 or list(parts) == [LOG]


@dataclass(slots=True)
class RecordChanges:
    """The changes of one call, collected under the lock and published together."""

    layout: Layout
    now: datetime
    _log: bytes | None = None
    _staged: dict[str, tuple[bytes, bytes] | None] = field(default_factory=dict)
    _files: dict[str, bytes | None] = field(default_factory=dict)
    _events: list[Event] = field(default_factory=list)

    @property
    def staged(self) -> bool:
        """Whether there is anything to publish."""
        return bool(self._staged)

    def put(
        self,
        record: Record,
        kind: str,
        by: str,
        *,
        others: Iterable[str] = (),
        before: str | None = None,
        code: str | None = None,
    ) -> Record:
        """Stages ``record`` with the event ``memory.<kind>`` about it; returns it as it is written.

        ``others`` are further records that the event names, ``before`` the digest that this one's replaces.
        """
        record = _without_secrets(record)
        if record.by_hand:  # what nobody announced is an event of its own, and proposed again
            self._say(record, "edited", _BY_HAND)
            record = record if kind in ("accepted", "rejected") else replace(record, adoption=Adoption())
        if kind != "accepted":
            record = self._proven(record)
        rev = record.rev + (kind not in ("proposed", "seen"))
        record = replace(record, digest=digest_of(record), by_hand=False, flaws=(), rev=rev)
        event = self._say(record, kind, by, others=others, before=before, code=code)
        return self.stage(replace(record, last_event=event))

    def touch(self, record: Record, event: str | None) -> Record:
        """Stages a record that an event about another names, with nothing of it decided."""
        record = self._proven(_without_secrets(record))
        adoption = Adoption() if record.by_hand else record.adoption
        return self.stage(replace(record, last_event=event, adoption=adoption))

    def note(self, event: Event) -> None:
        """Stages an event that changes no record."""
        self._events.append(with_texts(event, clean))

    def attach(self, path: str, body: bytes) -> None:
        """Stages a file that goes with a record, at its path below ``memory/``."""
        self._files[path] = body

    def stage(self, record: Record) -> Record:
        """Stages a record as it is."""
        record = replace(record, updated_at=self.now, path=record.path or path_of(record))
        self._staged[record.path] = encode(record)
        return record

    def remove(self, record: Record, by: str) -> None:
        """Stages that a record goes. Raises UnsafePath for a name that no record has."""
        folder, proposal = memory_folder(self.layout), proposal_of(record)
        for path in (record.path, proposal):
            folder.inside(path)
        self._say(record, "deleted", by)
        self._staged[record.path] = self._files[proposal] = None

    def publish(self, *, seal: Collection[str] = ()) -> None:
        """Puts everything in its place. What the log says of ``seal`` counts as written here from then on."""
        files: dict[str, bytes | None] = {}
        for path, written in self._staged.items():
            sidecar = sidecar_of(path)
            files |= {path: None, sidecar: None} if written is None else {sidecar: written[1], path: written[0]}
        files |= self._files
        before = self._log_before()
        files[SEAL] = seal_with(self.layout.home, before, appended(b"", self._events), anew=seal)
        files[LOG] = appended(before, self._events)
        memory_folder(self.layout).publish(files)
        if gone := [path for path, written in self._staged.items() if written is None]:
            from aicx.memory.recall.table import drop_statements  # imported here: deleting is rare

            drop_statements(self.layout.memory_recall, gone)
        for path in gone:
            with suppress(OSError):  # others may be in it
                (self.layout.memory / path).parent.rmdir()

    def _say(
        self,
        record: Record,
        kind: str,
        by: str,
        *,
        others: Iterable[str] = (),
        before: str | None = None,
        code: str | None = None,
    ) -> str:
        refs = (record.id, *others)
        claims = claim_marks(record.topic, record.claims) if kind == "accepted" else None
        place = place_mark(record.kind, record.repository) if claims else None
        event = Event(new_id(), self.now, by, f"memory.{kind}", refs, digest_of(record), before, code, claims, place)
        self.note(event)
        return event.id

    def _proven(self, record: Record) -> Record:
        """``record``, proposed again where the log lacks the last decision that its sidecar names.

        What is written now becomes the last event: without this, a lost decision would be forgotten with it.
        """
        if record.adoption.state != "adopted" or any(event.id == record.last_event for event in self._events):
            return record
        last = last_about(self._log_before(), record.id)
        return record if last is not None and last.id == record.last_event else replace(record, adoption=Adoption())

    def _log_before(self) -> bytes:
        if self._log is None:
            log = self.layout.memory / LOG
            self._log = log.read_bytes() if log.exists() else b""
        return self._log


def clean(text: str) -> str:
    """``text`` without secrets and without what a terminal would obey, as the memory may hold it."""
    from aicx.redaction import redact_plain  # imported here: reading does without its rules

    return redact_plain(text).text


def _without_secrets(record: Record) -> Record:
    """The gate of the memory: no text of a record gets past it with a secret, whatever field it is in.

    Another text is another claim, which nobody has accepted. A file of another name is none that it rests on.
    """
    new = with_texts(record, clean)
    if new is record:
        return record
    anchors = tuple(one for one in new.anchors if one in record.anchors)
    new = replace(new, anchors=anchors, name=new.name if new.name == record.name else None)
    return new if digest_of(new) == record.digest else replace(new, adoption=Adoption())


@contextmanager
def changing(settings: Settings, now: datetime, notify: Callable[[str], None]) -> Iterator[RecordChanges]:
    """Holds the memory's lock, after finishing what a killed writer left. What the block stages is for it to publish.

    Raises StoreLocked, StoreUnwritable, CorpusDamaged for a journal that cannot be read.
    """
    with memory_folder(settings.layout).locked(settings.lock_wait_seconds, notify):
        yield RecordChanges(settings.layout, now)
