"""One session in brief, from beginning to end."""

from __future__ import annotations

from datetime import timedelta

import pytest

from aicx.evidence.session_brief import SessionBrief, StateReason, ending, read_brief
from aicx.evidence.since import Since
from aicx.git import Roots
from tests.evidence.stories import Story

RED = "Exit code 1\nFAILED tests/test_login.py - AssertionError: no token"
ROOTS = Roots.of(["/srv/ada/orbit"])


def brief(story: Story) -> SessionBrief:
    return read_brief(story.steps, ROOTS, "/srv/ada/orbit")(Since())


@pytest.fixture
def story() -> Story:
    """Work that went well in part: one failure fixed, one not, a commit, a decision, an open question."""
    story = Story().asks("/clear").asks("fix the login, tokens expire too early").says("I will look.")
    story.runs("pytest -q", RED, failed=True).edits("/srv/ada/orbit/src/login.py")
    story.says("I kept the old field because clients depend on it.")
    story.runs("pytest -q", "9 passed").runs(
        "ruff check .", "Found 1 error.\nsrc/login.py:3:1: F401 unused", failed=True
    )
    story.runs("git commit -am 'Fix login'", "[fix/login 1a2b3c4] Fix login\n 1 file changed")
    story.asks("yes").asks("make a pr")
    story.runs("gh pr create --fill", "https://github.com/ada/orbit/pull/12")
    return story.says("Fixed the login. The changelog still needs to be written. Want me to do that?")


def test_goal_is_the_first_request_that_says_something(story: Story) -> None:
    found = brief(story).goal
    assert found is not None
    assert (found.text, found.refs) == ("fix the login, tokens expire too early", ("chunk:claude:s:002",))


def test_the_mark_of_a_picture_is_no_goal() -> None:
    found = brief(Story().asks("this should be hidden in a small window :\n\n[image]").says("Hidden.")).goal
    assert found is not None
    assert found.text == "this should be hidden in a small window :"


@pytest.mark.parametrize(
    ("stopped", "then", "told"),
    [
        (True, "don't open a pull request, a commit is enough", "don't open a pull request, a commit is enough"),
        (True, "what are you doing there?", None),
        (False, "don't open a pull request, a commit is enough", None),
    ],
)
def test_what_a_person_takes_back_by_stopping_the_agent_is_told(stopped: bool, then: str, told: str | None) -> None:
    story = Story().asks("open a pull request that mends the login").runs("git push", "done")
    if stopped:
        story._add("system", "injected", "[Request interrupted by user for tool use]")
    found = brief(story.asks(then).says("Committed.")).turned_to
    assert (found.text if found else None) == told


def test_an_overview_of_what_was_looked_at_is_not_what_was_found() -> None:
    said = "## Overview\n\nAdds a flag to the lexer.\n\n## Findings\n\nThe flag is never read by the parser."
    found = brief(Story().asks("review the lexer").says(said)).progress
    assert found is not None
    assert found.text == "The flag is never read by the parser."
    only = brief(Story().asks("review the lexer").says("## Overview\n\nAdds a flag to the lexer.")).progress
    assert only is not None
    assert "Adds a flag to the lexer." in only.text


def test_last_request_that_says_something_is_kept_beside_it(story: Story) -> None:
    found = brief(story).asked
    assert found is not None
    assert found.text == "make a pr"


def test_order_that_leans_on_an_earlier_request_names_it() -> None:
    found = brief(Story().asks("fix the login").asks("rename the token field").asks("make a pr").says("Done.")).asked
    assert found is not None
    assert found.text == "rename the token field / then: make a pr"


def test_goal_of_a_plan_that_was_handed_over_is_what_the_plan_is_called() -> None:
    plan = "Implement the following plan:\n\n# Plan: Seal the cells\n\n## Context\n\nCells leak at night."
    found = brief(Story().asks(plan).says("Done.")).goal
    assert found is not None
    assert found.text == "Seal the cells: Cells leak at night."


