"""Repositories that are not what one expects."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from aicx.errors import AicxError, NotFound, UsageError
from aicx.git.identity import find_repository
from aicx.repomap import open_map
from aicx.repomap.files import list_files
from aicx.repomap.refresh import refresh_map
from tests.repomap.builders import Repo, git

FILES = {
    "press.py": "def press_apples(): ...\n",
    "deep/er/till.py": "def sell_cider(): ...\n",
    "README.md": "# Cider\n",
}


@pytest.fixture
def repo(new_repo) -> Repo:
    return new_repo(FILES)


def listed(folder: Path) -> list[str]:
    return sorted(list_files(find_repository(folder)).stamps)


def skipped(folder: Path) -> dict[str, int]:
    return dict(list_files(find_repository(folder)).skipped)


def test_any_folder_of_a_repository_leads_to_its_root(repo: Repo) -> None:
    assert find_repository(repo.root / "deep/er").root == repo.root
    assert listed(repo.root / "deep/er") == sorted(FILES)


def test_a_repository_without_a_commit_is_listed(repo: Repo) -> None:
    assert listed(repo.root) == sorted(FILES)


def test_an_empty_repository_has_no_files(new_repo) -> None:
    assert listed(new_repo({}).root) == []


def test_a_detached_head_makes_no_difference(repo: Repo) -> None:
    repo.commit()
    git(repo.root, "checkout", "-q", "--detach")
    assert listed(repo.root) == sorted(FILES)


def test_a_shallow_clone_is_listed(repo: Repo, tmp_path: Path) -> None:
    repo.commit()
    git(tmp_path, "clone", "-q", "--depth", "1", repo.root.as_uri(), str(tmp_path / "shallow"))
    assert listed(tmp_path / "shallow") == sorted(FILES)


def test_a_worktree_is_listed_by_its_own_files(repo: Repo, tmp_path: Path) -> None:
    repo.commit()
    git(repo.root, "worktree", "add", "-q", str(tmp_path / "beside"))
    (tmp_path / "beside" / "own.py").write_text("")
    found = find_repository(tmp_path / "beside")
    assert found.root == tmp_path / "beside"
    assert found.repo_id == find_repository(repo.root).repo_id
    assert found.worktree_id != find_repository(repo.root).worktree_id
    assert listed(tmp_path / "beside") == sorted([*FILES, "own.py"])


def test_a_worktree_of_a_bare_repository_is_listed(repo: Repo, tmp_path: Path) -> None:
    repo.commit()
    git(tmp_path, "clone", "-q", "--bare", str(repo.root), str(tmp_path / "bare.git"))
    git(tmp_path / "bare.git", "worktree", "add", "-q", str(tmp_path / "copy"))
    assert listed(tmp_path / "copy") == sorted(FILES)


def test_a_bare_repository_is_refused_with_a_next_step(repo: Repo, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repo.root), str(tmp_path / "bare.git"))
    for folder in (tmp_path / "bare.git", tmp_path / "bare.git" / "refs"):
        with pytest.raises(UsageError, match="bare") as caught:
            open_map(repo.layout, folder)
        assert "worktree" in (caught.value.hint or "")


def test_gits_own_folder_is_refused(repo: Repo) -> None:
    with pytest.raises(UsageError, match="git's own folder"):
        open_map(repo.layout, repo.root / ".git" / "refs")


def test_a_submodule_is_another_repository(repo: Repo, tmp_path: Path) -> None:
    repo.commit()
    outer = Repo.new(tmp_path / "estate", repo.layout.home, {"gate.py": "x = 1\n"})
    git(outer.root, "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(repo.root), "orchard")
    assert listed(outer.root) == [".gitmodules", "gate.py"]
    assert skipped(outer.root) == {"repository within": 1}
    inner = find_repository(outer.root / "orchard" / "deep")
    assert inner.root == outer.root / "orchard"
    assert listed(inner.root) == sorted(FILES)


def test_a_repository_inside_that_is_no_submodule_is_passed_over(repo: Repo) -> None:
    Repo.new(repo.root / "within", repo.layout.home, {"secret.py": "x = 1\n"})
    assert listed(repo.root) == sorted(FILES)
    assert skipped(repo.root) == {"repository within": 1}


def test_a_folder_without_git_is_walked(repo: Repo, tmp_path: Path) -> None:
    plain = Repo(tmp_path / "plain", repo.layout.home)
    plain.write({**FILES, "node_modules/x/index.js": "", ".cache/x.py": "", "dist/x.js": ""})
    assert listed(plain.root) == sorted(FILES)
    assert find_repository(plain.root).source == "scan"


def test_a_folder_without_git_that_is_a_whole_disk_is_refused(repo: Repo, tmp_path: Path) -> None:
    plain = Repo(tmp_path / "plain", repo.layout.home)
    plain.write(FILES)
    with pytest.raises(UsageError, match="more than 2 files"):
        list_files(find_repository(plain.root), max_without_git=2)


def test_a_folder_that_does_not_exist_is_not_found(repo: Repo, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        open_map(repo.layout, tmp_path / "nowhere")


def test_a_file_is_no_repository(repo: Repo) -> None:
    with pytest.raises(UsageError, match="is a file"):
        open_map(repo.layout, repo.root / "press.py")


@pytest.mark.parametrize("pointer", ["gitdir: /nowhere/at/all\n", "nonsense\n", ""])
def test_a_worktree_whose_repository_is_gone_is_told(pointer: str, repo: Repo, tmp_path: Path) -> None:
    folder = tmp_path / "lost"
    folder.mkdir()
    (folder / ".git").write_text(pointer)
    status = open_map(repo.layout, folder).status()
    assert (status.query_available, status.refresh_available) == (False, False)
    assert "git cannot list" in status.warnings[-1]
    with pytest.raises(AicxError, match="git cannot list"):
        open_map(repo.layout, folder).query("press")


def test_without_git_a_repository_is_told(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(AicxError, match="git does not start"):
        listed(repo.root)


@pytest.mark.slow
def test_ten_thousand_files_are_listed(repo: Repo) -> None:
    (repo.root / "many").mkdir()
    for number in range(10_000):
        (repo.root / "many" / f"{number}.txt").touch()
    assert len(listed(repo.root)) == 10_000 + len(FILES)


def test_variables_of_another_repository_change_nothing(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when aicx is called by a hook."""
    other = Repo.new(tmp_path / "other", repo.layout.home, {"other.py": ""})
    monkeypatch.setenv("GIT_DIR", str(other.root / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other.root))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "no-index"))
    assert listed(repo.root) == sorted(FILES)


