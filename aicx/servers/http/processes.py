"""Threads and processes that answer questions, each with a searcher of its own: a process for each core."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue
from select import select
from threading import Lock, Thread
from typing import Any, NoReturn, TypeVar

from aicx.config import Settings
from aicx.engine.search import Searcher
from aicx.errors import AicxError
from aicx.system import ENDING, held_back, let_through

T = TypeVar("T")
_Task = tuple["Future[Any]", Callable[[Searcher], Any]]


class Busy(Exception):
    """More questions are waiting than would be answered in time."""


class Workers:
    """At most ``most`` threads. One is started when a question comes and none is idle, so one client has one.

    They are daemons: a long question does not keep the process from ending.
    """

    def __init__(self, settings: Settings, most: int, waiting: int = 64) -> None:
        self._settings = settings
        self._most = most
        self._waiting = waiting
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._lock = Lock()
        self._threads: list[Thread] = []
        self._pending = 0  # questions that are waiting or being answered

    async def run(self, task: Callable[[Searcher], T]) -> T:
        """Runs ``task`` with the thread's searcher and returns its result.

        Raises Busy instead of waiting without end.
        """
        future: Future[T] = Future()
        with self._lock:
            if self._pending >= self._most + self._waiting:
                raise Busy
            self._pending += 1
            if self._pending > len(self._threads) and len(self._threads) < self._most:
                self._threads.append(Thread(target=self._work, name="aicx-answers", daemon=True))
                self._threads[-1].start()
        self._tasks.put((future, task))
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Lets every thread end after what it is answering, and close its searcher."""
        for _ in self._threads:
            self._tasks.put(None)

    def _work(self) -> None:
        with Searcher(self._settings) as searcher:
            while (taken := self._tasks.get()) is not None:
                future, task = taken
                asked = future.set_running_or_notify_cancel()
                answer, error = _attempt(task, searcher) if asked else (None, None)
                # Before it is answered: who gets the answer may ask again at once, and finds this thread idle.
                with self._lock:
                    self._pending -= 1
                if error is not None:
                    future.set_exception(error)
                elif asked:
                    future.set_result(answer)


def _attempt(task: Callable[[Searcher], Any], searcher: Searcher) -> tuple[Any, BaseException | None]:
    try:
        return task(searcher), None
    except BaseException as error:  # noqa: BLE001 - it belongs to whoever asked
        return None, error


# Processes that end sooner than this after they began, one after the other, are not begun for ever.
_SOON, _MAX_AT_ONCE = 2.0, 5
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
        if self._failures >= _MAX_AT_ONCE:
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
