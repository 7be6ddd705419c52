"""The contract that a brief carries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from aicx.corpus.catalog.query import open_catalog
from aicx.resume import ResumeQuery
from aicx.resume.brief import Slot
from aicx.resume.brief.output import json_brief, markdown_brief
from aicx.resume.brief.selection_manifest import SOURCES
from aicx.resume.run import resume
from aicx.work.contract import ProofCommand
from aicx.work.facts_index import refresh_facts
from tests.corpus.builders import SESSION, ClaudeLog, Home, when
from tests.evidence.stories import Repository

pytestmark = pytest.mark.slow

PASSED = "previous_successful_command"


@pytest.fixture
def user(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def repository(user: Home) -> Repository:
    found = Repository(user.work / "orbit")
    found.commit("src/login.py")
    return found


def after(user: Home, repository: Repository, command: str, task: str = "", *, failed: bool = False) -> Any:
    """The report after a session that edited the login and ran a command."""
    folder = str(repository.folder)
    log = ClaudeLog(SESSION, folder).prompt("Tokens of the login expire too early", 0)
    log.call("Edit", 1, "t1", file_path=f"{folder}/src/login.py", new_string="x", old_string="y").result("ok", 2, "t1")
    log.call("Bash", 3, "t2", command=command).result("1 failed" if failed else "3 passed", 4, "t2", failed=failed)
    user.claude(log.answer("The refresh still needs to be written.", 5))
    user.store()
    return resume(user.settings, ResumeQuery(task=task, now=when(86_400), folder=repository.folder))


def test_a_test_that_passed_there_proves_the_work(user: Home, repository: Repository) -> None:
    repository.write("Makefile", "test:\n\ttrue\n")
    report = after(user, repository, "uv run pytest -q")
    assert report.contract.test_command == ProofCommand("uv run pytest -q", PASSED)
    assert (
        "prove it with `uv run pytest -q` (it passed there)"
        in markdown_brief(user.settings, report, 2000).text.decode()
    )


@pytest.mark.parametrize(
    "command", ["pytest tests/test_gone.py", "pytest -q $(cat /etc/hostname)", "pytest `id`", "echo pytest"]
)
def test_a_command_of_gone_files_or_for_a_shell_proves_nothing(
    user: Home, repository: Repository, command: str
) -> None:
    repository.write("Makefile", "test:\n\ttrue\n")
    assert after(user, repository, command).contract.test_command == ProofCommand("make test", "makefile")


def test_a_test_that_failed_proves_nothing(user: Home, repository: Repository) -> None:
    assert after(user, repository, "pytest -q", failed=True).contract.test_command == ProofCommand(None, "none")


def test_the_brief_has_every_field_of_the_contract(user: Home, repository: Repository) -> None:
    report = after(user, repository, "pytest -q", "go on with the login in src/login.py")
    found = json.loads(json_brief(user.settings, report, 4000).text)["execution_contract"]
    assert found == {
        "task_goal": "go on with the login in src/login.py",
        "contract_strength": "soft",
        "first_action": {
            "type": "inspect_entry_points",
            "path": None,
            "binding": "must_inspect_listed_entry_points_only",
            "reason": "task terms, from session",
        },
        "edit_scope": {"primary": ["src/login.py"], "secondary": [], "avoid": []},
        "test_command": {"command": "pytest -q", "source": PASSED},
        "finalize_command": 'aicx finalize --status success|failure --summary "…"'
        " --task 'go on with the login in src/login.py'",
        "expected_first_files": ["src/login.py"],
        "signals": ["task_terms", "from_session"],
    }


def test_the_least_budget_has_no_room_for_it(user: Home, repository: Repository) -> None:
    report = after(user, repository, "pytest -q", "go on with the login " * 60)
    assert json.loads(json_brief(user.settings, report, 500).text)["execution_contract"] is None


def test_an_empty_corpus_still_knows_the_custom_of_the_project(user: Home, repository: Repository) -> None:
    repository.write("go.mod", "module orbit\n")
    report = resume(user.settings, ResumeQuery(task="", now=when(0), folder=repository.folder))
    assert report.contract is not None
    assert report.contract.test_command.command == "go test ./..."


def test_a_task_like_one_that_succeeded_begins_where_that_began(user: Home, repository: Repository) -> None:
    folder = str(repository.folder)
    log = ClaudeLog(SESSION, folder).prompt("Fix the login of expired tokens", 0)
    log.call("Edit", 1, "t1", file_path=f"{folder}/src/login.py", new_string="x", old_string="y").result("ok", 2, "t1")
    user.claude(log.answer("Done: the login of expired tokens is fixed and all tests pass.", 5))
    user.store()
    with open_catalog(user.settings.layout) as opened:
        refresh_facts(user.settings.layout, opened.catalog)
    task = "the login of expired tokens fails again"
    report = resume(user.settings, ResumeQuery(task=task, now=when(86_400), folder=repository.folder))
    assert [strategy.entry_points for strategy in report.strategies] == [("src/login.py",)]
    assert report.contract is not None
    assert "known_path" in report.contract.signals
    context = json.loads(json_brief(user.settings, report, 4000).text)["loaded_context"]
    assert [item["role"] for item in context if item["kind"] == "strategy"] == ["background"]


def test_what_was_not_over_by_then_is_no_strategy(user: Home, repository: Repository) -> None:
    log = ClaudeLog(SESSION, str(repository.folder)).prompt("Fix the login of expired tokens", 0)
    user.claude(log.answer("Done: all tests pass.", 90_000))
    user.store()
    with open_catalog(user.settings.layout) as opened:
        refresh_facts(user.settings.layout, opened.catalog)
    query = ResumeQuery(task="the login of expired tokens fails", now=when(86_400), folder=repository.folder)
    assert resume(user.settings, query).strategies == ()


def test_every_kind_of_line_says_where_it_comes_from() -> None:
    assert set(SOURCES) == set(get_args(Slot))
