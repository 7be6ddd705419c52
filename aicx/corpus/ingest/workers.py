"""Runs a function over many tasks on several cores, in order and with bounded memory."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Task = TypeVar("Task")
Result = TypeVar("Result")


def map_in_order(function: Callable[[Task], Result], tasks: Sequence[Task], workers: int) -> Iterator[Result]:
    """``function`` of each task, in the order of the tasks. ``workers`` below 2 does it all in this process.

    ``function`` and the tasks must be picklable, and calling it twice for a task must do no harm: when a worker is
    killed from outside (out of memory, say), what it had begun is done again here.
    """
    done = 0
    if workers >= 2:
        from aicx.corpus.ingest.pool import BrokenProcessPool, map_in_workers

        try:
            for result in map_in_workers(function, tasks, workers):
                yield result
                done += 1
        except BrokenProcessPool:
            pass
    for task in tasks[done:]:
        yield function(task)


@contextmanager
def background(function: Callable[[Task], object], task: Task) -> Iterator[Callable[[], None]]:
    """Runs ``function(task)`` in another process each time the yielded callable is called, one run at a time.

    A call while a run is on is dropped: for work that takes in all there is. On leaving, a run that is on is waited
    for. Nothing is started, and nothing costs, before the first call.
    """
    with ExitStack() as stack:
        pool: ProcessPoolExecutor | None = None
        runs: list[Future[object]] = []

        def start() -> None:
            nonlocal pool
            from aicx.corpus.ingest.pool import open_pool, undisturbed

            # A pool that is never used would still start the process that multiprocessing keeps beside workers.
            pool = pool or stack.enter_context(open_pool(1))
            if not runs or runs[-1].done():
                with undisturbed():
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