def test_word_that_it_was_committed_follows_what_was_reported() -> None:
    story = Story().asks("fix the login").says("Fixed the login: tokens are kept for an hour.")
    found = brief(story.asks("commit").says("Committed as `1a2b3c4`.")).progress
    assert found is not None
    assert found.text == "Fixed the login: tokens are kept for an hour. / then: Committed as `1a2b3c4`."
    assert found.refs == ("chunk:claude:s:002", "chunk:claude:s:004")
    other = brief(story.asks("rename the token field").says("Renamed it to `seal`.")).progress
    assert other is not None
    assert other.text == "Renamed it to `seal`."


def test_word_that_reports_nothing_follows_the_report_before_it() -> None:
    story = Story().asks("fix the login").says("The token was dropped because the clock is wrong.")
    found = brief(story.says("The branch has two files in it.")).progress
    assert found is not None
    assert found.text == "The token was dropped because the clock is wrong. / then: The branch has two files in it."


def test_only_the_failure_that_nothing_fixed_is_left(story: Story) -> None:
    assert [line.text for line in brief(story).failures] == ["`ruff check .` failed: src/login.py:3:1: F401 unused"]


def test_a_check_is_told_once_and_a_run_that_failed_is_not_counted(story: Story) -> None:
    assert [line.text for line in brief(story).checks] == ["`pytest -q` passed"]


def test_commit_carries_its_hash_as_a_reference(story: Story) -> None:
    (line,) = brief(story).commits
    assert (line.text, line.refs[0]) == ("Fix login", "commit:1a2b3c4")


def test_a_last_request_of_few_words_is_told_with_the_one_before() -> None:
    story = Story().asks("fix the login of the shop").says("Fixed.").asks("now add a guide of colour gradients")
    found = brief(story.says("Added the guide.").asks("are there dashes in it?").says("None.")).asked
    assert found is not None
    assert found.text == "now add a guide of colour gradients / then: are there dashes in it?"
    for last in ("which arrows has it?", "also fix https://example.org/ada/orbit/runs/7"):
        found = brief(story.asks(last).says("Seen.")).asked
        assert found is not None
        assert found.text == last  # what came right before says little itself, or this says enough


def test_pull_request_is_kept(story: Story) -> None:
    assert [line.text for line in brief(story).pull_requests] == ["https://github.com/ada/orbit/pull/12"]


def test_pull_request_that_was_only_looked_at_is_not() -> None:
    assert brief(Story().runs("gh pr view 12", "https://github.com/ada/orbit/pull/12")).pull_requests == ()


def test_a_pull_request_that_was_closed_again_is_not_kept() -> None:
    opened = [f"https://github.com/ada/orbit/pull/{number}" for number in (12, 13)]
    story = Story().runs("gh pr create -f", opened[0]).runs("gh pr create -f", opened[1])
    assert [line.text for line in brief(story.runs("gh pr close 14", "no", failed=True)).pull_requests] == opened[::-1]
    closed = story.runs("gh pr close 12 --delete-branch", "\u2713 Closed pull request ada/orbit#12 (Fix the login)")
    assert [line.text for line in brief(closed).pull_requests] == [opened[1]]


def test_commit_is_kept_that_git_told_only_when_asked_how_it_went_on() -> None:
    story = Story().calls("exec", '\nconst r = await tools.exec_command({cmd:"git commit -m \\"Fix login\\""})')
    story.gets("exec", "Script completed\nOutput:\n\nProcess running with session ID 7\nLink this commit? [Y]es: ")
    story.calls("exec", "\nawait tools.write_stdin({session_id:7,chars:'y'})")
    story.gets("exec", "Script completed\nOutput:\n\ny\r\n[fix/login 1a2b3c4] Fix login\r\n 1 file changed\r\n")
    (line,) = brief(story).commits
    assert (line.text, line.refs) == ("Fix login", ("commit:1a2b3c4", "chunk:claude:s:004"))


