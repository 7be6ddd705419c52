"""Which earlier turn a prompt is about: by the names in it, and what is told of that turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from aicx.agents.unasked import question_in
from aicx.reminders.building import refresh_reminders
from aicx.reminders.index import Index, Turn, asked_of_forge, find_fix, identifier, names_in, open_index
from aicx.reminders.prompt import find_earlier
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, Home

Ask = Callable[[str], list[Turn]]
_FOUND = "The timeout was missing. Please `FetchParcelLabels` waits ten seconds now. The queue is emptied at night."


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    """Of a session that mended a timeout, agreed to a proposal, looked at an issue and opened a pull request."""
    user = Home(tmp_path)
    folder = user.repository("orbit", "git@github.com:ada/orbit.git")
    user.used(monkeypatch)
    log = ClaudeLog(SESSION, folder).prompt("why do couriers wait in the morning", 0)
    log.call("Edit", 1, "t0", file_path=f"{folder}/src/courier.py", new_string="x", old_string="y").result("", 2, "t0")
    log.answer(_FOUND, 3)
    log.prompt("should invoices be rounded before or after tax?", 10).answer("Shall I round them after tax?", 11)
    log.prompt("yes please", 12).answer("Invoices are rounded after tax, since the ledger adds unrounded amounts.", 13)
    log.prompt("look at the report that came in", 20)
    log.call("Bash", 21, "t1", command="gh issue view 4711 --comments").result("title: slow", 22, "t1")
    log.answer("The map is drawn once for each courier, which takes four seconds with a hundred of them.", 23)
    log.prompt("check the types of the basket", 30)
    error = 'src/basket.py:4: error: Name "price" is not defined  [name-defined]'
    log.call("Bash", 31, "t2", command="mypy src").result(error, 32, "t2", failed=True)
    log.call("Edit", 33, "t3", file_path=f"{folder}/src/basket.py", new_string="x", old_string="y")
    log.result("", 34, "t3").call("Bash", 35, "t4", command="mypy src").result("Success: no issues found", 36, "t4")
    user.claude(log.answer("The types of the basket hold again, and README.md says how they are checked.", 37))
    user.store()
    refresh_reminders(user.settings)
    found = open_index(str(user.settings.layout.home), folder, str)
    assert found is not None
    return found


@pytest.fixture
def ask(index: Index) -> Iterator[Ask]:
    with closing(index):
        yield lambda prompt: find_earlier(index, OTHER, prompt)


def test_an_identifier_finds_the_turn_whose_report_names_it(ask: Ask) -> None:
    assert ask("is FetchParcelLabels called twice?")[0].asked == "why do couriers wait in the morning"


def test_what_is_told_of_a_report_begins_with_the_sentence_that_names_what_was_asked_for(ask: Ask) -> None:
    assert ask("is FetchParcelLabels called twice?")[0].came.startswith("Please `FetchParcelLabels` waits ten seconds")


def test_an_identifier_that_no_report_names_finds_nothing(ask: Ask) -> None:
    assert ask("is FetchCourierRoutes called twice?") == []


def test_what_followed_a_yes_came_of_the_question_before_it(ask: Ask) -> None:
    (turn,) = ask("are invoices rounded before tax or after tax in the ledger?")
    assert turn.came == "Invoices are rounded after tax, since the ledger adds unrounded amounts."


def test_an_issue_that_was_looked_at_is_known_by_its_number(ask: Ask) -> None:
    assert ask("analyze https://github.com/ada/orbit/issues/4711")[0].asked == "look at the report that came in"


def test_a_file_that_was_changed_is_evidence_together_with_words_of_the_question(ask: Ask) -> None:
    assert ask("couriers idle each morning, is it courier.py?")[0].asked == "why do couriers wait in the morning"
    assert ask("rename courier.py to something shorter") == []


def test_a_file_that_every_repository_has_is_no_evidence(ask: Ask) -> None:
    assert ask("mention the types of tickets in README.md") == []


def test_a_failure_that_is_pasted_into_a_prompt_is_known(index: Index) -> None:
    with closing(index):
        fix = find_fix(index, OTHER, 'mypy says src/basket.py:9: error: Name "price" is not defined  [name-defined]')
    assert fix is not None
    assert fix.files == "src/basket.py"


@pytest.mark.parametrize(
    ("prompt", "question"),
    [
        ("/review the courier queue", "the courier queue"),
        ("  /gsd:quick add a map", "add a map"),
        ("/clear", ""),
        ("/home/ada/notes.txt is empty", "/home/ada/notes.txt is empty"),
        ("!ls", ""),
        ("<task-notification>done", ""),
    ],
)
def test_what_is_asked_of_a_command_is_what_stands_behind_its_name(prompt: str, question: str) -> None:
    assert question_in(prompt) == question


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("gh pr view 12 --comments", {"#12"}),
        ("cd x && gh issue view --web #9", {"#9"}),
        ("gh pr view 12 --repo bob/comet", {"bob/comet#12"}),
        ("gh pr view 12 -R ada/orbit", {"#12"}),
        ("Fetch https://github.com/ada/orbit/pull/12/files", {"#12"}),
        ("gh pr list --json number", set()),
        ("git show 12", set()),
    ],
)
def test_a_call_is_about_the_issues_that_it_names(text: str, named: set[str]) -> None:
    assert asked_of_forge(text, "ada/orbit") == named


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("call FetchParcelLabels()", {"fetchparcellabels"}),
        ("ORBIT_DRY_RUN=1", {"orbit_dry_run"}),
        ("courier_queue", {"courier_queue"}),
        ("src/courier_queue.py", set()),
        ("the architecture of GitHub", set()),
    ],
)
def test_an_identifier_is_a_long_word_of_several_parts_that_is_no_file(text: str, known: set[str]) -> None:
    assert set(filter(None, map(identifier, names_in(text, "ada/orbit")))) == known
