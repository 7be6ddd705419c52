"""Brings a repository's map up to date: reads what is new or changed, drops what is gone, in one step for readers.

Last the differences between a repository and its map, found from names, sizes and times.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from aicx.errors import StoreUnwritable
from aicx.git.identity import Repository, find_repository
from aicx.paths import Layout
from aicx.repomap import grammar
from aicx.repomap.examine import without_text
from aicx.repomap.files import Stamp, is_inside, list_files
from aicx.repomap.kinds import HUGE, HUGE_BYTES, excluded_by_name, language_of, may_be_script
from aicx.repomap.pool import ReadTask, WorkerPool
from aicx.repomap.store import DAMAGED, MapLocation, MapStore
from aicx.repomap.symbols import FileRecord
from aicx.storage.derived import changing, find_damage, record
from aicx.storage.lock import hold_lock
from aicx.types import Unread
from aicx.values import dataclass

UNREADABLE = "unreadable"
# A file written this shortly before it was looked at may be written once more without looking different, for some file
# systems keep time in steps of two seconds. It is noted as not yet settled and read again by the next refresh.
_SETTLED_AFTER_NS = 2_000_000_000

Mode = Literal["full", "quick"]


@dataclass(frozen=True, slots=True)
class Refreshed:
    """The outcome of a refresh."""

    root: Path
    mode: Annotated[Mode, "how it was made"]
    status: Annotated[Literal["ok", "partial"], "whether every file was read"]
    files_discovered: Annotated[int, "files there are"]
    files_indexed: int
    symbols_indexed: int
    parsed: Annotated[int, "files read anew"]
    removed: Annotated[int, "files that are gone"]
    skipped: dict[str, int]
    with_syntax_errors: int
    problems: list[Unread]
    seconds: float
    from_worktree: Annotated[bool, "whether a new map began with that of another worktree"] = False


def refresh_map(
    layout: Layout,
    folder: Path,
    *,
    workers: int = 1,
    rebuild: bool = False,
    wait_seconds: float = 120.0,
    settled_after_ns: int = _SETTLED_AFTER_NS,
    pool: Callable[[str, int], WorkerPool] = WorkerPool,
    on_progress: Callable[[int, int, str], None] = lambda done, total, at: None,
    notify: Callable[[str], None] = lambda text: None,
) -> Refreshed:
    """Makes or refreshes the map of the repository that ``folder`` lies in.

    Raises MissingExtra without tree-sitter, NotFound and UsageError for a folder that has nothing to map, StoreLocked
    when another refresh of the same folder does not end, StoreUnwritable when the map cannot be written.
    """
    grammar.require_provider()
    repository = find_repository(folder)
    place = MapLocation.of(layout, repository)
    started = time.monotonic()
    with hold_lock(place.lock, wait_seconds, notify, busy="refreshes this map", wait="that refreshes this map"):
        try:
            return _MapRefresh(
                repository, place, partial(pool, str(repository.root), workers), on_progress, started, settled_after_ns
            ).refresh(rebuild)
        except sqlite3.OperationalError as error:
            raise StoreUnwritable(
                f"the map below {place.folder} cannot be written: {error}",
                hint="free some space, check the folder's permissions, or set AICX_HOME to a writable place",
            ) from error


class _MapRefresh:
    """One refresh, under the folder's lock."""

    def __init__(
        self,
        repository: Repository,
        place: MapLocation,
        pool: Callable[[], WorkerPool],
        on_progress: Callable[[int, int, str], None],
        started: float,
        settled_after_ns: int,
    ) -> None:
        self._repository, self._place = repository, place
        self._pool, self._tell, self._started = pool, on_progress, started
        self._settled_after_ns = settled_after_ns

    def refresh(self, rebuild: bool) -> Refreshed:
        current = None if rebuild else self._current()
        if current is not None:
            try:
                with changing(current), closing(MapStore.open_for_writing(current)) as store, self._pool() as crew:
                    done = self._take_in(store, "quick", crew)
                self._place.clear(keep=current)
                return done
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:  # damaged somewhere inside; it is derived, so it is made anew
                pass
        return self._build(None if rebuild else self._template())

    def _build(self, template: Path | None) -> Refreshed:
        try:
            with closing(MapStore.create(self._place.part, template)) as store:
                with self._pool() as crew:
                    done = self._take_in(store, "full", crew)
                store.finish()
            finished = self._place.new()
            self._place.part.rename(finished)
            record(finished)
        except BaseException:
            self._place.clear_part()  # on a disk that is full it would keep it so
            raise
        self._place.clear(keep=finished)
        return replace(done, from_worktree=template is not None)

    def _current(self) -> Path | None:
        """The map to go on with: the newest, if it is whole and was made in the same way."""
        maps = self._place.maps()
        return maps[-1] if maps and self._is_ours(maps[-1]) else None

    def _template(self) -> Path | None:
        """The map of another worktree to begin with: most files of two worktrees are the same."""
        return next((path for path in reversed(self._place.others()) if self._is_ours(path)), None)

    def _is_ours(self, path: Path) -> bool:
        if find_damage(path):
            return False
        try:
            with closing(MapStore.open_for_writing(path)) as store:
                return bool(store.about("made_with") == grammar.made_with() and store.is_whole())
        except DAMAGED:
            return False

    def _take_in(self, store: MapStore, mode: Mode, crew: WorkerPool) -> Refreshed:
        now = time.time_ns()
        root = self._repository.root
        store.begin()
        with ThreadPoolExecutor(1) as beside:  # most of both is waiting: for git, for the disk
            listed = beside.submit(list_files, self._repository)
            known = store.stamps()
            listing = listed.result()
        to_read, by_name, gone = find_changes(listing.stamps, known, store)
        store.remove(gone)
        for path, found in by_name.items():
            store.put(path, found)
        parsed = 0
        for number, (task, outcome) in enumerate(crew.examine_all(to_read), 1):
            self._tell(number, len(to_read), task.path)
            if isinstance(outcome, str):
                store.remove([task.path])
                if is_inside(root, task.path):  # or it is gone since it was listed
                    stamp = listing.stamps[task.path]
                    store.put(task.path, without_text(task.path, stamp, skipped=UNREADABLE, problem=outcome))
            elif outcome.unchanged:
                store.touch(task.path, self._settled(outcome.stamp, now))
            else:
                store.put(task.path, outcome._replace(stamp=self._settled(outcome.stamp, now)))
                parsed += 1
        files, symbols, with_syntax_errors = store.totals()
        skipped = dict(sorted((listing.skipped + Counter(store.count_skipped())).items()))
        done = Refreshed(
            root=root,
            mode=mode,
            status="partial" if UNREADABLE in skipped else "ok",
            files_discovered=listing.discovered,
            files_indexed=files,
            symbols_indexed=symbols,
            parsed=parsed,
            removed=len(gone),
            skipped=skipped,
            with_syntax_errors=with_syntax_errors,
            problems=store.problems(),
            seconds=time.monotonic() - self._started,
        )
        store.set_about(
            root=str(root),
            source=self._repository.source,
            made_with=grammar.made_with(),
            mode=mode,
            status=done.status,
            refreshed_at=datetime.now(UTC).isoformat(timespec="seconds"),
            seconds=round(done.seconds, 3),
            files_discovered=done.files_discovered,
            files_indexed=files,
            symbols_indexed=symbols,
            skipped=skipped,
        )
        store.commit()
        return done

    def _settled(self, stamp: Stamp, now: int) -> Stamp:
        """The stamp to keep of a file that was read: one that never fits again while it may still be changing."""
        size, modified, changed = stamp
        return stamp if max(modified, changed) < now - self._settled_after_ns else (size, 0, 0)


# Scripts without an ending are known by their first line. Larger files without one are data.
_MAX_SCRIPT = 200_000


def find_changes(
    stamps: Mapping[str, Stamp], known: Mapping[str, Stamp], store: MapStore
) -> tuple[list[ReadTask], dict[str, FileRecord], list[str]]:
    """Compares the files there are with those that a map knows. What looks as it did is not mentioned.

    Returns files to be read; those of which no more than the name counts, with all there is to know; and those gone.
    """
    to_read: list[ReadTask] = []
    by_name: dict[str, FileRecord] = {}
    for path, stamp in stamps.items():
        before = known.get(path)
        if before == stamp:
            continue
        language = language_of(path)
        if (reason := excluded_by_name(path)) is not None:
            by_name[path] = FileRecord(stamp, skipped=reason)
        elif language is None and not (may_be_script(path) and stamp[0] <= _MAX_SCRIPT):
            by_name[path] = without_text(path, stamp)
        elif stamp[0] > HUGE_BYTES:
            by_name[path] = without_text(path, stamp, skipped=HUGE)
        else:
            to_read.append(ReadTask(path, language, store.digest(path) if before else None, stamp[0]))
    return to_read, by_name, [path for path in known if path not in stamps]