def test_pull_request_that_a_service_opened_is_kept() -> None:
    story = Story().calls("mcp__github__create_pull_request", "\ntitle: Fix login")
    story.gets("mcp__github__create_pull_request", 'Done.\n{"url":"https://github.com/ada/orbit/pull/12","number":12}')
    assert [line.text for line in brief(story).pull_requests] == ["https://github.com/ada/orbit/pull/12"]


def test_pull_request_that_a_service_only_told_of_is_not() -> None:
    story = Story().runs("gh pr view 12 --json url,mergedAt", '{"url":"https://github.com/ada/orbit/pull/12"}')
    assert brief(story).pull_requests == ()


def test_what_is_next_and_what_was_asked_are_apart(story: Story) -> None:
    found = brief(story)
    assert [line.text for line in found.ahead] == ["The changelog still needs to be written."]
    assert [line.text for line in found.questions] == ["Want me to do that?"]


def test_decision_and_edited_file_are_kept(story: Story) -> None:
    found = brief(story.asks("never rename a public field").asks("describe the page").says("Described."))
    assert [line.text for line in found.decisions] == ["never rename a public field"]
    assert [edit.path for edit in found.edits] == ["src/login.py"]


@pytest.mark.parametrize("last", ["It is not pushed yet.", "Push whenever ready.", "The commit is local, not pushed."])
def test_last_words_say_nothing_of_a_push_that_was_made_since(last: str) -> None:
    story = Story().asks("fix the login").edits("/srv/ada/orbit/login.py").says(f"Tokens live an hour now. {last}")
    pushed = read_brief(story.steps, ROOTS)(Since(pushed=True))
    for line, told in ((brief(story).progress, last), (pushed.progress, ""), (pushed.reported, "")):
        assert line is not None
        assert line.text == f"Tokens live an hour now. {told}".strip()


def exported() -> Story:
    story = Story().asks("write the export").edits("/srv/ada/orbit/export.py")
    return story.says("The export is written and every test passes.")


def test_report_counts_until_the_person_asks_on_and_more_is_changed() -> None:
    assert reported(exported()) == "The export is written and every test passes."
    assert reported(exported().asks("rows have to be sorted").edits("/srv/ada/orbit/export.py")) is None
    planned = exported().asks("rows have to be sorted").calls("ExitPlanMode", "\nplan:\n# Sort the rows")
    assert reported(planned) is None
    assert reported(planned.says("The plan is ready for review.")) == "The plan is ready for review."


def test_report_counts_until_the_person_refuses_it() -> None:
    assert reported(exported().asks("no, that is not the format")) is None


def test_report_stays_where_the_person_only_asks_a_question() -> None:
    story = exported().asks("which format has the export?").says("It is written as plain text, one row to a line.")
    found = reported(story)
    assert found is not None
    assert found.startswith("The export is written and every test passes.")


def test_lesson_in_a_box_is_no_report() -> None:
    line = "\u2500" * 40
    box = f"`\u2605 Insight {line}`\n- Generators keep memory low\n`{line}`"
    story = Story().asks("write the export").edits("/srv/ada/orbit/export.py")
    assert reported(story.says(f"The export is written.\n\n{box}")) == "The export is written."
    assert reported(Story().asks("write the export").edits("/srv/ada/orbit/export.py").says(box)) is None


def test_narration_is_no_report() -> None:
    story = Story().asks("write the export").edits("/srv/ada/orbit/export.py")
    assert reported(story.says("Now I\u2019ll run the tests.")) is None
    story = Story().asks("write the export").edits("/srv/ada/orbit/export.py")
    assert reported(story.says("Now I\u2019ll sum it up. The export writes one row to a line.")) == (
        "The export writes one row to a line."
    )


def test_after_many_turns_a_report_of_others_work_is_told_and_not_the_last_change() -> None:
    story = Story().asks("write the export").edits("/srv/ada/orbit/export.py").says("The export is written.")
    for number in range(3):
        story.asks(f"spawn worker {number}").calls("Agent", "\nwork").says(f"Spawned worker {number} as you said.")
    story.asks("what of the import?").calls("Agent", "\nask").says("Fixed the import by way of worker 2.")
    assert reported(story.asks("thanks, is that all of it?").says("It is all of it, I think.")) == (
        "Fixed the import by way of worker 2. / then: It is all of it, I think."
    )


