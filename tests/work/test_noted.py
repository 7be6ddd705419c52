"""What a note takes from the facts of a session."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aicx.work.handoff import MAX_GOAL, failed_of, goal_of, next_of
from aicx.work.session_facts import Said
from tests.work.facts import facts, said


def goal(**known: object) -> str | None:
    found = goal_of(facts(**known))
    return found.text if found else None


def test_a_goal_is_what_was_asked_first() -> None:
    assert goal(goal=said("Seal the cells"), asked=said("make a pr")) == "Seal the cells"
    assert goal(asked=said("make a pr")) == "make a pr"
    assert goal(title="Seals") is None


def test_a_title_that_says_more_leads() -> None:
    asked = said("can you tell me when we show the warning?")
    assert goal(goal=asked, title="Midnight crossing of sessions") == (
        "Midnight crossing of sessions (asked: can you tell me when we show the warning?)"
    )


@pytest.mark.parametrize(
    "title", ["Seal the cells of…", "seal cells of https://example.org/issues/4", "Seal the cells"]
)
def test_a_title_made_of_the_request_is_not_told_again(title: str) -> None:
    assert goal(goal=said("Seal the cells of https://example.org/issues/4"), title=title) == (
        "Seal the cells of https://example.org/issues/4"
    )


def test_what_was_done_completes_a_goal_where_others_can_see_it() -> None:
    known = {"goal": said("investigate https://github.com/ada/shop/issues/4"), "title": "investigate ada/shop#4 — Seal"}
    assert goal(**known) == "investigate https://github.com/ada/shop/issues/4"
    assert goal(**known, commits=(said("Add"),)) == "investigate https://github.com/ada/shop/issues/4 — Seal"
    commits = (said("Fix the seals"), said("Seal the cells"))
    assert goal(goal=said("what seals are there?"), commits=commits) == "what seals are there? — Seal the cells"


def test_a_title_made_of_what_the_session_turned_to_is_not_told_twice() -> None:
    found = goal_of(facts(title="Number the doors", goal=said("Seal the cells"), turned_to=said("Number the doors")))
    assert found is not None
    assert found.text == "Seal the cells / then: Number the doors"


def test_a_goal_tells_what_the_session_turned_to_and_refers_to_both() -> None:
    found = goal_of(facts(goal=said("Seal the cells"), turned_to=said("Number the doors")))
    assert found is not None
    assert found.text == "Seal the cells / then: Number the doors"
    assert found.refs == ("chunk:claude:a:001",)


def test_a_goal_ends_with_what_was_asked_last_where_that_says_much_and_was_answered() -> None:
    known = {"goal": said("Seal the cells"), "turned_to": Said("Number the doors", "2026-03-01T10:20:00Z", ())}
    last = Said("print the lids of the hives in colour", "2026-03-01T10:40:00Z", ())
    assert goal(**known, asked=last) == "Seal the cells / then: Number the doors / then: " + last.text
    assert goal(goal=known["goal"], asked=last) == f"Seal the cells / then: {last.text}"
    assert goal(**known, asked=last, unanswered=last) == "Seal the cells / then: Number the doors"
    both = replace(last, text=f"Number the doors / then: {last.text}")
    assert goal(**known, asked=both) == f"Seal the cells / then: Number the doors / then: {last.text}"
    for little in ("and the doors?", "Number the doors / then: commit"):
        assert goal(**known, asked=replace(last, text=little)) == "Seal the cells / then: Number the doors"


def test_of_a_program_the_work_leads_as_its_prompt_and_title_may_be_those_of_every_run() -> None:
    known = {"goal": said("Process the next task of the list"), "title": "Agent run", "commits": (said("Seal cells"),)}
    assert goal(**known, automated=True) == "Seal cells (asked: Process the next task of the list)"
    assert goal(**known) == "Agent run (asked: Process the next task of the list)"


def test_a_goal_has_a_bounded_length() -> None:
    long = said("Seal the cells " * 60)
    for known in ({}, {"title": "Another name " * 9, "turned_to": long}, {"title": "x — y " * 30, "commits": (long,)}):
        assert len(goal(goal=long, **known) or "") <= MAX_GOAL


def test_next_begins_with_the_request_that_was_not_answered() -> None:
    found = next_of(facts(unanswered=said("Number the doors"), next=(said("Seal the rest"),)))
    assert [one.text for one in found] == ["Number the doors", "Seal the rest"]
    assert [one.text for one in next_of(facts(next=(said("Seal the rest"),)))] == ["Seal the rest"]


def test_what_fails_still_comes_before_what_was_given_up() -> None:
    found = failed_of(facts(failing=(said("`make` failed"),), given_up=(said("`git pull` failed"),)))
    assert [one.text for one in found] == ["`make` failed", "`git pull` failed"]
