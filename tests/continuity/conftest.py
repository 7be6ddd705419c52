"""Fixtures of the tests of continuity."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.continuity.builders import NotePlace


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> NotePlace:
    found = NotePlace(tmp_path, monkeypatch, capsys)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    found.write("src/export.py", "x = 1\n")
    found.commit("First")
    return found
