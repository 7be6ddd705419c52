"""Fixtures of the tests of the memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kept import Kept
from tests.memory.builders import Place
from tests.review.builders import Review

WORD = "swordfish"  # in a record and in an instruction file of `lived_in`


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(tmp_path, monkeypatch, capsys)


@pytest.fixture
def little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search is given up after a fiftieth of its work, so that a test with a slow pattern takes no seconds."""
    monkeypatch.setattr("aicx.regex._ALLOWANCE", 40_000)


@pytest.fixture
def lived_in(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Review:
    """A repository with a session, a task, a note, a review queue, records and an instruction file."""
    monkeypatch.setattr("aicx.git.state._late", {})  # the folder's path is that of the test before

    def fill() -> None:
        place = Review(kept.folder, monkeypatch, capsys)
        place.write("export.py", "def export(): ...\n")
        place.commit()
        place.accepted(f"Exports need a {WORD} check", "--kind", "policy", "--name", "rule", "--topic", "exports")
        place.put(f"Exports are sent to {WORD}", "--topic", "exports")
        place.write("CLAUDE.md", f"- Exports go to {WORD}.\n")
        place.session("The export fails because the buffer is too small.")
        for words in (("task", "start", "check the exports of widgets"), ("continuity", "save"), ("review", "build")):
            assert place.run(*words)[0] == 0

    kept.again(fill)
    return Review(kept.folder, monkeypatch, capsys)
