"""Folders that many tests begin with: filled once, and copied back for each, for a tenth of what storing costs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


class Kept:
    """A folder that every test of a module finds as it was once it had been filled, always at the same path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self._spare = folder.with_name(f"{folder.name}-as-filled")
        self._as_filled: list[tuple[object, ...]] | None = None
        self._is_empty = True

    def empty(self) -> Path:
        """Empties the folder, whatever the test before has left in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self._is_empty = True
        return self.folder

    def home(self, monkeypatch: pytest.MonkeyPatch) -> Path:
        """The folder as the home of the user."""
        monkeypatch.setenv("HOME", str(self.folder))
        monkeypatch.setenv("AICX_HOME", str(self.folder / ".aicx"))
        return self.folder

    def again(self, fill: Callable[[], object]) -> None:
        """What ``fill`` writes into the folder, and nothing else; it is called once.

        Where the test before has only read, its folder is this test's too.
        """
        if self._as_filled and self._as_filled == list(_state(self.folder)):
            return
        if not self._is_empty:
            self.empty()
        if self._spare.exists():
            shutil.copytree(self._spare, self.folder, symlinks=True, dirs_exist_ok=True)
        else:
            fill()
            shutil.copytree(self.folder, self._spare, symlinks=True)
        self._as_filled = list(_state(self.folder))
        self._is_empty = False


def _state(folder: Path) -> Iterator[tuple[object, ...]]:
    """Each file and folder in it, with what a write of any kind changes."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        found = entry.stat(follow_symlinks=False)
        yield entry.path, found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns
        if entry.is_dir(follow_symlinks=False):
            yield from _state(Path(entry.path))
