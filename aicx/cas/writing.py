"""Putting objects: streamed into a file of their own, then renamed; one writer at a time changes what is there.

A sidecar is written before its object is in place: a kill leaves a sidecar without an object, which nothing lists, and
never an object of which it is not known whether it is pinned.

Garbage is what is not pinned and was not put for a while. It is shown first, and deleted on request.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from aicx.cas.entry import (
    PREFIX,
    Kind,
    ObjectEntry,
    ObjectPut,
    ObjectsCollected,
    checked_tags,
    clean_body,
    names_in,
    object_path,
    read_tombstones,
    sidecar_path,
)
from aicx.cas.reading import BLOCK, MAX_TEXT, entry_or_none, find, is_sound
from aicx.config import Settings
from aicx.errors import StoreLocked, UsageError
from aicx.paths import Layout
from aicx.storage import UNFINISHED, replace_file, unwritable
from aicx.storage.lock import writer_lock
from aicx.system import PRIVATE, lock, sync
from aicx.values import batches, dataclass

Notify = Callable[[str], None]
LOCK = "cas"
MAX_BINARY = 4 * 1024**3  # bytes
DAYS = 30.0


@dataclass(frozen=True, slots=True)
class Origin:
    """The kind, the tags and the quotations of an object that is to be put; see `ObjectEntry`."""

    kind: Kind = "text"
    tags: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()


def put(
    settings: Settings, stream: BinaryIO, origin: Origin, now: datetime, notify: Notify = lambda _: None
) -> ObjectPut:
    """Stores what ``stream`` gives. Text is redacted first; a binary is kept byte for byte.

    Put again, it is one object, with the tags of both. Raises UsageError for what is too long or is no text, for tags
    that are none, and for what was forgotten; StoreUnwritable; StoreLocked.
    """
    origin = replace(origin, tags=checked_tags(origin.tags))
    layout = settings.layout
    blocks, redactions = _blocks(stream, origin)
    with stage(layout) as (temporary, file):
        digest, size = sha256(), 0
        for block in blocks:
            size += len(block)
            if size > MAX_BINARY:
                raise UsageError(f"it is longer than {MAX_BINARY:,} bytes", hint="this store is for smaller things")
            digest.update(block)
            _write(temporary, file, block)
        name = digest.hexdigest()
        try:
            file.flush()
            os.fsync(file.fileno())
        except OSError as error:
            raise unwritable(temporary, error) from error
        with locked(settings, notify):
            staged(layout, delete=True)
            _refuse_forgotten(layout, name)
            entry, new = commit(layout, name, size, origin, now, temporary)
    return ObjectPut(entry, new, redactions)


def commit(
    layout: Layout, name: str, size: int, origin: Origin, now: datetime, temporary: Path, *, pinned: bool = False
) -> tuple[ObjectEntry, bool]:
    """Puts the file ``temporary`` in its place under the lock, and says whether the object is new."""
    path = object_path(layout, name)
    sound = path.exists() and is_sound(layout, name)
    known = entry_or_none(layout, name) if path.exists() else None
    entry = ObjectEntry(
        f"{PREFIX}{name}", size, origin.kind, origin.tags, now, now, pinned, origin.sessions, origin.projects
    )
    if known is not None:
        # What was put as a pack stays one: its sessions are known then.
        is_pack = known.kind.endswith("_pack")
        entry = replace(
            entry,
            kind=known.kind if is_pack else origin.kind,
            created_at=known.created_at,
            put_at=max(now, known.put_at),
            tags=tuple(dict.fromkeys([*known.tags, *origin.tags])),
            pinned=pinned or known.pinned,
            sessions=tuple(dict.fromkeys([*known.sessions, *origin.sessions])),
            projects=tuple(dict.fromkeys([*known.projects, *origin.projects])),
        )
    replace_file(sidecar_path(layout, name), entry.encode())
    if not sound:
        try:
            temporary.replace(path)
            sync(path.parent)
        except OSError as error:
            raise unwritable(path, error) from error
    return entry, not sound


def pin(
    settings: Settings, digest: str, now: datetime, *, pinned: bool, notify: Notify = lambda _: None
) -> ObjectEntry:
    """Keeps an object from `gc`, or no more. Raises NotFound, UsageError, CorpusDamaged for a damaged object."""
    layout = settings.layout
    with locked(settings, notify):
        name = find(layout, digest)
        known = entry_or_none(layout, name)
        if known is None:  # its sidecar was lost: it says of itself what can still be known
            size = object_path(layout, name).stat().st_size
            known = ObjectEntry(f"{PREFIX}{name}", size, "text" if size <= MAX_TEXT else "binary", (), now, now)
        entry = replace(known, pinned=pinned)
        replace_file(sidecar_path(layout, name), entry.encode())
        return entry


def delete(layout: Layout, names: Iterable[str]) -> None:
    """Deletes objects, and then what is known of them. The lock is held. Killed, it may be called again."""
    for name in names:
        for path in (object_path(layout, name), sidecar_path(layout, name)):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise unwritable(path, error) from error
        with suppress(OSError):  # not empty
            object_path(layout, name).parent.rmdir()


def locked(settings: Settings, notify: Notify) -> AbstractContextManager[None]:
    """The lock of whoever changes which objects there are."""
    return writer_lock(settings.layout.locks, settings.lock_wait_seconds, notify, name=LOCK)


def staging(layout: Layout) -> Path:
    return layout.locks / "cas-staging"


def leftovers(layout: Layout) -> list[Path]:
    """Lists the leftovers of killed writers: files that no process is writing, and sidecars without an object."""
    return [*staged(layout), *_half_put(layout)]


def _half_put(layout: Layout) -> list[Path]:
    left, names = [], set(names_in(layout))
    for path in sorted([*layout.cas.glob("*"), *layout.cas.glob("sha256/[0-9a-f][0-9a-f]/*")]):
        stem = path.name.removesuffix(".json")
        unfinished = path.name.endswith(UNFINISHED)
        if unfinished or (path.name.endswith(".json") and len(stem) == 64 and stem not in names):
            left.append(path)
    return left


def staged(layout: Layout, *, delete: bool = False) -> list[Path]:
    """Lists the files of writers that were killed before they put them in their place, and may delete them.

    A file is deleted while it is locked here: a writer that had made it, and not locked it yet, sees that it is gone.
    """
    left: list[Path] = []
    for path in sorted(staging(layout).glob(f"*{UNFINISHED}")):
        with suppress(OSError):
            with path.open("rb") as stream:
                lock(stream.fileno(), shared=True)
                left.append(path)
                if delete:
                    with suppress(PermissionError):  # Windows deletes no file that is open, such a writer's neither
                        path.unlink()
            if delete:
                path.unlink(missing_ok=True)
    return left


def clear_leftovers(layout: Layout) -> int:
    """Deletes them, under the lock; how many there were."""
    half_put = _half_put(layout)
    for path in half_put:
        path.unlink(missing_ok=True)
    return len(half_put) + len(staged(layout, delete=True))


def _blocks(stream: BinaryIO, origin: Origin) -> tuple[Iterable[bytes], int]:
    """Returns the bytes to write in blocks, and how many secrets were replaced in them."""
    if origin.kind == "binary":
        return iter(lambda: stream.read(BLOCK), b""), 0
    body = stream.read(MAX_TEXT + 1)
    if len(body) > MAX_TEXT:
        raise UsageError(
            f"a text may have {MAX_TEXT:,} bytes, so that it can be redacted as a whole",
            hint="cut it into parts; --binary stores it as it is, with the secrets in it",
        )
    cleaned = clean_body(body, origin.kind)
    return [*batches(cleaned.body, BLOCK)], cleaned.redactions


@contextmanager
def stage(layout: Layout, body: bytes = b"") -> Iterator[tuple[Path, BinaryIO]]:
    """A file with ``body`` for `commit`, which is gone afterwards unless it was put in its place.

    It is of this process alone, locked while it lives, so that what a kill leaves can be told from it.
    """
    path, descriptor = _own_file(layout)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            if body:
                _write(path, stream, body)
                stream.flush()
                os.fsync(descriptor)
            yield path, stream
    finally:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _own_file(layout: Layout) -> tuple[Path, int]:
    """Makes a file and locks it; again where another took it for a leftover in between."""
    while True:
        path = staging(layout) / f"{os.urandom(8).hex()}{UNFINISHED}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | PRIVATE, 0o600)
        except OSError as error:
            raise unwritable(path, error) from error
        lock(descriptor, wait=True)
        if path.exists():
            return path, descriptor
        os.close(descriptor)


def _write(path: Path, stream: BinaryIO, block: bytes) -> None:
    try:
        stream.write(block)
    except OSError as error:
        raise unwritable(path, error) from error


def _refuse_forgotten(layout: Layout, name: str) -> None:
    """Refuses an object that is being forgotten or was forgotten. Raises StoreLocked or UsageError."""
    if layout.forgetting.exists():
        raise StoreLocked(
            "something is being forgotten at this moment, and this may hold it",
            hint="run it again; `aicx doctor --fix` finishes a forget that was interrupted",
        )
    gone = read_tombstones(layout)[0].get(name)
    if gone is not None and gone.reason != "redacted":
        raise UsageError(f"this was {gone.words}", hint="what is forgotten does not come back")


def collect(
    settings: Settings,
    now: datetime,
    *,
    days: float = DAYS,
    most: int | None = None,
    apply: bool = False,
    notify: Callable[[str], None] = lambda _: None,
) -> ObjectsCollected:
    """Finds objects put last more than ``days`` ago and not pinned, at most ``most``; deletes them with ``apply``."""
    layout = settings.layout
    if not apply:
        return _look(layout, now, days, most)
    with locked(settings, notify):
        found = _look(layout, now, days, most, applied=True)
        delete(layout, (entry.name for entry in found.objects))
        clear_leftovers(layout)
    return found


def _look(layout: Layout, now: datetime, days: float, most: int | None, *, applied: bool = False) -> ObjectsCollected:
    known = [(name, entry_or_none(layout, name)) for name in names_in(layout)]
    entries = [entry for _, entry in known if entry is not None]
    free = [entry for entry in entries if not entry.pinned]
    old = [entry for entry in free if now - entry.put_at >= timedelta(days=days)]
    old.sort(key=lambda entry: (entry.put_at, entry.name))
    return ObjectsCollected(
        applied,
        objects=old[:most],
        bytes=sum(entry.size for entry in old[:most]),
        pinned=len(entries) - len(free),
        younger=len(free) - len(old),
        # They may be pinned.
        unknown=[f"{PREFIX}{name}" for name, entry in known if entry is None],
        leftovers=len(leftovers(layout)),
    )
