"""Several workers at once, and what happens when one of them does not survive a file."""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from threading import Timer
from types import TracebackType
from typing import Self

import orjson

from aicx.errors import AicxError
from aicx.repomap.symbols import FileRecord
from aicx.repomap.worker import READY
from aicx.values import dataclass

# What a request holds: many files, so that little time goes into talking; few, so that a crash costs few a second look.
_BATCH, _BATCH_BYTES = 24, 300_000
# Starting a worker takes a tenth of a second, in which another one reads this many files.
_WORTH_A_WORKER = 60
# Requests on their way for each worker: enough to keep it busy, few enough to bound memory.
_AHEAD = 3

# A worker finds its modules where this process found them, and never in the folder it happens to start in.
_START = "import sys; sys.path[:] = {path!r}; from aicx.repomap.worker import main; main({root!r})"


@dataclass(frozen=True, slots=True)
class ReadTask:
    """A file to be read: the language its name promises, and the digest of the text that is known of it."""

    path: str
    language: str | None
    digest: str | None
    size: int


# The record of a file, or why it could not be read.
Read = FileRecord | str
Outcome = tuple[ReadTask, Read]


class _Died(Exception):
    """A worker ended in the middle of a request; the message says how."""


class WorkerPool:
    """Workers that read files of one repository; those that die are replaced when they are next needed.

    The first one starts at once, while it is still being found out what there is to read. A worker may take ``seconds``
    for a request, and ``seconds_alone`` for a single file that was in a request it died of. ``start`` is its program.
    """

    def __init__(
        self, root: str, most: int, *, start: str = _START, seconds: float = 30.0, seconds_alone: float = 10.0
    ) -> None:
        self._root = root
        self._most = most
        self._start, self._seconds, self._seconds_alone = start, seconds, seconds_alone
        self._dismissed = False
        first = _Worker(root, start)
        self._alive = {first}
        self._free: SimpleQueue[_Worker | None] = SimpleQueue()
        self._free.put(first)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()

    def examine_all(self, tasks: Sequence[ReadTask]) -> Iterator[Outcome]:
        """Reads the file of each task. A file that kills its worker, or takes too long, fails alone."""
        count = max(1, min(self._most, len(tasks) // _WORTH_A_WORKER))
        for _ in range(count - 1):
            self._free.put(None)
        pending: deque[Future[list[Outcome]]] = deque()
        with ThreadPoolExecutor(count) as threads:
            try:
                for batch in _batches(tasks):
                    pending.append(threads.submit(self._examine, batch))
                    if len(pending) > count * _AHEAD:
                        yield from pending.popleft().result()
                while pending:
                    yield from pending.popleft().result()
            finally:
                self.shutdown()
                for future in pending:
                    future.cancel()

    def shutdown(self) -> None:
        """Ends all workers, those that are busy included."""
        self._dismissed = True
        for worker in list(self._alive):
            worker.end()

    def _examine(self, batch: list[ReadTask]) -> list[Outcome]:
        """Reads the files of a batch. When a worker dies of it, its files are tried one by one to find the culprit."""
        try:
            return list(zip(batch, self._ask(batch, self._seconds), strict=True))
        except _Died:
            return [(task, self._try_alone(task)) for task in batch]

    def _try_alone(self, task: ReadTask) -> Read:
        try:
            [found] = self._ask([task], self._seconds_alone)
        except _Died as death:
            return str(death)
        return found

    def _ask(self, batch: list[ReadTask], patience: float) -> list[Read]:
        worker = self._free.get()
        try:
            if self._dismissed:
                raise _Died("stopped")
            if worker is None:
                worker = _Worker(self._root, self._start)
                self._alive.add(worker)
            return worker.ask(batch, patience)
        except _Died:
            if worker is not None:
                self._alive.discard(worker)
                worker.end()
                worker = None
            raise
        finally:
            self._free.put(worker)


def _batches(tasks: Sequence[ReadTask]) -> Iterator[list[ReadTask]]:
    """The largest files first, so that no worker sits alone with one at the end."""
    batch: list[ReadTask] = []
    size = 0
    for task in sorted(tasks, key=lambda task: -task.size):
        batch.append(task)
        size += task.size
        if len(batch) == _BATCH or size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


class _Worker:
    """One process of `aicx.repomap.worker`."""

    def __init__(self, root: str, start: str) -> None:
        code = start.format(path=sys.path, root=root)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        self._ready = False

    def ask(self, batch: list[ReadTask], patience: float) -> list[Read]:
        timer = Timer(patience, self._process.kill)
        timer.start()
        try:
            self._wait_until_ready()
            self._in.write(orjson.dumps([(task.path, task.language, task.digest) for task in batch]) + b"\n")
            self._in.flush()
            line = self._out.readline()
        except (OSError, ValueError):  # also a pipe that was closed by `end`
            line = b""
        finally:
            late = not timer.is_alive()
            timer.cancel()
        if not line.endswith(b"\n"):
            raise _Died(f"took longer than {patience:.0f} s" if late else "the parser crashed on it")
        return [found if isinstance(found, str) else FileRecord(*found) for found in orjson.loads(line)]

    def _wait_until_ready(self) -> None:
        """Waits for a new worker. Raises AicxError if it does not start, which is not the fault of the first files."""
        if not self._ready and self._out.readline() != READY:
            reason = self._process.communicate()[1].decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise AicxError(f"a process that reads files did not start: {reason}", hint="aicx map status")
        self._ready = True

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(OSError):  # what was not written yet has no reader any more
                pipe.close() if pipe else None
