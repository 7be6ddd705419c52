"""One refresh of a folder at a time, and a trace of one that was killed."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from aicx.errors import StoreUnwritable
from aicx.storage.lock import acquire


@contextmanager
def refresh_lock(path: Path, wait_seconds: float, say: Callable[[str], None]) -> Iterator[None]:
    """Holds the lock of one folder's map. It is the kernel's, and ends with the process.

    The file holds the process id for as long as a refresh is on: found there while nobody has the lock, it tells of a
    refresh that did not come to its end. Raises StoreLocked after ``wait_seconds``, StoreUnwritable without a place.
    """
    try:
        # Private, as all of the home: what a project is made of is nobody else's business.
        for folder in (path.parent.parent.parent, path.parent.parent, path.parent):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreUnwritable(
            f"cannot write {error.filename or path}: {error.strerror or error}",
            hint="check the folder's permissions, or set AICX_HOME to a writable place",
        ) from error
    try:
        acquire(handle, wait_seconds, say, busy="refreshes this map", wait="that refreshes this map")
        _write(handle, str(os.getpid()))
        yield
        _write(handle, "")
    finally:
        os.close(handle)


def trace_of(path: Path) -> Literal["running", "interrupted"] | None:
    """Whether a refresh is on, or was killed; None when the last one came to its end."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return "interrupted" if os.pread(handle, 32, 0) else None
    except OSError:
        return "running"
    finally:
        os.close(handle)


def _write(handle: int, text: str) -> None:
    os.truncate(handle, 0)
    os.pwrite(handle, text.encode(), 0)