def test_a_log_that_ends_at_a_commit_tells_what_was_committed() -> None:
    story = Story().asks("write the export").edits("/srv/ada/orbit/export.py")
    assert reported(story.calls("Bash", '\n$ git add -A && git commit -m "Write the export"')) == (
        "The log ends while it commits: Write the export"
    )


def test_a_report_may_end_with_what_goes_on_by_itself() -> None:
    story = Story().asks("write the export").edits("/srv/ada/orbit/export.py").says("I\u2019ve written the export.")
    story.asks("now the import too").edits("/srv/ada/orbit/import.py")
    assert reported(story.says("Added the import. CI is running.")) == "Added the import."


def test_a_program_wants_what_stands_below_its_role() -> None:
    role = "# Context\n\nYour name is Juno.\n\n## Rules\n\n1. Be brief.\n\n## Tasks\n\nSeal the cells of the hive."
    found = brief(Story().asks(role).says("Sealed.")).goal
    assert found is not None
    assert found.text == "Seal the cells of the hive."


PREMISE = "The hive opens whenever the wind turns, also at night, which nobody saw before the new door was put in"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("again, not correct:\n\nThe cells close at noon.", "again, not correct: The cells close at noon."),
        (
            f"{PREMISE}{', and so on' * 20}. Fix the door. It creaks.",
            f"{PREMISE}, and so on, and so on, and so on, and so on… Fix the door.",
        ),
    ],
)
def test_what_is_said_of_a_paste_and_what_is_asked_for_after_a_premise_are_the_request(asked: str, told: str) -> None:
    found = brief(Story().asks(asked).says("Sealed.")).goal
    assert found is not None
    assert found.text == told


def test_a_report_from_before_a_request_that_broke_off_is_told_with_what_was_reached_since() -> None:
    story = Story().asks("read the export").says("The export is wrong in two places.").asks("go ahead, fix both")
    story.calls("Agent", "\nfix them").says("Fixed the first place. Waiting for the second.")
    assert reported(story) == "The export is wrong in two places. / then: Fixed the first place."


def test_what_an_agent_only_announced_since_a_report_is_not_told_with_it() -> None:
    story = Story().asks("read the export").says("The export is wrong in two places.").asks("go ahead, fix both")
    story.says("I\u2019ll use the skill for it because it is known.").calls("Agent", "\nfix them")
    assert reported(story) == "The export is wrong in two places."


def test_what_was_asked_for_is_not_told_again_as_a_decision() -> None:
    found = brief(Story().asks("let's drop the legacy endpoint").says("Dropped it."))
    assert found.goal is not None
    assert (found.goal.text, found.decisions) == ("let's drop the legacy endpoint", ())


def test_every_line_has_a_reference(story: Story) -> None:
    found = brief(story)
    lines = [found.goal, found.asked, found.progress, *found.checks, *found.commits, *found.pull_requests]
    lines += [*found.failures, *found.ahead, *found.questions, *found.decisions]
    assert all(line is not None and line.refs for line in lines)


@pytest.mark.parametrize(
    ("story", "state"),
    [
        (Story().asks("fix it all").runs("pytest", RED, failed=True).says("Done."), ("active", "failure_open")),
        (Story().asks("fix the login").says("Fixed it.").asks("now the cache"), ("active", "interrupted")),
        (Story().asks("fix the login").says("Fixed it. Want me to commit?"), ("active", "question_open")),
        (Story().calls("update_plan", "\n- [pending] Print").says("I parsed the first file."), ("active", "plan_open")),
        (Story().asks("fix the login").says("Next, I will write tests."), ("active", "said_next")),
        (Story().asks("fix the login").says("Fixed the login."), ("completed", "said_done")),
        (Story().asks("fix the login").says("The plan is made. Waiting on completion."), ("active", "interrupted")),
        (
            Story().asks("fix the login").says("A new task for it.").calls("Task", "\nplan it"),
            ("active", "interrupted"),
        ),
        (
            Story().asks("fix the login").says("Two ways are open.").calls("AskUserQuestion"),
            ("unknown", "nothing_said"),
        ),
        (Story().asks("fix the login").says("It is in. I will now exit as told."), ("unknown", "nothing_said")),
        (Story().asks("fix the login").says("The login uses tokens."), ("unknown", "nothing_said")),
        (Story(), ("unknown", "nothing_said")),
    ],
)
def test_state_says_whether_something_is_open(story: Story, state: tuple[str, StateReason]) -> None:
    found = brief(story)
    assert (found.state, found.state_reason) == state


