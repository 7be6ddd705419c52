"""The sessions that may have made a commit: those at work before it, those with its hash, and other members'."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.sightings import ABBREVIATED, CommitSighting, sightings
from aicx.corpus.files.read import load_markdown
from aicx.corpus.places import LocalRepository
from aicx.engine.history import around
from aicx.engine.search import Hit, Mode, Searcher, SearchQuery
from aicx.errors import CorpusDamaged, NotFound, UsageError
from aicx.filters import Filters
from aicx.paths import NON_REPOSITORY, Layout
from aicx.text import instant
from aicx.values import dataclass
from aicx.why.target import WhyTarget

if TYPE_CHECKING:
    from aicx.share.sessions import SharedSessions
    from aicx.why.commits import CommitQuery


Key = tuple[str, str]

# How long before a commit the work on it may have ended. A squash by a forge is dated when it was merged.
BEFORE = timedelta(days=14)
# Clocks differ, and a log's last lines come after the commit.
AFTER = timedelta(minutes=10)
# Chunks looked at for one commit: two weeks of dozens of sessions a day.
_MAX_ROWS = 20_000
# Chunks of a session that are read, the last before the commit. To weigh it, of these the last, and those that name a
# file of the commit: the rest says nothing of whether it made it.
MAX_CHUNKS, MAX_WEIGHED = 40, 20
# A subject of fewer words ("fix tests") is that of many commits.
_MIN_WORDS = 3
# Answers of a search; each is quoted, which costs a read. A hash is in few sessions.
_SEARCHED, _PRINTED = 10, 6
# Git abbreviates a hash to 7 to 12 digits in a repository of up to some millions of objects.
_ABBREVIATIONS = range(7, 13)
_COLUMNS = "rowid, agent, session_id, project, cwd, branch, path, started_at, completed_at"


class ChunkTime(NamedTuple):
    path: str
    started_at: datetime
    completed_at: datetime
    files: set[str]


@dataclass(slots=True)
class SessionCandidate:
    """A session with what the catalogue and the search know of it. ``text`` is its share of the search, 0 to 1."""

    key: Key
    project: str
    cwd: str | None = None
    branches: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)
    chunks: list[ChunkTime] = field(default_factory=list)
    text: float = 0.0
    text_chunk: str = ""
    text_terms: tuple[int, int] = (0, 0)  # of the subject, in that chunk, and all
    printed: bool = False  # a hash or the number asked for is in it
    printed_in: list[str] = field(default_factory=list)  # chunks that show the commit with its subject
    remade: CommitSighting | None = None  # the commit under another hash, which no session showed earlier


def at_work(catalog: Catalog, times: Sequence[datetime]) -> dict[Key, SessionCandidate]:
    """The sessions with a chunk shortly before one of these times."""
    found: dict[Key, SessionCandidate] = {}
    for first, last in around(times, BEFORE, AFTER):
        where, values = "started_at>=? AND started_at<=?", [instant(first), instant(last)]
        _collect(catalog, where, values, found)
    return found


def of_file(catalog: Catalog, path: str) -> dict[Key, SessionCandidate]:
    """The sessions that named a file, where no time is known."""
    found: dict[Key, SessionCandidate] = {}
    # substr instead of LIKE: a path may hold the signs that LIKE takes for wildcards.
    named = "SELECT chunk FROM files WHERE path=? OR substr(path, -?)=?"
    _collect(catalog, f"+rowid IN ({named})", [path, len(path) + 1, f"/{path}"], found)
    return found


def of_branch(catalog: Catalog, part: str) -> dict[Key, SessionCandidate]:
    """The sessions on a branch whose name has that part, in whatever case."""
    found: dict[Key, SessionCandidate] = {}
    _collect(catalog, "instr(lower(branch), ?) > 0", [part.lower()], found)
    return {key: one for key, one in found.items() if any(is_part(part, name) for name in one.branches)}


def is_part(part: str, name: str) -> bool:
    """Whether a name has that part as a word of its own: `ENT-10` is not in `ENT-109`."""
    return re.search(rf"(?<![a-z0-9]){re.escape(part)}(?![0-9])", name, re.IGNORECASE) is not None


def of_hits(
    layout: Layout,
    catalog: Catalog,
    hits: Iterable[Hit],
    printed: re.Pattern[bytes],
    known: dict[Key, SessionCandidate],
    *,
    whole: bool = False,
) -> None:
    """Puts the sessions of those answers that contain ``printed`` among the known ones, with the chunks up to it.

    With ``whole``, all of them: a session that is given a ticket works on it afterwards. The search takes a hash
    apart into letters and digits, and finds parts of it elsewhere.
    """
    for hit in hits:
        if hit.altered or not printed.search(load_markdown(layout, hit.path)):
            continue
        key = (hit.sidecar.agent, hit.sidecar.session_id)
        candidate = known.get(key)
        if candidate is None:
            where, values = "agent=? AND session_id=?", list[object](key)
            if not whole:
                number = hit.sidecar.number + 1
                where, values = f"{where} AND number<=? AND number>?", [*values, number, number - MAX_CHUNKS]
            _collect(catalog, where, values, known)
            candidate = known.get(key)
        if candidate is not None:
            candidate.printed = True


def of_first_shape(catalog: Catalog, wanted: CommitQuery, known: Mapping[Key, SessionCandidate]) -> None:
    """Notes which session first showed a commit with one of these subjects that has another hash since.

    A rebase, a fixup or a squash gives it a later date, and who was at work then is another question.
    """
    if not wanted.times or len({wanted.change.authored_at, *(copy.authored_at for copy in wanted.copies)}) > 1:
        return  # a subject that comes again and again tells no commit from another
    seen = [
        one
        for subject in wanted.subjects
        if len(subject.split()) >= _MIN_WORDS
        for one in sightings(catalog, subject)
        if one.first_seen <= wanted.change.committed_at and not any(name.startswith(one.hash) for name in wanted.hashes)
    ]
    if seen:
        first = min(seen, key=lambda one: (one.made_in is None, one.first_seen))
        agent, _, rest = first.chunk.partition(":")
        if candidate := known.get((agent, rest.rpartition(":")[0])):
            candidate.remade = first


def of_sighting(
    catalog: Catalog, sighting: CommitSighting, known: dict[Key, SessionCandidate]
) -> SessionCandidate | None:
    """The session that a sighting is of, which is put among the known ones; None where its chunk is hidden."""
    where = "(agent, session_id) IN (SELECT agent, session_id FROM chunks WHERE id=?) AND number<=? AND number>?"
    number = int(sighting.chunk.rpartition(":")[2]) + 1
    found: dict[Key, SessionCandidate] = {}
    _collect(catalog, where, [sighting.chunk, number, number - MAX_CHUNKS], found)
    for key, candidate in found.items():
        known.setdefault(key, candidate)
        known[key].printed = True
        known[key].printed_in.append(sighting.chunk)
        return known[key]
    return None


def hash_words(name: str) -> list[str]:
    """A hash in every abbreviation that a log may have of it."""
    return list(dict.fromkeys([*(name[:length] for length in _ABBREVIATIONS), name]))


class Searches:
    """The searches of one run. ``notes`` say when every chunk had to be read for want of an index."""

    def __init__(self, searcher: Searcher, now: datetime) -> None:
        self._searcher = searcher
        self._now = now
        self._mode: Mode = "lexical"  # meaning adds nothing to a hash, and loading a model takes long
        self.notes: list[str] = []

    def for_text(self, text: str, times: Sequence[datetime] = (), project: str | None = None) -> list[Hit]:
        """Returns what is found for a subject, in the time around a commit and in a project where these are known."""
        windows = around(times, BEFORE, AFTER)
        filters = Filters(since=windows[0][0], until=windows[-1][1]) if windows else Filters()
        return self._search(text, replace(filters, project=(project,)) if project else filters, _SEARCHED)

    def for_hashes(self, hashes: Iterable[str]) -> list[Hit]:
        """The sessions that may contain one of these hashes, in any abbreviation."""
        found: list[Hit] = []
        for name in hashes:
            found += self._search(" ".join(hash_words(name)), Filters(), _PRINTED)
        return found

    def _search(self, text: str, filters: Filters, limit: int) -> list[Hit]:
        query = SearchQuery(
            text=text, now=self._now, filters=filters, mode=self._mode, group="session", limit=limit, lift_dates=False
        )
        try:
            return self._searcher.search(query.by_text_alone()).hits
        except UsageError:  # nothing to look for in a subject of symbols
            return []
        except (NotFound, CorpusDamaged) as error:  # there is no index, or one of another release, or a damaged one
            if self._mode == "scan":
                if isinstance(error, CorpusDamaged):
                    raise
                return []
            self._mode = "scan"
            self.notes.append(f"{error.message}: every chunk was read (next: {error.hint})")
            return self._search(text, filters, limit)


def _collect(catalog: Catalog, where: str, values: Sequence[object], found: dict[Key, SessionCandidate]) -> None:
    limited = f"FROM chunks WHERE ignored=0 AND stream='' AND {where} ORDER BY started_at DESC LIMIT {_MAX_ROWS}"
    rows = catalog.rows(f"SELECT {_COLUMNS} {limited}", values)
    owners: dict[int, tuple[SessionCandidate, ChunkTime]] = {}
    for row in rows:
        key = (row["agent"], row["session_id"])
        owner = found.setdefault(key, SessionCandidate(key, row["project"]))
        owner.cwd = owner.cwd or row["cwd"]
        owner.branches |= {row["branch"]} if row["branch"] else set()
        first, last = map(datetime.fromisoformat, (row["started_at"], row["completed_at"]))
        owner.chunks.append(ChunkTime(row["path"], first, last, set()))
        owners[row["rowid"]] = owner, owner.chunks[-1]
    for row in catalog.rows(f"SELECT chunk, path FROM files WHERE chunk IN (SELECT rowid {limited})", values):
        for holder in owners[row["chunk"]]:
            holder.files.add(row["path"])


_MAX_COMMITS, _MAX_HASHES = 3, 4


def ask_team(
    team: SharedSessions, place: LocalRepository, target: WhyTarget, wanted: Sequence[CommitQuery], limit: int
) -> None:
    """Begins to ask for those that name one of the commits or the number, or touched the files shortly before."""
    from aicx.share.rows import shared_name  # imported here, as below: most are part of no share
    from aicx.share.sessions import AboutPlace

    names = [place.project] if place.project else [shared_name(NON_REPOSITORY, folder) for folder in place.folders]
    first = wanted[:_MAX_COMMITS]
    hashes = [name for one in first for name in one.hashes[:_MAX_HASHES]]
    files = dict.fromkeys(path for one in first for path in one.files)
    if target.path is not None and not files:
        files = dict.fromkeys([target.path])
    number = target.number
    named = number.in_logs if number else re.compile(b"|".join(one[:ABBREVIATED].encode() for one in hashes))
    team.ask(
        AboutPlace(
            names,
            files=list(files),
            windows=around([at for one in first for at in one.times], BEFORE, AFTER),
            text=number.words if number else " ".join(word for name in hashes for word in hash_words(name)),
            named=named,
            limit=limit,
        )
    )