def test_a_program_named_by_the_repository_is_not_run(repo: Repo, tmp_path: Path) -> None:
    program = tmp_path / "watch"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\n")
    program.chmod(0o755)
    git(repo.root, "config", "core.fsmonitor", str(program))
    assert listed(repo.root) == sorted(FILES)
    assert not (tmp_path / "was-run").exists()


def test_a_conflict_lists_a_file_once(repo: Repo) -> None:
    repo.commit()
    git(repo.root, "checkout", "-q", "-b", "pears")
    repo.write({"press.py": "def press_pears(): ...\n"})
    repo.commit()
    git(repo.root, "checkout", "-q", "-")
    repo.write({"press.py": "def press_plums(): ...\n"})
    repo.commit()
    with pytest.raises(Exception, match="non-zero"):
        git(repo.root, "merge", "pears")
    assert listed(repo.root) == sorted(FILES)


def test_a_deleted_tracked_file_is_not_listed(repo: Repo) -> None:
    repo.commit()
    (repo.root / "press.py").unlink()
    assert listed(repo.root) == ["README.md", "deep/er/till.py"]


# Names and links -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["new\nline.py", "esc\x1b[31m.py", os.fsdecode(b"caf\xe9.py")])
def test_a_name_that_cannot_be_printed_is_passed_over(name: str, repo: Repo) -> None:
    if sys.platform == "darwin" and "\udce9" in name:
        pytest.skip("this system refuses such names")
    (repo.root / name).write_text("")
    assert listed(repo.root) == sorted(FILES)
    assert skipped(repo.root) == {"unprintable name": 1}


@pytest.mark.parametrize("name", ["über maß.py", "日本.py", "a b.py", "-rf.py", "quote'\".py", ":colon.py"])
def test_an_odd_name_is_a_name(name: str, repo: Repo) -> None:
    (repo.root / name).write_text("")
    assert listed(repo.root) == sorted([*FILES, name])


def test_a_link_is_not_followed(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("def outer_secret(): ...\n")
    (repo.root / "link.py").symlink_to(tmp_path / "outside.py")
    (repo.root / "loop.py").symlink_to("loop.py")
    assert listed(repo.root) == sorted(FILES)
    assert skipped(repo.root) == {"link": 2}


def test_a_tracked_folder_that_became_a_link_leads_nowhere(repo: Repo, tmp_path: Path) -> None:
    repo.commit()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "er").mkdir()
    (tmp_path / "outside" / "er" / "till.py").write_text("def outer_secret(): ...\n")
    (repo.root / "deep").rename(tmp_path / "gone")
    (repo.root / "deep").symlink_to(tmp_path / "outside")
    assert listed(repo.root) == ["README.md", "press.py"]


def test_a_pipe_does_not_block(repo: Repo) -> None:
    repo.commit()
    (repo.root / "press.py").unlink()
    os.mkfifo(repo.root / "press.py")
    assert listed(repo.root) == ["README.md", "deep/er/till.py"]
    assert skipped(repo.root) == {"special file": 1}


@pytest.mark.needs("code")
def test_an_answer_never_leads_out_of_the_repository(repo: Repo, tmp_path: Path) -> None:
    refresh_map(repo.layout, repo.root)
    assert repo.map.query("sell cider")[0].path == "deep/er/till.py"
    (repo.root / "deep").rename(tmp_path / "moved")
    (repo.root / "deep").symlink_to(tmp_path / "moved")
    answer = repo.map.answer("sell cider")
    assert "deep/er/till.py" not in [entry.path for entry in answer.items]
    assert "left out 1" in answer.notes[0]
