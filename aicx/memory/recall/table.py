"""The table of statements that recall asks by words and by meaning: derived, kept beside the index of records.

It may be deleted at any time. Where it cannot be written, or is damaged, one in RAM takes its place for the call: with
10,000 accepted records a cold recall then took 1.9 s of CPU in place of 0.40 s (medians of 3 runs that alternated).

Words are weighed so that scores compare between questions and between collections. A statement's impact for a term is
BM25's share of it that depends on the statement alone; it is near 1 where a statement of ordinary length has the term.
Times the term's rarity, over the rarity of all that was asked, it gives a score from 0 to 1: 1 has every word, and a
half has about half of what the question says.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from math import log
from pathlib import Path
from typing import Any
from zlib import crc32

import orjson

import aicx
from aicx.memory.record import Record
from aicx.values import batches
from retrieval.analysis import Terms, analyze
from retrieval.questions import parse_question

# BM25's usual constants; the length counts less than among documents, since statements are all short.
_K1, _B = 1.2, 0.4
_USUAL = 12  # terms of an ordinary statement
UNIT = 1000  # an impact of 1, as tables keep it
NAME = "="  # marks a whole name, which is not met by a word


# Each thing that a question asks: as typed, and its forms, of which one that occurs is looked for.
QuestionTerms = Sequence[tuple[str, tuple[str, ...]]]


def asked(text: str) -> QuestionTerms:
    question = parse_question(text)
    found: dict[tuple[str, ...], str] = {}
    for run in question.runs:
        typed = run.typed or " ".join(run.words)
        if len(run.words) == 1 and not run.names:
            found.setdefault((run.words[0], *run.others), typed)
        else:
            for term in _all(run):
                found.setdefault((term,), typed)
    return [(typed, forms) for forms, typed in found.items()]


def impacts(fields: Iterable[tuple[str, float]]) -> dict[str, int]:
    """The impact of each term of a document, in `UNIT`; ``fields`` are its texts, each with its weight."""
    strength: dict[str, float] = {}
    length = 0.0
    for text, weight in fields:
        for term in _all(analyze(text)) if text else ():
            strength[term] = strength.get(term, 0.0) + weight
            length += weight
    saturation = _K1 * (1 - _B + _B * length / _USUAL)
    return {term: max(1, round(UNIT * value * (_K1 + 1) / (value + saturation))) for term, value in strength.items()}


def scores(
    question: QuestionTerms, size: int, count: Callable[[str], int], read: Callable[[str], Mapping[int, int]]
) -> tuple[dict[int, float], list[str]]:
    """The score of every document that has a term of the question, and what was typed and occurs nowhere.

    A score may be a little above 1, of one that says everything twice.

    ``count`` says in how many of ``size`` documents a term occurs, ``read`` gives their impacts.
    """
    missing: dict[str, bool] = {}
    asked_for: list[tuple[str, float]] = []
    total = 0.0
    for typed, forms in question:
        form, occurs = max(((form, count(form)) for form in forms), key=lambda one: bool(one[1]))
        rarity = log(1 + (size - occurs + 0.5) / (occurs + 0.5))
        total += rarity
        missing[typed] = missing.get(typed, True) and not occurs
        if occurs:
            asked_for.append((form, rarity))
    found: dict[int, float] = {}
    for form, rarity in asked_for:
        weight = rarity / (total * UNIT)
        for document, impact in read(form).items():
            found[document] = found.get(document, 0.0) + weight * impact
    return found, [typed for typed, absent in missing.items() if absent]


def _all(terms: Terms) -> list[str]:
    return terms.words + [NAME + name for name in terms.names]


# Terms depend on the rules of analysis, so that another version makes the table anew.
_VERSION = f"3 {aicx.__version__}"
_SCHEMA = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE documents(number INTEGER PRIMARY KEY, path TEXT UNIQUE, version INTEGER, place TEXT, terms BLOB);
CREATE TABLE vectors(number INTEGER, make TEXT, vector BLOB, PRIMARY KEY(number, make)) WITHOUT ROWID;
CREATE TABLE postings(term TEXT PRIMARY KEY, entries BLOB NOT NULL) WITHOUT ROWID;
"""
_TABLES = {"meta", "documents", "vectors", "postings"}
_AT_ONCE = 500
_PLACES = 100  # read at once: most questions need no more
# What a table that is damaged raises: its own values do not fit.
DAMAGE = (sqlite3.DatabaseError, ValueError, TypeError, LookupError)
SCOPE = "scope of "  # and a folder: what its repository is called
Versions = Mapping[str, tuple[int, str | None]]  # path -> version and place
# What a record is found by, and how much each counts beside the statement.
_TOPIC, _DETAIL, _PATH = 1.0, 0.5, 0.5