def test_plan_that_was_never_ticked_off_is_not_open_once_the_work_was_reported() -> None:
    story = Story().calls("update_plan", "\n- [pending] Print").says("Implemented the printer.")
    assert brief(story).ahead == ()


def test_word_of_leave_after_the_last_report_interrupts_nothing() -> None:
    assert (
        brief(Story().asks("fix the login").says("Fixed the login.").asks("thanks").asks("/exit")).state == "completed"
    )


def test_tools_at_work_when_the_log_ends_are_an_interruption() -> None:
    story = Story().asks("fix the login").says("I fixed the first part.").runs("pytest", "9 passed").runs("make", "ok")
    assert brief(story).state_reason == "interrupted"


def test_done_as_the_last_word_ends_a_session_though_it_says_little() -> None:
    story = (
        Story().asks("add the hint").says("I add it below the usage line.").runs("make", "ok").runs("make run", "ok")
    )
    assert brief(story).state_reason == "interrupted"
    assert brief(story.says("Done. Now you see:\n\n```\nHint: use --session\n```")).state_reason != "interrupted"


def test_the_request_at_which_a_session_broke_off_is_unanswered() -> None:
    story = Story().asks("fix the login").says("Fixed the login.").asks("describe the schema in the docs too")
    assert (found := brief(story).unanswered) is not None
    assert found.text == "describe the schema in the docs too"
    assert brief(story.says("Described the schema.")).unanswered is None


@pytest.mark.parametrize(
    "command", ["git commit -m 'Count the combs'", "git push -u origin combs", "gh pr create --fill"]
)
def test_nothing_is_known_to_be_left_where_a_log_ends_at_the_call_that_lands_the_work(command: str) -> None:
    story = Story().asks("count the combs of each hive").edits("combs.py").says("All combs are counted.")
    story.asks("commit and push").says("I will push it to main.").calls("Bash", f"\n$ {command}")
    found = brief(story)
    assert (found.unanswered, found.ahead, found.questions) == (None, (), ())


def test_what_a_client_records_of_the_call_that_lands_the_work_is_no_answer_to_it() -> None:
    story = Story().asks("count the combs of each hive").edits("combs.py").says("All combs are counted.")
    story.asks("commit").calls("Bash", "\n$ git commit -m 'Count the combs'")
    story._add("user", "injected", '{"task_id": "b4", "description": "Commit the combs"}')
    assert brief(story).unanswered is None


def test_last_words_do_not_ask_for_a_commit_that_was_made_since() -> None:
    story = Story().asks("tell the price of honey in the guide").edits("docs/guide.md")
    story.says("Only the guide has changed. Ready to commit. Message: `docs: tell the price of honey`. Go ahead?")
    landed = Since(landed=True, done=("docs: tell the price of honey",))
    found = read_brief(story.steps, ROOTS)(landed)
    assert (found.progress and found.progress.text) == "Only the guide has changed."
    assert "Ready to commit" in str(brief(story).progress)


def test_the_request_at_which_a_log_ends_in_another_call_is_unanswered() -> None:
    story = Story().asks("count the combs of each hive").edits("combs.py").says("All combs are counted.")
    story.asks("please commit this").runs("git status", "clean").calls("Bash", "\n$ git diff")
    assert (found := brief(story).unanswered) is not None
    assert found.text.endswith("/ then: please commit this")


