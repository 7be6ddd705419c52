"""Fixtures of the tests of packs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kept import Kept
from tests.packs.builders import DAY, PackPlace


@pytest.fixture
def place(
    tmp_path: Path, committing: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> PackPlace:
    found = PackPlace(tmp_path, monkeypatch, capsys)
    commit_twice(found)
    return found


@pytest.fixture
def worked(
    kept: Kept, committing: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> PackPlace:
    """A task with two stated handoffs, and four sessions: its own, one on its file, one about it, and a stranger."""
    found = PackPlace(kept.empty(), monkeypatch, capsys)
    kept.again(lambda: work_in(found))
    return found


@pytest.fixture
def committing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No agent has begun a session, and git says when it is."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-03-01T08:00:00Z")
    for name in ("CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SESSION_ID", "CLAUDECODE", "AICX_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)


def commit_twice(place: PackPlace) -> None:
    place.write("src/export.py", "x = 1\n")
    place.write("src/reader.py", "x = 1\n")
    place.commit("First")
    place.write("src/export.py", "x = 2\n")
    place.commit("Fix the export")


def work_in(place: PackPlace) -> None:
    commit_twice(place)
    own = place.session("aaaa-own", "Fix the export of empty files", "src/export.py")
    place.session("bbbb-file", "Rename a variable", "src/export.py", seconds=DAY)
    place.session("cccc-title", "Talk about how to fix the export of empty files at last", seconds=2 * DAY)
    place.session("dddd-other", "Paint the gasket", "docs/gasket.md", seconds=3 * DAY)
    place.store()
    place.task("Fix the export of empty files", "--file", "src/export.py", "--next", "Change the writer")
    place.json("task", "update", "--json-patch", f'{{"sources": ["{own}"], "risks": ["the writer may block"]}}')
    for number in (1, 2):
        said = ("finalize", "--status", "success", "--summary", f"Part {number} works", "--agent-id", "claude")
        place.json(*said, "--task", "Fix the export of empty files", "--session-id", f"handed-{number}")
