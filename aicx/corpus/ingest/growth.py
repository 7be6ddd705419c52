"""Where reading a log stopped, so that a log that only grew is read on from there and not from its beginning.

Kept in the catalogue, beside the watermarks of logs, and only of logs for which it pays. It holds no text that was
said: what is still open is read again from the log, and what is closed is in its chunks. Whatever is not as it was then
has the log read whole, which gives the same chunks.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import field, replace
from dataclasses import fields as dataclass_fields
from hashlib import sha256
from itertools import chain, islice
from pathlib import Path
from typing import Any

import orjson

from aicx import __version__
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.watermarks import READ_BY
from aicx.corpus.files import Sidecar
from aicx.corpus.files.read import load_sidecar
from aicx.corpus.ingest.drafts import MAX_TOKENS, Drafted, MessageDraft, identity_number
from aicx.corpus.ingest.session_chunks import OpenChunk, Restart
from aicx.corpus.places.identity import RepositoryIdentity
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import NON_REPOSITORY, Layout
from aicx.sources.door import CleanSource
from aicx.sources.items import LogFile, ReadPoint, RecordsEnd, Redact, SourceItem, TimelineEntry
from aicx.types import Lane
from aicx.values import dataclass

# Below this, reading a log whole costs less than to keep where reading stopped.
WORTH_KEEPING = 2 * 1024 * 1024
# How far a log is read on before a later place is kept: keeping one costs more than to read so much again.
WORTH_MOVING = 512 * 1024
_BLOCK = 8 * 1024 * 1024
_READ = 256 * 1024
_TABLE = """CREATE TABLE IF NOT EXISTS places_read (path TEXT PRIMARY KEY, place TEXT, session TEXT, numbers BLOB)
 WITHOUT ROWID"""


@dataclass(frozen=True, slots=True)
class PlaceRead:
    """A place between two records of a log, and what the readers of its records and entries know there.

    ``sums`` are the SHA-256 of everything before it, block by block, ``numbers`` the identities of its entries.
    """

    start: int
    line: int
    entries: int
    state: dict[str, Any]  # of the source's reader
    cwd: str | None  # of the first entry
    unanswered: list[str]  # calls whose result would have shown something of a folder
    own_calls: list[str]
    problems: int
    marks: int
    sums: list[str]
    made_by: str
    numbers: array[int] = field(default_factory=lambda: array("q"))


@dataclass(frozen=True, slots=True)
class SessionRead:
    """A session as stored up to its open chunk, and what that depends on beyond its log."""

    restart: Restart
    lane: Lane
    parent: str | None
    began: str
    stamp: str = ""  # of the chunks before
    tombstones: str = ""

    def stamped(self, stamp: str, tombstones: str) -> SessionRead:
        return replace(self, stamp=stamp, tombstones=tombstones)


def made_by(*, redacts: bool) -> str:
    """Whose places can be taken up: of this version, where it redacts alike."""
    return f"{__version__} {READ_BY} {redacts}"


def sums_of(path: Path, size: int, known: Sequence[str] = (), known_size: int = 0) -> list[str]:
    """The SHA-256 of each block of a file up to ``size``; the whole blocks of ``known`` are taken as they are."""
    whole = list(known[: min(known_size, size) // _BLOCK])
    starts = range(len(whole) * _BLOCK, size, _BLOCK)

    def summed(start: int) -> str:
        digest, left, buffer = sha256(), min(_BLOCK, size - start), bytearray(_READ)
        view = memoryview(buffer)
        with path.open("rb", buffering=0) as stream:
            stream.seek(start)
            while left and (count := stream.readinto(view[: min(left, _READ)])):
                digest.update(view[:count])
                left -= count
        return digest.hexdigest()

    if len(starts) < 2:
        return [*whole, *map(summed, starts)]
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as threads:  # hashing lets other threads run
        return [*whole, *threads.map(summed, starts)]


def only_grew(path: Path, place: PlaceRead) -> bool:
    """Whether everything before the place is as it was read."""
    with suppress(OSError):
        return sums_of(path, place.start) == place.sums
    return False


def keep_place(catalog: Catalog, path: str, place: PlaceRead, session: SessionRead) -> None:
    """Records the place of a log, in the caller's transaction: it holds as far as what was stored with it does."""
    fields = {one.name: getattr(place, one.name) for one in dataclass_fields(place) if one.name != "numbers"}
    catalog.connection.execute(_TABLE)
    catalog.connection.execute(
        "INSERT OR REPLACE INTO places_read VALUES (?,?,?,?)",
        (path, orjson.dumps(fields).decode(), orjson.dumps(session).decode(), place.numbers.tobytes()),
    )


