"""Waiting for a lock of the operating system, which ends with the process that holds it."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable

from aicx.errors import StoreLocked

_POLL_SECONDS = 0.05


def acquire(handle: int, wait_seconds: float, on_wait: Callable[[str], None], *, busy: str, wait: str) -> None:
    """Takes the lock of an open file that names its holder's process id.

    ``busy`` and ``wait`` say what the holder does, in the error and to ``on_wait``, which is told once. Raises
    StoreLocked after ``wait_seconds``.
    """
    deadline = time.monotonic() + wait_seconds
    told = False
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(handle, 32, 0).decode("ascii", "replace") or "unknown"
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