class Table:
    """The statements of records by number. ``size`` is how many there are, of all repositories."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._read: dict[str, dict[int, int]] = {}
        self._seen = -1
        self.size = 0
        try:
            place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._db = _connect(str(place))
            self.refresh()
        except (OSError, sqlite3.OperationalError):  # it cannot be written here
            self._db = _connect(":memory:")
        except DAMAGE:
            self.start_anew()

    def close(self) -> None:
        self._db.close()

    def start_anew(self) -> None:
        """An empty table in place of a damaged one."""
        if hasattr(self, "_db"):
            self._db.close()  # else its file cannot be deleted everywhere
        for place in (self._place, *(Path(f"{self._place}-{more}") for more in ("wal", "shm", "journal"))):
            with suppress(OSError):
                place.unlink()
        try:
            self._db = _connect(str(self._place))
        except (OSError, *DAMAGE):  # it cannot be deleted either
            self._db = _connect(":memory:")
        self._read, self._seen, self.size = {}, -1, 0

    def meta(self, name: str) -> Any:
        """The JSON that was kept under a name; None for nothing, also where it is damaged."""
        try:
            row = self._db.execute("SELECT value FROM meta WHERE name=?", (name,)).fetchone()
        except sqlite3.DatabaseError:
            return None
        checksum, _, body = row[0].partition(b"\n") if row and isinstance(row[0], bytes) else (b"", b"", b"")
        return orjson.loads(body) if checksum == b"%08x" % crc32(body) else None

    def keep(self, name: str, value: Any) -> None:
        body = orjson.dumps(value)
        with suppress(sqlite3.DatabaseError), self._db:  # another process may be writing
            self._db.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (name, b"%08x\n%b" % (crc32(body), body)))

    def refresh(self) -> None:
        """Forgets what was read where another process has changed the table since."""
        changes = self.changes
        if changes != self._seen:
            self._read.clear()
            self.size = int(self._db.execute("SELECT count(*) FROM documents").fetchone()[0])
            self._seen = changes

    def sync(self, versions: Versions, load: Callable[[Sequence[str]], Sequence[Record]]) -> None:
        """Makes the table hold exactly the records of ``versions``: path -> version and place."""
        self.refresh()
        known = {row[1]: row for row in self._db.execute("SELECT number, path, version FROM documents")}
        gone = [row for path, row in known.items() if path not in versions or versions[path][0] != row[2]]
        new = [path for path, (version, _) in versions.items() if path not in known or known[path][2] != version]
        if not gone and not new:
            return
        try:
            self._change(gone, new, versions, load)
        except sqlite3.OperationalError:  # another process is writing, or nothing may be: this call goes on in RAM
            memory = sqlite3.connect(":memory:", check_same_thread=False)
            self._db.rollback()
            self._db.backup(memory)
            self._db.close()
            self._db = memory
            self._change(gone, new, versions, load)
        self.refresh()

    def drop(self, paths: Collection[str], versions: Versions | None = None) -> None:
        """Takes records out, and those of which something else than ``versions`` says was read."""
        rows = self._db.execute("SELECT number, path, version FROM documents").fetchall()
        old = {path for _, path, read in rows if versions is not None and versions.get(path, (None,))[0] != read}
        self._change([row for row in rows if row[1] in paths or row[1] in old], [], {}, lambda _: [])
        self.refresh()

    def _change(
        self,
        gone: Sequence[Any],
        new: Sequence[str],
        versions: Versions,
        load: Callable[[Sequence[str]], Sequence[Record]],
    ) -> None:
        # Imported here: reading is all that most questions do.
        from aicx.repomap.postings import PostingTable

        with self._db:
            postings = PostingTable(self._db)
            for number, _, _ in gone:
                (terms,) = self._db.execute("SELECT terms FROM documents WHERE number=?", (number,)).fetchone()
                postings.remove(number, orjson.loads(terms))
                self._db.execute("DELETE FROM documents WHERE number=?", (number,))
                self._db.execute("DELETE FROM vectors WHERE number=?", (number,))
            for paths in batches(new, _AT_ONCE):
                for path, record in zip(paths, load(paths), strict=True):
                    found = impacts(_fields(record))
                    version, place = versions[path]
                    row = (path, version, place, orjson.dumps([*found]))
                    number = self._db.execute(
                        "INSERT INTO documents(path, version, place, terms) VALUES(?, ?, ?, ?)", row
                    ).lastrowid
                    assert number is not None
                    postings.add(number, found.items())
            postings.flush()

    def count(self, term: str) -> int:
        """How many records have a term."""
        return len(self.read(term))

    def read(self, term: str) -> dict[int, int]:
        """The records that have a term, by number, with its impact."""
        found = self._read.get(term)
        if found is None:
            row = self._db.execute("SELECT entries FROM postings WHERE term=?", (term,)).fetchone()
            entries = array("I", row[0]) if row else array("I")
            found = self._read[term] = dict(zip(entries[::2], entries[1::2], strict=True))
        return found

    def places(self, numbers: Iterable[int], is_meant: Callable[[str | None], bool]) -> Iterator[tuple[int, str]]:
        """Those of ``numbers`` whose place is meant, in their order, with their paths."""
        wanted = list(numbers)
        for some in batches(wanted, _PLACES):
            marks = ",".join("?" * len(some))
            rows = self._db.execute(f"SELECT number, path, place FROM documents WHERE number IN ({marks})", some)
            found = {number: (path, place) for number, path, place in rows}
            for number in some:
                if number in found and is_meant(found[number][1]):
                    yield number, _text(found[number][0])

    def forget(self, beginning: str) -> None:
        """Forgets what was kept under names that begin like this."""
        with self._db:
            self._db.execute("DELETE FROM meta WHERE substr(name, 1, ?)=?", (len(beginning), beginning))

    # --- vectors

    def unembedded(self, make: str) -> list[tuple[int, str]]:
        """Number and path of the records without a vector of this make."""
        said = "SELECT number, path FROM documents WHERE number NOT IN (SELECT number FROM vectors WHERE make=?)"
        return [(number, _text(path)) for number, path in self._db.execute(f"{said} ORDER BY number", (make,))]

    def put_vectors(self, make: str, vectors: Mapping[int, bytes]) -> None:
        """Keeps vectors; those of another make go."""
        with suppress(sqlite3.OperationalError), self._db:
            self._db.execute("DELETE FROM vectors WHERE make<>?", (make,))
            rows = [(number, make, vector) for number, vector in vectors.items()]
            self._db.executemany("INSERT OR REPLACE INTO vectors VALUES(?, ?, ?)", rows)

    def vectors(self, make: str) -> tuple[array[int], bytes]:
        """The numbers of the records that have a vector of this make, and the vectors one after the other."""
        rows = self._db.execute("SELECT number, vector FROM vectors WHERE make=? ORDER BY number", (make,)).fetchall()
        return array("q", [row[0] for row in rows]), b"".join(row[1] for row in rows)

    @property
    def changes(self) -> int:
        """Another number whenever this or another process has changed the table."""
        return int(self._db.execute("PRAGMA data_version").fetchone()[0]) + self._db.total_changes


def drop_statements(place: Path, paths: Iterable[str], versions: Versions | None = None) -> None:
    """Takes what records said out of the table at ``place``, and out of its file, when they are deleted; see `drop`."""
    if not place.exists():
        return
    table = Table(place)
    try:
        table.drop(set(paths), versions)
        table.forget(SCOPE)  # which says what a repository is called
    except sqlite3.DatabaseError:  # damaged, or being written: what cannot be taken out goes with all of it
        table.start_anew()
    finally:
        table.close()


def _connect(place: str) -> sqlite3.Connection:
    db = sqlite3.connect(place, timeout=0, check_same_thread=False)
    try:
        db.execute("PRAGMA synchronous=OFF")
        db.execute("PRAGMA secure_delete=ON")  # what is forgotten does not stay in the file
        known = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'")}
        row = db.execute("SELECT value FROM meta WHERE name='version'").fetchone() if known >= _TABLES else None
        if row is None or row[0] != _VERSION:
            for name in known:
                db.execute(f"DROP TABLE {name}")
            db.executescript(_SCHEMA)
            with db:
                db.execute("INSERT INTO meta VALUES('version', ?)", (_VERSION,))
    except (sqlite3.Error, ValueError):  # a name in a damaged schema may be no text
        db.close()
        raise
    return db


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a path is not text")
    return value


def _fields(record: Record) -> list[tuple[str, float]]:
    return [
        (record.statement, 1.0),
        *((text, _TOPIC) for text in (record.topic, record.name or "", *record.tags)),
        *((text, _DETAIL) for text in (*record.details, *record.claims, *record.claims.values())),
        *((anchor.path, _PATH) for anchor in record.anchors),
    ]
