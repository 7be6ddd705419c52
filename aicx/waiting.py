"""A line on a terminal that says a command is still at work, once it has been silent for a second."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_SILENCE = 1.0  # seconds
_ERASE = "\r\x1b[2K"


class Waiting:
    """Writes the line from a thread of its own, since the work may be in a library that lets nothing else in."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._begun = self._heard = time.monotonic()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._is_shown = False
        # A process that is forked has no such thread, and must not wait for what it held.
        os.register_at_fork(after_in_child=self._forget)
        threading.Thread(target=self._write, daemon=True).start()

    def _forget(self) -> None:
        self._lock, self._is_shown = threading.Lock(), False

    def _write(self) -> None:
        while not self._ended.wait(_SILENCE / 4):
            with self._lock:
                now = time.monotonic()
                if self._ended.is_set() or now - self._heard < (0 if self._is_shown else _SILENCE):
                    continue
                try:
                    sys.stderr.write(f"{_ERASE}aicx {self.name}: {now - self._begun:.0f} s")
                    sys.stderr.flush()
                except (OSError, ValueError):  # the terminal is gone, and the command will notice
                    return
                self._is_shown = True

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Takes the line away while something else is printed; it comes back after another silence."""
        with self._lock:
            if self._is_shown:
                sys.stderr.write(_ERASE)
                sys.stderr.flush()
            try:
                yield
            finally:
                self._is_shown, self._heard = False, time.monotonic()

    def end(self) -> None:
        """Takes the line away for good."""
        self._ended.set()
        with self.aside():
            pass
