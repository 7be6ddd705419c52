"""Fixtures of the tests of continuity."""

from __future__ import annotations

import pytest

from tests.continuity.builders import NotePlace
from tests.kept import Kept


@pytest.fixture
def place(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> NotePlace:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("aicx.git.state._late", {})  # the folder's path is that of the test before

    def fill() -> None:
        found = NotePlace(kept.folder, monkeypatch, capsys)
        found.write("src/export.py", "x = 1\n")
        found.commit("First")

    kept.again(fill)
    return NotePlace(kept.folder, monkeypatch, capsys)
