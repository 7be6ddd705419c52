"""Which folders and paths belong to a repository, and whose machine it was."""

from __future__ import annotations

import pytest

from aicx.corpus.places import LocalRepository, same_file
from aicx.git.history import HistoryCommit
from aicx.paths import NON_REPOSITORY
from aicx.why.ranking import is_author
from tests.corpus.builders import when

PLACE = LocalRepository("ada/orbit", ("/srv/ada/orbit",))


@pytest.mark.parametrize(
    ("project", "cwd", "share"),
    [
        ("ada/orbit", "/home/bob/orbit", 1.0),
        (NON_REPOSITORY, "/srv/ada/orbit/src", 1.0),
        ("bob/orbit", "/home/bob/orbit", 0.7),  # a fork
        (NON_REPOSITORY, "/home/bob/code/orbit", 0.7),
        (NON_REPOSITORY, "/home/bob/code", 0.0),
        ("ada/lamp", "/home/bob/lamp", None),
    ],
)
def test_session_belongs_to_a_repository_by_project_or_folder(project: str, cwd: str, share: float | None) -> None:
    assert PLACE.share(project, cwd) == share


@pytest.mark.parametrize(
    ("named", "path", "same"),
    [
        ("src/a.py", "src/a.py", True),
        ("/home/bob/orbit/src/a.py", "src/a.py", True),
        ("/home/bob/orbit/src/aa.py", "a.py", False),
        ("/home/bob/orbit/src/a.py", "a.py", False),
        ("/home/bob/orbit/a.py", "a.py", True),
    ],
)
def test_path_of_a_tool_means_a_file_of_the_repository(named: str, path: str, same: bool) -> None:
    assert same_file(named, path, "/home/bob/orbit") is same


@pytest.mark.parametrize(
    ("author", "email", "is_his"),
    [
        ("Bob", "x@example.org", True),
        ("B. Builder", "12+bob@users.noreply.example.org", True),
        ("Ada", "ada@example.org", False),
    ],
)
def test_home_folder_with_the_name_of_the_author_is_his(author: str, email: str, is_his: bool) -> None:
    change = HistoryCommit("", (), author, email, when(0), when(0), "")
    assert is_author(change, "/Users/bob/orbit") is is_his
