"""What is kept at a session's end."""

from __future__ import annotations

import os
import subprocess

import pytest

from aicx.cli import run
from tests.corpus.builders import OTHER, ClaudeLog
from tests.forked import Piped
from tests.lifecycle.conftest import Place

pytestmark = pytest.mark.slow

# Made up, in the shape of a real one.
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


def test_a_contract_that_was_kept_is_followed(place: Place) -> None:
    place("task", "start", "Fix the login", "--file", "src/login.py")
    place.prepare("s1", "--task", "Fix the login")
    found = place.finalize("Done", "s1", "--files-edited", "src/login.py", "--tests-executed", "make test")
    kept = found["contract_compliance"]
    assert (kept["status"], kept["score"], kept["structural_alignment"]) == ("followed", 1.0, "followed")


def test_one_that_was_not_kept_says_what_was_missing(place: Place) -> None:
    place("task", "start", "Fix the login", "--file", "src/login.py")
    place.prepare("s1", "--task", "Fix the login")
    kept = place.finalize("No luck", "s1", "--files-edited", "other.py", status="failure")["contract_compliance"]
    assert kept["status"] == "violated"
    assert [one["code"] for one in kept["violations"]] == [
        "missing_first_action",
        "edit_outside_scope",
        "canonical_test_missing",
    ]
    assert kept["score"] == 0.15


def test_the_log_of_the_session_counts_as_what_it_did(place: Place) -> None:
    place("task", "start", "Fix the login", "--file", "src/login.py")
    place.prepare("5e551001-0000-4000-8000-000000000001", "--task", "Fix the login")
    folder = place.repository.folder
    place.session(
        "5e551001-0000-4000-8000-000000000001",
        ("Read", {"file_path": f"{folder}/src/login.py"}),
        ("Bash", {"command": "make test"}),
    )
    kept = place.finalize("Done", "5e551001-0000-4000-8000-000000000001")["contract_compliance"]
    assert (kept["status"], kept["checks"]["canonical_test_used"]) == ("followed", True)


def test_without_a_contract_or_observation_nothing_is_evaluated(place: Place) -> None:
    assert place.finalize()["contract_compliance"]["main_issue"] == "no_resume_contract"
    place.prepare("s2")
    assert place.finalize("Done", "s2")["contract_compliance"]["main_issue"] == "no_execution_observation"


def test_the_next_session_hears_of_the_last_result_that_was_evaluated(place: Place) -> None:
    place("task", "start", "Fix the login", "--file", "src/login.py")
    place.prepare("s1", "--task", "Fix the login")
    place.finalize("Done", "s1", "--files-edited", "src/login.py")
    place.prepare("s2")
    place.finalize("Nothing seen", "s2")
    found = place.prepare("s3")["previous_contract_result"]
    assert (found["status"], found["main_issue"]) == ("partial", "canonical_test_not_observed")


def test_a_session_is_not_its_own_predecessor(place: Place) -> None:
    place("task", "start", "Fix the login", "--file", "src/login.py")
    place.prepare("s1", "--task", "Fix the login")
    place.finalize("Done", "s1", "--files-edited", "src/login.py")
    assert place.prepare("s1")["previous_contract_result"] is None


def test_the_task_learns_what_was_done(place: Place) -> None:
    place("task", "start", "Fix the login")
    found = place.finalize("The login works", "s1", "--files-edited", "src/login.py", "--next", "write the docs")
    assert (found["task"]["verified"], found["task"]["active_files"]) == (["The login works"], ["src/login.py"])
    assert found["task"]["next_action"] == "write the docs"


def test_a_failure_verifies_nothing(place: Place) -> None:
    place("task", "start", "Fix the login")
    task = place.finalize("Two tests fail", "s1", "--error", "src/login.py:3: error", status="failure")["task"]
    assert (task["verified"], task["risks"], task["failing"]) == ([], ["Two tests fail"], ["src/login.py:3: error"])


def test_a_task_of_another_branch_is_left_as_it_was(place: Place) -> None:
    place.repository.git("switch", "-c", "try")
    place.repository.commit("try.py")
    place("task", "start", "Try something")
    [file] = place.user.corpus.glob("work/*/tasks/*.json")
    before = file.read_bytes()
    place.repository.git("switch", "main")
    found = place.finalize("Something else", "s1")
    assert (found["task"], file.read_bytes()) == (None, before)
    assert "Try something" in found["task_skipped"]


def test_observed_errors_are_read_as_tools_report_them(place: Place) -> None:
    line = 'src/login.py:3: error: Name "x" is not defined  [name-defined]'
    [error] = place.finalize("It fails", "s1", "--notable-errors", line, status="failure")["errors"]
    assert (error["file"], error["line"], error["code"]) == ("src/login.py", 3, "name-defined")


def test_the_summary_has_a_line_only_where_there_is_something_to_say(place: Place) -> None:
    bare = place.finalize("Done")["agent_summary_text"].splitlines()
    assert [line.split(":")[0] for line in bare] == ["Saved", "Details"]
    place("task", "start", "Fix the login", "--file", "src/login.py")
    place.prepare("s2", "--task", "Fix the login")
    full = place.finalize("Done", "s2", "--files-edited", "src/login.py", "--next", "docs")["agent_summary_text"]
    assert [line.split(":")[0] for line in full.splitlines()] == [
        "Context", "Map", "Saved", "Contract", "Next", "Details",
    ]  # fmt: skip


