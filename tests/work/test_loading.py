"""The loading table, row by row, and over everything that git contexts may be."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.work.place import LoadingReason, evaluate
from aicx.work.record import GitContext
from tests.work.builders import NOW

A, B, C = "a" * 40, "b" * 40, "c" * 40
MAIN = GitContext(True, NOW, "main", A, False, branch_mark="m")
FEATURE = GitContext(True, NOW, "feature", B, False, branch_mark="f")
DETACHED = GitContext(True, NOW, None, A, False)
NOTHING = GitContext(False, NOW, reason="git is not installed")


@pytest.mark.parametrize(
    ("saved", "present", "merged", "reason", "loadable"),
    [
        (None, MAIN, set(), "no_git_context", True),
        (NOTHING, MAIN, set(), "no_git_context", True),
        (None, NOTHING, set(), "no_git_context", True),
        (MAIN, NOTHING, set(), "git_unavailable", True),
        (MAIN, MAIN, set(), "same_branch", True),
        (replace(MAIN, dirty=True), replace(MAIN, head=C), set(), "same_branch", True),
        (replace(MAIN, head=None), MAIN, set(), "same_branch", True),
        (FEATURE, MAIN, {B}, "branch_changed_but_merged", True),
        (FEATURE, MAIN, set(), "branch_mismatch_unmerged", False),
        (replace(FEATURE, head=None), MAIN, {B}, "branch_mismatch_unmerged", False),
        (replace(FEATURE, dirty=True), MAIN, {B}, "dirty_branch_mismatch", False),
        (DETACHED, DETACHED, set(), "same_branch", True),
        (DETACHED, replace(DETACHED, head=C), {A}, "same_branch", True),
        (DETACHED, replace(DETACHED, head=C), set(), "branch_mismatch_unmerged", False),
        (replace(DETACHED, dirty=True), replace(DETACHED, head=C), set(), "dirty_branch_mismatch", False),
        (DETACHED, MAIN, {A}, "branch_changed_but_merged", True),
        (MAIN, DETACHED, set(), "branch_mismatch_unmerged", False),
    ],
)
def test_each_row_of_the_table(
    saved: GitContext | None, present: GitContext, merged: set[str], reason: str, loadable: bool
) -> None:
    found = evaluate(saved, present, merged.__contains__)
    assert (found.reason, found.loadable) == (reason, loadable)
    assert (found.warning is None) == (reason == "same_branch" and found.saved_head == found.current_head)


def test_branches_whose_names_only_look_alike_are_different() -> None:
    assert evaluate(replace(MAIN, branch_mark="other"), MAIN, lambda _: False).reason == "branch_mismatch_unmerged"


def test_a_context_without_a_mark_is_compared_by_name() -> None:
    assert evaluate(replace(MAIN, branch_mark=None), MAIN, lambda _: False).reason == "same_branch"


def test_a_commit_that_is_not_known_here_is_not_merged() -> None:
    found = evaluate(FEATURE, MAIN, lambda _: None)
    assert (found.reason, found.warning) == ("branch_mismatch_unmerged", "left on feature, which is not known here")


CONTEXTS = st.none() | st.builds(
    GitContext,
    available=st.booleans(),
    captured_at=st.just(NOW),
    branch=st.sampled_from([None, "main", "feature"]),
    head=st.sampled_from([None, A, B]),
    dirty=st.sampled_from([None, False, True]),
)


@given(CONTEXTS, CONTEXTS.filter(lambda one: one is not None), st.sampled_from([None, False, True]))
def test_what_was_left_dirty_or_unmerged_on_another_branch_is_never_loaded(
    saved: GitContext | None, present: GitContext, merged: bool | None
) -> None:
    found = evaluate(saved, present, lambda _: merged)
    assert found.reason in get_args(LoadingReason)
    if saved is not None and saved.available and present.available and saved.branch != present.branch:
        assert found.loadable == (not saved.dirty and merged is True and saved.head is not None)
