"""Asks a share beside one's own corpus: in threads that are waited for no longer than wanted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from aicx.errors import AicxError, plainly
from aicx.share.membership import Membership
from aicx.share.seals import owned
from aicx.share.shares import databases
from aicx.share.tables import FAILURES, FEATURE, Database, ShareAway, reading
from indexer.vector_table import import_library


class Awaited:
    """Work on a share in threads, all of which together are waited for a given number of seconds.

    They are daemons: a share that hangs must not keep the command from ending.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = float("inf")
        self._ready = Event()
        self._begun: list[Thread] = []
        self._failed: AicxError | None = None

    def begin(self, work: Callable[[], None]) -> None:
        """Begins with it and returns at once."""

        def run() -> None:
            try:
                import_library(FEATURE)
                # What this machine needs to begin is not the share's.
                self._until = min(self._until, time.monotonic() + self._seconds)
                self._ready.set()
                work()
            except AicxError as error:
                self._failed = error
            except FAILURES as error:
                self._failed = AicxError(plainly(error))
            finally:
                self._ready.set()

        self._begun.append(Thread(target=run, daemon=True))
        self._begun[-1].start()

    def why_not(self) -> str | None:
        """Waits for what was begun, and returns why it gave nothing; None where it is done."""
        self._ready.wait()
        for thread in self._begun:
            thread.join(max(0.0, self._until - time.monotonic()))
        if self._failed is not None:
            return self._failed.message
        if any(thread.is_alive() for thread in self._begun):
            return f"the share gave no answer within {self._seconds:g} s"
        return None


def only_own(why_not: str) -> str:
    """The line of an answer in which the share has no part."""
    return f"only your own corpus answered: {why_not}"


def lacks(options: Sequence[str]) -> str:
    """The line of an answer to a question with filters that a share lacks."""
    return f"the share knows no {', '.join(options)}, so that only your own corpus answered"


def of_others(membership: Membership) -> str:
    """The condition for rows of other homes: one's own answer from one's own corpus, which is never behind."""
    return f"NOT ({owned(membership.member, membership.machine)})"


def each_database(membership: Membership, notes: list[str]) -> list[Database]:
    """The databases of a share; a line is added for each that cannot be opened yet."""
    opened, missing = databases(membership)
    notes += missing
    return opened


@contextmanager
def whole(membership: Membership, database: Database, notes: list[str]) -> Iterator[None]:
    """Leaves a machine's database out of which files are still on their way, and adds a line that says so."""
    try:
        with reading(database.uri):
            yield
    except ShareAway as error:
        if not membership.carried:
            raise
        notes.append(f"{Path(database.uri).name} is not whole yet: {error.message}")
