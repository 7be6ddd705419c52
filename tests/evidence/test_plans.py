"""What plans, and summaries of a full context, leave to be done."""

from __future__ import annotations

from aicx.evidence.reporting import open_plan, pending, summarized_request
from aicx.evidence.statements import COMPACTION
from tests.evidence.stories import Story

# Plans --------------------------------------------------------------------------------------------------------------


def plan(story: Story) -> list[str]:
    return [statement.text for statement in open_plan(story.steps)]


def test_items_of_the_last_plan_that_are_not_ticked_off_are_open() -> None:
    story = Story().calls("TodoWrite", '\ntodos: [{"content":"Old","status":"pending"}]')
    story.calls(
        "TodoWrite",
        '\ntodos: [{"content":"Parse","status":"completed"},{"content":"Print","status":"in_progress"},'
        '{"content":"Test","status":"pending"}]',
    )
    assert plan(story) == ["Print", "Test"]


def test_plan_of_another_agent_is_read_too() -> None:
    assert plan(Story().calls("update_plan", "\n- [completed] Parse\n- [pending] Print")) == ["Print"]


def test_tasks_are_followed_by_their_numbers() -> None:
    story = Story().calls("TaskCreate", "\nsubject: Parse\ndescription: x").calls("TaskCreate", "\nsubject: Print")
    story.calls("TaskUpdate", "\ntaskId: 1\nstatus: completed").calls("TaskUpdate", "\ntaskId: 7\nstatus: completed")
    assert plan(story) == ["Print"]


def test_plan_is_no_longer_open_once_a_later_request_was_answered() -> None:
    story = Story().calls("update_plan", "\n- [pending] Print").asks("now rename the field").says("Renamed it.")
    assert plan(story) == []


def test_plan_stays_open_while_its_work_goes_on() -> None:
    story = Story().calls("update_plan", "\n- [pending] Print").says("Looking at it.").asks("continue").says("I see.")
    assert plan(story) == ["Print"]
    assert plan(story.asks("now rename the field")) == ["Print"]


def test_plan_that_was_not_touched_for_long_is_no_longer_open() -> None:
    story = Story().calls("update_plan", "\n- [pending] Print")
    for number in range(26):
        story.says(f"I looked at part {number}.")
    assert plan(story) == []


def test_plan_that_was_cut_when_it_was_stored_is_passed_over() -> None:
    assert plan(Story().calls("TodoWrite", '\ntodos: [{"content":"Pa[… 40 characters left out …]')) == []


# Summaries -----------------------------------------------------------------------------------------------------------

SUMMARY = """This session is being continued from a previous conversation that ran out of context.

1. Primary Request and Intent:
   - Let the login keep its tokens for a day

7. Pending Tasks:
   - Write the changelog
   - No other tasks are pending

8. Optional Next Step:
   Run the slow tests.
"""


def summarized(story: Story) -> Story:
    return story._add("system", COMPACTION, SUMMARY)


def test_summary_of_a_full_context_tells_what_is_left_and_what_was_wanted() -> None:
    story = summarized(Story()).says("Continuing with the changelog.")
    assert [item.text for item in pending(story.steps)] == ["Write the changelog", "Run the slow tests."]
    wanted = summarized_request(story.steps)
    assert wanted is not None
    assert wanted.text == "Let the login keep its tokens for a day"


def test_summary_is_past_once_a_result_was_reported_or_something_else_asked() -> None:
    assert pending(summarized(Story()).says("Fixed the changelog.").steps) == []
    assert pending(summarized(Story()).asks("rename the cache").says("It has a name of its own.").steps) == []


def test_request_that_a_person_typed_first_goes_before_a_summary() -> None:
    assert summarized_request(summarized(Story().asks("fix the login")).steps) is None


def test_a_plan_says_nothing_once_something_was_committed_after_it() -> None:
    story = Story().asks("do it").calls("update_plan", "\n- [completed] Read\n- [pending] Write the tests")
    assert [item.text for item in open_plan(story.steps)] == ["Write the tests"]
    assert open_plan(story.steps, [story.steps[-1].at]) == []


def test_a_plan_says_nothing_once_a_turn_ended_with_a_report_that_leaves_nothing() -> None:
    story = Story().asks("do it").calls("update_plan", "\n- [completed] Read\n- [pending] Write the tests")
    assert open_plan([*story.steps, *Story().says("Fixed the login and its tests.").steps]) == []
    left = Story().says("Fixed the login. The tests still need to be written.").steps
    assert [item.text for item in open_plan([*story.steps, *left])] == ["Write the tests"]
