"""The map of one repository as the rest of aicx sees it: where to look for something, and which files belong together.

Answering reads what the last refresh stored, with little more than the standard library; tree-sitter is for refreshing.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path
from typing import Annotated, Literal

from aicx.errors import AicxError
from aicx.git.identity import Repository, find_repository
from aicx.installation import install_command
from aicx.paths import Layout
from aicx.repomap.files import FileListing, Source, is_inside, list_files
from aicx.repomap.imports import is_meant, nearest, tail
from aicx.repomap.kinds import Role, role_of
from aicx.repomap.ranking import EntryPoint, rank
from aicx.repomap.store import MapLocation, MapStore, StoredFile
from aicx.repomap.terms import MODULE, TARGET, modules
from aicx.storage.lock import trace_of
from aicx.types import Unread
from aicx.values import dataclass

LastRefresh = Literal["never", "ok", "partial", "running", "interrupted", "needs_full_refresh", "damaged"]
Basis = Literal["index", "names"]

# Files that vanished since the last refresh are left out of an answer; so many more are looked at to fill their places.
_SPARE = 20
SCHEMA = "aicx.map/1"
How = Literal["imports", "imported by"]

# Files that share the last word of an import. `utils` may lie in many places; beyond these, nobody is helped.
_MAX_CANDIDATES = 600
# A folder, as Go imports them, stands for all its files.
_MAX_OF_A_TARGET = 12


@dataclass(frozen=True, slots=True)
class MapAnswer:
    """The answer of `query`."""

    query: str
    basis: Annotated[Basis, "what was searched: the map, or without one names and headings"]
    items: Annotated[list[EntryPoint], "best first"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class ChangeCount:
    """How many files a refresh would take in, read anew and drop."""

    added: Annotated[int, "files"]
    changed: Annotated[int, "files"]
    removed: Annotated[int, "files"]

    @property
    def total(self) -> int:
        return self.added + self.changed + self.removed


@dataclass(frozen=True, slots=True)
class MapStatus:
    """The uses that a repository's map has now, and how the last refresh went. Each word stands for itself."""

    root: Path
    source: Annotated[Source, "what lists its files"]
    provider_available: bool
    index_available: bool
    query_available: bool
    refresh_available: bool
    last_refresh_status: LastRefresh
    last_refresh_at: str | None = None
    last_refresh_seconds: Annotated[float | None, "how long it took"] = None
    files_discovered: Annotated[int, "files there were"] = 0
    files_indexed: int = 0
    symbols_indexed: int = 0
    languages: Annotated[dict[str, int], "language → files"] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    with_syntax_errors: int = 0
    problems: list[Unread] = field(default_factory=list)
    changes: Annotated[ChangeCount | None, "what a refresh would take in; null if unknown"] = None
    warnings: Annotated[list[str], "remarks"] = field(default_factory=list)


def open_map(layout: Layout, repository_root: Path) -> RepoMap:
    """The map of the repository that a folder lies in, whether one was made yet or not.

    Raises NotFound when there is no such folder, UsageError for a bare repository, which has no files.
    """
    repository = find_repository(repository_root)
    return RepoMap(repository, MapLocation.of(layout, repository))


class RepoMap:
    """A repository's map. Every call reads the newest one, so an object may be kept while others refresh."""

    def __init__(self, repository: Repository, place: MapLocation) -> None:
        self.repository = repository
        self._place = place

    def query(self, text: str, limit: int = 10, boost_paths: Iterable[str] = ()) -> list[EntryPoint]:
        """Where to look for what a text is about, best first, each file once.

        ``boost_paths`` are files, relative to the repository, that are known to matter: they and their neighbours
        count more where they match. Empty when nothing matches.
        """
        return self.answer(text, limit, boost_paths).items

    def answer(self, text: str, limit: int = 10, boost_paths: Iterable[str] = ()) -> MapAnswer:
        """As `query`, with what was asked: the index, or names and headings where there is none."""
        boosted = tuple(boost_paths)
        with self._opened() as store:
            if store is not None:
                try:
                    return self._verified(text, rank(store, text, limit + _SPARE, boosted), limit, "index", [])
                except sqlite3.DatabaseError as error:
                    reason = f"the map is damaged ({error})"
            else:
                reason = "there is no map yet" if not self._place.maps() else "the map cannot be read"
        from aicx.repomap.fallback import PathIndex

        note = f"{reason}: only names and headings were searched (next: aicx map refresh)"
        found = rank(PathIndex(self.repository, text), text, limit + _SPARE, boosted)
        return self._verified(text, found, limit, "names", [note])

    def related(self, paths: Sequence[str], limit: int = 10) -> list[Relation]:
        """Files that import the given ones or are imported by them, those with most ties first; empty without index."""
        with self._opened() as store:
            if store is None:
                return []
            try:
                found = relations(store, paths)
            except sqlite3.DatabaseError:
                return []
        return [item for item in found[: limit + _SPARE] if is_inside(self.repository.root, item.path)][:limit]

    def status(self, *, count_changes: bool = True) -> MapStatus:
        """Returns what the map can be used for and how current it is.

        To count changes, every file's size and times are looked at.
        """
        from aicx.repomap.grammar import provider_problem

        problem = provider_problem()
        status = MapStatus(
            root=self.repository.root,
            source=self.repository.source,
            provider_available=problem is None,
            index_available=False,
            query_available=True,
            refresh_available=problem is None,
            last_refresh_status=trace_of(self._place.lock) or "never",
        )
        if problem is not None:
            status.warnings.append(f"nothing can be parsed: {problem} (next: {install_command('code')})")
        listing = None
        if count_changes:
            try:
                listing = list_files(self.repository)
                status = replace(status, files_discovered=listing.discovered)
            except AicxError as error:
                status.warnings.append(f"{error.message} (next: {error.hint})")
                status = replace(status, query_available=False, refresh_available=False)
        with self._opened() as store:
            if store is None:
                return status
            try:
                return _described(status, store, listing)
            except sqlite3.DatabaseError as error:
                status.warnings.append(f"the map is damaged: {error} (next: aicx map refresh)")
                return replace(status, last_refresh_status="damaged")

    @contextmanager
    def _opened(self) -> Iterator[MapStore | None]:
        store = MapStore.open_for_reading(self._place)
        try:
            yield store
        finally:
            if store is not None:
                store.close()

    def _verified(
        self, text: str, entries: Sequence[EntryPoint], limit: int, basis: Basis, notes: list[str]
    ) -> MapAnswer:
        """Leaves out what is no file of the repository any more: deleted, or replaced by a link to elsewhere."""
        kept: list[EntryPoint] = []
        gone = 0
        for entry in entries:
            if len(kept) == limit:
                break
            if is_inside(self.repository.root, entry.path):
                kept.append(entry)
            else:
                gone += 1
        if gone:
            notes = [*notes, f"left out {gone} of the best because they are gone (next: aicx map refresh)"]
        return MapAnswer(text, basis, kept, notes)


