"""What a session is told at its start."""

from __future__ import annotations

import json

import pytest

from aicx.cli import run
from aicx.lifecycle.identity import Asker, find_asker
from tests.corpus.builders import SESSION
from tests.lifecycle.conftest import Place

pytestmark = pytest.mark.slow


def test_the_banner_says_who_is_awake_where_and_what_goes_on(place: Place) -> None:
    lines = place.prepare()["startup_banner_text"].splitlines()
    assert lines[0] == "claude@orbit · session #2 · awake"
    assert "Resuming: Tokens of the login expire too early" in lines


def test_a_session_that_the_brief_goes_on_from_is_not_read_again_for_its_task(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr("aicx.resume.run.gone_on", read)
    [task] = place.prepare()["active"]
    assert (task["origin"], task["title"]) == ("derived", "Tokens of the login expire too early")


def test_a_session_has_its_banner_once(place: Place) -> None:
    shown = [place.prepare(session)["startup_banner_policy"]["already_shown"] for session in ("s1", "s1", "s2")]
    assert shown == [False, True, False]


def test_a_session_that_is_prepared_twice_is_one_attempt(place: Place) -> None:
    first, second = place.prepare("s1", "--task", "Fix src/login.py"), place.prepare("s1", "--task", "Something else")
    assert first["attempt"] == second["attempt"]
    assert place("boot")["attempts"] == 1


def test_a_dry_run_records_nothing(place: Place) -> None:
    assert place.prepare("s1", "--dry-run")["attempt"] is None
    assert place("boot")["attempts"] == 0
    assert place.prepare()["startup_banner_policy"]["already_shown"] is False


def test_the_open_task_is_in_banner_brief_and_contract(place: Place) -> None:
    place("task", "start", "Write the refresh of tokens", "--file", "src/login.py", "--next", "Read the protocol")
    found = place.prepare("s1", "--task", "Write the refresh of tokens")
    assert "Active task: Write the refresh of tokens" in found["startup_banner_text"]
    assert "Next: Read the protocol" in found["startup_banner_text"]
    assert "task: Write the refresh of tokens; next: Read the protocol" in found["brief"]
    assert found["execution_contract"]["contract_strength"] == "strict"
    assert found["execution_contract"]["first_action"]["path"] == "src/login.py"


def test_a_handoff_that_was_stated_last_is_in_the_next_banner(place: Place) -> None:
    place.finalize("The login lasts an hour", "s1", "--task", "Fix the login", "--next", "Write the docs")
    lines = place.prepare("s2")["startup_banner_text"].splitlines()[1:]
    progress = "Last progress: The login lasts an hour (stated by claude, just now)"
    assert lines == ["Resuming: Fix the login", progress, "Next: Write the docs"]


def test_a_handoff_of_an_unmerged_branch_is_not_in_the_banner(place: Place) -> None:
    place.repository.git("switch", "-c", "try")
    place.repository.commit("try.py")
    place.finalize("Tried", "s1", "--next", "Try harder")
    place.repository.git("switch", "main")
    assert "Try harder" not in place.prepare("s2")["startup_banner_text"]


def test_what_a_printed_start_quotes_is_between_fences(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prepare", "--agent-id", "claude", "--session-id", "s1"]) == 0
    before, *rest = capsys.readouterr().out.split("\n````")
    assert before.strip() == "claude@orbit · session #2 · awake"
    assert rest[0].splitlines()[:2] == [" quoted-history", "Resuming: Tokens of the login expire too early"]


def test_the_task_comes_before_everything_that_was_worked_out(place: Place) -> None:
    place("task", "start", "Write the refresh of tokens")
    context = place("resume", "--task", "the login of tokens")["loaded_context"]
    assert (context[0]["kind"], context[0]["rank"]) == ("work_state", 1)
    assert [item["rank"] for item in context] == list(range(1, len(context) + 1))


def test_a_task_of_a_branch_that_is_not_merged_is_named_and_not_used(place: Place) -> None:
    place.repository.git("switch", "-c", "try")
    place.repository.commit("try.py")
    place("task", "start", "Try something", "--file", "src/login.py")
    place.repository.git("switch", "main")
    found = place.prepare("s1", "--task", "Try something")
    assert [task["reason"] for task in found["skipped"]] == ["branch_mismatch_unmerged"]
    assert "Active task" not in found["startup_banner_text"]
    assert "active_task" not in found["execution_contract"]["signals"]
    assert "left alone: Try something" in found["brief"]


def test_a_place_without_history_gets_a_banner_and_an_empty_brief(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("AICX_HOME", str(tmp_path_factory.mktemp("empty")))
    found = place.prepare()
    assert found["startup_banner_text"] == "claude@orbit · session #1 · awake"
    assert (found["active"], found["skipped"], found["previous_contract_result"]) == ([], [], None)


@pytest.mark.parametrize(
    ("environ", "given", "asker"),
    [
        ({}, (None, None), Asker("person", None)),
        ({"CLAUDE_CODE_SESSION_ID": "c1", "CLAUDECODE": "1"}, (None, None), Asker("claude", "c1")),
        ({"CODEX_THREAD_ID": "t1"}, (None, None), Asker("codex", "t1")),
        ({"GEMINI_CLI": "1"}, (None, None), Asker("gemini", None)),
        ({"CLAUDE_CODE_SESSION_ID": "c1"}, ("claude", "own"), Asker("claude", "own")),
        ({"CLAUDE_CODE_SESSION_ID": "c1"}, ("codex", None), Asker("codex", None)),
        ({"CODEX_THREAD_ID": "t1", "AICX_SESSION_ID": "a1"}, (None, None), Asker("codex", "a1")),
        ({"AICX_SESSION_ID": "a1"}, ("aider", None), Asker("aider", "a1")),
    ],
)
def test_who_asks_is_known_by_words_and_environment(
    environ: dict[str, str], given: tuple[str | None, str | None], asker: Asker
) -> None:
    assert find_asker(environ, *given) == asker


def test_the_brief_of_a_recorded_start_is_kept_and_forgotten_with_what_it_quotes(place: Place) -> None:
    session = "22222222-2222-4222-8222-222222222222"
    folder = place.repository.folder
    place.session(session, ("Edit", {"file_path": f"{folder}/src/login.py", "new_string": "x"}))
    found = place("resume", "--task", "go on", "--agent-id", "claude", "--record")
    kept = place("cas", "get", found["capsule_ref"])
    assert kept["object"]["tags"] == ["resume-capsule", found["contract_ref"]]
    [beside] = place.user.corpus.glob("work/*/attempts/*.capsule.json")
    brief = json.loads(beside.read_bytes())
    assert (brief["contract_ref"], brief["capsule"]) == (f"work:{beside.name[:12]}", found["capsule"])
    assert [item["ref"] for item in place("task", "list", "--all")["tasks"]] == []
    assert {check["severity"] for check in place("doctor")["checks"] if check["name"] == "work"} == {"green"}
    assert "capsule_ref" not in place("resume", "--task", "go on")
    place("forget", "--session", session, "--yes")
    place("cas", "get", found["capsule_ref"], code=3)
    assert not beside.exists()


@pytest.mark.parametrize(
    "by", [("--pattern", "expire too early"), ("--session", SESSION), ("--project", "local/orbit")]
)
def test_the_brief_beside_a_contract_is_forgotten_by_text_session_and_project(
    place: Place, by: tuple[str, str]
) -> None:
    place("resume", "--task", "go on", "--agent-id", "claude", "--record")
    assert len(list(place.user.corpus.glob("work/*/attempts/*.capsule.json"))) == 1
    place("forget", *by, "--yes")
    assert not list(place.user.corpus.glob("work/*/attempts/*.capsule.json"))


def test_a_secret_in_a_brief_beside_a_contract_is_redacted_again(place: Place) -> None:
    place("resume", "--task", "go on", "--agent-id", "claude", "--record")
    [beside] = place.user.corpus.glob("work/*/attempts/*.capsule.json")
    token = "ghp_" + "a1B2c3D4e5F6" * 3  # made up, in the shape of a real one
    beside.write_text(beside.read_text().replace("go on", token))
    assert run(["store", "--redact-again"]) == 0
    assert token not in beside.read_text()
    assert json.loads(beside.read_bytes())["request"].startswith("[REDACTED")


def test_a_brief_is_told_where_it_cannot_be_kept(place: Place) -> None:
    (place.user.corpus / "cas").write_text("in the way")
    found = place("resume", "--task", "Fix src/login.py", "--agent-id", "claude", "--record")
    assert "capsule_ref" not in found
    assert found["contract_ref"].startswith("work:")


def test_resume_records_a_session_where_it_is_asked_to(place: Place) -> None:
    found = place("resume", "--task", "Fix src/login.py", "--agent-id", "claude", "--record")
    assert found["contract_ref"].startswith("work:")
    assert place("boot")["attempts"] == 1
    assert "contract_ref" not in place("resume")


def test_a_brief_says_how_the_last_contract_was_kept(place: Place) -> None:
    place.prepare("s1", "--task", "Fix src/login.py")
    place.finalize("Done", "s1", "--files-edited", "other.py")
    assert place("resume")["previous_contract_result"]["status"] in ("violated", "partial")
    assert "the last contract was" in place.prepare("s2")["brief"]


def test_what_the_last_contract_did_not_get_comes_before_what_is_done(place: Place) -> None:
    place("task", "start", "Fix the login", "--file", "src/login.py")
    place.prepare("s1", "--task", "Fix the login")
    place.finalize("Done", "s1", "--files-edited", "other.py")
    context = place("resume", "--task", "Fix the login")["loaded_context"]
    kinds = [item["kind"] for item in context]
    gaps = [item for item in context if item["kind"] == "contract_gap"]
    assert kinds[0] == "work_state"
    assert {reason for item in gaps for reason in item["match_reasons"]} >= {"edit_outside_scope", "missing_validation"}
    assert kinds.index("contract_gap") < kinds.index("handoff")
