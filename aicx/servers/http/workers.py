"""Threads that answer questions, each with a searcher of its own that stays open from one question to the next."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from aicx.config import Settings
from aicx.engine.search import Searcher

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
