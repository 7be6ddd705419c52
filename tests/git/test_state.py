"""What git says of folders of every kind, and that asking leaves no trace."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from aicx.git.state import Git, GitProbe, GitState
from tests.evidence.stories import Repository


def state_of(folder: Path) -> GitState:
    return GitProbe(Git(folder)).state


def test_branch_and_head_are_those_of_the_checkout(repository: Repository) -> None:
    found = state_of(repository.folder)
    assert (found.kind, found.branch, found.head) == ("repository", "main", repository.git("rev-parse", "HEAD"))


def test_clean_checkout_is_not_dirty(repository: Repository) -> None:
    assert state_of(repository.folder).dirty is False


def test_changed_staged_renamed_and_untracked_files_are_named(repository: Repository) -> None:
    repository.commit("old name.py", "a long enough text to be seen as a rename\n" * 5)
    repository.git("mv", "old name.py", "new name.py")
    repository.write("a.py", "y\n")
    repository.write("ünew.py")
    assert set(state_of(repository.folder).changed) == {"a.py", "new name.py", "ünew.py"}


def test_question_from_a_folder_below_is_about_the_whole_repository(repository: Repository) -> None:
    repository.commit("src/deep/b.py")
    assert state_of(repository.folder / "src" / "deep").root == str(repository.folder)


def test_detached_head_has_no_branch(repository: Repository) -> None:
    repository.git("checkout", "--quiet", "--detach")
    found = state_of(repository.folder)
    assert found.detached
    assert found.branch is None


def test_repository_without_commits_has_a_branch_and_no_head(tmp_path: Path) -> None:
    found = state_of(Repository(tmp_path / "new").folder)
    assert (found.kind, found.branch, found.head, found.detached) == ("repository", "main", None, False)


def test_bare_repository_has_a_branch_and_no_files(repository: Repository, tmp_path: Path) -> None:
    repository.git("clone", "--quiet", "--bare", ".", str(tmp_path / "orbit.git"))
    found = state_of(tmp_path / "orbit.git")
    assert (found.kind, found.branch, found.root, found.dirty) == ("bare", "main", None, None)


def test_shallow_clone_is_told(repository: Repository, tmp_path: Path) -> None:
    repository.commit("b.py")
    repository.git("clone", "--quiet", "--depth=1", repository.folder.as_uri(), str(tmp_path / "shallow"))
    assert state_of(tmp_path / "shallow").shallow


def test_submodule_knows_what_it_is_part_of(repository: Repository, tmp_path: Path) -> None:
    outer = Repository(tmp_path / "outer")
    outer.git("submodule", "--quiet", "add", str(repository.folder), "inner")
    found = state_of(outer.folder / "inner")
    assert (found.kind, found.superproject) == ("repository", str(outer.folder))


def test_worktrees_are_listed_with_their_branches(repository: Repository, tmp_path: Path) -> None:
    repository.git("worktree", "add", "--quiet", "-b", "fix/login", str(tmp_path / "tree"))
    found = state_of(tmp_path / "tree")
    assert {(tree.path, tree.branch) for tree in found.worktrees} == {
        (str(repository.folder), "main"),
        (str(tmp_path / "tree"), "fix/login"),
    }


def test_folder_outside_any_repository_is_none(tmp_path: Path) -> None:
    assert state_of(tmp_path).kind == "none"


def test_missing_git_is_named(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    found = state_of(repository.folder)
    assert (found.kind, found.notes) == ("unavailable", ("git is not installed",))


def test_git_that_hangs_is_given_up_and_named(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 30\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow.parent}:/usr/bin:/bin")
    found = GitProbe(Git(repository.folder, timeout=0.2)).state
    assert found.kind == "unavailable"
    assert "gave no answer within 0.2 s" in found.notes[0]


def test_git_that_hung_twice_is_asked_nothing_more_by_any_part_of_a_command(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "bin" / "git"
    slow.parent.mkdir()
    slow.write_text("#!/bin/sh\nexec sleep 30\n")
    slow.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{slow.parent}:/usr/bin:/bin")
        git = Git(repository.folder, timeout=0.1)
        assert (git.ask("log"), git.ask("log")) == (None, None)
    other = Git(repository.folder)
    assert other.ask("rev-parse", "HEAD") is None
    assert other.notes == ["git was not asked for `rev-parse`: it took too long before"]


def test_only_waiting_for_git_counts_as_its_time(repository: Repository) -> None:
    git = Git(repository.folder, in_all=0.01)
    time.sleep(0.02)
    assert git.ask("rev-parse", "HEAD")


def test_variables_of_a_hook_do_not_lead_to_another_repository(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Repository(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    assert state_of(repository.folder).root == str(repository.folder)


def test_asking_runs_no_program_that_the_repository_names(repository: Repository, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n")
    trap.chmod(0o755)
    repository.git("config", "core.fsmonitor", str(trap))
    state_of(repository.folder)
    assert not (tmp_path / "sprung").exists()


def test_asking_changes_no_file_of_the_repository(repository: Repository) -> None:
    repository.write("a.py", "y\n")
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files_of(repository.folder)}
    state_of(repository.folder)
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files_of(repository.folder)} == before


def files_of(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]


@pytest.mark.slow
def test_ten_thousand_untracked_files_are_counted_and_a_few_named(repository: Repository) -> None:
    for number in range(10_000):
        (repository.folder / f"new{number}.txt").touch()
    found = state_of(repository.folder)
    assert found.changed_count == 10_000
    assert len(found.changed) == 200


def test_name_that_is_no_utf8_does_no_harm(repository: Repository) -> None:
    Path(repository.folder, "b\udcff.py").touch()
    assert state_of(repository.folder).changed == ("b\udcff.py",)


def test_after_its_time_git_is_asked_nothing(tmp_path: Path) -> None:
    Repository(tmp_path / "orbit").commit()
    git = Git(tmp_path / "orbit", in_all=-1)
    assert (git.ask("rev-parse", "HEAD"), git.ask_some(10, "log")) == (None, None)
    assert git.notes == [f"git was not asked for `{name}`: it took too long before" for name in ("rev-parse", "log")]
