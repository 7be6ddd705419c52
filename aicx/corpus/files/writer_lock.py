"""One writer at a time: an operating-system lock, so that a killed writer never leaves it behind."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from aicx.errors import StoreUnwritable
from aicx.storage.lock import acquire


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
        acquire(handle, wait_seconds, on_wait, busy="is writing", wait="to finish writing")
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
