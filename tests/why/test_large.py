"""A long history: git is asked a bounded number of questions, and no answer is read whole."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.why_scale import make_repository
from tests.corpus.builders import Home
from tests.why.builders import Story

pytestmark = pytest.mark.slow
COMMITS = 1_100


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("large") / "repository"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("benchmarks.why_scale._FILES", 900)
        make_repository(folder, COMMITS)
    return folder


@pytest.mark.parametrize(
    ("target", "commits"),
    [
        ("HEAD~600", 1),
        ("src/part7/file7.py", 2),
        ("src/part7/file7.py:1", 1),
        ("#600", 1),
        ("v1.0", 8),
        ("HEAD~900..HEAD", 8),
        ("Change part 600", 1),
    ],
)
def test_git_is_asked_a_bounded_number_of_questions(
    large: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, commits: int
) -> None:
    story = Story(Home(tmp_path))
    story.keep(story.log().prompt("Change the middle of the history", 0))
    begun: list[Any] = []
    real = subprocess.Popen.__init__

    def counted(self: Any, command: Any, *arguments: Any, **options: Any) -> None:
        begun.append(command)
        real(self, command, *arguments, **options)

    monkeypatch.setattr(subprocess.Popen, "__init__", counted)
    report = story.ask(target, folder=large)
    assert len(report.wanted) == commits
    assert len(begun) <= 6 + 2 * commits
