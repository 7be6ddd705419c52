"""Fixtures of the tests of work."""

from __future__ import annotations

import pytest

from tests.kept import Kept
from tests.work.builders import TaskPlace


@pytest.fixture
def place(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> TaskPlace:
    monkeypatch.setattr("aicx.git.state._late", {})  # the folder's path is that of the test before

    def fill() -> None:
        found = TaskPlace(kept.folder, monkeypatch, capsys)
        found.write("src/export.py", "x = 1\n")
        found.commit("First")

    kept.again(fill)
    return TaskPlace(kept.folder, monkeypatch, capsys)