def test_where_only_the_commit_is_left_what_was_done_is_no_step() -> None:
    story = Story().asks("count the combs of each hive").edits("combs.py").says("Done. All combs are counted.")
    story.asks("please commit this").runs("git status", "clean").calls("Bash", "\n$ git diff")
    assert (found := brief(story).unanswered) is not None
    assert found.text == "please commit this (after: count the combs of each hive)"


def test_a_prompt_that_was_answered_is_not_left_where_a_program_woke_the_agent_later() -> None:
    story = Story().asks("count the combs").edits("combs.py").says("Counted.").asks("send the figures to the guild")
    story.runs("send guild", "sent").says("Sent: https://example.org/guild/4").gets("Agent", "The other count ended.")
    story.runs("make", "ok").runs("make count", "ok")
    assert brief(story).unanswered is None


def test_a_request_is_not_left_that_a_commit_since_names_in_words_of_its_answer() -> None:
    story = Story().asks("the hives somehow lost their roofs in the storm, can you get that back")
    story.says("Creating task 3: restore the roofs of the hives with nails.").calls("Agent", " plan")
    assert (broken := brief(story)).unanswered is not None
    done = Since(done=("fix(yard): restore roofs with nails (#7)",))
    found = read_brief(story.steps, ROOTS)(done)
    assert (broken.state_reason, found.state_reason, found.unanswered) == ("interrupted", "nothing_said", None)
    other = Since(done=("fix(yard): restore the gate",))
    assert read_brief(story.steps, ROOTS)(other).unanswered is not None


def test_a_bare_address_at_which_a_session_broke_off_does_not_say_what_is_wanted() -> None:
    story = Story().asks("fix the login").says("Fixed the login.").asks("https://example.org/ada/shop/pull/4")
    assert brief(story).unanswered is None


def test_an_agreement_at_which_a_session_broke_off_says_nothing_by_itself() -> None:
    story = Story().asks("fix the login").says("I could drop the cookie.").asks("yes, do that")
    found = brief(story.runs("make", "ok").runs("make run", "ok"))
    assert (found.state_reason, found.unanswered) == ("interrupted", None)


def turned_to(story: Story) -> str | None:
    found = brief(story).turned_to
    return found.text if found else None


def test_a_session_turned_to_the_last_request_for_which_files_were_changed() -> None:
    story = Story().asks("fix the login of the shop").edits("/srv/ada/orbit/src/login.py").says("Fixed.")
    assert turned_to(story) is None
    story.asks("replace the invoice template by a localized one").edits("/srv/ada/orbit/src/invoice.py").says("Done.")
    assert turned_to(story) == "replace the invoice template by a localized one"
    story.asks("which currencies does the template of the invoice know?").says("Two.")
    assert turned_to(story) == "replace the invoice template by a localized one"


def test_a_request_of_few_words_is_turned_to_only_where_nothing_was_done_for_the_first() -> None:
    answered = Story().asks("do you have access to the tracker?").says("Yes.")
    assert turned_to(answered.asks("simplify the parser").edits("/srv/ada/orbit/src/parse.py")) == "simplify the parser"
    done = Story().asks("fix the login of the shop").edits("/srv/ada/orbit/src/login.py").says("Fixed.")
    assert turned_to(done.asks("simplify the parser").edits("/srv/ada/orbit/src/parse.py")) is None


def test_what_was_pasted_along_is_not_what_a_session_turned_to() -> None:
    story = Story().asks("fix the login of the shop").edits("/srv/ada/orbit/src/login.py").says("Fixed.")
    story.asks(
        "+ 296 | Bidirectional linking\n+ 297 | trailer\nsearch the commit that holds the checkpoint trailer instead"
    )
    assert (
        turned_to(story.edits("/srv/ada/orbit/a.py")) == "search the commit that holds the checkpoint trailer instead"
    )


def failures(story: Story) -> list[str]:
    return [line.text for line in brief(story).failures]


