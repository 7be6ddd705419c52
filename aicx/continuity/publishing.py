"""Puts both notes of a writing in place and records it, or leaves everything as it was.

The project's note and the event are published together by the journal of work. The worktree's note is on another disk,
perhaps: it is put in place before, and its former content is kept beside it until the event is in the log.

What stays behind when a writing failed is a recovery marker: it names the session that the note was to be written from.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import orjson

from aicx.config import Settings
from aicx.continuity.audit import AuditEntry, decode_audited
from aicx.continuity.note import Layer
from aicx.continuity.places import NotePlaces, check_local, note_places, quote_path, unquote_path
from aicx.errors import AicxError, CorpusDamaged, RecordChanged, StoreUnwritable
from aicx.storage import UNFINISHED, create_private, remove_unfinished, replace_file, unwritable
from aicx.values import dataclass
from aicx.work.events import Change, changing, work_folder
from aicx.work.events import read_log as read_events
from aicx.work.files import NOTES
from aicx.work.place import WorkPlace


@dataclass(frozen=True, slots=True)
class PublishPlan:
    """Everything that one writing changes. ``home`` are names in the repository's folder for notes.

    ``local`` is the worktree's note. Bytes are a file's new ones, None where it goes.
    ``read`` are the notes that it was made from, with the SHA-256 (hex) that they had.
    """

    home: Mapping[str, bytes | None] = field(default_factory=dict)
    local: tuple[Path, bytes | None] | None = None
    read: Mapping[Path, str | None] = field(default_factory=dict)


@contextmanager
def prepared(
    settings: Settings,
    place: WorkPlace,
    layers: Sequence[Layer],
    now: datetime,
    source: str,
    notify: Callable[[str], None],
) -> Iterator[tuple[Change, NotePlaces]]:
    """Holds the lock of the work, after undoing what a killed writing left half done."""
    places = note_places(settings, place)
    if "local" in layers:
        check_local(settings, places)
    with changing(settings, now, source, notify) as change:
        settle(settings, place.repo_id)
        remove_unfinished(settings.layout.work / place.repo_id / NOTES)
        if "local" in layers:
            for leftover in places.local_folder.glob(f".*{UNFINISHED}"):  # of a writer that was killed
                leftover.unlink(missing_ok=True)
        yield change, note_places(settings, place)


def settle(settings: Settings, repo_id: str) -> int:
    """Brings writings that were killed to their end or undoes them; how many. The caller holds the lock of the work.

    One that is undone stays as a recovery marker. Raises StoreUnwritable.
    """
    folder = settings.layout.work / repo_id
    writing = [one for one in pendings(folder / NOTES) if one.stage == "writing"]
    if not writing:
        return 0
    done = {event.id for event in read_events(folder, last=2).events}
    for one in writing:
        if one.event in done:
            complete(one)
        else:
            undo(one)
            _mark(one, "interrupted", "the writing was interrupted")
    return len(writing)


def publish(
    change: Change, place: WorkPlace, places: NotePlaces, entry: AuditEntry, kind: str, plan: PublishPlan
) -> None:
    """Puts everything in its place and records it, or leaves everything as it was, and then a recovery marker.

    Raises RecordChanged where somebody has edited a note since it was read, StoreUnwritable.
    """
    target, new_body = plan.local or (None, None)
    if edited := [path for path, digest in plan.read.items() if path.is_file() and digest_of(path) != digest]:
        raise RecordChanged(f"{edited[0]} was edited meanwhile", hint="the same command again takes the edit along")
    new = sha256(new_body).hexdigest() if new_body is not None else None
    pending = Pending(
        pending_path(places.continuity, entry), entry, "-" * 12, "writing",
        target=target, new=new,
    )  # fmt: skip
    try:
        event = change.note(place.repo_id, kind, f"note:{place.worktree_id}", entry.encode())
        pending = replace(pending, event=event.id)
        pending.write()
        for name, body in plan.home.items():
            change.put_file(f"{place.repo_id}/{NOTES}/{name}", body)
    except (OSError, StoreUnwritable) as error:
        raise _failed(replace(pending, target=None), "audit-write", error) from error
    try:
        if target is not None:
            swap(pending, new_body)
    except AicxError as error:
        undo(pending)
        raise _failed(pending, "summary-write", error) from error
    try:
        change.publish()
    except (AicxError, OSError) as error:
        if not work_folder(change.layout).journal.exists():  # else the next writer brings it to its end
            undo(pending)
            raise _failed(pending, "audit-write", error) from error
        raise
    complete(pending)


def _failed(pending: Pending, stage: Stage, error: Exception) -> AicxError:
    """Leaves a recovery marker, where that is possible; what to raise."""
    message = error.message if isinstance(error, AicxError) else str(error)
    try:
        _mark(pending, stage, message)
    except AicxError as second:
        return StoreUnwritable(
            f"{message}; and no recovery marker could be written: {second.message}", hint=second.hint
        )
    if isinstance(error, AicxError):
        return error
    return unwritable(pending.path, error) if isinstance(error, OSError) else StoreUnwritable(message)


def _mark(pending: Pending, stage: Stage, message: str) -> None:
    """Makes a record of a writing the marker of one that failed. Clearing needs no source later, and leaves none."""
    if pending.entry.action == "clear":
        pending.path.unlink(missing_ok=True)
        return
    replace(pending, stage=stage, message=message[:300], target=None, new=None).write()


def hide_from_git(places: NotePlaces) -> None:
    """Lets git ignore the worktree's note. A list that is there already stays as it is."""
    try:
        places.local_folder.mkdir(parents=True, exist_ok=True)
        if not places.ignore_file.exists() and not places.ignore_file.is_symlink():
            replace_file(places.ignore_file, places.ignored)
    except OSError as error:
        raise unwritable(places.ignore_file, error) from error


