"""Derived files: SQLite files that are made again where they are of another version or damaged; and checksums of any.

A derived file or folder has its record beside it (`PATH.checksums.json`), so that damage is seen before it answers.
Whoever changes it deletes the record first and writes a new one at the end: without a record it is being changed, or
was left half-changed by a kill, and says nothing about itself. A file whose size and times are those of its record is
taken to be as it was published, so opening one costs a few calls of `stat`; one that was only copied elsewhere has
other times, and is then read and compared.
"""

from __future__ import annotations

import json  # a question to a map loads nothing faster
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

from aicx.errors import AicxError, CorpusDamaged, StoreUnwritable
from aicx.storage import replace_file

DAMAGE = (sqlite3.DatabaseError, UnicodeDecodeError)
_BUSY_SECONDS = 2.0
_BUSY_SECONDS_TO_LOOK = 0.3  # a session's start has less than two for everything
# That another process is writing, or the disk or its permissions say no: nothing is wrong with the database itself.
_REFUSALS = (
    *(sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM),
)


def is_refusal(error: Exception) -> bool:
    """Whether a database cannot be used here or now, rather than being damaged."""
    return isinstance(error, OSError) or getattr(error, "sqlite_errorcode", 0) & 0xFF in _REFUSALS


def open_derived(path: Path, version: str, schema: str, *, create: bool = True) -> sqlite3.Connection:
    """The file at ``path``, whose ``schema`` has a table ``meta(version TEXT, state TEXT)`` for its first row.

    Without ``create`` nothing is made on disk. Where there is no file, or none can be written, it is one in memory.
    """
    for _ in range(2 if create or path.exists() else 0):
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            found = sqlite3.connect(path, timeout=_BUSY_SECONDS if create else _BUSY_SECONDS_TO_LOOK)
            found.execute("PRAGMA secure_delete=ON")
            if not found.execute("SELECT 1 FROM sqlite_master").fetchone():
                _fill(found, version, schema)
            if found.execute("SELECT version FROM meta").fetchone() == (version,):
                return found
            found.close()
        except (OSError, *DAMAGE) as error:
            if is_refusal(error):
                break
            found.close()
        with suppress(OSError):
            remove_derived(path)  # of another version, or damaged
    return in_memory(version, schema)


@contextmanager
def forgiving(path: Path) -> Iterator[None]:
    """Suppresses what a database raises that is busy or damaged. A damaged one is deleted, to be made again."""
    try:
        yield
    except DAMAGE as error:
        if not is_refusal(error):
            with suppress(OSError):
                remove_derived(path)


def remove_derived(path: Path) -> None:
    """Deletes the file with what SQLite put beside it. Raises OSError for one that cannot be deleted."""
    for extra in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{extra}").unlink(missing_ok=True)


def in_memory(version: str, schema: str) -> sqlite3.Connection:
    found = sqlite3.connect(":memory:")
    _fill(found, version, schema)
    return found


def _fill(found: sqlite3.Connection, version: str, schema: str) -> None:
    found.executescript(schema)
    with found:
        found.execute("INSERT INTO meta VALUES(?, NULL)", (version,))


SUFFIX = ".checksums.json"
SCHEMA = "aicx.checksums/1"
# SQLite's write-ahead log holds what has not been moved into the database yet.
_WRITE_AHEAD_LOG = "-wal"
_TRIES = 5

# Size in bytes, time of modification and of the last change of anything, both in nanoseconds. The third one is set by
# the system alone: what keeps size and modification time still changes it.
Stamp = list[int]
Files = dict[str, tuple[Stamp, str]]  # relative name -> stamp and SHA-256


def record_of(path: Path) -> Path:
    """Where the checksums of a derived file or folder are."""
    return path.with_name(path.name + SUFFIX)


def is_recorded(path: Path) -> bool:
    return record_of(path).exists()


def is_untouched(path: Path) -> bool:
    """Whether a folder is recorded and its files have the recorded size and times, so that nothing has to be read."""
    recorded = _decode(_body(path) or b"")
    return recorded is not None and all(_same_stamp(path / name, stamp) for name, (stamp, _) in recorded.items())


def find_damage(path: Path, *, full: bool = False) -> str | None:
    """Describes files that are not as they were published; None where all are, and where nothing is recorded or there.

    ``full`` reads every byte: that also finds what changed on the disk itself, without a trace in size and times.
    """
    for _ in range(_TRIES):
        body = _body(path)
        if body is None or not path.exists():
            return None
        recorded = _decode(body)
        reason = "its checksums cannot be read" if recorded is None else _difference(path, recorded, full=full)
        if reason is None or _body(path) == body:
            return reason
    return None  # it is being changed all the time


