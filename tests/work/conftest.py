"""Fixtures of the tests of work."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.work.builders import TaskPlace


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> TaskPlace:
    found = TaskPlace(tmp_path, monkeypatch, capsys)
    found.write("src/export.py", "x = 1\n")
    found.commit("First")
    return found