def test_no_secret_is_kept(place: Place) -> None:
    said = place.finalize(
        f"The token is {TOKEN}", "s1", "--commands-executed", f"curl -H {TOKEN}", "--next", f"drop {TOKEN}"
    )
    assert TOKEN not in str(said)
    kept = b"".join(path.read_bytes() for path in place.user.corpus.glob("work/**/*") if path.is_file())
    assert TOKEN.encode() not in kept


def test_every_handoff_is_kept_and_the_newest_comes_first(place: Place) -> None:
    place.finalize("First", "s1")
    place.finalize("Second", "s1", status="failure")
    items = place("task", "handoffs")["items"]
    assert [(item["summary"], item["outcome"], item["origin"]) for item in items[:2]] == [
        ("Second", "failed", "stated"),
        ("First", "resolved", "stated"),
    ]
    assert items[2]["origin"] == "derived"
    assert [item["offered"] for item in items] == [True, False, False]


def test_a_derived_handoff_says_what_is_open_with_its_evidence(place: Place) -> None:
    [item] = place("task", "handoffs")["items"]
    assert (item["outcome"], item["goal"]) == ("unresolved", "Tokens of the login expire too early")
    assert item["starting_points"] == ["src/login.py"]
    assert item["refs"]


def test_a_session_that_a_program_ran_leaves_no_handoff(place: Place) -> None:
    log = ClaudeLog(OTHER, str(place.repository.folder))
    place.user.claude(log.prompt("Rate the change", 1000, entrypoint="sdk-cli").answer("It is neutral.", 1001))
    place.user.store()
    assert [item["goal"] for item in place("task", "handoffs")["items"]] == ["Tokens of the login expire too early"]


def test_a_printed_handoff_says_nothing_twice(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    session = "5e551001-0000-4000-8000-000000000001"
    place.session(session, ("Bash", {"command": "pytest -q"}))
    item = place("task", "handoffs")["items"][0]
    assert item["done"] == []
    assert run(["task", "handoffs", "--limit", "1"]) == 0
    shown = capsys.readouterr().out
    assert [shown.count(text) for text in (item["summary"], *item["tests"])] == [1, 1]


def test_an_unmerged_branch_is_not_offered(place: Place) -> None:
    place.repository.git("switch", "-c", "try")
    place.repository.commit("try.py")
    place.finalize("On a branch", "s1")
    place.repository.git("switch", "main")
    items = place("task", "handoffs")["items"]
    assert [(item["compatible"], item["offered"]) for item in items[:1]] == [(False, False)]


@pytest.mark.parametrize("words", [["--summary", "x"], ["--status", "success"], ["--status", "won", "--summary", "x"]])
def test_status_and_summary_are_required(place: Place, words: list[str]) -> None:
    assert run(["finalize", *words]) == 2


def test_an_empty_summary_is_refused(place: Place) -> None:
    assert run(["finalize", "--status", "success", "--summary", "  "]) == 2


@pytest.mark.process
def test_twelve_at_once_lose_nothing(place: Place) -> None:
    place("task", "start", "Fix the login")
    command = ["finalize", "--status", "success", "--agent-id", "claude"]
    begun = [
        Piped(
            [*command, "--session-id", f"s{number}", "--summary", f"Part {number}"],
            os.environ,
            place.repository.folder,
            stdout=subprocess.DEVNULL,
        )
        for number in range(12)
    ]
    assert [one.wait(120) for one in begun] == [0] * 12
    items = place("task", "handoffs", "--limit", "50")["items"]
    assert sorted(item["summary"] for item in items if item["origin"] == "stated") == sorted(
        f"Part {number}" for number in range(12)
    )
    assert len(place("task", "status")["active"][0]["verified"]) == 12


def test_a_decision_with_a_reason_is_proposed_and_trusted_by_nobody(place: Place) -> None:
    said = ("--decision", "Tokens are kept in Redis because the database was too slow", "--decision", "Use tabs")
    found = place.finalize("Done", "s1", *said)
    [ref] = found["decisions_proposed"]
    entry = place("memory", "get", ref)["entry"]
    assert (entry["kind"], entry["status"], entry["baseline"]) == ("decision", "candidate", False)
    assert any("Use tabs" in note for note in found["notes"])


def test_areas_are_what_sessions_changed_with_what_the_folder_says_of_itself(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = place.repository.folder / "src"
    folder.mkdir(exist_ok=True)
    (folder / "README.md").write_text("# Source\n\nThe login and its tokens.\n")
    found = place("task", "areas")
    assert found["total"] == len(found["items"]) > 0
    assert all(item["edited_in"] for item in found["items"])
    assert [item["purpose"] for item in found["items"] if item["id"] == "src"] == ["The login and its tokens."]
    assert run(["task", "areas"]) == 0
    assert "The login and its tokens." in capsys.readouterr().out