def _described(status: MapStatus, store: MapStore, listing: FileListing | None) -> MapStatus:
    """A status with what a stored map says of itself."""
    from aicx.repomap.grammar import made_with

    last = status.last_refresh_status if status.last_refresh_status != "never" else store.about("status")
    if status.provider_available and last in ("ok", "partial") and store.about("made_with") != made_with():
        last = "needs_full_refresh"
    return replace(
        status,
        index_available=True,
        query_available=True,
        last_refresh_status=last,
        last_refresh_at=store.about("refreshed_at"),
        last_refresh_seconds=store.about("seconds"),
        files_discovered=store.about("files_discovered"),
        files_indexed=store.about("files_indexed"),
        symbols_indexed=store.about("symbols_indexed"),
        languages=store.count_languages(),
        skipped=store.about("skipped"),
        with_syntax_errors=store.totals()[2],
        problems=store.problems(),
        changes=None if listing is None else _count(status.root, store, listing),
    )


def _count(root: Path, store: MapStore, listing: FileListing) -> ChangeCount:
    """Counts the changes that a refresh would make.

    A file that only looks different is read, and not counted if it holds the same text.
    """
    from aicx.repomap.examine import digest_of
    from aicx.repomap.refresh import find_changes

    known = store.stamps()
    to_read, by_name, gone = find_changes(listing.stamps, known, store)
    added = sum(path not in known for path in by_name)
    changed = 0
    for task in to_read:
        if task.digest is None:
            added += 1
        elif digest_of(str(root), task.path) != task.digest:
            changed += 1
    return ChangeCount(added, changed, len(gone))


@dataclass(frozen=True, slots=True)
class Relation:
    """``path`` imports the files in ``of``, or is imported by them."""

    path: str
    how: How
    of: tuple[str, ...]


def relations(store: MapStore, paths: Sequence[str]) -> list[Relation]:
    """The files tied to the given ones by imports; those with most ties first, code before tests."""
    found: dict[tuple[str, How], dict[str, None]] = defaultdict(dict)
    given = store.files(list(store.ids(paths).values()))
    links = _Links(store)
    for file in given.values():
        for target in file.targets:
            for path in links.meant_by(target, file.path):
                found[path, "imported by"][file.path] = None
        for importer in links.importers(file):
            found[importer, "imports"][file.path] = None
    named = {file.path for file in given.values()}
    related = [Relation(path, how, tuple(of)) for (path, how), of in found.items() if path not in named]
    return sorted(related, key=lambda item: (-len(item.of), role_of(item.path, None) is not Role.code, item.path))


class _Links:
    """Follows imports in both directions."""

    def __init__(self, store: MapStore) -> None:
        self._store = store
        self._meant: dict[tuple[str, str], list[str]] = {}

    def meant_by(self, target: str, importer: str) -> list[str]:
        """The files that ``target`` names in the file ``importer``."""
        key = (target, importer.rpartition("/")[0])
        if key not in self._meant:
            paths = [file.path for file in self._candidates(MODULE + tail(target)) if _fits(target, importer, file)]
            self._meant[key] = nearest(importer, paths)[:_MAX_OF_A_TARGET]
        return [path for path in self._meant[key] if path != importer]

    def importers(self, file: StoredFile) -> list[str]:
        """The files that import ``file``."""
        found: dict[str, None] = {}
        own = modules(file.path, file.language, file.symbols)
        for last in dict.fromkeys(map(tail, own)):
            for other in self._candidates(TARGET + last):
                for target in other.targets:
                    # The cheap look first: most candidates share no more than a word.
                    is_close = tail(target) == last and _fits(target, other.path, file)
                    if is_close and file.path in self.meant_by(target, other.path):
                        found[other.path] = None
        return list(found)

    def _candidates(self, term: str) -> list[StoredFile]:
        ids = list(self._store.postings(term))[:_MAX_CANDIDATES]
        return list(self._store.files(ids).values())


def _fits(target: str, importer: str, file: StoredFile) -> bool:
    own = modules(file.path, file.language, file.symbols)
    return any(is_meant(target, importer, module, file.path, file.language) for module in own)
