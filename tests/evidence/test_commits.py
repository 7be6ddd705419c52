"""Which commits and pull requests a session made, which are others', and which count as merged."""

from __future__ import annotations

import pytest

from aicx.evidence.calls import OtherRepositories, answered_calls, commits_of, hash_of, merged_by, merged_requests
from aicx.evidence.runs import followed
from aicx.evidence.session_brief import SessionBrief, read_brief
from aicx.evidence.since import Since
from aicx.git import Roots
from tests.evidence.stories import Story

KNOWN = OtherRepositories(
    "ada/orbit", Roots.of(["/srv/ada/orbit", "/srv/trees/login"]), ("/srv/ada", "/srv/bob/apiary")
)
COMMITTED = "[main 1a2b3c4] Fix login\n 1 file changed"


def commits(story: Story) -> list[tuple[str, str]]:
    found = commits_of(followed(answered_calls(story.steps)), KNOWN)
    return [(trace.text, trace.refs[0].removeprefix("commit:")) for trace in found]


def script(folder: str, command: str = "git commit -m x") -> Story:
    story = Story().calls("exec", f'\nawait tools.exec_command({{cmd:"{command}","workdir":"{folder}"}})')
    return story.gets("exec", f"Script completed\nOutput:\n{COMMITTED}")


@pytest.mark.parametrize(
    "command",
    [
        "cd /srv/bob/apiary && git commit -m x",
        "cd /srv/bob/apiary/web; git commit -m x",
        'cd "/srv/bob/apiary" && git commit -m x',
        "git -C /srv/bob/apiary commit -m x",
        "cd /srv/ada/notes && git commit -m x",
    ],
)
def test_commit_in_a_folder_of_another_repository_is_left_out(command: str) -> None:
    assert commits(Story().runs(command, COMMITTED)) == []


@pytest.mark.parametrize(
    "command",
    [
        "git commit -m x",
        "cd /srv/ada/orbit/web && git commit -m x",
        "cd /srv/trees/login && git commit -m x",
        "cd /srv/ada/orbit && git -C /srv/bob/apiary status && git commit -m x",
        "cd /tmp/nobody-knows && git commit -m x",
        "cd web && git commit -m x",
    ],
)
def test_commit_here_in_a_worktree_or_in_an_unknown_folder_is_kept(command: str) -> None:
    assert commits(Story().runs(command, COMMITTED)) == [("Fix login", "1a2b3c4")]


def test_folder_in_the_arguments_of_a_call_counts() -> None:
    assert commits(script("/srv/bob/apiary")) == []
    assert len(commits(script("/srv/ada/orbit"))) == 1
    story = Story().calls("shell", "\n$ git commit -m x\nworkdir: /srv/bob/apiary").gets("shell", COMMITTED)
    assert commits(story) == []


def test_folder_that_the_command_goes_to_counts_more_than_its_arguments() -> None:
    assert commits(script("/srv/ada/orbit", "cd /srv/bob/apiary && git commit -m x")) == []


def test_unknown_folder_from_which_another_repository_was_pushed_is_its() -> None:
    story = Story().runs("cd /tmp/plugin && git commit -m x", COMMITTED)
    assert len(commits(story)) == 1
    story.runs("cd /tmp/plugin && git push", "To https://example.org/bob/plugin.git\n * [new branch] main -> main")
    assert commits(story) == []


@pytest.mark.parametrize(
    ("folder", "remote"),
    [
        ("/tmp/fork", "https://example.org/bob/orbit.git"),
        ("/tmp/clone", "git@example.org:ada/orbit.git"),
        ("/srv/ada/orbit", "https://example.org/ada/backups.git"),
    ],
)
def test_push_to_a_fork_or_from_here_makes_no_folder_another_repositorys(folder: str, remote: str) -> None:
    story = Story().runs(f"cd {folder} && git commit -m x", COMMITTED).runs(f"cd {folder} && git push", f"To {remote}")
    assert len(commits(story)) == 1


def test_commit_that_was_made_anew_stands_once_with_its_last_hash() -> None:
    story = Story().runs("git commit -m 'Fix login'", COMMITTED).runs("git commit -m y", "[main 2b3c4d5] Add docs")
    story.runs("git commit --amend", "[main 9f8e7d6] Fix login\n 2 files changed")
    assert commits(story) == [("Fix login", "9f8e7d6"), ("Add docs", "2b3c4d5")]


