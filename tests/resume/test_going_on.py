"""Every command goes on from the same session, and what is doubtful is not said to be open."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime

import pytest

from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, when
from tests.memory.builders import Place
from tests.work.builders import TaskPlace
from tests.work.conftest import place as place

pytestmark = pytest.mark.slow

HOUR = 3600.0
FOURTH = "4f2a81c0-7d1e-4c55-9b1a-3e6f0a9c2d44"
NOTHING = "Nothing is open here that I could prove.\n"
ADDRESS = "https://github.com/ada/orbit/pull/12"


def keep(place: Place, *logs: ClaudeLog) -> None:
    for log in logs:
        path = place.folder / "user/.claude/projects/x" / f"{log.session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(log.body())
    place.store()


def log(place: TaskPlace, session: str = SESSION, branch: str = "main") -> ClaudeLog:
    return ClaudeLog(session, str(place.repo), branch)


def gone_on(place: TaskPlace) -> dict[str, object]:
    """The session that each command goes on from, or says is open."""
    resumed = place.json("resume", "--repo", str(place.repo))
    return {
        "resume": resumed["capsule"]["resuming"],
        "next": [step["task"] for step in place.json("next", "--repo", str(place.repo))["steps"]],
        "task": [task["ref"] for task in place("status", "--repo", str(place.repo))["active"]],
        "prepare": [task["ref"] for task in place.json("prepare", "--dry-run", "--repo", str(place.repo))["active"]],
    }


def squashed(place: TaskPlace) -> None:
    """A session on a branch, whose pull request was squashed into main; the branch is still there."""
    place.git("checkout", "-qb", "fix/export")
    place.write("src/export.py", "x = 2\n")
    place.commit("Accept empty files in the export")
    place.git("checkout", "-q", "main")
    place.write("src/reader.py", "y = 2\n")
    place.commit("Something else")
    made = log(place, OTHER, "fix/export").prompt("Empty files make the export crash", HOUR)
    made.call("Bash", HOUR + 1, "t1", command="git commit -am 'Accept empty files in the export'")
    made.result("[fix/export 1a2b3c4] Accept empty files in the export\n 1 file changed", HOUR + 2, "t1")
    made.call("Bash", HOUR + 3, "t2", command="gh pr create --fill").result(ADDRESS, HOUR + 4, "t2")
    made.answer("PR #12 needs your merge. The changelog still needs to be written.", HOUR + 5)
    keep(place, log(place).prompt("Rename the reader, please", 0).answer("The reader has a new name.", 5), made)


def test_squashed_work_is_what_every_command_goes_on_from_and_its_merge_is_not_left(place: TaskPlace) -> None:
    squashed(place)
    place.git("commit", "-q", "--allow-empty", "-m", "Accept empty files (#12)")
    ref = f"session:claude:{OTHER}"
    assert gone_on(place) == {"resume": ref, "next": [ref], "task": [ref], "prepare": [ref]}
    assert place.run("next", "--repo", str(place.repo))[1].startswith("The changelog still needs to be written.")
    for command in ("resume", "next", "prepare"):
        options = ("--dry-run",) if command == "prepare" else ()
        assert "needs your merge" not in place.run(command, *options, "--repo", str(place.repo))[1]


def test_work_that_is_not_merged_is_left_out_with_the_reason(place: TaskPlace) -> None:
    squashed(place)
    out = place.run("resume", "--repo", str(place.repo))[1]
    why = "a later session is left out, since it was on branch fix/export, which is not merged here"
    assert f"{why}: session:claude:{OTHER}" in out
    assert gone_on(place)["resume"] == f"session:claude:{SESSION}"
    assert gone_on(place)["next"] == []


@pytest.mark.parametrize(
    "last",
    [
        "So the likely explanation is: the version that answered was not deployed from that commit.",
        "The old files were not merged by the reader, which explains the crash.",
    ],
)
def test_a_report_of_what_was_is_no_step(place: TaskPlace, last: str) -> None:
    keep(place, log(place).prompt("Why does the export crash?", 0).answer(last, 5))
    code, out, err = place.run("next", "--repo", str(place.repo))
    assert (code, out, err) == (0, NOTHING, "")


def test_a_command_typed_into_the_shell_of_the_client_is_no_step(place: TaskPlace) -> None:
    asked = log(place).prompt("Why does the export crash?", 0).answer("It cannot read empty files.", 5)
    keep(place, asked.prompt("<bash-input>git push --force</bash-input>", 6))
    code, out, _ = place.run("next", "--repo", str(place.repo))
    assert (code, out) == (0, NOTHING)


def test_a_step_that_was_committed_since_is_not_open(place: TaskPlace) -> None:
    asked = log(place).prompt("Why does the export crash?", 0)
    keep(place, asked.answer("Empty files.\n\nNext: Accept empty files in the export", 5))
    assert place.run("next", "--repo", str(place.repo))[1].startswith("Accept empty files in the export")
    place.git("commit", "-q", "--allow-empty", "-m", "fix: accept empty files in the export (#3)")
    assert place.run("next", "--repo", str(place.repo))[1] == NOTHING


def test_a_step_about_a_commit_that_no_branch_has_is_not_open(
    place: TaskPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A number alone is no hash, which one of forty commits of any moment begins with.
    for date in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(date, when(0).isoformat())
    place.git("commit", "-q", "--allow-empty", "-m", "Read prices")
    place.git("commit", "-q", "--allow-empty", "--amend", "-m", "Read all prices")
    amended = place.git("rev-parse", "HEAD@{1}").strip()[:8]
    for lost, commit in ((True, amended), (False, place.git("rev-parse", "HEAD").strip()[:8])):
        asked = log(place, OTHER if lost else SESSION).prompt("Read prices", 0 if lost else HOUR).answer("Done.", 5)
        keep(place, asked.prompt(f"Please take the two notes out of commit {commit} again", HOUR * (1 if lost else 2)))
        assert (place.run("next", "--repo", str(place.repo))[1] == NOTHING) is lost


def test_the_question_that_a_session_ended_with_is_told(place: TaskPlace) -> None:
    keep(place, log(place).prompt("Fix the export", 0).answer("Fixed the export. Want me to push it?", 5))
    out = place.run("resume", "--repo", str(place.repo))[1]
    assert "it ended with a question: Want me to push it?; reopen with" in out


def test_a_failing_program_that_is_no_check_is_no_step(place: TaskPlace) -> None:
    asked = log(place).prompt("Load my key, please", 0).call("Bash", 1, "t1", command="ssh-add -l")
    keep(place, asked.result("no agent", 2, "t1", failed=True).answer("The agent does not run.", 5))
    assert place.run("next", "--repo", str(place.repo))[1] == NOTHING


def test_another_branch_of_a_minute_ago_is_named_where_the_work_goes_on_from_an_older_session(place: TaskPlace) -> None:
    place.git("checkout", "-qb", "fix/export")
    here = log(place, branch="fix/export").prompt("Empty files make the export crash", 0).answer("I see why.", 5)
    there = log(place, OTHER).prompt("Rename the reader, please", HOUR).answer("The reader has a new name.", HOUR + 5)
    keep(place, here, there)
    out = place.run("resume", "--repo", str(place.repo))[1]
    latest = f"the latest session is another: session:claude:{OTHER}, on main"
    assert f"{latest}; this goes on from the last one on this branch" in out


def others(place: TaskPlace) -> dict[str, str]:
    """What the brief says of each session but the one that it goes on from."""
    found = place.json("resume", "--repo", str(place.repo))["loaded_context"]
    return {one["source_id"].rpartition(":")[2]: one["summary"] for one in found if one["kind"] == "session"}


def asking(place: TaskPlace, branch: str = "fix/export") -> ClaudeLog:
    """A session that changed a file, committed it, and asks whether to go on; nothing of it is in git yet."""
    made = log(place, OTHER, branch).prompt("Empty files make the export crash", 0)
    made.call("Edit", 1, "t0", file_path=f"{place.repo}/src/export.py", old_string="x", new_string="y")
    made.result("updated", 2, "t0").call("Bash", 3, "t1", command="git commit -am 'Accept empty files in the export'")
    made.result("[fix/export 1a2b3c4] Accept empty files in the export\n 1 file changed", 4, "t1")
    return made.answer("Fixed the crash of the export. Want me to push it and open a pull request?", 5)


def newest(place: TaskPlace, path: str = "src/reader.py", session: str = SESSION) -> ClaudeLog:
    """The session that a brief goes on from, which changed another file."""
    begin = HOUR if session == SESSION else 2 * HOUR
    made = log(place, session).prompt("Rename the reader, please", begin)
    made.call("Edit", begin + 1, "t7", file_path=f"{place.repo}/{path}", old_string="x", new_string="z")
    return made.result("updated", begin + 2, "t7").answer("The reader has a new name.", begin + 3)


def test_another_session_is_not_open_where_the_head_has_its_commit_under_another_hash(place: TaskPlace) -> None:
    place.git("commit", "-q", "--allow-empty", "-m", "Accept empty files in the export (#12)")
    keep(place, asking(place), newest(place))
    assert others(place)[OTHER] == "Empty files make the export crash → Fixed the crash of the export."


@pytest.mark.parametrize("shape", ["renamed", "deleted", "forced"])
def test_another_session_is_not_open_where_its_branch_says_nothing_any_more(place: TaskPlace, shape: str) -> None:
    if shape == "renamed":
        place.branch("fix/export")
        place.git("branch", "-qm", "fix/export", "fix/empty-files")
    place.git("checkout", "-q", "main")
    if shape == "forced":
        place.git("branch", "-q", "fix/export", "main")
    keep(place, asking(place), newest(place))
    assert others(place)[OTHER] == "Empty files make the export crash → Fixed the crash of the export."


@pytest.mark.parametrize(("branch", "first"), [("ada/slow-export-2", SESSION), ("ada/docs", THIRD)])
def test_where_nothing_ties_a_session_of_the_words_of_the_branch_comes_first(
    place: TaskPlace, branch: str, first: str
) -> None:
    keep(place, log(place).prompt("Empty files make the export crash", 0).answer("Fixed the crash.", 5))
    keep(place, log(place, OTHER).prompt("Rename the reader", HOUR).answer("The reader has a new name.", HOUR + 5))
    keep(place, log(place, THIRD).prompt("Sort the notes", 2 * HOUR).answer("The notes are sorted.", 2 * HOUR + 5))
    place.git("checkout", "-qb", branch)
    assert f"session:claude:{first}" in earlier(place)


def test_a_branch_is_not_said_to_be_both_merged_and_gone(place: TaskPlace) -> None:
    place.git("commit", "-q", "--allow-empty", "-m", "Accept empty files in the export (#12)")
    made = log(place, OTHER, "fix/export").prompt("Empty files make the export crash", 0)
    made.call("Bash", 1, "t1", command="git commit -am 'Accept empty files in the export'")
    made.result("[fix/export 1a2b3c4] Accept empty files in the export\n 1 file changed", 2, "t1").answer("Done.", 3)
    looked = log(place, THIRD, "fix/export").prompt("Which files are empty?", 10).answer("Those of the export.", 11)
    before = log(place, FOURTH, "fix/export").prompt("Where is the export?", -60).answer("In its own folder.", -55)
    for logs, expected in (([looked, before, newest(place)], {"gone"}), ([made], {"merged", "unknown"})):
        keep(place, *logs)
        found = place.json("resume", "--repo", str(place.repo))["loaded_context"]
        assert {one["branch_standing"] for one in found if one.get("branch") == "fix/export"} == expected
        told = {one["source_id"].rpartition(":")[2]: one["branch_standing"] for one in found}
        assert told[FOURTH] == ("gone" if looked in logs else "merged")  # what it did came in with what came later


def test_another_session_is_open_where_its_branch_has_what_the_head_has_not(place: TaskPlace) -> None:
    place.branch("fix/export")
    place.git("checkout", "-q", "main")
    keep(place, asking(place), newest(place))
    assert others(place)[OTHER].startswith("Empty files make the export crash (open) → ")
    assert "Want me to push" in others(place)[OTHER]


def test_another_session_is_open_where_what_it_changed_is_not_committed(place: TaskPlace) -> None:
    place.write("src/empty.py", "x = 3\n")
    place.write("src/reader.py", "y = 3\n")
    made = log(place, OTHER, "topic").prompt("Empty files make the export crash", 0)
    made.call("Edit", 1, "t0", file_path=f"{place.repo}/src/empty.py", old_string="x", new_string="y")
    keep(place, made.result("updated", 2, "t0").answer("Fixed. Want me to commit it?", 5), newest(place))
    assert "(open)" in others(place)[OTHER]
    keep(place, newest(place, "src/empty.py", THIRD))  # which a later session went on with
    assert "(open)" not in others(place)[OTHER]


def test_another_session_is_not_open_where_a_later_one_was_asked_for_the_same(place: TaskPlace) -> None:
    place.branch("fix/export")
    place.git("checkout", "-q", "main")
    again = log(place).prompt("Empty files make the export crash", HOUR).answer("They are accepted now.", HOUR + 1)
    keep(place, asking(place), again)
    assert "(open)" not in others(place)[OTHER]


@pytest.mark.parametrize(("pause", "told"), [(60, False), (HOUR, True)])
def test_what_a_session_that_began_at_once_took_over_did_not_break_off(
    place: TaskPlace, pause: float, told: bool
) -> None:
    planned = log(place, OTHER).prompt("Which fields may the export leave out?", 0)
    planned.answer("I will plan it.", 5).call("Bash", 6, "t0", command="ls").result("src", 7, "t0")
    planned.prompt("Plan for the reader too", 8)
    carried = log(place, THIRD).prompt("Implement the following plan:\n\n# Optional columns", 8 + pause)
    keep(place, planned, carried.answer("The columns are optional.", 20 + pause), newest(place))
    assert ("(broke off)" in others(place)[OTHER]) is told


@pytest.mark.parametrize(("ago", "state"), [(120, "it may still be at work"), (HOUR, "it ended in the middle")])
def test_a_session_that_was_just_written_to_is_not_said_to_have_ended(place: TaskPlace, ago: float, state: str) -> None:
    begin = (datetime.now(UTC) - when(0)).total_seconds() - ago
    made = log(place).prompt("Which fields may the export leave out?", begin - 30)
    made.answer("I will look at the fields.", begin - 20).call("Bash", begin - 10, "t0", command="make fields")
    keep(place, made.result("ok", begin - 5, "t0").call("Bash", begin, "t1", command="make types"))
    assert state in place.run("resume", "--repo", str(place.repo))[1]


def test_a_log_that_ends_at_a_tool_a_minute_ago_is_at_work_and_its_edits_are_no_next_step(place: TaskPlace) -> None:
    place.write("src/fields.py", "x = 1\n")
    begin = (datetime.now(UTC) - when(0)).total_seconds() - 60
    made = log(place).prompt("Leave out the empty fields, please", begin - 30).answer("Now the fields.", begin - 20)
    made.call("Edit", begin - 5, "t0", file_path=f"{place.repo}/src/fields.py", old_string="x", new_string="y")
    keep(place, made.result("updated", begin, "t0"))
    assert "it may still be at work" in place.run("resume", "--repo", str(place.repo))[1]
    assert place.run("next", "--repo", str(place.repo))[1] == NOTHING


def test_a_client_that_was_closed_a_minute_ago_is_not_at_work(place: TaskPlace) -> None:
    begin = (datetime.now(UTC) - when(0)).total_seconds() - 60
    made = log(place).prompt("Leave out the empty fields, please", begin - 30).answer("Now the fields.", begin - 20)
    made.call("Bash", begin - 5, "t0", command="make fields").result("ok", begin - 4, "t0")
    keep(place, made.prompt("<command-name>/exit</command-name>", begin))
    assert "may still be at work" not in place.run("resume", "--repo", str(place.repo))[1]


def test_a_lookup_that_failed_says_nothing_of_how_the_work_ended(place: TaskPlace) -> None:
    made = log(place).prompt("Leave out the empty fields, please", 0).answer("Now the fields.", 5)
    made.call("Edit", 6, "t0", file_path=f"{place.repo}/src/fields.py", old_string="x", new_string="y")
    made.result("updated", 7, "t0").call("Bash", 8, "t1", command="orbit search fields")
    keep(place, made.result("no remote found", 9, "t1", failed=True).answer("The search found nothing.", 10))
    assert "something failed there" not in place.run("resume", "--repo", str(place.repo))[1]


def done_on(place: TaskPlace, branch: str, session: str = SESSION) -> ClaudeLog:
    return log(place, session, branch).prompt("Empty files make the export crash", 0).answer("Fixed the crash.", 5)


def resuming(place: TaskPlace) -> str | None:
    found = place.json("resume", "--repo", str(place.repo))["capsule"]["resuming"]
    assert found is None or isinstance(found, str)
    return found


@pytest.mark.parametrize("branch", ["main", "fix/long-gone"])
def test_a_branch_of_its_own_does_not_go_on_from_a_session_long_ago_on_another(place: TaskPlace, branch: str) -> None:
    place.branch("fix/export")
    keep(place, done_on(place, branch))
    out = place.run("resume", "--repo", str(place.repo))[1]
    assert f"nothing ties a stored session to branch fix/export; the latest was on {branch}: session:" in out
    assert resuming(place) is None
    shown = earlier(place)
    assert f", branch {branch} ({'merged here' if branch == 'main' else 'gone now'})" in shown
    assert "- wanted: Empty files make the export crash" in shown
    assert "- said last: Fixed the crash." in shown


def earlier(place: TaskPlace) -> str:
    """What a brief tells of a session that nothing ties to what is checked out."""
    return place.run("resume", "--repo", str(place.repo))[1].partition("## Earlier work here")[2].partition("##")[0]


def test_a_branch_of_its_own_goes_on_from_a_session_that_changed_what_is_changed_there(place: TaskPlace) -> None:
    place.branch("fix/export")
    place.write("src/reader.py", "y = 2\n")
    keep(place, newest(place))
    assert resuming(place) == f"session:claude:{SESSION}"


def test_a_branch_of_its_own_goes_on_from_no_older_session_where_the_latest_has_nothing_to_do_with_it(
    place: TaskPlace,
) -> None:
    place.branch("fix/reader")
    place.branch("fix/export")
    keep(place, done_on(place, "fix/reader"), newest(place))
    assert resuming(place) is None


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_branch_made_of_what_a_session_left_open_goes_on_from_it(
    place: TaskPlace, monkeypatch: pytest.MonkeyPatch, is_moved: bool
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", when(0).isoformat())
    place.git("checkout", "-q", "--orphan", "fix/export")
    place.git("commit", "-q", "-m", "Begin")
    place.git("branch", "-qf", "main")
    asked = log(place).prompt("Why does the export crash?", 60)
    keep(place, asked.answer("Empty files.\n\nNext: Accept empty files in the export", 65))
    if is_moved:
        monkeypatch.setenv("GIT_COMMITTER_DATE", when(HOUR).isoformat())
        place.git("commit", "-q", "--allow-empty", "-m", "Something else")
    assert (resuming(place) is None) == is_moved


def test_what_a_later_session_of_its_place_went_on_from_is_not_what_another_branch_was_made_of(
    place: TaskPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", when(0).isoformat())
    place.git("checkout", "-q", "--orphan", "fix/export")
    place.git("commit", "-q", "-m", "Begin")
    place.git("branch", "-qf", "main")
    asked = log(place).prompt("Why does the export crash?", 60)
    asked.answer("Empty files.\n\nNext: Accept empty files in the export", 65)
    keep(place, asked, log(place, OTHER).prompt("How many birds are there?", 70).answer("There are four birds.", 75))
    assert resuming(place) is None


def test_a_branch_whose_own_sessions_are_passed_over_is_not_said_to_have_none(place: TaskPlace) -> None:
    place.branch("fix/reader")
    place.git("checkout", "-q", "main")
    own = log(place, OTHER).prompt("Rename the reader, please", -2 * HOUR).answer("Renamed the reader.", -HOUR)
    keep(place, own, done_on(place, "fix/long-gone"))
    out = place.run("resume", "--repo", str(place.repo))[1]
    assert f"what ran on branch main is older; the latest was on fix/long-gone: session:claude:{SESSION}" in out
    assert "nothing ties" not in out


def test_a_branch_of_its_own_goes_on_from_a_session_that_just_ended_elsewhere(place: TaskPlace) -> None:
    place.branch("fix/export")
    begin = (datetime.now(UTC) - when(0)).total_seconds() - 900
    keep(place, log(place).prompt("Which fields may go?", begin).answer("The empty ones.", begin + 5))
    assert resuming(place) == f"session:claude:{SESSION}"


def test_a_branch_that_everybody_works_on_goes_on_from_what_was_merged_into_it(place: TaskPlace) -> None:
    place.branch("fix/reader")
    place.git("checkout", "-q", "main")
    place.git("merge", "-q", "fix/reader")
    keep(place, done_on(place, "fix/reader"))
    assert resuming(place) == f"session:claude:{SESSION}"


def test_a_session_of_long_ago_whose_branch_is_gone_is_only_listed(place: TaskPlace) -> None:
    keep(place, done_on(place, "fix/long-gone"))
    assert resuming(place) is None
    assert others(place) == {SESSION: "Empty files make the export crash → Fixed the crash."}


def test_a_session_at_work_on_another_branch_is_not_gone_on_from(place: TaskPlace) -> None:
    begin = (datetime.now(UTC) - when(0)).total_seconds() - 60
    made = log(place, branch="fix/export").prompt("Leave out the empty fields, please", begin - 30)
    keep(place, made.call("Bash", begin, "t0", command="make fields"))
    assert resuming(place) is None


def test_what_a_session_committed_itself_is_not_counted_as_made_since(place: TaskPlace) -> None:
    made = log(place).prompt("Empty files make the export crash", 0)
    made.call("Bash", 3, "t1", command="git commit -am 'Accept empty files'")
    keep(place, made.result("[main 1a2b3c4] Accept empty files\n 1 file changed", 4, "t1").answer("It is done.", 5))
    for subject in ("Accept empty files", "Somebody else's"):
        place.git("commit", "-q", "--allow-empty", "-m", subject)
    now = place.run("resume", "--repo", str(place.repo))[1].partition("## Now")[2].partition("##")[0]
    assert "2 commits since the session below" in now  # with the first of the place
    assert "Accept empty files" not in now


def test_a_branch_on_which_only_a_helper_ran_names_it(place: TaskPlace) -> None:
    place.branch("fix/export")
    helper = log(place, THIRD, "fix/export")
    helper.prompt("Review the export", 60, isSidechain=True, agentId="a1").answer("It is fine.", 65)
    path = place.folder / f"user/.claude/projects/x/{OTHER}/subagents/agent-a1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(helper.body())
    keep(place, done_on(place, "main"))
    out = place.run("resume", "--repo", str(place.repo))[1]
    assert "only helpers of other sessions ran on branch fix/export, the last was session:claude:" in out
    assert "- wanted: Empty files make the export crash" in earlier(place)


def in_git(place: TaskPlace, of: str = "## Goes on from") -> list[str]:
    """What a brief says that git shows of the session it tells of."""
    told = place.run("resume", "--repo", str(place.repo))[1].partition(of)[2]
    return [line.removeprefix("- git: ") for line in told.splitlines() if line.startswith("- git: ")]


def test_a_brief_says_which_commits_of_its_session_the_head_holds(place: TaskPlace) -> None:
    made = log(place).prompt("Empty files make the export crash", 0)
    for number, subject in enumerate(("Accept empty files in the export", "Say which file was empty")):
        made.call("Bash", 3 + number, f"t{number}", command=f"git commit -am '{subject}'")
        made.result(f"[main 1a2b3c{number}] {subject}\n 1 file changed", 4 + number, f"t{number}")
    keep(place, made.answer("It is done.", 9))
    assert in_git(place) == ["this head holds none of its commits"]
    place.git("commit", "-q", "--allow-empty", "-m", "Also say which file was empty")
    assert in_git(place) == []  # it may be one of them, reworded
    place.git("commit", "-q", "--allow-empty", "-m", "Accept empty files in the export")
    assert in_git(place) == ["this head holds 1 of its 2 commits, and not the last one"]
    place.git("commit", "-q", "--allow-empty", "-m", "Two (#3)", "-m", "* Say which file was empty")
    assert in_git(place) == ["this head holds what it committed"]


def test_a_brief_says_what_became_of_edits_without_a_commit(place: TaskPlace) -> None:
    keep(place, newest(place))
    assert in_git(place) == ["this head holds no commit of its edits"]
    place.write("src/reader.py", "y = 2\n")
    assert in_git(place) == ["this head holds no commit of its edits; not committed here: src/reader.py"]
    place.commit("Rename the reader")
    assert in_git(place) == ["every file that it edited was committed since"]


def test_what_ran_partly_on_a_branch_is_of_it(place: TaskPlace) -> None:
    long = "\n".join(f"Step {number} of the release reads its cache." for number in range(600))
    there = log(place, branch="release").prompt("Why does the release fail?", 0).answer(long, 5)
    there.branch = "main"
    keep(place, there.prompt("Then fix it on main", 60).answer("Fixed it there.", 65))
    keep(place, log(place, OTHER, "release").prompt("Rename the reader", -HOUR).answer("It has a new name.", -HOUR + 5))
    place.git("checkout", "-qb", "release")
    assert resuming(place) == f"session:claude:{SESSION}"


def test_the_authors_of_what_was_committed_since_are_named(place: TaskPlace) -> None:
    keep(place, newest(place))
    for name in ("Grace", "Linus", "Grace"):
        place.git("-c", f"user.name={name}", "commit", "-q", "--allow-empty", "-m", f"A change of {name}")
    assert "commits since the session below, by Grace, " in place.run("resume", "--repo", str(place.repo))[1]


def test_a_shallow_clone_proves_no_session_open(place: TaskPlace) -> None:
    place.branch("fix/export")
    place.git("checkout", "-q", "main")
    keep(place, asking(place), newest(place))
    (place.repo / ".git" / "shallow").write_text(place.git("rev-parse", "main").strip() + "\n")
    assert "(open)" not in others(place)[OTHER]


@pytest.mark.parametrize(
    "last",
    ["Next: Push the commit to the branch.", "Want me to push the branch?", "Should I commit and push the new export?"],
)
def test_nothing_waits_to_be_pushed_that_came_back_as_another_commit(place: TaskPlace, last: str) -> None:
    made = log(place, OTHER).prompt("Empty files make the export crash", 0)
    made.call("Bash", 3, "t1", command="git commit -am 'Accept empty files in the export'")
    made.result("[main 1a2b3c4] Accept empty files in the export\n 1 file changed", 4, "t1")
    keep(place, made.answer(f"Fixed the crash of the export. {last}", 5))
    assert place.json("resume", "--repo", str(place.repo))["capsule"]["next"]
    place.git("commit", "-q", "--allow-empty", "-m", "Accept empty files in the export (#12)")
    found = place.json("resume", "--repo", str(place.repo))["capsule"]
    assert (found["next"], found["resuming"]) == ([], f"session:claude:{OTHER}")


def test_a_commit_that_only_the_head_has_may_still_have_to_be_pushed(place: TaskPlace) -> None:
    place.git("commit", "-q", "--allow-empty", "-m", "Accept empty files in the export")
    made = log(place, OTHER).prompt("Empty files make the export crash", 0)
    made.call("Bash", 3, "t1", command="git commit -am 'Accept empty files in the export'")
    printed = f"[main {place.git('rev-parse', '--short', 'HEAD').strip()}] Accept empty files in the export"
    keep(place, made.result(f"{printed}\n 1 file changed", 4, "t1").answer("Fixed it. Want me to push the branch?", 5))
    assert [one["text"] for one in place.json("resume", "--repo", str(place.repo))["capsule"]["next"]]


@pytest.mark.parametrize("later", [False, True])
def test_last_words_say_nothing_of_a_push_that_a_remote_shows(place: TaskPlace, later: bool) -> None:
    made = log(place, OTHER).prompt("Empty files make the export crash", 0)
    made.call("Bash", 3, "t1", command="git commit -am 'Accept empty files in the export'")
    made.result("[main 1a2b3c4] Accept empty files in the export\n 1 file changed", 4, "t1")
    keep(place, made.answer("Fixed the crash of the export. The commit is local, not pushed.", 5))
    if later:
        keep(place, log(place, THIRD).prompt("Sort the notes", HOUR).answer("The notes are sorted.", HOUR + 1))
    asked = ("resume", "--repo", str(place.repo), "--json")
    if not later:
        assert "not pushed" in place.run(*asked)[1]
    assert "not pushed" in place.run("task", "handoffs", "--repo", str(place.repo), "--json")[1]
    head = place.git("rev-parse", "HEAD").strip()
    place.git("commit", "-q", "--allow-empty", "-m", "Accept empty files in the export")
    place.git("update-ref", "refs/remotes/origin/main", "HEAD")
    place.git("reset", "-q", "--hard", head)
    told = place.run(*asked)[1]
    for answer in (told, place.run("task", "handoffs", "--repo", str(place.repo), "--json")[1]):
        assert "Fixed the crash of the export" in answer
        assert "not pushed" not in answer


def next_of(place: TaskPlace) -> str:
    out: str = place.run("next", "--repo", str(place.repo))[1]
    return out.partition("  ")[0].rstrip("\n")


def edited(place: TaskPlace, name: str) -> ClaudeLog:
    """A session that changed a file and says that the work is done."""
    (place.repo / name).write_text("x")
    here = log(place).prompt("Empty files make the export crash", 0)
    here.call("Edit", 1, "t1", file_path=f"{place.repo}/{name}", new_string="x", old_string="y").result(
        "updated", 2, "t1"
    )
    return here.answer("Done: the reader accepts empty files.", 5)


def test_edits_that_nobody_committed_are_a_step_until_somebody_does(place: TaskPlace) -> None:
    keep(place, edited(place, "reader.py"))
    assert next_of(place) == "Commit or finish reader.py: changed in that session, and not committed"
    place.git("add", "reader.py")
    place.git("commit", "-qm", "Accept empty files")
    assert next_of(place) == NOTHING.rstrip()
    (place.repo / "reader.py").write_text("another change")
    assert next_of(place) == NOTHING.rstrip()


def test_a_merge_that_stopped_is_what_comes_next(place: TaskPlace) -> None:
    (place.repo / "reader.py").write_text("x")
    place.git("add", "--all")
    place.git("commit", "-qm", "Add the reader")
    place.git("checkout", "-qb", "other")
    (place.repo / "reader.py").write_text("theirs")
    place.git("commit", "-qam", "Theirs")
    place.git("checkout", "-q", "main")
    (place.repo / "reader.py").write_text("ours")
    place.git("commit", "-qam", "Ours")
    keep(place, log(place).prompt("Merge the other branch into main, please", 0).answer("It stopped.", 5))
    with pytest.raises(subprocess.CalledProcessError):
        place.git("merge", "other")
    assert next_of(place) == "Finish the merge: git is in the middle of it, with conflicts in reader.py"
    place.git("merge", "--abort")
    assert next_of(place) == NOTHING.rstrip()


def test_a_request_of_this_branch_that_the_main_branch_lacks_is_a_step(place: TaskPlace) -> None:
    place.git("update-ref", "refs/remotes/origin/main", "HEAD")
    place.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    place.branch("fix/export")
    here = log(place, branch="fix/export").prompt("Empty files make the export crash", 0)
    here.call("Bash", 1, "t1", command="gh pr create --fill")
    here.result("https://github.com/ada/shop/pull/12", 2, "t1")
    keep(place, here.answer("Opened the pull request.", 5))
    left = "Get https://github.com/ada/shop/pull/12 merged: origin/main as it was fetched does not have `fix/export`"
    assert next_of(place) == left
    place.git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert next_of(place) == NOTHING.rstrip()


def test_silence_is_an_answer_in_words_and_null_in_json(place: TaskPlace) -> None:
    assert place.run("next", "--repo", str(place.repo))[1:] == (NOTHING, "")
    found = place.json("next", "--repo", str(place.repo))
    assert (found["next"], found["steps"]) == (None, [])