def test_failure_that_was_not_run_again_after_later_changes_says_so() -> None:
    story = Story().runs("pytest -q", "FAILED test_token", failed=True).edits("/srv/ada/orbit/src/login.py")
    assert failures(story) == ["`pytest -q` failed, and was not run again: FAILED test_token"]


def test_failure_is_not_open_once_the_agent_said_that_all_tests_pass() -> None:
    story = Story().runs("pytest -q", "FAILED test_token", failed=True).says("Fixed the token. All tests pass.")
    assert (failures(story), brief(story).state) == ([], "completed")


@pytest.mark.parametrize(
    "story",
    [
        Story().says("All tests pass.").runs("pytest -q", "FAILED test_token", failed=True),
        Story().runs("ruff check .", "F401 unused", failed=True).says("All tests pass."),
        Story().runs("git push", "error: failed to push", failed=True).says("All tests pass."),
    ],
)
def test_word_that_tests_pass_ends_no_later_and_no_other_failure(story: Story) -> None:
    assert len(failures(story)) == 1


def test_running_ci_leaves_finished_work_finished() -> None:
    assert brief(Story().asks("fix the login").says("PR opened. Full CI is still running.")).state == "completed"


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        (Story().says("Fixed the login.").asks("now the cache"), "broke off"),
        (Story().says("Fixed the login. The changelog still needs to be written."), "open"),
        (Story().says("Fixed the login. Want me to commit?"), "open"),
        (Story().says("Fixed the login. CI is pending."), None),
        (Story(), None),
    ],
)
def test_ending_of_a_session_is_told_from_its_last_messages(story: Story, expected: str | None) -> None:
    assert ending(story.steps) == expected


def next_of(story: Story, minutes: float = 60) -> str | None:
    left = brief(story).open_at(story.steps[-1].at + timedelta(minutes=minutes))
    return left[0].step if left else None


def test_a_session_that_was_silent_for_a_minute_may_be_at_work_on_what_it_was_asked() -> None:
    story = Story().asks("fix the login").says("Fixed the login.").asks("now add a test for the cache")
    assert (next_of(story, 1), next_of(story)) == (None, "Finish what was asked last: now add a test for the cache")


def test_a_question_that_only_its_conversation_explains_is_no_step() -> None:
    story = Story().asks("fix the login").says("Fixed the login.").asks("what do we change to make you respect this?")
    assert next_of(story) is None
    assert next_of(story.says("In the guide.").asks("where does the guide of the login live?")) is not None


@pytest.mark.parametrize(
    ("command", "output", "speaks"),
    [
        ("pytest tests/test_comb.py", RED, True),
        ("pytest /tmp/probe/test_comb.py", RED, False),
        ("pytest --inband", "ERROR: unrecognized arguments: --inband", False),
    ],
)
def test_a_probe_or_a_wrong_option_is_not_what_fails(command: str, output: str, speaks: bool) -> None:
    story = Story().asks("fix the comb").edits("comb.py").runs(command, output, failed=True).says("The comb is read.")
    assert (next_of(story) is not None) is speaks


def test_a_check_that_failed_before_anything_was_changed_is_not_what_to_fix() -> None:
    assert next_of(Story().asks("how is the comb?").runs("pytest", RED, failed=True).says("It is broken.")) is None


# What a session reported -------------------------------------------------------------------------------------------


def reported(story: Story) -> str | None:
    found = brief(story).reported
    return found.text if found else None


def test_what_an_agent_says_while_it_works_is_no_report() -> None:
    story = Story().asks("fix the login of the shop").says("The tree is clean.").edits("/srv/ada/orbit/src/login.py")
    assert reported(story) is None
    assert reported(story.says("Fixed the login: tokens are kept for an hour.")) == (
        "Fixed the login: tokens are kept for an hour."
    )
    story.asks("open a PR").says("I am on main, so a branch comes first.").runs("git switch -c fix", "ok")
    assert reported(story) == "Fixed the login: tokens are kept for an hour."


def test_a_log_that_stops_at_what_comes_next_has_no_report() -> None:
    assert reported(Story().asks("fix the login").says("The branch is clean. Next I'm opening the PR.")) is None


