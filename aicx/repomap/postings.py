"""The table that leads from a term to the files that have it: a row a term, its files packed into one value.

A row a file and term would be millions of rows, which take longer to write than the files take to read, and longer to
ask for. So changes are gathered and written a term at a time.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Iterable

SCHEMA = "CREATE TABLE postings (term TEXT PRIMARY KEY, entries BLOB NOT NULL) WITHOUT ROWID;"

# Two numbers for each file: its id, and what `terms` says of the term in it. In the machine's own byte order, since a
# map is asked where it is made.
_CODE = "I"
_WIDTH = 2 * array(_CODE).itemsize
# Entries gathered before they are written: they bound the memory of a build, and each writing goes through all terms.
MAX_GATHERED = 4_000_000
# Up to so many files are cut out of a row one by one; beyond, going through the row once is faster.
_FEW = 16


class PostingTable:
    """Postings of a map. What is added or removed can be asked for after `flush`."""

    def __init__(self, connection: sqlite3.Connection, most_gathered: int = MAX_GATHERED) -> None:
        self._most_gathered = most_gathered
        self._connection = connection
        self._added: defaultdict[str, array[int]] = defaultdict(lambda: array(_CODE))
        self._removed: defaultdict[str, set[int]] = defaultdict(set)
        self._gathered = 0

    def add(self, file: int, postings: Iterable[tuple[str, int]]) -> None:
        for term, value in postings:
            self._added[term].extend((file, value))
            self._gathered += 1
        if self._gathered > self._most_gathered:
            self.flush()

    def remove(self, file: int, terms: Iterable[str]) -> None:
        """Takes out what was written of a file before."""
        for term in terms:
            self._removed[term].add(file)

    def flush(self) -> None:
        """Writes what was gathered, in the order of the table."""
        for term in sorted(self._added.keys() | self._removed.keys()):
            before = self._entries(term)
            after = self._merged(before, term)
            if not after:
                self._connection.execute("DELETE FROM postings WHERE term=?", (term,))
            elif after != before:  # most of the terms of an edited file are what they were
                self._connection.execute("INSERT OR REPLACE INTO postings VALUES (?, ?)", (term, after))
        self._added.clear()
        self._removed.clear()
        self._gathered = 0

    def read(self, term: str) -> dict[int, int]:
        """The files a term occurs in, each with its value."""
        entries = array(_CODE, self._entries(term))
        return dict(zip(entries[::2], entries[1::2], strict=True))

    def count(self, term: str) -> int:
        """How many files a term occurs in."""
        row = self._connection.execute("SELECT length(entries) FROM postings WHERE term=?", (term,)).fetchone()
        return row[0] // _WIDTH if row else 0

    def _merged(self, entries: bytes, term: str) -> bytes:
        """The entries of a term with what was gathered. A file that is taken out and added again keeps its place."""
        removed = self._removed.get(term, set())
        added = self._added.get(term, array(_CODE))
        if not removed:
            return entries + added.tobytes()
        if len(removed) > _FEW:
            return _without(entries, removed) + added.tobytes()
        values = dict(zip(added[::2], added[1::2], strict=True))
        for file in removed:
            at = _find(entries, file)
            if at >= 0:
                entries = entries[:at] + _packed(file, values.pop(file, None)) + entries[at + _WIDTH :]
        return entries + b"".join(_packed(file, value) for file, value in values.items())

    def _entries(self, term: str) -> bytes:
        row = self._connection.execute("SELECT entries FROM postings WHERE term=?", (term,)).fetchone()
        return bytes(row[0]) if row else b""


def _find(entries: bytes, file: int) -> int:
    """Where the entry of a file begins; -1 when it has none."""
    number = array(_CODE, [file]).tobytes()
    at = entries.find(number)
    while at >= 0 and at % _WIDTH:  # a value, or two halves, that look like it
        at = entries.find(number, at + 1)
    return at


def _packed(file: int, value: int | None) -> bytes:
    return b"" if value is None else array(_CODE, [file, value]).tobytes()


def _without(entries: bytes, files: set[int]) -> bytes:
    """The entries of other files."""
    kept = array(_CODE)
    numbers = array(_CODE, entries)
    for file, value in zip(numbers[::2], numbers[1::2], strict=True):
        if file not in files:
            kept.extend((file, value))
    return kept.tobytes()
