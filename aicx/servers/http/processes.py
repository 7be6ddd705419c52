"""Several processes that answer on one socket, since Python runs one thread at a time: a core for each."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from select import select
from typing import NoReturn

from aicx.errors import AicxError
from aicx.system import ENDING, held_back, let_through

# Processes that end sooner than this after they began, one after the other, are not begun for ever.
_SOON, _MOST_AT_ONCE = 2.0, 5
_LOOK_SECONDS = 0.05  # whether one has died, while others begin


def serve_in_processes(count: int, serve: Callable[[Callable[[], None]], None], begun: Callable[[], None]) -> None:
    """Runs ``serve`` in ``count`` processes until SIGINT or SIGTERM, and waits until each has ended in order.

    ``serve`` answers until one of these signals, and calls what it is passed once it answers; ``begun`` is called once
    all of them do. They share what is loaded by now. One that dies is replaced by another; all end with this one.
    Raises AicxError where they die as soon as they have begun.
    """
    _Supervisor(serve, begun).run(count)


class _Supervisor:
    """The process that only waits for the others."""

    def __init__(self, serve: Callable[[Callable[[], None]], None], begun: Callable[[], None]) -> None:
        self._serve = serve
        self._begun = begun
        self._started: dict[int, float] = {}  # by process
        self._stopping = False
        self._failures = 0  # one after the other
        self._ready, self._tell_ready = os.pipe()
        os.set_blocking(self._tell_ready, False)
        # Nothing is ever written to it: it ends with this process, however that ends.
        self._end_of_parent, self._alive = os.pipe()

    def run(self, count: int) -> None:
        before = {number: signal.signal(number, self._stop) for number in ENDING}
        gc.freeze()  # so that no collection writes to, and thereby copies, the memory that they share
        try:
            for _ in range(count):
                self._start()
            self._wait_until_ready(count)
            while self._started:
                self._replace_ended(0)
        finally:
            for pid in self._started:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM)
            for number, handler in before.items():
                signal.signal(number, handler)
            gc.unfreeze()
            for pipe in (self._ready, self._tell_ready, self._end_of_parent, self._alive):
                os.close(pipe)

    def _start(self) -> None:
        with held_back():  # a signal in between would not reach the new process
            if self._stopping:
                return
            pid = os.fork()
            if pid == 0:
                self._be_worker()
            self._started[pid] = time.monotonic()

    def _wait_until_ready(self, count: int) -> None:
        while count and not self._stopping:
            if select([self._ready], [], [], _LOOK_SECONDS)[0]:
                count -= len(os.read(self._ready, count))
            else:
                self._replace_ended(os.WNOHANG)
        if not count:
            self._begun()

    def _replace_ended(self, options: int) -> None:
        """Waits until a process has ended, or with WNOHANG only looks; one that was not told to gets a successor."""
        pid, status = os.waitpid(-1, options)
        began = self._started.pop(pid, None)
        if began is None or self._stopping:
            return
        self._failures = self._failures + 1 if time.monotonic() - began < _SOON else 0
        if self._failures >= _MOST_AT_ONCE:
            self._stop()
            raise AicxError(
                f"the server's processes end as soon as they begin (exit code {os.waitstatus_to_exitcode(status)})",
                hint="start it without --workers, which says why",
            )
        self._start()

    def _stop(self, *_: object) -> None:
        self._stopping = True
        for pid in self._started:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)

    def _be_worker(self) -> NoReturn:
        code = 1
        try:
            os.setpgid(0, 0)  # Ctrl-C is for the one that waits, which tells this one
            for number in ENDING:
                signal.signal(number, signal.SIG_DFL)
            let_through()
            os.close(self._alive)
            threading.Thread(target=self._end_with_parent, daemon=True).start()
            self._serve(self._tell)
            code = 0
        except BaseException:  # noqa: BLE001 - nothing above may run in this process: it belongs to the parent
            traceback.print_exc()
        finally:
            os._exit(code)

    def _tell(self) -> None:
        with suppress(BlockingIOError):  # nobody reads it any more once all have begun
            os.write(self._tell_ready, b".")

    def _end_with_parent(self) -> None:
        os.read(self._end_of_parent, 1)
        os.kill(os.getpid(), signal.SIGTERM)
