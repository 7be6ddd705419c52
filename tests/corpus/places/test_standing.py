"""The repository that somebody stands in, from a few files and the catalogue."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.places import LocalRepository, find_place, same_file
from aicx.paths import NON_REPOSITORY
from tests.corpus.builders import ClaudeLog, Home
from tests.evidence.stories import Repository

REMOTE = "git@example.org:ada/orbit.git"


@pytest.fixture
def user(tmp_path: Path) -> Home:
    """A stored session of a repository; beside it a log that is torn."""
    user = Home(tmp_path)
    repository = Repository(user.work / "orbit")
    repository.git("remote", "add", "origin", REMOTE)
    repository.commit()
    user.claude(ClaudeLog(cwd=str(repository.folder)).prompt("Fix the lexer", 0).answer("Done.", 1))
    user.store()
    return user


def found(user: Home, folder: Path) -> LocalRepository | None:
    with open_catalog(user.settings.layout) as opened:
        return find_place(opened.catalog, user.settings.user_home, folder)


def test_a_folder_below_the_repository_stands_in_it(user: Home) -> None:
    (user.work / "orbit/src/deep").mkdir(parents=True)
    assert found(user, user.work / "orbit/src/deep") == LocalRepository(
        "ada/orbit", (str(user.work / "orbit"),), common=user.work / "orbit/.git"
    )


def test_a_worktree_stands_in_its_repository(user: Home, tmp_path: Path) -> None:
    tree = tmp_path / "elsewhere"
    subprocess.run(["git", "-C", user.work / "orbit", "worktree", "add", "--quiet", tree], check=True)
    assert found(user, tree) == LocalRepository(
        "ada/orbit", (str(tree), str(user.work / "orbit")), common=user.work / "orbit/.git"
    )


@pytest.mark.parametrize(("remote", "project"), [(REMOTE, "ada/orbit"), ("git@x.org:eve/token=hunter22.git", None)])
def test_a_clone_that_no_session_worked_in_has_the_project_that_its_remote_names(
    user: Home, tmp_path: Path, remote: str, project: str | None
) -> None:
    clone = Repository(tmp_path / "clone")
    clone.git("remote", "add", "origin", remote)
    place = found(user, clone.folder)
    assert place is not None
    assert (place.project, place.name) == (project, project or str(clone.folder))


def test_where_there_is_no_working_tree_nobody_stands(user: Home, tmp_path: Path) -> None:
    Repository(tmp_path / "bare.git", "--bare")
    (tmp_path / "plain").mkdir()
    (tmp_path / "file").write_text("x")
    for name in ("bare.git", "plain", "file", "absent", "absent/\udcff"):
        assert found(user, tmp_path / name) is None


def test_not_everything_below_a_home_folder_is_of_the_repository_that_it_is(user: Home) -> None:
    Repository(user.settings.user_home)
    place = found(user, user.settings.user_home)
    assert place is not None
    home = str(user.settings.user_home)
    assert place.share(NON_REPOSITORY, home) == 1.0
    assert place.share(NON_REPOSITORY, f"{home}/notes") == 0.0
    assert place.share("ada/orbit", f"{home}/work/orbit") in (0.0, None)


@pytest.mark.parametrize(
    ("named", "cwd", "same"),
    [
        ("D:\\orbit\\src\\color\\x.go", None, True),
        ("d:\\Orbit\\SRC\\Color\\X.go", "D:\\orbit", True),
        ("src\\color\\x.go", "D:\\orbit", True),
        ("D:\\orbit\\src\\color\\max.go", None, False),
    ],
)
def test_a_path_of_windows_means_the_file_of_the_repository(named: str, cwd: str | None, same: bool) -> None:
    assert same_file(named, "src/color/x.go", cwd) is same
