"""A session as a conversation: prompts, what came of them, what failed."""

from __future__ import annotations

from aicx.evidence.conversation import conversation
from tests.evidence.stories import Story


def test_a_turn_is_a_prompt_and_the_last_that_was_said_to_it() -> None:
    story = Story().asks("Why is the lamp dark?").says("Let me look.").runs("ls", "wick").says("It has no wick.")
    [turn] = conversation(story.asks("Thanks, buy one").says("Bought.").steps)[:1]
    assert turn.prompt is not None
    assert turn.outcome is not None
    assert (turn.prompt.text, turn.outcome.text, turn.calls) == ("Why is the lamp dark?", "It has no wick.", 1)
    assert turn.outcome.chunk == story.steps[4].chunk


def test_what_failed_and_was_not_mended_by_the_next_prompt_is_told() -> None:
    story = (
        Story().asks("Run the tests").runs("pytest", "Exit code 1\nE  assert 1 == 2", failed=True).says("One fails.")
    )
    story.asks("Fix it").runs("pytest", "Exit code 1\nE  assert 1 == 2", failed=True).runs("pytest", "3 passed").says(
        "Ok."
    )
    first, second = conversation(story.steps)
    assert first.failures
    assert first.failures[0].startswith("pytest")
    assert second.failures == ()


def test_what_an_agent_did_unasked_is_a_turn_without_a_prompt() -> None:
    [turn] = conversation(Story().says("Going on from before: the lamp burns.").steps)
    assert turn.prompt is None
    assert turn.outcome is not None


def test_each_document_is_a_turn_of_a_session_of_which_nothing_else_is_stored() -> None:
    story = Story()
    for text in ("# Plan\nTrim the wick", "# Walkthrough\nThe lamp burns"):
        story._add("artifact", "artifact", text)
    assert [turn.outcome.text for turn in conversation(story.steps) if turn.outcome] == [
        one.text for one in story.steps
    ]
    assert [turn.outcome for turn in conversation(story.asks("Why?").steps)] == [None]


def test_a_command_of_the_client_that_nothing_came_of_is_left_out() -> None:
    assert [turn.prompt.text for turn in conversation(Story().asks("/clear").asks("Why?!").steps) if turn.prompt] == [
        "Why?!"
    ]


def test_directives_to_the_client_are_left_out() -> None:
    [turn] = conversation(Story().asks("Commit the wick").says('Done.\n::git-commit{cwd="/srv"}').steps)
    assert turn.outcome is not None
    assert turn.outcome.text == "Done."
