"""How a session's branch stands towards what is checked out."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from aicx.git.branches import Branches, BranchState
from aicx.git.state import Git, GitProbe
from tests.evidence.stories import T0, Repository


def standing(repository: Repository, branch: str | None, until: datetime = T0) -> BranchState:
    git = Git(repository.folder)
    return Branches(git, GitProbe(git).state, [branch or ""]).standing(branch, until)


def test_checked_out_branch_is_the_same(repository: Repository) -> None:
    assert standing(repository, "main") == "same_branch"


def test_branch_that_was_merged_is_merged(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "fix/login")
    repository.commit("b.py")
    repository.git("switch", "--quiet", "main")
    repository.git("merge", "--quiet", "--no-ff", "--message", "Merge", "fix/login")
    assert standing(repository, "fix/login") == "merged"


def test_branch_with_commits_of_its_own_is_unmerged(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "fix/login")
    repository.commit("b.py")
    repository.git("switch", "--quiet", "main")
    assert standing(repository, "fix/login") == "unmerged"


def test_branch_that_is_only_at_a_remote_is_found(repository: Repository, tmp_path: Path) -> None:
    repository.git("switch", "--quiet", "--create", "fix/login")
    repository.commit("b.py")
    repository.git("switch", "--quiet", "main")
    repository.git("clone", "--quiet", ".", str(tmp_path / "clone"))
    clone = Repository(tmp_path / "clone")
    assert standing(clone, "fix/login") == "unmerged"


def test_branch_that_is_nowhere_is_gone(repository: Repository) -> None:
    assert standing(repository, "fix/login") == "gone"


def test_name_of_another_branch_with_the_same_end_is_not_taken_for_it(repository: Repository) -> None:
    repository.git("branch", "team/login")
    assert standing(repository, "login") == "gone"


def test_no_branch_is_unknown(repository: Repository) -> None:
    assert standing(repository, None) == "unknown"


def test_work_on_main_from_before_a_branch_began_is_part_of_the_branch(repository: Repository) -> None:
    repository.git("switch", "--quiet", "--create", "fix/login")
    repository.git("switch", "--quiet", "main")
    repository.commit("b.py", at=T0 + timedelta(days=2))
    repository.git("switch", "--quiet", "fix/login")
    assert standing(repository, "main", T0 + timedelta(days=1)) == "merged"
    assert standing(repository, "main", T0 + timedelta(days=3)) == "unmerged"


def test_commit_is_held_missing_or_unknown(repository: Repository) -> None:
    held = repository.git("rev-parse", "HEAD")
    repository.git("switch", "--quiet", "--create", "fix/login")
    missing = repository.commit("b.py")
    repository.git("switch", "--quiet", "main")
    git = Git(repository.folder)
    branches = Branches(git, GitProbe(git).state, [])
    assert [branches.holds_commit(commit) for commit in (held[:9], missing, "f" * 40)] == [True, False, None]


def test_branch_named_like_an_option_is_only_a_name(repository: Repository) -> None:
    assert standing(repository, "--output=/tmp/x") == "gone"
