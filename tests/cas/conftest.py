"""Fixtures of the tests of objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cas.builders import Shelf
from tests.corpus.builders import SESSION, ClaudeLog


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shelf:
    return Shelf(tmp_path, monkeypatch, capsys)


@pytest.fixture
def stored(shelf: Shelf) -> Shelf:
    """The same with one stored session."""
    log = ClaudeLog(SESSION, str(shelf.repo)).prompt("Why does the export fail?", 0).answer("The reader is wrong.", 5)
    path = shelf.folder / "user/.claude/projects/x" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(log.body())
    assert shelf.run("store")[0] == 0
    return shelf
