"""The memory without a look at every file: as it was found at the last complete look, where no folder changed since.

A file that was written in place since then changes no folder. So the files of each record that is read are looked at,
and every hour, or where nothing answers a question, all of them. With 10,000 accepted records a cold recall took 374 ms
of CPU so, and 658 ms with a look at every file (medians of 8 runs that alternated).
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from aicx.config import Settings
from aicx.git.identity import find_repository
from aicx.memory.anchors import Compared
from aicx.memory.events import Decisions
from aicx.memory.files import decisions_stamp, sidecar_of, stamp_of
from aicx.memory.index import IndexEntry, RecordIndex
from aicx.memory.reading import Scope, scope_of
from aicx.memory.recall.table import SCOPE, Table
from aicx.memory.record import Record
from aicx.paths import Layout
from aicx.values import batches, dataclass

_SECONDS = 3600.0
# A folder this young may change again within the same tick of the file system's clock.
_YOUNG_SECONDS = 0.05
_LOOKED = "looked"
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Look:
    """A complete look at the folders: what they were like, when that was (Unix time), and which ids had two files."""

    folders: str
    at: float
    twice: tuple[str, ...] = ()


def folders_now(layout: Layout) -> str:
    """Returns what changes whenever a file of the memory is made, replaced or deleted, or another one hidden."""
    parts = [_stamp(str(layout.ignore_file))]
    for owner in _below(str(layout.memory)):
        parts += [f"{kind}:{_stamp(kind)}" for kind in _below(owner)]
    return "|".join(parts)


def known_look(layout: Layout, table: Table) -> Look | None:
    """The last complete look, where it may still be gone by."""
    kept = table.meta(_LOOKED)
    if kept is None:
        return None
    folders, at, twice = kept
    if not 0 <= time.time() - at < _SECONDS or folders != folders_now(layout):
        return None
    return Look(folders, at, tuple(twice))


def keep_look(table: Table, folders: str, twice: Iterable[str]) -> None:
    """Keeps a look that began when the folders were as ``folders``; none where they may still be changing."""
    now = time.time()
    times = (int(part) for one in folders.split("|") for part in one.rpartition(":")[2].split(".")[1:])
    newest = max(times, default=0)
    if newest / 1e9 < now - _YOUNG_SECONDS:
        table.keep(_LOOKED, [folders, now, sorted(twice)])


def quick_scope(settings: Settings, folder: Path, table: Table) -> Scope:
    """As `find_scope`, by what the repository was called as long as nothing changed that decides on it."""
    repository = find_repository(folder)
    layout, common = settings.layout, repository.common or repository.root
    # ascii: the name of a folder may be no text.
    stamps = [ascii(common), *(_stamp(str(place)) for place in (layout.catalog, layout.projects, common / "config"))]
    key = f"{SCOPE}{repository.root!a}"
    kept = table.meta(key) or []
    if kept[:1] == [stamps]:
        return Scope(kept[1], repository.root, kept[2])
    scope = scope_of(settings, repository)
    table.keep(key, [stamps, scope.repository, scope.host])
    return scope


class QuickIndex(RecordIndex):
    """The index as it was. ``behind`` is set when a record turns out to have changed since."""

    def __init__(self, layout: Layout, look: Look) -> None:
        self.look = look
        self.behind = False
        self._known: tuple[str, Decisions] | None = None
        self._read: dict[str, tuple[str, Record]] = {}  # by path, with the stamp of its files
        self._compared = Compared()
        super().__init__(layout.memory_index, layout.memory)

    def prepare(self) -> None:
        """Reads the entries that decide about others: those with claims, and ids that two files have."""
        self.behind, before = False, self._known
        claiming = self.decisions().claiming
        if self._known is not before:
            self.entries = self._sound(lambda: self._of_interest({*claiming, *self.look.twice}))

    def decisions(self) -> Decisions:
        stamp = decisions_stamp(self._memory)
        if self._known is None or self._known[0] != stamp:
            self._known = stamp, super().decisions()
        return self._known[1]

    def records(self, paths: Iterable[str]) -> list[Record]:
        wanted = list(paths)
        now = {path: self._stamp_of(path) for path in wanted}
        unread = [path for path in wanted if path not in self._read or self._read[path][0] != now[path]]
        if unread:
            rows = dict(self._sound(lambda: self._stamps(unread)))
            self.behind = self.behind or any(rows.get(path) != now[path] for path in unread)
            self._read |= {path: (now[path], one) for path, one in zip(unread, super().records(unread), strict=True)}
        return [self._read[path][1] for path in wanted]

    def compared(self, keys: Sequence[str]) -> Compared:
        """As it was read before: what was found at a stamp of a file does not change."""
        known = self._compared
        if unread := [key for key in keys if key not in known.known]:
            found = super().compared(unread)
            known.known |= found.known
            known.secret = found.secret
        return known

    def _stamp_of(self, path: str) -> str:
        return f"{_stamp(f'{self._memory}/{path}')}.{_stamp(f'{self._memory}/{sidecar_of(path)}')}"

    def _stamps(self, paths: list[str]) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for some in batches(paths, _AT_ONCE):
            marks = ",".join("?" * len(some))
            found += self._db.execute(f"SELECT path, stamp FROM records WHERE path IN ({marks})", some).fetchall()
        return found

    def _of_interest(self, ids: set[str]) -> list[IndexEntry]:
        said = "SELECT path, id, place, name, claims FROM records"
        rows = self._db.execute(f"{said} WHERE claims=1").fetchall()
        for some in ids:
            rows += self._db.execute(f"{said} WHERE id=?", (some,)).fetchall()
        return sorted(
            {IndexEntry(path, name, of, called, bool(claims)) for path, name, of, called, claims in rows},
            key=lambda entry: entry.path,
        )

    def _sync(self) -> list[IndexEntry]:
        """Looks at nothing: that is what it is for. With an empty database every record is read from its files."""
        return []


def _below(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as found:
            return sorted(entry.path for entry in found if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _stamp(place: str) -> str:
    return stamp_of(place) or ""
