"""What a session is called after what was planned and done in it."""

from __future__ import annotations

import pytest

from aicx.corpus.ingest.names import Naming, NamingMessage, name_chunk

STOPPED = NamingMessage("system", "injected", "[Request interrupted by user for tool use]")
PLAN = NamingMessage("tool", "tool", "TodoWrite", plan=("Rewrite the exporter in Rust",))


def asks(text: str) -> NamingMessage:
    return NamingMessage("user", "typed", text)


def work(*messages: NamingMessage) -> object:
    return name_chunk((asks("go with #12"), *messages), None, Naming())[0].get("work")


def test_a_plan_names_what_is_done() -> None:
    assert work(PLAN) == "Rewrite the exporter in Rust"


@pytest.mark.parametrize("text", ["no, leave the exporter alone", "Don't rewrite it", "stop", "please skip that"])
def test_a_plan_that_the_person_stopped_names_nothing(text: str) -> None:
    assert work(PLAN, asks(text)) is None


def test_a_plan_that_was_interrupted_names_nothing() -> None:
    assert work(PLAN, STOPPED) is None
    assert work(PLAN, STOPPED, asks("sort the notes of the release")) is None


def test_a_plan_that_goes_on_after_a_break_names_what_is_done() -> None:
    assert work(PLAN, STOPPED, asks("continue")) == "Rewrite the exporter in Rust"
    other = NamingMessage("tool", "tool", "TodoWrite", plan=("Sort the notes of the release",))
    assert work(PLAN, STOPPED, asks("no, only the notes"), other) == "Sort the notes of the release"


@pytest.mark.parametrize("text", ["nothing is left", "not sure yet", "now test it", "no problem"])
def test_words_that_only_begin_like_a_refusal_stop_nothing(text: str) -> None:
    assert work(PLAN, asks(text)) == "Rewrite the exporter in Rust"


def topic(*messages: NamingMessage) -> object:
    return name_chunk(messages, None, Naming())[0]["topic"]


def test_a_prompt_that_was_stopped_and_said_again_is_told_as_it_was_said_again() -> None:
    first, again = asks("look after hive A12 in the garden"), asks("look after hive B12 in the garden")
    assert topic(first, STOPPED, again) == "look after hive B12 in the garden"
    assert topic(first, STOPPED, first) == "look after hive A12 in the garden"
    assert topic(first, STOPPED, asks("paint it green")) == "look after hive A12 in the garden"


def test_a_prompt_that_another_takes_back_names_nothing() -> None:
    first = asks("Hide the queen of the hive from visitors")
    assert topic(first, asks("thinking again: let's move the queen out")) == "thinking again: let's move the queen out"
    assert topic(first, asks("on second thought, paint the fence")) == "Hide the queen of the hive from visitors"
    assert topic(first, asks("actually, why is the queen so loud")) == "Hide the queen of the hive from visitors"


def test_what_was_planned_before_is_taken_back_where_the_person_stops_it_at_once() -> None:
    fields, after = name_chunk((STOPPED, asks("the label will confuse the bees")), None, Naming(worked=True))
    assert (fields["work_from"], after.worked) == ("stopped", False)
    assert "work_from" not in name_chunk((STOPPED,), None, Naming(worked=True))[0]
    assert "work_from" not in name_chunk((asks("done?"), STOPPED, asks("later")), None, Naming(worked=True))[0]


def test_what_an_agent_found_at_the_end_of_a_turn_names_what_was_done() -> None:
    finding = NamingMessage("assistant", "agent", "The queen of the hive was never fed honey.")
    edit = NamingMessage("tool", "tool", "Edit", files=("hive.py",))
    assert work(edit, finding) == "The queen of the hive was never fed honey"
    assert work(finding, edit) == "work on hive.py"
    assert work(PLAN, finding) == "Rewrite the exporter in Rust"


def test_a_file_that_was_removed_again_names_no_work() -> None:
    edit = NamingMessage("tool", "tool", "Write", files=("hive/wasp.md",))
    assert work(edit, NamingMessage("tool", "tool", "Bash", command="rm -f hive/wasp.md && ls")) is None
    assert work(edit, NamingMessage("tool", "tool", "Bash", command="rm -f hive/other.md")) == "work on wasp.md"


def test_a_failed_hook_names_no_session() -> None:
    failed = NamingMessage("system", "injected", "Hook(s) [hive-session-end] failed for event SessionEnd")
    told = NamingMessage("system", "injected", "The hive of the session was moved to another garden")
    assert name_chunk((failed,), None, Naming())[0]["title"] == ""
    assert name_chunk((failed, told), None, Naming())[0]["title"] == told.text