def test_commit_that_was_amended_under_another_subject_is_left_out() -> None:
    story = Story().runs("git commit -m 'Fix login'", COMMITTED)
    story.runs("git commit --amend -m 'Fix the login'", "[main 9f8e7d6] Fix the login\n 1 file changed")
    assert commits(story) == [("Fix the login", "9f8e7d6")]


def test_a_commit_to_be_folded_into_another_one_is_part_of_that() -> None:
    story = Story().runs("git commit -m 'Fix login'", COMMITTED)
    story.runs("git commit --fixup 1a2b3c4", "[main 9f8e7d6] fixup! Fix login\n 1 file changed")
    assert [subject for subject, _ in commits(story)] == ["Fix login"]
    alone = Story().runs("git commit --fixup 5d6e7f8", "[main 9f8e7d6] fixup! Add docs\n 1 file changed")
    assert [subject for subject, _ in commits(alone)] == ["fixup! Add docs"]


def test_amendment_on_another_branch_leaves_the_commit() -> None:
    story = Story().runs("git commit -m 'Fix login'", COMMITTED)
    story.runs("git checkout docs && git commit --amend -m 'Add docs'", "[docs 9f8e7d6] Add docs\n 1 file changed")
    assert [subject for subject, _ in commits(story)] == ["Add docs", "Fix login"]


@pytest.mark.parametrize(
    ("command", "output", "told"),
    [
        ("wrap git add a && wrap git commit -m 'Fix login'", "ok 1 file changed\nok", ["Fix login"]),
        # A hook stopped it, it was only tried, the log does not say how it ended, or which of two went well.
        ("wrap git commit -m 'Fix login'", "ok 1 file changed\nFAILED: git commit", []),
        ("wrap git commit --dry-run -m 'Fix login'", "ok", []),
        ("wrap git commit -m 'Fix login'", "3 passed", []),
        ("wrap git commit -m 'Fix login'; wrap git commit -m 'Add a menu'", "ok", []),
    ],
)
def test_commit_that_git_did_not_tell_needs_a_word_that_it_was_made(command: str, output: str, told: list[str]) -> None:
    found = commits_of(followed(answered_calls(Story().runs(command, output).steps)), KNOWN)
    assert [one.text for one in found if hash_of(one) is None] == told


def test_commit_of_which_no_hash_is_known_is_taken_back_as_others_are() -> None:
    story = Story().runs("wrap git commit -m 'Fix login'", "ok").runs("git commit -m y", "[main 5d6e7f8] Add a menu")
    assert [subject for subject, _ in commits(story.runs("git reset --hard HEAD~1", "HEAD is now at"))] == ["Fix login"]


def test_commit_that_failed_is_none() -> None:
    assert commits(Story().runs("git commit -m x", COMMITTED, failed=True)) == []


def test_commit_in_a_repository_that_begins_here_is_left_out() -> None:
    trial = "[main (root-commit) 1a2b3c4] Initial commit\n 1 file changed\n[main 2b3c4d5] Configure\n 1 file changed"
    assert commits(Story().runs("git init . && git commit -m x && git commit -m y", trial)) == []


@pytest.mark.parametrize(
    ("command", "left"),
    [
        ("git reset --soft HEAD~1", ["Fix login"]),
        ("git reset HEAD^ && git status", ["Fix login"]),
        ("git reset --hard HEAD~2", []),
        ("git reset HEAD~1 src/login.py", ["Add tests", "Fix login"]),
        ("git reset --hard", ["Add tests", "Fix login"]),
        ("git reset 2b3c4d5^", ["Fix login"]),
        ("git reset --soft 1a2b3c4d", ["Fix login"]),
        ("git reset 1a2b3c4~1", []),
        ("git reset 9f8e7d6", ["Add tests", "Fix login"]),
    ],
)
def test_commit_that_was_taken_back_is_left_out(command: str, left: list[str]) -> None:
    story = Story().runs("git commit -m x", COMMITTED).runs("git commit -m y", "[main 2b3c4d5] Add tests")
    assert [subject for subject, _ in commits(story.runs(command, "Unstaged changes"))] == left


def test_commit_that_was_reverted_is_left_out() -> None:
    story = Story().runs("git commit -m x", COMMITTED).runs("git revert HEAD", '[main 2b3c4d5] Revert "Fix login"')
    assert commits(story) == []


ADDRESS = "https://github.com/ada/orbit/pull/12"
SINCE = "Since #12 has been merged, I move #13 to main."


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


@pytest.mark.parametrize(
    "text", ["PR #12 is merged.", f"Pushed and merged: {ADDRESS}", "I merged #12 into main.", SINCE]
)
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
