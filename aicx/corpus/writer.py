"""Puts chunks on disk so that a kill at any moment leaves the old state or the new one.

Files are first written under the staging folder and made durable together; then a journal names where each belongs;
then they are renamed into place, each sidecar before its chunk. A journal found at the next start is played to its end.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from aicx.corpus.lock import unwritable
from aicx.errors import UnsafePath
from aicx.paths import Layout

# A batch is published when it has grown to this; it bounds what a kill can cost and what staging needs on disk.
_BATCH_FILES = 4000


@dataclass(slots=True)
class Writer:
    """Collects files for the store and publishes them together."""

    layout: Layout
    _moves: list[tuple[str, str]] = field(default_factory=list)
    _removals: list[str] = field(default_factory=list)
    _folders: set[Path] = field(default_factory=set)

    @property
    def full(self) -> bool:
        return len(self._moves) >= _BATCH_FILES

    def stage_chunk(self, stem: str, markdown: bytes, sidecar: bytes) -> None:
        """Stages both files of a chunk; the sidecar will be visible first."""
        self.stage(f"{stem}.meta.json", sidecar)
        self.stage(f"{stem}.md", markdown)

    def stage(self, relative: str, body: bytes) -> None:
        staged = f"{len(self._moves):06d}"
        self._moves.append((staged, relative))
        self._write(self.layout.staging / staged, body)

    def stage_removal(self, relative: str) -> None:
        """The file goes when the batch is published, after everything new is in place."""
        self._removals.append(relative)

    def publish(self) -> list[str]:
        """Makes everything staged durable and visible; returns the relative paths now in place."""
        if not self._moves and not self._removals:
            return []
        placed = {relative for _, relative in self._moves}
        journal = {"moves": self._moves, "removals": [path for path in self._removals if path not in placed]}
        try:
            _sync(self.layout.staging)
            self._write(self.layout.staging / "journal.part", orjson.dumps(journal))
            _sync(self.layout.staging)
            (self.layout.staging / "journal.part").rename(self.layout.staging / "journal")
            _sync(self.layout.staging)
            play_journal(self.layout)
        except OSError as error:
            raise unwritable(self.layout.staging, error) from error
        self._moves.clear()
        self._removals.clear()
        return sorted(placed)

    def finish(self) -> None:
        """Forgets the journal, once the catalogue has recorded what it placed."""
        (self.layout.staging / "journal").unlink(missing_ok=True)

    def discard(self) -> None:
        """Drops what was staged and not published."""
        clear_staging(self.layout)
        self._moves.clear()
        self._removals.clear()

    def _write(self, path: Path, body: bytes) -> None:
        try:
            if path.parent not in self._folders:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._folders.add(path.parent)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            try:
                view = memoryview(body)
                while view:
                    view = view[os.write(handle, view) :]
            finally:
                os.close(handle)
        except OSError as error:
            raise unwritable(path, error) from error


def play_journal(layout: Layout) -> list[str]:
    """Finishes the publication a journal describes; returns the relative paths it placed. Safe to repeat."""
    try:
        journal = orjson.loads((layout.staging / "journal").read_bytes())
    except FileNotFoundError:
        return []
    folders: set[Path] = set()
    for staged, relative in journal["moves"]:
        target = _inside(layout, relative)
        if target.parent not in folders:
            _make_folder(layout, target.parent)
            folders.add(target.parent)
        try:
            (layout.staging / staged).rename(target)
        except FileNotFoundError:
            # Renamed before the kill; anything else would mean that the batch was never whole.
            if not target.exists():
                raise
    for relative in journal["removals"]:
        _inside(layout, relative).unlink(missing_ok=True)
    _sync(layout.staging)
    return [relative for _, relative in journal["moves"]]


def clear_staging(layout: Layout) -> None:
    """Removes what an interrupted run staged and never published."""
    shutil.rmtree(layout.staging, ignore_errors=True)


def write_file(path: Path, body: bytes) -> None:
    """Replaces one file of ours that is not part of a batch, whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with temporary.open("wb") as stream:
            stream.write(body)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.rename(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise unwritable(path, error) from error


def _inside(layout: Layout, relative: str) -> Path:
    return layout.home / relative if relative == "index.json" else layout.chunk(relative)


def _make_folder(layout: Layout, folder: Path) -> None:
    """Makes ``folder`` below the home, refusing to walk through a symbolic link that leads out of it."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for part in _below(layout.home, folder):
        if part.is_symlink():
            raise UnsafePath(
                f"{part} is a symbolic link; the store is only written through real folders",
                hint="to keep the store elsewhere, set AICX_HOME or link the whole home",
            )


def _below(home: Path, folder: Path) -> Iterator[Path]:
    while folder != home:
        yield folder
        folder = folder.parent


def _sync(folder: Path) -> None:
    """Makes everything written below ``folder`` durable.

    One ``syncfs`` for a batch of thousands of small files costs a fraction of an ``fsync`` each. Where the system has
    none, every file is synced on its own.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        if sys.platform == "linux":
            syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
            if syncfs is not None and syncfs(handle) == 0:
                return
        for entry in os.scandir(folder):
            if entry.is_file(follow_symlinks=False):
                file = os.open(entry.path, os.O_RDONLY)
                try:
                    os.fsync(file)
                finally:
                    os.close(file)
        os.fsync(handle)
    finally:
        os.close(handle)
