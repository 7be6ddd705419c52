"""One writer at a time: an operating-system lock, so that a killed writer never leaves it behind."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aicx.errors import StoreLocked, StoreUnwritable

_POLL_SECONDS = 0.05


@contextmanager
def writer_lock(
    folder: Path, wait_seconds: float, on_wait: Callable[[str], None], name: str = "writer"
) -> Iterator[None]:
    """Holds the store's writer lock, or that of the index called ``name``.

    ``on_wait`` is told once, and by whom it is held, when somebody else has it.
    Raises StoreLocked after ``wait_seconds``, StoreUnwritable when the lock file cannot be made.
    """
    path = folder / f"{name}.lock"
    try:
        # Private: the home holds what was said to agents, and the catalogue is as telling as the chunks.
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.mkdir(exist_ok=True, mode=0o700)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        _acquire(handle, wait_seconds, on_wait)
        # For the message of whoever waits; the lock itself is the kernel's.
        with suppress(OSError):
            os.truncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(handle)


def unwritable(path: Path, error: OSError) -> StoreUnwritable:
    """The one clear line for a disk that is full, read-only or forbidden."""
    return StoreUnwritable(
        f"cannot write {error.filename or path}: {error.strerror or error}",
        hint="free some space, check the folder's permissions, or set AICX_HOME to a writable place",
    )


def _acquire(handle: int, wait_seconds: float, on_wait: Callable[[str], None]) -> None:
    deadline = time.monotonic() + wait_seconds
    told = False
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(handle, 32, 0).decode("ascii", "replace") or "unknown"
            if time.monotonic() >= deadline:
                raise StoreLocked(
                    f"another aicx (process {holder}) is writing; waited {wait_seconds:.0f} s",
                    hint="run the command again when it has finished",
                ) from None
            if not told:
                on_wait(f"waiting for another aicx (process {holder}) to finish writing")
                told = True
            time.sleep(_POLL_SECONDS)
        else:
            return
