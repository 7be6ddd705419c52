"""The processes that work beside this one; imported when the first is needed, since what they need takes a while."""

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
from concurrent.futures.process import BrokenProcessPool as BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from typing import TypeVar

from aicx.installation import spawning
from aicx.system import held_back, let_through

Task = TypeVar("Task")
Result = TypeVar("Result")

# Results made ahead of the one being used: enough to keep the workers busy, few enough to bound memory.
_AHEAD_PER_WORKER = 3


def map_in_workers(function: Callable[[Task], Result], tasks: Sequence[Task], workers: int) -> Iterator[Result]:
    with open_pool(workers) as pool:
        pending: deque[Future[Result]] = deque()
        for task in tasks:
            with undisturbed():
                pending.append(pool.submit(function, task))
            if len(pending) > workers * _AHEAD_PER_WORKER:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


@contextmanager
def open_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that are gone when the block is left; after an error they are not waited for, but ended."""
    atexit.unregister(_end_tracker)
    atexit.register(_end_tracker)
    # Spawned rather than forked: a worker must inherit neither the store's lock nor the catalogue's connection.
    context = spawning()
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
def undisturbed() -> Iterator[None]:
    """Holds signals back: one in the midst of starting a process would leave one that the pool does not know."""
    with held_back():
        yield


def _begin_worker() -> None:
    # A terminal sends Ctrl-C to workers as well; the one that started them ends them.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    let_through()  # it was started with these held back
    # A worker whose parent was killed would wait for work for ever.
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()


def _end_tracker() -> None:
    """Ends the process that multiprocessing starts beside workers, which would outlive this one by a moment."""
    stop = getattr(resource_tracker._resource_tracker, "_stop", None)
    if stop is not None:
        stop()
