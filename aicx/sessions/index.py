"""The edges between all stored sessions, kept in one SQLite file below ``index/``.

Derived from logs and sessions' facts: it may be deleted at any time, and where it is damaged or cannot be written, the
same is worked out in memory. What people state is not in it; `aicx.sessions.family` adds that.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from zlib import crc32

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.evidence.kept import Key, part_stamps
from aicx.evidence.patterns import reading_version
from aicx.paths import Layout
from aicx.refs import Ref
from aicx.sessions import Edge, EdgeType
from aicx.storage.derived import DAMAGE, in_memory, is_refusal, open_derived, remove_derived
from aicx.text import instant
from aicx.values import batches

Progress = Callable[[int, int], None]
_SCHEMA = """
CREATE TABLE meta(version TEXT, state TEXT) STRICT;
CREATE TABLE sketches(agent TEXT, session_id TEXT, project TEXT, stamp TEXT, body BLOB,
    PRIMARY KEY (agent, session_id, project)) STRICT, WITHOUT ROWID;
CREATE INDEX sketches_by_project ON sketches(project);
CREATE TABLE edges(project TEXT, from_ref TEXT, to_ref TEXT, type TEXT, reason TEXT, confidence REAL, origin TEXT,
    at TEXT, check_sum INTEGER) STRICT;
