"""Runs a function over many tasks on several cores, in order and with bounded memory."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

# Results made ahead of the one being used: enough to keep the workers busy, few enough to bound memory.
_AHEAD_PER_WORKER = 3


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
    # Spawned rather than forked: a worker must inherit neither the store's lock nor the catalogue's connection.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_die_with_parent) as pool:
        pending: deque[Future[Result]] = deque()
        for task in tasks:
            pending.append(pool.submit(function, task))
            if len(pending) > workers * _AHEAD_PER_WORKER:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


@contextmanager
def background(function: Callable[[Task], object], task: Task) -> Iterator[Callable[[], None]]:
    """Runs ``function(task)`` in another process each time the yielded callable is called, one run at a time.

    A call while a run is on is dropped: for work that takes in all there is. On leaving, a run that is on is waited
    for. Nothing is started, and nothing costs, before the first call.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=_die_with_parent) as pool:
        runs: list[Future[object]] = []

        def start() -> None:
            if not runs or runs[-1].done():
                runs.append(pool.submit(function, task))

        yield start


def _die_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()
