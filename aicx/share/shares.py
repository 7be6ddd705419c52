"""A share as this home sees it: its databases, the one that pushes from here go to, and how long it is waited for."""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread

from aicx.config import Settings
from aicx.engine.embedder_choice import open_corpus_embedder, prepare_embedder
from aicx.engine.vector_state import made_with
from aicx.errors import AicxError, NotFound, UsageError, plainly
from aicx.share.membership import Membership
from aicx.share.seals import owned
from aicx.share.tables import (
    FAILURES,
    FEATURE,
    Database,
    ShareAway,
    VectorModel,
    create_database,
    open_database,
    probe,
    reading,
)
from aicx.storage import replace_file
from aicx.text import ago, instant
from indexer.vector_table import import_library

Notify = Callable[[str], None]
_FETCHED, _FRESH = ".fetched", timedelta(minutes=10)
_LAST_SECONDS = 0.5
_PUSH = "aicx share push --project GLOB"


def create_share(settings: Settings, membership: Membership, notify: Notify) -> Database:
    """Makes the tables of a share where they are missing, once the address was seen to keep writers apart."""
    uri = own_uri(membership)
    if (found := open_database(uri)) is not None:
        return found
    if not membership.carried:  # there, no two machines write one table
        probe(uri)
    return create_database(uri, _model(settings, notify))


def own_database(membership: Membership) -> Database:
    """The database that this machine writes to. Raises NotFound where somebody emptied it."""
    uri = own_uri(membership)
    if (found := open_database(uri)) is None:
        raise NotFound(
            f"there is no share at {uri}: somebody emptied it",
            hint=f"aicx share init {membership.address}, then {_PUSH}; what is stored here is untouched",
        )
    return found


def databases(membership: Membership, notes: list[str]) -> list[Database]:
    """Every database of the share that can be read; adds a line for each that cannot, as one that is half carried."""
    if not membership.carried:
        return [own_database(membership)]
    found: list[Database] = []
    notes += _said_of_fetch(membership)
    for folder in sorted(membership.root.glob("*@*")):
        try:
            opened = open_database(str(folder))
        except ShareAway as error:
            notes.append(f"{folder.name} is not whole yet: {error.message}")
            continue
        if opened is None:
            notes.append(f"{folder.name} is not whole yet")
        else:
            found.append(opened)
    return found


def record_fetch(membership: Membership, at: datetime) -> None:
    """Notes when the files of a share at ssh:// were fetched."""
    replace_file(membership.root / _FETCHED, instant(at).encode())


def _said_of_fetch(membership: Membership) -> list[str]:
    """A line that says how old the copy is of which a question is asked, where it is not of just now."""
    if not membership.is_ssh:
        return []
    try:
        at = datetime.fromisoformat((membership.root / _FETCHED).read_text())
    except (OSError, ValueError):
        return ["what others sent was never fetched: aicx share status does it"]
    now = datetime.now(UTC)
    if now - at < _FRESH:
        return []
    return [f"what others sent was fetched {ago(at, now)}; aicx share status fetches it again"]


def own_uri(membership: Membership) -> str:
    """Where this machine writes: the share itself, or its own folder in one that is carried."""
    if not membership.carried:
        return membership.address
    return str(membership.root / membership.folder_name)


def _model(settings: Settings, notify: Notify) -> VectorModel:
    """The model of a new share: that of the index here, else the one that an index here would be made with."""
    try:
        own = open_corpus_embedder(settings)
        embedder = own.embedder if own else prepare_embedder(settings, made_with(settings), notify)
    except NotFound as error:
        raise UsageError("nothing is stored here yet", hint="aicx store") from error
    except AicxError as error:
        raise AicxError(f"the share's model cannot be opened: {error.message}", hint=error.hint) from error
    return VectorModel(embedder.fingerprint, embedder.name, embedder.dimensions)


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
            except CancelledError:
                pass  # nobody waits for it any longer, and the process ends
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
            atexit.unregister(_abandon)
            atexit.register(_abandon)  # before LanceDB's own, which waits five seconds for what is under way
            return f"the share gave no answer within {self._seconds:g} s"
        return None


def _abandon() -> None:
    """Ends what LanceDB is still waiting for."""
    import asyncio

    from lancedb.background_loop import LOOP

    async def cancel() -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    with suppress(TimeoutError):
        asyncio.run_coroutine_threadsafe(cancel(), LOOP.loop).result(_LAST_SECONDS)


def only_own(why_not: str) -> str:
    """The line of an answer in which the share has no part."""
    return f"only your own corpus answered: {why_not}"


def lacks(options: Sequence[str]) -> str:
    """The line of an answer to a question with filters that a share lacks."""
    return f"the share knows no {', '.join(options)}, so that only your own corpus answered"


def of_others(membership: Membership) -> str:
    """The condition for rows of other homes: one's own answer from one's own corpus, which is never behind."""
    return f"NOT ({owned(membership.member, membership.machine)})"


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