CREATE INDEX edges_by_from ON edges(from_ref);
CREATE INDEX edges_by_to ON edges(to_ref);
CREATE INDEX edges_by_project ON edges(project);
"""
_COLUMNS = "from_ref, to_ref, type, reason, confidence, origin, at, check_sum"
_VERSION = reading_version(2)
_LOGGED = ""  # in place of a repository, for what logs state
_AT_ONCE = 100  # sessions of which the facts are read together
_MAX_NAMED = 400  # sessions in one query
_PARENTS = """SELECT agent, session_id, max(parent_session) AS parent, max(lane='subagent') AS subagent,
 min(started_at) AS started_at FROM chunks WHERE parent_session IS NOT NULL AND ignored=0 AND stream=''
 GROUP BY agent, session_id"""
# For each session the others whose messages its log begins with, and when the last such message is from.
_COPIES = """SELECT c.agent, c.session_id AS owner, json_extract(d.reference, '$.session_id') AS copier,
 count(DISTINCT d.key) AS messages, max(m.at) AS last FROM duplicates d JOIN messages m ON m.key=d.key
 JOIN chunks c ON c.rowid=m.chunk WHERE c.ignored=0 AND c.stream='' AND json_extract(d.reference, '$.agent')=c.agent
 GROUP BY c.agent, owner, copier HAVING owner<>copier AND messages>=?"""
_SPAN = """SELECT min(m.at) AS first, max(m.at) AS last FROM messages m JOIN chunks c ON c.rowid=m.chunk
 WHERE c.agent=? AND c.session_id=? AND c.ignored=0 AND c.stream=''"""
# One message alone may be a prompt that two sessions were given at once.
_MIN_COPIED = 2


class EdgeIndex:
    """An open index. ``is_current`` says whether it holds everything that was stored when it was opened.

    ``again`` gives another one in its place where it cannot be read, or with True where it turns out to be damaged.
    """

    def __init__(
        self, connection: sqlite3.Connection, again: Callable[[bool], sqlite3.Connection], *, is_current: bool
    ) -> None:
        self._connection = connection
        self._again = again
        self.is_current = is_current

    def about(self, refs: Sequence[str]) -> list[Edge]:
        """The edges from and to these sessions."""
        found: dict[Edge, None] = {}
        for part in batches(refs, _MAX_NAMED):
            marks = ",".join("?" * len(part))
            where = f"from_ref IN ({marks}) UNION SELECT {_COLUMNS} FROM edges WHERE to_ref IN ({marks})"
            found |= dict.fromkeys(self._edges(where, [*part, *part]))
        return list(found)

    def every(self) -> list[Edge]:
        return self._edges("1", ())

    def _edges(self, where: str, values: Sequence[str]) -> list[Edge]:
        try:
            return self._read(where, values)
        except DAMAGE as error:
            self._connection = self._again(not is_refusal(error))
            return self._read(where, values)

    def _read(self, where: str, values: Sequence[str]) -> list[Edge]:
        rows = self._connection.execute(f"SELECT {_COLUMNS} FROM edges WHERE {where}", values).fetchall()
        if any(_check(row[:-1]) != row[-1] for row in rows):
            raise sqlite3.DatabaseError("an edge is not as it was written")
        return [Edge(*row[:-1]) for row in rows]


@contextmanager
def open_edges(
    layout: Layout, catalog: Catalog, progress: Progress | None = None, *, refresh: bool = True
) -> Iterator[EdgeIndex]:
    """The edges of the sessions in ``catalog``; without ``refresh`` as far as they were worked out, writing nothing."""
    with ExitStack() as stack:

        def again(damaged: bool) -> sqlite3.Connection:
            """Everything once more, in memory."""
            if damaged and refresh:
                with suppress(OSError):
                    remove_derived(layout.session_edges)  # the next who asks makes it again
            other = stack.enter_context(closing(in_memory(_VERSION, _SCHEMA)))
            if refresh:
                _refresh(layout, catalog, other, progress)
            return other

        # A catalogue made in memory has no name, so what is on disk cannot be told to be of the same corpus.
        if not catalog.identity:
            yield EdgeIndex(again(False), again, is_current=refresh)
            return
        kept = stack.enter_context(closing(open_derived(layout.session_edges, _VERSION, _SCHEMA, create=refresh)))
        current = _state_of(kept) == _state(catalog)
        if refresh and not current:
            current = True
            try:
                if not _refresh(layout, catalog, kept, progress):
                    kept = again(False)
            except (*DAMAGE, ValueError, TypeError) as error:
                kept = again(not is_refusal(error))
        yield EdgeIndex(kept, again, is_current=current)


def refresh_edges(settings: Settings) -> None:
    """Brings the index up to date with everything stored, so that a question need not wait for it."""
    with open_catalog(settings.layout) as opened, open_edges(settings.layout, opened.catalog):
        pass


def _state(catalog: Catalog) -> str:
    return f"{catalog.identity} {catalog.sequence}"


def _state_of(kept: sqlite3.Connection) -> str | None:
    with suppress(*DAMAGE):
        row = kept.execute("SELECT state FROM meta").fetchone()
        return None if row is None else str(row[0])
    return None


def _refresh(layout: Layout, catalog: Catalog, kept: sqlite3.Connection, progress: Progress | None) -> bool:
    """False where another process brought ``kept`` up to date meanwhile: what was worked out may be older than that."""
    # Imported here: most often there is nothing to work out.
    from aicx.sessions.deriving import decode, derive_edges

    before = _state_of(kept)
    state = _state(catalog)  # first: what is stored while the rest is worked out is not in it
    stamps = part_stamps(catalog)
    rows = kept.execute("SELECT agent, session_id, project, stamp FROM sketches")
    known = {(row[0], row[1], row[2]): row[3] for row in rows}
    missing = [key for key, stamp in stamps.items() if known.get(key) != stamp]
    gone = [key for key in known if key not in stamps]
    sketches = _sketches(layout, catalog, {key: stamps[key] for key in missing}, progress)
    with kept:
        kept.execute("BEGIN IMMEDIATE")
        if _state_of(kept) != before:
            return False
        kept.executemany("DELETE FROM sketches WHERE agent=? AND session_id=? AND project=?", gone)
        kept.executemany(
            "INSERT OR REPLACE INTO sketches VALUES(?,?,?,?,?)", [(*key, stamps[key], sketches[key]) for key in missing]
        )
        for project in sorted({key[2] for key in (*missing, *gone)}):
            bodies = kept.execute("SELECT body FROM sketches WHERE project=? AND body<>x''", (project,))
            _put(kept, project, derive_edges(decode(body) for (body,) in bodies))
        _put(kept, _LOGGED, logged_edges(catalog))
        kept.execute("UPDATE meta SET state=?", (state,))
    return True


def _put(kept: sqlite3.Connection, project: str, edges: Iterable[Edge]) -> None:
    kept.execute("DELETE FROM edges WHERE project=?", (project,))
    told = [
        (one.from_ref, one.to_ref, one.type, one.reason, float(one.confidence), one.origin, one.at) for one in edges
    ]
    kept.executemany(
        "INSERT INTO edges VALUES(?,?,?,?,?,?,?,?,?)", [(project, *values, _check(values)) for values in told]
    )


def _check(values: tuple[object, ...]) -> int:
    return crc32(repr(values).encode())


def _sketches(
    layout: Layout, catalog: Catalog, stamps: Mapping[Key, str], progress: Progress | None
) -> Mapping[Key, bytes]:
    """The sketch of each; empty for a session that says nothing."""
    from aicx.evidence import read_steps
    from aicx.sessions.deriving import sketch_of
    from aicx.work.facts_index import chunks_of_parts, facts_of_parts

    found = dict.fromkeys(stamps, b"")
    every = list(stamps)
    for begin in range(0, len(every), _AT_ONCE):
        part = every[begin : begin + _AT_ONCE]
        chunks = chunks_of_parts(catalog, part)
        for facts in facts_of_parts(layout, catalog, {key: stamps[key] for key in part}):
            key = (facts.agent, facts.session_id, facts.project)
            branches = [row["branch"] for row in chunks[key] if row["branch"]]
            opening, _ = read_steps(layout, [chunks[key][0]["path"]])
            found[key] = sketch_of(facts, opening, branches).encode()
        if progress is not None:
            progress(begin + len(part), len(every))
    return found


def logged_edges(catalog: Catalog) -> list[Edge]:
    """An edge for each session that a log connects with an older one, whether that is stored or not."""
    found = {edge.from_ref: edge for edge in _named(catalog)}
    # Of several sessions that a log begins with, the catalogue names the one it has most of.
    for edge in _copied(catalog):
        if edge.from_ref not in found or found[edge.from_ref].type != "delegated_by":
            found[edge.from_ref] = edge
    return list(found.values())


def _named(catalog: Catalog) -> Iterator[Edge]:
    for row in catalog.rows(_PARENTS):
        if row["parent"] == row["session_id"]:
            continue
        newer, older = (str(Ref.of_session(row["agent"], row[name])) for name in ("session_id", "parent"))
        kind: EdgeType = "delegated_by" if row["subagent"] else "forked_from"
        why = "that started it" if row["subagent"] else "it was forked from"
        yield Edge(newer, older, kind, f"its log names the session {why}", 1.0, "log", row["started_at"])


def _copied(catalog: Catalog) -> Iterator[Edge]:
    latest = {}
    for row in sorted(catalog.rows(_COPIES, (_MIN_COPIED,)), key=lambda row: (row["last"], row["owner"])):
        latest[row["agent"], row["copier"]] = row  # a fork of a fork has messages of both
    for (agent, copier), row in latest.items():
        own, owner = (catalog.rows(_SPAN, (agent, name))[0] for name in (copier, row["owner"]))
        if own["first"] is None or own["first"] < row["last"]:
            continue  # it has nothing of its own, or did not begin with them
        kind: EdgeType = "continues" if owner["last"] <= row["last"] else "forked_from"
        yield Edge(
            str(Ref.of_session(agent, copier)),
            str(Ref.of_session(agent, row["owner"])),
            kind,
            f"its log begins with {row['messages']} messages of that one"
            + (", which went on without it" if kind == "forked_from" else ""),
            1.0,
            "log",
            instant(datetime.fromtimestamp(own["first"] / 1000, UTC)),
        )
