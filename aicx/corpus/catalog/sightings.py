"""Commits and requests that tools printed: when each was first seen, and the session that made it.

Without its repository this is what bounds the time of a commit: it was made before the first log that shows it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from aicx.git.subjects import plain_subject
from aicx.values import dataclass, regex

if TYPE_CHECKING:
    from aicx.corpus.catalog import Catalog

_NAME = regex(r"[0-9a-f]{7,64}|#\d{1,9}")
_WORD = regex(r"[^\W_]+")
# Git abbreviates a hash to at least this.
ABBREVIATED = 7
# How many of the words of a question and of a subject have to be the same, and how many there have to be.
_NEAR, _MIN_WORDS = 0.7, 3
# Rows that are looked at: of one commit, and of subjects near to a question.
_MAX_ROWS, _MAX_NEAR = 2000, 200
_FOUND = """SELECT hash, subject, made, at, chunks.id AS chunk, chunks.session_id AS session_id FROM sightings
 JOIN chunks ON chunks.rowid=sightings.chunk WHERE +chunks.ignored=0 AND {} ORDER BY made DESC, at, chunks.id LIMIT ?"""


@dataclass(frozen=True, slots=True)
class CommitSighting:
    """A commit, or a request with its number as ``hash``: the session that made it, None where no log shows that.

    ``chunk`` is the id of the chunk that shows it made, else first.
    """

    hash: str
    subject: str
    first_seen: datetime
    made_in: str | None
    chunk: str


def sightings(catalog: Catalog, subject_or_hash: str) -> list[CommitSighting]:
    """The commits of that hash, in any abbreviation, or of that subject; the requests of a number such as `#12`.

    Those that a session made come first, then by the time at which they were first seen.
    """
    text = subject_or_hash.strip()
    if text.startswith("#") or not _NAME.fullmatch(text.casefold()):
        column = "hash" if _NAME.fullmatch(text) else "plain"
        return _sightings(catalog, f"{column}=?", [text if column == "hash" else plain_subject(text)])
    # Of the rows with the same beginning those that do not contradict the rest of it.
    name = text.casefold()
    start = name[:ABBREVIATED]
    found = _sightings(catalog, "hash>=? AND hash<?", [start, f"{start}g"])
    return [one for one in found if one.hash.startswith(name) or name.startswith(one.hash)]


class SightedSubjects:
    """The subjects of a catalogue by their words, for several questions of one state: SQLite reads all for each."""

    def __init__(self, catalog: Catalog) -> None:
        self._plain = [row["plain"] for row in catalog.rows("SELECT DISTINCT plain FROM sightings")]
        self._with: dict[str, list[int]] = {}
        for number, plain in enumerate(self._plain):
            for word in _words(plain):
                self._with.setdefault(word, []).append(number)

    def near(self, wanted: frozenset[str]) -> list[str]:
        """The subjects that have enough of the words to be near."""
        counts = Counter(number for word in wanted for number in self._with.get(word, ()))
        return [self._plain[number] for number, count in counts.items() if count >= _NEAR * len(wanted)]


def nearest_sighting(catalog: Catalog, question: str, subjects: SightedSubjects | None = None) -> CommitSighting | None:
    """The commit or request whose subject is nearly the question; None where no subject is near.

    What the question is about was done before its ``first_seen``, and in its ``made_in`` where that is known.
    """
    wanted = _words(question)
    if len(wanted) < _MIN_WORDS:
        return None
    every = subjects.near(wanted) if subjects else _near_in(catalog, wanted)
    near = max(((_likeness(wanted, _words(plain)), plain) for plain in every), default=(0.0, ""))
    found = sightings(catalog, near[1]) if near[0] >= _NEAR else []
    return found[0] if found else None


def _near_in(catalog: Catalog, wanted: frozenset[str]) -> list[str]:
    shared = " + ".join(["(instr(plain, ?) > 0)"] * len(wanted))
    query = f"SELECT DISTINCT plain FROM sightings WHERE {shared} >= ? LIMIT ?"
    return [row["plain"] for row in catalog.rows(query, [*wanted, _NEAR * len(wanted), _MAX_NEAR])]


def _sightings(catalog: Catalog, where: str, values: Iterable[object]) -> list[CommitSighting]:
    found: dict[tuple[str, str], CommitSighting] = {}
    for row in catalog.rows(_FOUND.format(where), [*values, _MAX_ROWS]):
        key = (row["hash"][:ABBREVIATED], plain_subject(row["subject"]))
        at = datetime.fromisoformat(row["at"])
        known = found.get(key)
        if known is None:
            made_in = row["session_id"] if row["made"] else None
            found[key] = CommitSighting(row["hash"], row["subject"], at, made_in, row["chunk"])
        else:
            name = max(known.hash, row["hash"], key=len)
            found[key] = CommitSighting(name, known.subject, min(known.first_seen, at), known.made_in, known.chunk)
    return sorted(found.values(), key=lambda one: (one.made_in is None, one.first_seen, one.hash))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(plain_subject(text)))


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))
