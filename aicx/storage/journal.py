"""Puts files on disk so that a kill at any moment leaves the old state or the new one.

Files are first written under the staging folder and made durable together. A journal then names where each belongs, and
they are renamed into place, in the order in which they were staged. The journal stays until its writer has recorded all
of it elsewhere; one found at the next start is played to its end.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import orjson

from aicx.errors import CorpusDamaged, StoreUnwritable, UnsafePath
from aicx.storage import UNFINISHED, unwritable
from aicx.system import PRIVATE, sync
from aicx.values import dataclass

# A batch is published when it has grown to this; it bounds what a kill can cost and what staging needs on disk.
_BATCH_FILES = 2000


class JournalFolders(Protocol):
    """Where a journal works: ``home`` with everything in it, and the folder in it for files being written."""

    @property
    def home(self) -> Path: ...

    @property
    def staging(self) -> Path: ...

    def inside(self, relative: str) -> Path:
        """The file behind a relative path. Raises UnsafePath for one that leads elsewhere."""
        ...


@dataclass(frozen=True, slots=True)
class Journal:
    """The changes of a publication: staged name -> relative path, in order, and then the relative paths that go."""

    moves: Sequence[tuple[str, str]] = ()
    removals: Sequence[str] = ()

    @property
    def placed(self) -> set[str]:
        return {relative for _, relative in self.moves}

    def then(self, following: Journal) -> Journal:
        """Both publications as one, for when the catalogue has recorded neither."""
        placed = following.placed
        removals = [path for path in self.removals if path not in placed]
        return Journal([*self.moves, *following.moves], [*removals, *following.removals])

    def encode(self) -> bytes:
        return orjson.dumps({"moves": self.moves, "removals": self.removals})


class Writer:
    """Collects files for the store and publishes them together."""

    def __init__(self, place: JournalFolders) -> None:
        self.place = place
        self._staging = str(place.staging)  # text: for every file a path as an object would cost more than its name
        self._moves: list[tuple[str, str]] = []
        self._removals: list[str] = []
        self._published = Journal()  # since the last `finish`
        self._folders: set[str] = set()
        self._staged = 0
        # Staged names never come twice, in this process or the next: a journal that is still there while more is
        # staged, or that a power cut brings back, must not find other files under the names it knows.
        self._prefix = os.urandom(6).hex()

    @property
    def full(self) -> bool:
        return len(self._moves) >= _BATCH_FILES

    def stage(self, relative: str, body: bytes) -> None:
        staged = f"{self._prefix}-{self._staged:06d}"
        self._staged += 1
        self._moves.append((staged, relative))
        try:
            self._write(f"{self._staging}/{staged}", body)
        except StoreUnwritable:
            drop_unpublished(self.place)
            raise

    def stage_removal(self, relative: str) -> None:
        """The file goes when the batch is published, after everything new is in place."""
        self._removals.append(relative)

    def publish(self) -> list[str]:
        """Makes everything staged durable and visible; returns the relative paths now in place.

        May be called several times before `finish`: until then the journal names everything that was placed.
        """
        new = self._take_staged()
        if not new.moves and not new.removals:
            return []
        self._published = self._published.then(new)
        staging = self.place.staging
        try:
            staging.mkdir(parents=True, exist_ok=True, mode=0o700)
            _sync(staging)
            self._write(f"{self._staging}/journal.part", self._published.encode())
            _sync(staging)
            (staging / "journal.part").replace(staging / "journal")
            _sync(staging)
            _play(self.place, new, again=False)
        except OSError as error:
            raise unwritable(staging, error) from error
        return sorted(new.placed)

    def finish(self) -> None:
        """Forgets the journal, once the catalogue has recorded what it placed."""
        (self.place.staging / "journal").unlink(missing_ok=True)
        self._published = Journal()

    def _take_staged(self) -> Journal:
        batch = Journal((), self._removals).then(Journal(self._moves))
        self._moves, self._removals = [], []
        return batch

    def _write(self, path: str, body: bytes) -> None:
        try:
            folder = path.rpartition("/")[0]
            if folder not in self._folders:
                Path(folder).mkdir(parents=True, exist_ok=True, mode=0o700)
                self._folders.add(folder)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | PRIVATE, 0o600)
            try:
                view = memoryview(body)
                while view:
                    view = view[os.write(handle, view) :]
            finally:
                os.close(handle)
        except OSError as error:
            raise unwritable(Path(path), error) from error


def play_journal(place: JournalFolders) -> Journal:
    """Finishes the publication a journal describes and returns it; an empty one when there is none. Safe to repeat.

    Raises CorpusDamaged when the journal cannot be read, StoreUnwritable when the disk refuses.
    """
    path = place.staging / "journal"
    if not path.exists():
        return Journal()
    try:
        journal = _decode_journal(place, path.read_bytes())
        _play(place, journal, again=True)
    except OSError as error:
        raise unwritable(path, error) from error
    return journal


def waiting(place: JournalFolders) -> dict[str, Path | None]:
    """Returns the changes that an interrupted publication will still make: relative paths and files of new content.

    None stands for a file that goes. For readers, who may not finish it. Raises CorpusDamaged, OSError.
    """
    path = place.staging / "journal"
    if not path.exists():
        return {}
    journal = _decode_journal(place, path.read_bytes())
    moves = {relative: place.staging / staged for staged, relative in journal.moves}
    return {relative: staged for relative, staged in moves.items() if staged.exists()} | dict.fromkeys(journal.removals)


def clear_staging(place: JournalFolders) -> None:
    """Removes what an interrupted run staged and never published, and its half-written files."""
    if place.staging.is_dir() and not place.staging.is_symlink():
        shutil.rmtree(place.staging, ignore_errors=True)
    else:
        with suppress(OSError):
            place.staging.unlink()
    for leftover in place.home.glob(f".*{UNFINISHED}"):
        with suppress(OSError):
            leftover.unlink()


def finish_interrupted(place: JournalFolders) -> bool:
    """Brings to its end what a killed writer had begun; whether there was anything. The caller holds the lock.

    Raises CorpusDamaged when the journal cannot be read, StoreUnwritable when the disk refuses.
    """
    if not place.staging.exists():
        return False
    journal = play_journal(place)
    clear_staging(place)
    return bool(journal.moves or journal.removals)


def drop_unpublished(place: JournalFolders) -> None:
    """Gives back the disk space of files that no journal names: they will be written again."""
    if not (place.staging / "journal").exists():
        clear_staging(place)


def _decode_journal(place: JournalFolders, body: bytes) -> Journal:
    try:
        fields: Any = orjson.loads(body)
        journal = Journal([(str(staged), str(path)) for staged, path in fields["moves"]], list(fields["removals"]))
        for staged, relative in journal.moves:
            if "/" in staged or not staged:
                raise UnsafePath(f"not a staged name: {staged!r}")
            place.inside(relative)
        for relative in journal.removals:
            place.inside(relative)
    except (orjson.JSONDecodeError, LookupError, TypeError, ValueError, UnsafePath) as error:
        raise CorpusDamaged(f"{place.staging / 'journal'} cannot be read: {error}") from error
    return journal


def _play(place: JournalFolders, journal: Journal, *, again: bool) -> None:
    """Renames and removes. ``again``: some of it may have been done before a kill."""
    folders: set[Path] = set()
    made: set[str] = set()
    staging = str(place.staging)
    for staged, relative in journal.moves:
        target = str(place.inside(relative))
        folder = target.rpartition("/")[0]
        if folder not in made:
            made.add(folder)
            folders.add(Path(folder))
            _make_folder(place, Path(folder))
        try:
            os.replace(f"{staging}/{staged}", target)  # noqa: PTH105  as a `Path` it would take longer than the call
        except FileNotFoundError:
            if not again:
                raise
    for relative in journal.removals:
        gone = place.inside(relative)
        _refuse_links(place, gone.parent)
        with suppress(FileNotFoundError):
            gone.unlink()
            folders.add(gone.parent)
    # A new folder is durable once the one that holds it is.
    _sync(place.staging, {part for folder in folders for part in (place.home, *_below(place.home, folder))})


def _make_folder(place: JournalFolders, folder: Path) -> None:
    """Makes ``folder`` below the home, and nothing behind a symbolic link."""
    _refuse_links(place, folder)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def _refuse_links(place: JournalFolders, folder: Path) -> None:
    for part in _below(place.home, folder):
        if part.is_symlink():
            raise UnsafePath(
                f"{part} is a symbolic link; the store is only written through real folders",
                hint="to keep the store elsewhere, set AICX_HOME or link the whole home",
            )


def _below(home: Path, folder: Path) -> Iterator[Path]:
    while folder != home:
        yield folder
        folder = folder.parent


def _sync(folder: Path, changed: Iterable[Path] = ()) -> None:
    """Makes everything written below ``folder`` durable, and what was renamed into the ``changed`` folders.

    One ``syncfs`` for a batch of thousands of small files costs a fraction of an ``fsync`` each. Where the system has
    none, every file and folder is synced on its own.
    """
    if sys.platform == "linux":
        import ctypes

        syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
        handle = os.open(folder, os.O_RDONLY)
        try:
            if syncfs is not None and syncfs(handle) == 0:
                return
        finally:
            os.close(handle)
    files = [entry.path for entry in os.scandir(folder) if entry.is_file(follow_symlinks=False)]
    for path in (*map(Path, files), *changed, folder):
        sync(path)