def drop_place(catalog: Catalog, path: str) -> None:
    """Forgets the place of a log that was read whole."""
    catalog.connection.execute("DELETE FROM places_read WHERE path=?", (path,))


def kept_places(catalog: Catalog) -> set[str]:
    """The logs that have a place from which to read on."""
    if not catalog.rows("SELECT 1 FROM sqlite_master WHERE name='places_read'"):
        return set()
    return {row["path"] for row in catalog.rows("SELECT path FROM places_read")}


def place_of(catalog: Catalog, path: str, made: str) -> tuple[PlaceRead, SessionRead] | None:
    """The place at which reading a log stopped, with what was stored by then; None where it has to be read whole."""
    row = catalog.connection.execute(
        "SELECT place, session, numbers FROM places_read JOIN sources USING (path) WHERE path=?", (path,)
    ).fetchone()
    if row is None:
        return None
    place, session = orjson.loads(row[0]), orjson.loads(row[1])
    if place["made_by"] != made:
        return None
    numbers = array("q")
    numbers.frombytes(row[2])
    restart = Restart(**session.pop("restart"))
    return PlaceRead(**place, numbers=numbers), SessionRead(restart=restart, **session)


def stamp_before(catalog: Catalog, agent: str, session_id: str, number: int) -> str | None:
    """Returns what is another whenever a chunk before ``number`` is; None where not all of them are stored."""
    count, last = catalog.connection.execute(
        "SELECT count(*), max(sequence) FROM chunks WHERE agent=? AND session_id=? AND stream='' AND number<?",
        (agent, session_id, number),
    ).fetchone()
    return f"{catalog.identity} {last}" if count == number - 1 else None


def digest_of(path: Path) -> str:
    """The SHA-256 of a file; empty where there is none."""
    with suppress(FileNotFoundError):
        return sha256(path.read_bytes()).hexdigest()
    return ""


def open_chunk(
    layout: Layout,
    catalog: Catalog,
    agent: str,
    session_id: str,
    read: SessionRead,
    resolve: Callable[[str], RepositoryIdentity | None],
) -> OpenChunk | None:
    """The chunk that was open when reading stopped; None where what was stored before it may be another today."""
    number = read.restart.number
    if read.stamp != stamp_before(catalog, agent, session_id, number):
        return None
    if read.tombstones != digest_of(layout.tombstones):
        return None
    for cwd, *filed in _filed(catalog, agent, session_id):
        found = resolve(cwd)
        if [found.project, found.source] != filed if found else filed != [None, None]:
            return None
    last = _sidecars(layout, catalog, agent, session_id, number)
    if last is None:
        return None
    closed, opened = last
    project, source = opened.project, opened.get("repo_source")
    return OpenChunk(
        read.restart,
        closed.get("topic"),
        closed.get("topic_from"),
        closed.get("commit"),
        opened.get("prompt"),
        opened.date,
        RepositoryIdentity(project, source) if project != NON_REPOSITORY and source else None,
    )


def _filed(catalog: Catalog, agent: str, session_id: str) -> Iterator[tuple[Any, ...]]:
    yield from catalog.connection.execute(
        "SELECT DISTINCT folders.cwd, folders.project, folders.repo_source FROM chunks JOIN folders"
        " ON folders.chunk=chunks.rowid WHERE agent=? AND session_id=? AND stream=''",
        (agent, session_id),
    )


def _sidecars(
    layout: Layout, catalog: Catalog, agent: str, session_id: str, number: int
) -> tuple[Sidecar, Sidecar] | None:
    rows = catalog.rows(
        "SELECT path FROM chunks WHERE agent=? AND session_id=? AND stream='' AND number IN (?,?) ORDER BY number",
        (agent, session_id, number - 1, number),
    )
    with suppress(CorpusDamaged, NotFound):
        found = [load_sidecar(layout, row["path"]) for row in rows]
        return (found[0], found[1]) if len(found) == 2 else None
    return None


