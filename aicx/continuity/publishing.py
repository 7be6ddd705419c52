"""Puts both notes of a writing in place and records it, or leaves everything as it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from aicx.config import Settings
from aicx.continuity import pending as pending_writing
from aicx.continuity.audit import AuditEntry
from aicx.continuity.note import Layer
from aicx.continuity.pending import Pending, digest_of
from aicx.continuity.places import NotePlaces, check_local, note_places
from aicx.errors import AicxError, RecordChanged, StoreUnwritable
from aicx.storage.atomic import UNFINISHED, remove_unfinished, replace_file, unwritable
from aicx.values import dataclass
from aicx.work.events import Change, changing, work_folder
from aicx.work.events import read_log as read_events
from aicx.work.files import NOTES
from aicx.work.place import WorkPlace


@dataclass(frozen=True, slots=True)
class NoteFile:
    """One file of a writing: its new bytes, None where it goes."""

    path: Path
    body: bytes | None


@dataclass(frozen=True, slots=True)
class PublishPlan:
    """Everything that one writing changes. ``home`` are names in the repository's folder for notes.

    ``read`` are the notes that it was made from, with the SHA-256 (hex) that they had.
    """

    home: Mapping[str, bytes | None] = field(default_factory=dict)
    local: NoteFile | None = None
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
    writing = [one for one in pending_writing.pendings(folder / NOTES) if one.stage == "writing"]
    if not writing:
        return 0
    done = {event.id for event in read_events(folder, last=2).events}
    for one in writing:
        if one.event in done:
            pending_writing.complete(one)
        else:
            pending_writing.undo(one)
            _mark(one, "interrupted", "the writing was interrupted")
    return len(writing)


def publish(
    change: Change, place: WorkPlace, places: NotePlaces, entry: AuditEntry, kind: str, plan: PublishPlan
) -> None:
    """Puts everything in its place and records it, or leaves everything as it was, and then a recovery marker.

    Raises RecordChanged where somebody has edited a note since it was read, StoreUnwritable.
    """
    local = plan.local
    if edited := [path for path, digest in plan.read.items() if path.is_file() and digest_of(path) != digest]:
        raise RecordChanged(f"{edited[0]} was edited meanwhile", hint="the same command again takes the edit along")
    new = sha256(local.body).hexdigest() if local is not None and local.body is not None else None
    pending = Pending(
        pending_writing.pending_path(places.continuity, entry), entry, "-" * 12, "writing",
        target=local.path if local is not None else None, new=new,
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
        if local is not None:
            pending_writing.swap(pending, local.body)
    except AicxError as error:
        pending_writing.undo(pending)
        raise _failed(pending, "summary-write", error) from error
    try:
        change.publish()
    except (AicxError, OSError) as error:
        if not work_folder(change.layout).journal.exists():  # else the next writer brings it to its end
            pending_writing.undo(pending)
            raise _failed(pending, "audit-write", error) from error
        raise
    pending_writing.complete(pending)


def _failed(pending: Pending, stage: pending_writing.Stage, error: Exception) -> AicxError:
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


def _mark(pending: Pending, stage: pending_writing.Stage, message: str) -> None:
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