Stage = Literal["writing", "summary-write", "audit-write", "interrupted"]
_PREFIX = "pending-"
_MAX_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Pending:
    """A writing that is under way, or that failed. ``event`` is the id of the event that completes it.

    ``target`` is the worktree's note, ``new`` the SHA-256 (hex) of its new content, None where it goes; both are None
    where the worktree's note is not written.
    """

    path: Path
    entry: AuditEntry
    event: str
    stage: Stage
    message: str = ""
    target: Path | None = None
    new: str | None = None

    @property
    def before(self) -> Path:
        """Where the former content of the worktree's note is kept. There only where there was one."""
        assert self.target is not None
        return self.target.with_name(f".{self.target.name}.{self.event[:12]}{UNFINISHED}")

    def write(self) -> None:
        """Raises StoreUnwritable."""
        fields = {
            "entry": self.entry.encode(),
            "at": self.entry.at,
            "event": self.event,
            "stage": self.stage,
            "message": self.message,
            "target": None if self.target is None else quote_path(self.target),
            "new": self.new,
        }
        replace_file(self.path, orjson.dumps(fields) + b"\n")


def pending_path(folder: Path, entry: AuditEntry) -> Path:
    """The file for one worktree, scope and session: what succeeds later clears what failed for the same."""
    identity = "\0".join((entry.worktree, entry.scope, entry.session, entry.log))
    return folder / f"{_PREFIX}{sha256(identity.encode('utf-8', 'replace')).hexdigest()[:12]}.json"


def pendings(folder: Path) -> list[Pending]:
    """The writings that did not come to their end, the oldest first."""
    found = []
    for path in _files(folder):
        with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
            body = path.read_bytes()
            if len(body) <= _MAX_BYTES and (one := _decode(path, orjson.loads(body))) is not None:
                found.append(one)
    return sorted(found, key=lambda one: (one.entry.at, one.path.name))


def is_pending_file(name: str) -> bool:
    return name.startswith(_PREFIX) and name.endswith(".json")


def swap(pending: Pending, body: bytes | None) -> None:
    """Puts the new content of the worktree's note in place, or takes the note away, and keeps what was there.

    The note is there at every moment. Raises StoreUnwritable, and then it is as it was.
    """
    target = pending.target
    assert target is not None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            pending.before.unlink()
        with suppress(FileNotFoundError):
            _copy(target, pending.before)
        if body is None:
            target.unlink(missing_ok=True)
        else:
            replace_file(target, body)
    except OSError as error:
        raise unwritable(target, error) from error


def undo(pending: Pending) -> None:
    """Puts the worktree's note back as it was before, unless somebody has changed it since. Raises StoreUnwritable."""
    target = pending.target
    if target is None:
        return
    try:
        if digest_of(target) == pending.new:
            if pending.before.exists():
                os.replace(pending.before, target)  # noqa: PTH105  as in one step as the note was written
            elif pending.new is not None:
                target.unlink(missing_ok=True)
        else:
            pending.before.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(target, error) from error


def complete(pending: Pending) -> None:
    """Clears what a writing that succeeded left for its undoing, the marker of an earlier failure with it."""
    if pending.target is not None:
        with suppress(OSError):
            pending.before.unlink(missing_ok=True)
    with suppress(OSError):
        pending.path.unlink(missing_ok=True)


def digest_of(path: Path) -> str | None:
    """The SHA-256 (hex) of a file; None where there is none. Raises OSError."""
    try:
        return sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def _copy(source: Path, target: Path) -> None:
    with create_private(target) as stream:
        stream.write(source.read_bytes())


def _files(folder: Path) -> Iterator[Path]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if is_pending_file(entry.name))
    except FileNotFoundError:
        return
    except OSError as error:
        raise CorpusDamaged(f"{folder} cannot be listed: {error.strerror}", hint="check its permissions") from error
    yield from (folder / name for name in names)


def _decode(path: Path, fields: Mapping[str, Any]) -> Pending | None:
    entry = decode_audited(fields["entry"], str(fields["at"]))
    stage: Stage | None = next(
        (one for one in ("writing", "summary-write", "audit-write", "interrupted") if one == fields["stage"]), None
    )
    if entry is None or stage is None:
        return None
    target, new = fields["target"], fields["new"]
    return Pending(
        path,
        entry,
        str(fields["event"]),
        stage,
        str(fields["message"]),
        None if target is None else unquote_path(target),
        None if new is None else str(new),
    )