# What lies between the place and the end, at least: the open chunk and what it repeats, with messages that are copies.
_BEHIND = 3 * MAX_TOKENS


@dataclass(frozen=True, slots=True)
class _Met:
    """A point with what had been read by then."""

    point: ReadPoint
    entries: int
    identities: int
    problems: int
    unanswered: frozenset[str]


class Following:
    """The reading of one log from its beginning, or from where it stopped."""

    def __init__(self, log: LogFile, since: PlaceRead | None, clean: Redact, made: str) -> None:
        self._log, self.since, self._clean, self._made = log, since, clean, made
        self._sums = self._sums_now()
        self._met: list[_Met] = []
        self._unanswered = frozenset(since.unanswered if since else ())
        self.entries = since.entries if since else 0
        self.cwd = since.cwd if since else None
        self.drafted = Drafted(since.entries, {}, set(since.own_calls), since.numbers) if since else Drafted()

    @classmethod
    def of(
        cls, source: CleanSource, logs: Sequence[LogFile], since: PlaceRead | None, clean: Redact, made: str
    ) -> Following | None:
        """None where a log changes its form as it grows, is read whole as quickly, or cannot be read."""
        if len(logs) != 1 or logs[0].size < WORTH_KEEPING or not source.can_read_on(logs[0]):
            return None
        with suppress(OSError):
            return cls(logs[0], since, clean, made)
        return None

    def items(self, source: CleanSource) -> Iterator[SourceItem | ReadPoint | RecordsEnd]:
        since = self.since
        start, line, state = (since.start, since.line, since.state) if since else (0, 0, {})
        for item in source.read_on(self._log, start, line, state):
            if isinstance(item, TimelineEntry) and item.tool and item.tool.call_id in self._unanswered:
                self.drafted.repeats = True  # what the call before the place was is not known
            yield item

    def meet(self, point: ReadPoint, entries: int, problems: int, unanswered: Iterable[str]) -> None:
        """Takes a point at which so much had been read."""
        self._met.append(_Met(point, entries, len(self.drafted.texts), problems, frozenset(unanswered)))

    def place(self, drafts: Sequence[MessageDraft], settled: int, unanswered: Iterable[str]) -> PlaceRead | None:
        """The last place from which what is open can be made again; None where there is none, or no better one."""
        never = frozenset(unanswered)
        limit = _index_of(drafts, settled)
        met = next((one for one in reversed(self._met) if one.entries <= limit and one.unanswered <= never), None)
        since = self.since
        if met is None or (since and met.point.start < since.start + WORTH_MOVING) or not self._is_as_read():
            return None
        state = met.point.state()
        named = (self.cwd, *_strings(state), *self.drafted.own_calls, *met.unanswered)
        said = "\n".join(one for one in named if one)
        if self._clean(said).text != said:  # nothing is kept that would have to be redacted
            return None
        fresh = map(identity_number, islice(self.drafted.texts, met.identities))
        return PlaceRead(
            met.point.start,
            met.point.line,
            met.entries,
            state,
            self.cwd,
            sorted(met.unanswered | self._unanswered),
            sorted(self.drafted.own_calls),
            met.problems + (since.problems if since else 0),
            met.point.marks + (since.marks if since else 0),
            sums_of(self._log.path, met.point.start, self._sums, self._log.size),
            self._made,
            array("q", sorted(chain(self.drafted.before, fresh))),
        )

    def _sums_now(self) -> list[str]:
        since = self.since
        return sums_of(self._log.path, self._log.size, since.sums if since else (), since.start if since else 0)

    def _is_as_read(self) -> bool:
        """Whether the log ends with a line, and was not changed while it was read."""
        try:
            with self._log.path.open("rb") as stream:
                stream.seek(self._log.size - 1)
                ended = stream.read(1) == b"\n"
            return ended and self._sums_now() == self._sums
        except OSError:
            return False


def _index_of(drafts: Sequence[MessageDraft], settled: int) -> int:
    """The index of the draft from which on enough is settled; -1 where there is not enough."""
    tokens = 0
    for draft in reversed(drafts):
        tokens += draft.tokens if draft.index < settled else 0
        if tokens >= _BEHIND:
            return draft.index
    return -1


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from (key, *_strings(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
