"""How evidence is weighed: what outweighs what, and when nothing is decided."""

from __future__ import annotations

import pytest

from aicx.corpus.places.evidence import FolderVerdict, Ledger, root_of
from aicx.folders import FolderClue

FOLDER = "/gone/orbit"


def verdict(*seen: tuple[str, str, int]) -> FolderVerdict:
    """The verdict on a folder of (kind, repository, number of sessions)."""
    ledger = Ledger()
    for kind, project, sessions in seen:
        for number in range(sessions):
            ledger.add(("claude", f"{number}"), FolderClue(FOLDER, kind, project))
    return ledger.verdict(FOLDER, lambda project: project)


@pytest.mark.parametrize("kind", ["recorded", "remote", "clone", "push", "pull-request", "fetch", "page"])
def test_each_kind_decides_where_nothing_contradicts(kind):
    assert verdict((kind, "ada/orbit", 1)).project == "ada/orbit"


def test_nothing_decides_nothing():
    assert verdict().project is None


@pytest.mark.parametrize("kind", ["recorded", "push", "page"])
def test_equally_strong_evidence_for_two_decides_for_neither(kind):
    found = verdict((kind, "ada/orbit", 1), (kind, "bob/lamp", 1))
    assert found.project is None
    assert found.against.keys() == {"ada/orbit", "bob/lamp"}
    assert "undecided between ada/orbit" in found.reason


def test_a_remote_outweighs_one_push_elsewhere():
    found = verdict(("remote", "ada/orbit", 1), ("push", "bob/lamp", 1))
    assert found.project == "ada/orbit"
    assert "against bob/lamp" in found.reason


def test_many_pushes_elsewhere_put_a_remote_in_doubt():
    assert verdict(("remote", "ada/orbit", 1), ("push", "bob/lamp", 4)).project is None


def test_pushes_to_a_fork_do_not_contradict_the_repository_that_pull_requests_went_to():
    found = verdict(("push", "ada/orbit", 9), ("pull-request", "space/orbit", 1))
    assert (found.project, dict(found.against)) == ("space/orbit", {})
    assert verdict(("push", "ada/lamp", 9), ("pull-request", "space/orbit", 1)).project == "ada/lamp"
    assert verdict(("remote", "ada/orbit", 1), ("pull-request", "space/orbit", 1)).project == "ada/orbit"


def test_pages_of_another_repository_do_not_outweigh_a_push():
    assert verdict(("push", "ada/orbit", 1), ("page", "bob/lamp", 1)).project == "ada/orbit"


def test_a_habit_repeated_is_no_new_evidence():
    assert verdict(("page", "ada/orbit", 50)).score == verdict(("page", "ada/orbit", 5)).score


def test_the_same_thing_seen_again_is_no_news():
    ledger = Ledger()
    seen = [
        FolderClue(FOLDER, "push", "ada/orbit"),
        FolderClue(FOLDER, "worktree", "/gone/fix"),
        FolderClue(FOLDER, "moved", "a/b a/c"),
    ]
    assert [ledger.add(("claude", "one"), one) for one in seen] == [True] * 3
    assert [ledger.add(("claude", "one"), one) for one in seen] == [False] * 3


@pytest.mark.parametrize(
    ("folder", "root"),
    [
        ("/srv/orbit/.worktrees/ada/fix/src", "/srv/orbit"),
        ("/srv/orbit/.claude/worktrees/fix", "/srv/orbit"),
        ("/home/ada/.worktrees/fix", "/home/ada/.worktrees/fix"),
        ("/srv/orbit/src", "/srv/orbit/src"),
        ("D:\\Orbit\\.claude\\worktrees\\fix\\src", "d:/orbit"),
        ("C:\\Users\\Ada\\.worktrees\\fix", "c:/users/ada/.worktrees/fix"),
    ],
)
def test_a_worktree_inside_a_repository_counts_as_the_repository(folder, root):
    assert root_of(folder) == root
