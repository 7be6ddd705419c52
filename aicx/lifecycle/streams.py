"""Copies what a program prints to where it belongs, byte for byte, and lets somebody hear it on the way."""

from __future__ import annotations

import os
import select
from collections.abc import Callable
from threading import Thread

Heard = Callable[[bytes], None]
_BLOCK = 64 * 1024
_MOMENT = 100  # milliseconds


class Copying(Thread):
    """Copies ``source`` to ``target`` until it ends, or until ``ended`` is readable and nothing more is waiting.

    A target that takes nothing more closes the source, so that the program is told as it would be without this; with
    ``keep`` the source is read on instead. Afterwards ``is_open`` is whether somebody
    else may still write there, ``was_closed`` whether the source was closed.
    """

    def __init__(self, source: int, target: int, ended: int, heard: Heard | None = None, *, keep: bool = False) -> None:
        super().__init__(daemon=True)
        self.source, self.target = source, target
        self.is_open, self.was_closed = True, False
        self._ended, self._heard, self._keep = ended, heard, keep

    def run(self) -> None:
        waiting = select.poll()
        waiting.register(self.source, select.POLLIN)
        waiting.register(self._ended, select.POLLIN)
        writes = True
        while self._is_ready(waiting):
            try:
                block = os.read(self.source, _BLOCK)
            except OSError:  # the last one that had a pseudo-terminal open is gone
                block = b""
            if not block:
                self.is_open = False
                return
            try:
                if writes:
                    write_all(self.target, block)
            except OSError:
                writes = False
                if not self._keep:
                    self.is_open, self.was_closed = False, True
                    os.close(self.source)
            if self._heard is not None:
                self._heard(block)
            if not self.is_open:
                return

    def _is_ready(self, waiting: select.poll) -> bool:
        """Waits until there is something to read; False where the program has ended and nothing is."""
        if self.source in {descriptor for descriptor, _ in waiting.poll()}:
            return True
        # What was written last to a pseudo-terminal is there a moment later.
        waiting.unregister(self._ended)
        found = bool(waiting.poll(_MOMENT))
        waiting.register(self._ended, select.POLLIN)
        return found


def write_all(target: int, block: bytes) -> None:
    """Writes all of ``block``, also to a target that does not wait. Raises OSError."""
    view = memoryview(block)
    while view:
        try:
            view = view[os.write(target, view) :]
        except BlockingIOError:
            select.select([], [target], [])
