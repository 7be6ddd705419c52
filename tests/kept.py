"""Folders that many tests begin with: filled once, and copied back for each, for a tenth of what storing costs."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
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
            self._as_filled = _state(self.folder)
        elif (found := _state(self.folder)) != self._as_filled:
            try:
                self._restore(found, self._as_filled)
            except OSError:  # what the test before has left running may write into a folder that is being removed
                time.sleep(1)
                self._restore(_state(self.folder), self._as_filled)

    def _restore(self, found: dict[str, _Found], filled: dict[str, _Found]) -> None:
        touched = {path for path, kept in filled.items() if found.get(path) != kept}
        for path in reversed(found):  # what is in a folder before the folder
            if path not in filled or not found[path].is_as(filled[path]):
                os.rmdir(path) if found[path].is_folder else os.unlink(path)
                touched.add(os.path.dirname(path))
        for path, kept in filled.items():
            if path not in found or not found[path].is_as(kept):
                os.mkdir(path) if kept.is_folder else shutil.copy2(self._spare_of(path), path, follow_symlinks=False)
                touched |= {path, os.path.dirname(path)}
        for path in sorted(touched & filled.keys(), reverse=True):
            if filled[path].is_folder:
                shutil.copystat(self._spare_of(path), path)
            filled[path] = _Found.of(os.lstat(path), filled[path].is_folder)

    def _spare_of(self, path: str) -> str:
        return f"{self._spare}{path.removeprefix(str(self.folder))}"


class _Found(NamedTuple):
    """A file or folder, with what a write of any kind changes."""

    is_folder: bool
    inode: int
    changed: int

    @classmethod
    def of(cls, stat: os.stat_result, is_folder: bool) -> _Found:
        return cls(is_folder, stat.st_ino, stat.st_ctime_ns)

    def is_as(self, other: _Found) -> bool:
        """Whether it is what the other was. What is in a folder is looked at by itself."""
        return self.is_folder == other.is_folder and (self.is_folder or self == other)


def _state(folder: Path) -> dict[str, _Found]:
    """How each file and folder in it is found, a folder before what it has."""
    found: dict[str, _Found] = {}
    folders = [str(folder)]
    for one in folders:
        for entry in os.scandir(one):
            is_folder = entry.is_dir(follow_symlinks=False)
            found[entry.path] = _Found.of(entry.stat(follow_symlinks=False), is_folder)
            if is_folder:
                folders.append(entry.path)
    return found