def test_the_report_of_the_work_leads_an_answer_to_a_later_question() -> None:
    story = Story().asks("fix the login of the shop").edits("/srv/ada/orbit/src/login.py")
    story.says("Fixed the login: tokens are kept for an hour.").asks("what does the filter of the tokens do?")
    assert reported(story.says("The filter drops those that are older.")) == (
        "Fixed the login: tokens are kept for an hour. / then: The filter drops those that are older."
    )


# What is left broken -----------------------------------------------------------------------------------------------


def broken(story: Story) -> list[str]:
    return [line.text for line in brief(story).broken]


@pytest.mark.parametrize(
    "printed",
    [
        "Error: Cannot find package '@ada/tokens' imported from /srv/ada/orbit/src/login.ts",
        "ModuleNotFoundError: No module named 'tokens'",
        "ERR_PNPM_ABORTED_REMOVE_MODULES_DIR_NO_TTY",
        "no required module provides package github.com/ada/tokens",
        "connect ECONNREFUSED 127.0.0.1:5432",
        "No test files found, exiting with code 1",
    ],
)
def test_a_check_that_could_not_begin_is_not_broken(printed: str) -> None:
    story = Story().asks("fix the login").edits("/srv/ada/orbit/src/login.py").runs("npm test", printed, failed=True)
    assert (broken(story), brief(story).failures) == ([], ())


def test_a_file_of_the_work_that_is_not_found_is_broken() -> None:
    story = Story().asks("fix the login").edits("/srv/ada/orbit/src/login.ts")
    assert len(broken(story.runs("npm test", "Error: Cannot find module './token'", failed=True))) == 1


def test_a_program_that_was_only_tried_is_not_broken() -> None:
    story = Story().asks("fix the login").edits("/srv/ada/orbit/src/login.py").says("Fixed the login.")
    assert broken(story.runs("orbit search tokens", "error: no origin", failed=True)) == []


def test_what_failed_before_the_session_is_not_of_it() -> None:
    story = Story().asks("fix the login").edits("/srv/ada/orbit/src/login.py")
    story.runs("pytest -q", "FAILED test_clock", failed=True)
    assert len(broken(story)) == 1
    assert broken(story.says("The failing test_clock is pre-existing, and unrelated to the login.")) == []


def test_work_that_went_on_and_was_said_to_be_done_leaves_nothing_broken() -> None:
    story = Story().asks("fix the login").edits("/srv/ada/orbit/src/login.py")
    story.runs("pytest -q", "FAILED test_token", failed=True).edits("/srv/ada/orbit/src/login.py")
    assert broken(story.says("Fixed the login, but test_token still fails.")) != []
    assert broken(story.asks("and now?").says("Fixed the login of the shop.")) == []


# What is decided ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        "My assumption is we can just return the cached token instead of making it again.",
        "If we need another parameter for the shop, I would name it by its slug rather than by a number.",
        "Verify that the build never uses the old token instead of the new one.",
    ],
)
def test_what_a_person_assumes_is_not_decided(said: str) -> None:
    assert brief(Story().asks(said).says("I see.")).decisions == ()


def test_an_answer_about_how_an_agent_goes_on_is_not_decided() -> None:
    story = Story().asks("fix the login of the shop").calls("AskUserQuestion")
    told = 'Your questions have been answered: "Should I wait for the review or run it?"="Wait for it"'
    assert brief(story.gets("AskUserQuestion", told)).decisions == ()
    other = 'Your questions have been answered: "Where are tokens of the shop kept?"="In the session"'
    assert len(brief(Story().asks("fix it").calls("AskUserQuestion").gets("AskUserQuestion", other)).decisions) == 1


def test_an_order_that_was_not_followed_is_told_with_what_it_is_about() -> None:
    story = Story().asks("rename the token field of the shop").says("Renamed.").asks("commit and push").calls("Bash")
    found = brief(story).unanswered
    assert found is not None
    assert found.text == "rename the token field of the shop / then: commit and push"
