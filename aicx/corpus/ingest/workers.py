"""Runs a function over many tasks on several cores, in order and with bounded memory."""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

# Results made ahead of the one being used: enough to keep the workers busy, few enough to bound memory.
_AHEAD_PER_WORKER = 3
_ENDING = (signal.SIGINT, signal.SIGTERM)


def map_in_order(function: Callable[[Task], Result], tasks: Sequence[Task], workers: int) -> Iterator[Result]:
    """``function`` of each task, in the order of the tasks. ``workers`` below 2 does it all in this process.

    ``function`` and the tasks must be picklable, and calling it twice for a task must do no harm: when a worker is
    killed from outside (out of memory, say), what it had begun is done again here.
    """
    done = 0
    if workers >= 2:
        try:
            for result in _map_in_workers(function, tasks, workers):
                yield result
                done += 1
        except BrokenProcessPool:
            pass
    for task in tasks[done:]:
        yield function(task)


def _map_in_workers(function: Callable[[Task], Result], tasks: Sequence[Task], workers: int) -> Iterator[Result]:
    with _pool(workers) as pool:
        pending: deque[Future[Result]] = deque()
        for task in tasks:
            with _undisturbed():
                pending.append(pool.submit(function, task))
            if len(pending) > workers * _AHEAD_PER_WORKER:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that are gone when the block is left; after an error they are not waited for, but ended."""
    atexit.unregister(_end_tracker)
    atexit.register(_end_tracker)
    # Spawned rather than forked: a worker must inherit neither the store's lock nor the catalogue's connection.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_worker)
    try:
        yield pool
    except BaseException:
        atexit.register(gc.collect)  # the error may hold what the tracker knows of; runs before `_end_tracker`
        processes = list((pool._processes or {}).values())  # no public way before Python 3.14
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()
        raise
    finally:
        pool.shutdown()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Holds signals back: one in the midst of starting a process would leave one that the pool does not know."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def background(function: Callable[[Task], object], task: Task) -> Iterator[Callable[[], None]]:
    """Runs ``function(task)`` in another process each time the yielded callable is called, one run at a time.

    A call while a run is on is dropped: for work that takes in all there is. On leaving, a run that is on is waited
    for. Nothing is started, and nothing costs, before the first call.
    """
    with _pool(1) as pool:
        runs: list[Future[object]] = []

        def start() -> None:
            if not runs or runs[-1].done():
                with _undisturbed():
                    runs.append(pool.submit(function, task))

        yield start


@contextmanager
def ended_like_an_interrupt() -> Iterator[None]:
    """Inside, SIGTERM does what Ctrl-C does, so that this process ends its workers before it ends itself."""
    if threading.current_thread() is not threading.main_thread():
        yield  # where Python lets no handler be set
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _begin_worker() -> None:
    # A terminal sends Ctrl-C to workers as well; the one that started them ends them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)  # it was started with these held back
    # A worker whose parent was killed would wait for work for ever.
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()


def _end_tracker() -> None:
    """Ends the process that multiprocessing starts beside workers, which would outlive this one by a moment."""
    stop = getattr(resource_tracker._resource_tracker, "_stop", None)
    if stop is not None:
        stop()
