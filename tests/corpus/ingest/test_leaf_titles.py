"""Titles that Claude Code gives to the conversation ending with a record: they find it whatever is read first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home


@pytest.fixture
def home(home: Path, tmp_path: Path) -> Home:
    return Home(tmp_path)


def conversation(session: str = SESSION) -> ClaudeLog:
    """One whose records are a prompt, an answer in two parts, a call, and its result."""
    log = ClaudeLog(session).prompt("Fix the parser", 0)
    for index, text in enumerate(("Looking.", "I shall run the tests.")):
        log.answer(text, 1 + index)
        log.records[-1]["message"]["id"] = "msg_1"
    return log.call("Bash", 3, "toolu_9", command="pytest").result("1 passed", 4, "toolu_9")


def summary(leaf: str, title: str = "Parser fixed") -> dict[str, Any]:
    return {"type": "summary", "summary": title, "leafUuid": leaf}


def titles(home: Home) -> dict[str, str | None]:
    return {fields["session_id"]: fields.get("session_title") for fields in home.sidecars()}


def titling(leaf: str, title: str = "Parser fixed", session: str = OTHER) -> ClaudeLog:
    log = ClaudeLog(session).prompt("Something else", 50)
    log.records.insert(0, summary(leaf, title))
    return log


@pytest.mark.parametrize("record", range(5), ids=["prompt", "part", "later part", "call", "result"])
@pytest.mark.parametrize("order", ["leaf first", "title first", "together"])
def test_the_session_gets_its_title_from_any_record_in_any_order(home, record, order):
    log = conversation()
    other = titling(log.records[record]["uuid"])
    for batch in {"leaf first": [[log], [other]], "title first": [[other], [log]]}.get(order, [[log, other]]):
        for item in batch:
            home.claude(item)
        home.store()
    assert titles(home) == {SESSION: "Parser fixed", OTHER: None}


def test_a_title_in_the_sessions_own_log_counts(home):
    log = conversation()
    log.records.append(summary(log.records[-1]["uuid"]))
    home.claude(log)
    home.store()
    assert titles(home) == {SESSION: "Parser fixed"}


def test_a_record_that_is_no_message_leads_to_its_session(home):
    log = conversation().add("system", 5, subtype="turn_duration")
    home.claude(log)
    home.claude(titling(log.records[-1]["uuid"]))
    home.store()
    assert titles(home)[SESSION] == "Parser fixed"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_titles_that_of_the_later_record_is_taken_in_either_order(home, order):
    log = conversation()
    home.claude(log)
    others = [titling(log.records[0]["uuid"], "Zeroth"), titling(log.records[-1]["uuid"], "Last", THIRD)]
    for index in order:
        home.claude(others[index])
        home.store()
    assert titles(home)[SESSION] == "Last"


def test_a_title_whose_record_is_nowhere_changes_nothing(home):
    home.claude(conversation())
    home.claude(titling("nowhere"))
    home.store()
    assert titles(home) == {SESSION: None, OTHER: None}


def test_titles_survive_a_lost_catalogue_in_whatever_order(home):
    log = conversation()
    home.claude(titling(log.records[-1]["uuid"]))
    home.store()
    home.settings.layout.catalog.unlink()
    home.claude(log)
    home.store()
    assert titles(home)[SESSION] == "Parser fixed"
