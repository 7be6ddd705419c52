"""Folders that many tests begin with: filled once, and copied back for each, for a tenth of what storing costs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


class Kept:
    """A folder that every test of a module finds as it was once it had been filled, always at the same path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._spare = folder.with_name(f"{folder.name}-as-filled")

    def empty(self) -> Path:
        """Empties the folder, whatever the test before has left in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        return self.folder

    def home(self, monkeypatch: pytest.MonkeyPatch) -> Path:
        """The folder, empty, as the home of the user."""
        monkeypatch.setenv("HOME", str(self.folder))
        monkeypatch.setenv("AICX_HOME", str(self.folder / ".aicx"))
        return self.empty()

    def again(self, fill: Callable[[], object]) -> None:
        """What ``fill`` writes into the folder, which is empty; it is called once."""
        if self._spare.exists():
            shutil.copytree(self._spare, self.folder, symlinks=True, dirs_exist_ok=True)
        else:
            fill()
            shutil.copytree(self.folder, self._spare, symlinks=True)
