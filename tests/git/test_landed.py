"""Work that reached the head by other hashes: squashed, rebased or picked."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from aicx.git.branches import Branches, Landed
from aicx.git.state import Git, GitProbe
from tests.evidence.stories import T0, Repository

pytestmark = pytest.mark.slow

DAY = timedelta(days=1)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """With a branch of two commits that main does not hold."""
    found = Repository(tmp_path / "orbit")
    found.commit()
    found.git("switch", "--quiet", "--create", "fix/login")
    found.commit("b.py", subject="Accept empty names at the login")
    found.commit("c.py", subject="Say why a login is refused")
    found.git("switch", "--quiet", "main")
    return found


def standing(repository: Repository) -> str:
    with GitProbe(Git(repository.folder)) as look:
        return Branches(look.git, look.state, ["fix/login"], Landed(look.git)).standing("fix/login", T0)


def held(repository: Repository, subject: str, since: datetime = T0) -> bool:
    with GitProbe(Git(repository.folder)) as look:
        return Landed(look.git).holds_subject(subject, since)


def test_a_branch_that_is_not_in_the_head_by_any_proof_is_unmerged(repository: Repository) -> None:
    repository.commit("b.py", "other content\n", at=T0 + DAY)
    assert standing(repository) == "unmerged"


def test_a_squashed_branch_that_was_not_deleted_is_merged(repository: Repository) -> None:
    repository.git("merge", "--quiet", "--squash", "fix/login")
    repository.git("commit", "--quiet", "--message", "Mend the login (#12)", at=T0 + DAY)
    assert standing(repository) == "merged"


def test_a_rebased_branch_is_merged_also_where_contents_are_missing(repository: Repository) -> None:
    repository.commit("z.py", at=T0 + DAY)
    repository.git("cherry-pick", "fix/login~1", "fix/login", at=T0 + DAY)
    for blob in {repository.git("rev-parse", f"HEAD:{name}") for name in ("b.py", "c.py", "z.py")}:
        (repository.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert standing(repository) == "merged"


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Accept empty names at the login (#12)", True),
        ("Mend the login (#12)\n\n* Accept empty names at the login\n\n* Say why a login is refused", True),
        ("Mend the login (#12)", False),
    ],
)
def test_a_commit_is_held_under_its_subject_or_in_the_message_of_a_squash(
    repository: Repository, message: str, found: bool
) -> None:
    repository.git("commit", "--quiet", "--allow-empty", "--message", message, at=T0 + DAY)
    assert held(repository, "Accept empty names at the login") is found
    assert not held(repository, "Accept empty names at the login", T0 + 2 * DAY)


def test_a_subject_that_says_nothing_proves_nothing(repository: Repository) -> None:
    repository.commit("d.py", subject="wip", at=T0 + DAY)
    assert not held(repository, "wip")


@pytest.mark.parametrize(
    ("paths", "since", "holds"),
    [
        (["b.py"], T0, True),
        (["b.py", "c.py"], T0, False),
        (["b.py"], T0 + 2 * DAY, False),
        ([], T0, False),
    ],
)
def test_edits_are_in_the_head_once_each_file_of_them_was_committed_since(
    repository: Repository, paths: list[str], since: datetime, holds: bool
) -> None:
    repository.commit("b.py", "other content\n", at=T0 + DAY)
    with GitProbe(Git(repository.folder)) as look:
        assert Landed(look.git).holds_files(paths, since) is holds
