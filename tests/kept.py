"""Folders that many tests begin with: filled once, and copied back for each, for a tenth of what storing costs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest


class Kept:
    """A folder that every test of a module finds as it was once it had been filled, always at the same path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self._spare = folder.with_name(f"{folder.name}-as-filled")
        self._as_filled: dict[str, _Found] | None = None

    def empty(self) -> Path:
        """Empties the folder, whatever the test before has left in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        return self.folder

    def home(self, monkeypatch: pytest.MonkeyPatch) -> Path:
        """The folder as the home of the user."""
        monkeypatch.setenv("HOME", str(self.folder))
        monkeypatch.setenv("AICX_HOME", str(self.folder / ".aicx"))
        return self.folder

    def again(self, fill: Callable[[], object]) -> None:
        """What ``fill`` writes into the folder, and nothing else; it is called once.

        Of what it wrote, only that is copied back which the test before has changed.
        """
        if self._as_filled is None:
            fill()
            shutil.copytree(self.folder, self._spare, symlinks=True)
            self._as_filled = dict(_state(self.folder))
        elif (found := dict(_state(self.folder))) != self._as_filled:
            self._restore(found, self._as_filled)
            self._as_filled = dict(_state(self.folder))

    def _restore(self, found: dict[str, _Found], filled: dict[str, _Found]) -> None:
        for path in reversed(list(found)):  # what is in a folder before the folder
            if path not in filled or not found[path].is_as(filled[path]):
                os.rmdir(path) if found[path].is_folder else os.unlink(path)
                del found[path]
        for path, kept in filled.items():
            spare = f"{self._spare}{path.removeprefix(str(self.folder))}"
            if path not in found:
                os.mkdir(path) if kept.is_folder else shutil.copy2(spare, path, follow_symlinks=False)
        for path, kept in reversed(filled.items()):
            if kept.is_folder:
                shutil.copystat(f"{self._spare}{path.removeprefix(str(self.folder))}", path)


class _Found(NamedTuple):
    """A file or folder, with what a write of any kind changes."""

    is_folder: bool
    inode: int
    changed: int

    def is_as(self, other: _Found) -> bool:
        """Whether it is what the other was. What is in a folder is looked at by itself."""
        return self.is_folder == other.is_folder and (self.is_folder or self == other)


def _state(folder: Path | str) -> Iterator[tuple[str, _Found]]:
    """The path of each file and folder in it, a folder before what it has, and how it was found."""
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        of_file = entry.stat(follow_symlinks=False)
        is_folder = entry.is_dir(follow_symlinks=False)
        yield entry.path, _Found(is_folder, of_file.st_ino, of_file.st_ctime_ns)
        if is_folder:
            yield from _state(entry.path)
