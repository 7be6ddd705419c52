"""Locks of the operating system, which end with the process that holds them; the file names its holder."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from aicx.errors import StoreLocked
from aicx.storage import unwritable
from aicx.storage.home_format import claim_format
from aicx.system import PRIVATE, lock, read_at, write_whole

_POLL_SECONDS = 0.05


@contextmanager
def hold_lock(
    path: Path,
    wait_seconds: float,
    on_wait: Callable[[str], None],
    *,
    busy: str = "is writing",
    wait: str = "to finish writing",
) -> Iterator[None]:
    """Holds the lock of ``path``, which is made where it is missing.

    ``busy`` and ``wait`` say what the holder does, in the error and to ``on_wait``, which is told once. The file holds
    the process id while the block runs. Found there while the lock is free, it tells of a holder that was killed.
    Raises StoreLocked after ``wait_seconds``, StoreUnwritable when the lock file cannot be made.
    """
    try:
        # Private: the home holds what was said to agents, and a lock's folder is made before anything else.
        for folder in reversed(path.parents[:3]):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | PRIVATE, 0o600)
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        _acquire(handle, wait_seconds, on_wait, busy, wait)
        # For the message of whoever waits; the lock itself is the kernel's.
        with suppress(OSError):
            write_whole(handle, str(os.getpid()).encode())
        yield
        with suppress(OSError):
            write_whole(handle, b"")
    finally:
        os.close(handle)


@contextmanager
def writer_lock(
    folder: Path, wait_seconds: float, on_wait: Callable[[str], None], name: str = "writer"
) -> Iterator[None]:
    """The lock of the store's writer in a home's folder of locks, or that of the index called ``name``.

    Who has it may write to the home, which from then on has the format of this release. Raises HomeTooNew.
    """
    with hold_lock(folder / f"{name}.lock", wait_seconds, on_wait):
        claim_format(folder.parent, on_wait)
        yield


def holder_of(path: Path) -> str | None:
    """The process that holds the lock of ``path``, None when it is free."""
    return _probe(path)[1]


def trace_of(path: Path) -> Literal["running", "interrupted"] | None:
    """Whether the lock of ``path`` is held, or was when its holder was killed; None when it was given back."""
    state, _ = _probe(path)
    return state


def _probe(path: Path) -> tuple[Literal["running", "interrupted"] | None, str | None]:
    try:
        handle = os.open(path, os.O_RDONLY | PRIVATE)
    except OSError:
        return None, None
    try:
        lock(handle, shared=True)
        return ("interrupted" if _holder(handle) else None), None
    except OSError:
        return "running", _holder(handle) or "unknown"
    finally:
        os.close(handle)


def _acquire(handle: int, wait_seconds: float, on_wait: Callable[[str], None], busy: str, wait: str) -> None:
    deadline = time.monotonic() + wait_seconds
    told = False
    while True:
        try:
            lock(handle)
        except BlockingIOError:
            holder = _holder(handle) or "unknown"
            if time.monotonic() >= deadline:
                raise StoreLocked(
                    f"another aicx (process {holder}) {busy}; waited {wait_seconds:.0f} s",
                    hint="run the command again when it has finished",
                ) from None
            if not told:
                on_wait(f"waiting for another aicx (process {holder}) {wait}")
                told = True
            time.sleep(_POLL_SECONDS)
        else:
            return


def _holder(handle: int) -> str:
    return read_at(handle, 32).decode("ascii", "replace").strip()