def sound_files(path: Path) -> set[str]:
    """The recorded files of a folder whose every byte is as it was published, by their names below it."""
    recorded = _decode(_body(path) or b"") or {}
    return {name for name, (stamp, digest) in recorded.items() if _is_sound(path / name, stamp, digest, full=True)}


def withdraw(path: Path) -> Files:
    """Deletes the record of what is about to be changed; returns what it said, for `record`."""
    known = _decode(_body(path) or b"") or {}
    record_of(path).unlink(missing_ok=True)
    return known


def record(path: Path, known: Mapping[str, tuple[Stamp, str]] | None = None) -> None:
    """Records what lies at ``path`` as published. ``known`` files with the same stamps are not read again."""
    known = known or {}
    files: Files = {}
    for name, file in _files(path):
        stamp = _stamp(file)
        before = known.get(name)
        files[name] = (stamp, before[1] if before and before[0] == stamp else _digest(file))
    line = _dumps({"schema": SCHEMA, "files": files, "sha256": _own_digest(files)}) + b"\n"
    with suppress(StoreUnwritable):  # on a full disk it stays without a record, which the next writer makes
        # Twice, for a record that is damaged itself would condemn all the rest.
        replace_file(record_of(path), line + line)


@contextmanager
def changing(path: Path) -> Iterator[None]:
    """Around every change: without a record inside, with a new one afterwards. A change that met damage leaves none."""
    known = withdraw(path)
    try:
        yield
    except CorpusDamaged:
        raise
    except AicxError:  # what was done until then was done well
        _record_again(path, known)
        raise
    _record_again(path, known)


def _record_again(path: Path, known: Files) -> None:
    if path.exists():
        record(path, known)


def renew(path: Path) -> None:
    """Records the times of a folder that was copied as its own, where every byte is as it was published."""
    gone = not path.exists()  # its record stays where somebody deletes a folder by hand
    if not gone and is_recorded(path) and not is_untouched(path) and find_damage(path, full=True) is None:
        record(path)


def _files(path: Path) -> Iterator[tuple[str, Path]]:
    """Yields the files of ``path``, by name. Files with a dot in front are a library's own notes, also of readers."""
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if file.is_file() and not file.name.startswith("."):
                yield str(file.relative_to(path)), file
        return
    yield "", path
    log = path.with_name(path.name + _WRITE_AHEAD_LOG)
    if log.exists() and log.stat().st_size:
        yield _WRITE_AHEAD_LOG, log


def _difference(path: Path, recorded: Files, *, full: bool) -> str | None:
    for name, (stamp, digest) in recorded.items():
        if not full and name and _same_stamp(f"{path}/{name}", stamp):  # as nearly all are, at every question
            continue
        file = _file(path, name)
        if not _is_sound(file, stamp, digest, full=full):
            return f"{file.name} is not as it was written" if file.exists() else f"{file.name} is missing"
    if path.is_file() and {name for name, _ in _files(path)} - recorded.keys():
        return f"{path.name}{_WRITE_AHEAD_LOG} is not part of it"
    return None


def _file(path: Path, name: str) -> Path:
    return path.with_name(path.name + name) if name in ("", _WRITE_AHEAD_LOG) else path / name


def _is_sound(file: Path, stamp: Stamp, digest: str, *, full: bool) -> bool:
    try:
        found = _stamp(file)
        if found[0] != stamp[0]:
            return False
        if full:
            return _digest(file) == digest
        return found == stamp or _digest_at(file, *found) == digest
    except OSError:
        return False


def _same_stamp(file: Path | str, stamp: Stamp) -> bool:
    try:
        return _stamp(file) == stamp
    except OSError:
        return False


def _stamp(file: Path | str) -> Stamp:
    found = os.stat(file)  # noqa: PTH116 - a question looks at dozens, and a path as an object takes longer
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


@lru_cache(maxsize=1024)
def _digest_at(file: Path, *_stamp: int) -> str:
    """The digest of a copied file, which a process that answers many questions reads once for each stamp."""
    return _digest(file)


def _body(path: Path) -> bytes | None:
    try:
        return record_of(path).read_bytes()
    except FileNotFoundError:
        return None
    except OSError:
        return b""


@lru_cache(maxsize=16)  # a process that answers many questions compares the same records again and again
def _decode(body: bytes) -> Files | None:
    """The files of a record, from the first of its two lines that is whole; None where neither is."""
    for line in body.split(b"\n"):
        with suppress(LookupError, TypeError, ValueError, AttributeError):
            found: dict[str, Any] = json.loads(line)
            files: Files = {name: (stamp, digest) for name, (stamp, digest) in found["files"].items()}
            if found["schema"] == SCHEMA and found["sha256"] == _own_digest(files):
                return files
    return None


def _dumps(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _own_digest(files: Files) -> str:
    return sha256(_dumps(files)).hexdigest()
