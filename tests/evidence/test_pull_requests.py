"""Which pull requests count as merged, and what that ends."""

from __future__ import annotations

import pytest

from aicx.evidence.calls import answered_calls, merged_by, merged_requests
from aicx.evidence.runs import followed
from aicx.evidence.session_brief import SessionBrief, read_brief
from aicx.evidence.since import Since
from aicx.git.roots import Roots
from tests.evidence.stories import Story

ADDRESS = "https://github.com/ada/orbit/pull/12"


def merged(story: Story) -> set[str]:
    return merged_requests(story.steps, followed(answered_calls(story.steps)))


def opened() -> Story:
    return Story().asks("fix the login").runs("gh pr create --fill", ADDRESS)


def brief(story: Story, merged: tuple[str, ...] = ()) -> SessionBrief:
    return read_brief(story.steps, Roots.of(["/srv/ada/orbit"]), "/srv/ada/orbit")(Since(merged))


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("gh pr merge 12 --squash", "\u2713 Squashed and merged pull request #12 (Fix the login)"),
        ("gh pr merge 12", "\u2713 Merged pull request ada/orbit#12 (Fix the login)"),
        ("gh pr view 12 --json state", '{"state":"MERGED"}'),
        ("gh pr view 12", "title:\tFix the login\nstate:\tMERGED"),
    ],
)
def test_forge_tells_that_a_pull_request_is_merged(command: str, output: str) -> None:
    assert merged(Story().runs(command, output)) == {"12"}


@pytest.mark.parametrize("text", ["PR #12 is merged.", f"Pushed and merged: {ADDRESS}", "I merged #12 into main."])
def test_agent_tells_that_a_pull_request_is_merged(text: str) -> None:
    assert merged(Story().says(text)) == {"12"}


@pytest.mark.parametrize(
    "text",
    ["PR #12 is not merged yet.", "Should #12 be merged?", "#12 can be merged.", "Once #12 is merged, we release."],
)
def test_pull_request_that_is_to_be_merged_is_not(text: str) -> None:
    assert merged(Story().says(text)) == set()


def test_commits_name_the_pull_requests_that_they_became() -> None:
    subjects = ["Fix the login (#12)", "Merge pull request #13 from ada/cache", "Fix #14"]
    assert merged_by(subjects) == {"12", "13"}


def test_merged_pull_request_ends_what_was_left_of_it() -> None:
    found = brief(
        opened()
        .runs("gh pr merge 12", "Merged pull request #12 (Fix)")
        .says("Fixed the login. The PR still needs to be merged. The changelog still needs to be written.")
    )
    assert [line.text for line in found.ahead] == ["The changelog still needs to be written."]
    assert [line.text for line in found.pull_requests] == [f"{ADDRESS} (merged)"]


def test_open_pull_request_stays_what_is_left() -> None:
    found = brief(opened().says("Fixed the login. The PR still needs to be merged."))
    assert [line.text for line in found.ahead] == ["The PR still needs to be merged."]
    assert [line.text for line in found.pull_requests] == [ADDRESS]


def test_pull_request_that_git_shows_as_merged_is_closed() -> None:
    found = brief(opened().says("Fixed the login. The PR still needs to be merged."), merged=("12",))
    assert (found.ahead, found.state) == ((), "completed")


def test_resolved_conflict_ends_a_failed_merge() -> None:
    story = Story().runs("git merge origin/main", "CONFLICT (content): Merge conflict in a.py", failed=True)
    assert brief(story).failures
    assert not brief(story.says("The conflict is resolved and the tests pass.")).failures
