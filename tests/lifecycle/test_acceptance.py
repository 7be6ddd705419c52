"""The acceptance tests of work that survives the session, each line with the tests that cover it."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from aicx.cli import run
from tests.lifecycle.conftest import Place

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parents[1]
_INIT, _FINALIZE, _PREPARE = "commands/test_init.py", "lifecycle/test_finalize.py", "lifecycle/test_prepare.py"
_HERE, _STATE, _RUNS = "lifecycle/test_acceptance.py", "work/test_state.py", "work/test_failure_runs.py"
_COMPLIANCE, _MAP, _DOCTOR = "work/test_compliance.py", "repomap/test_map.py", "lifecycle/test_usage.py"
COVERED = {
    "init idempotent": [f"{_INIT}::test_a_second_run_changes_nothing_and_clean_gives_every_byte_back"],
    "settings merge": ["agents/test_texts.py::test_hooks_are_added_to_any_settings_and_change_nothing_else"],
    "resume shape": [
        f"{_HERE}::test_the_brief_has_every_field_on_one_line",
        f"{_HERE}::test_an_empty_repository_has_them_too",
    ],
    "task required": [f"{_HERE}::test_a_task_without_its_text_is_wrong_usage"],
    "loaded_context": [
        f"{_HERE}::test_an_empty_repository_has_them_too",
        f"{_HERE}::test_the_context_is_ranked_bounded_and_inside_the_repository",
    ],
    "work state priority": [f"{_PREPARE}::test_the_task_comes_before_everything_that_was_worked_out"],
    "branch safety": [
        f"{_HERE}::test_a_task_of_an_unmerged_branch_is_offered_nowhere",
        f"{_HERE}::test_nor_over_mcp",
        f"{_FINALIZE}::test_a_task_of_another_branch_is_left_as_it_was",
    ],
    "merged branch": [f"{_HERE}::test_a_task_of_a_merged_branch_is_active_with_a_warning"],
    "dirty mismatch": [f"{_STATE}::test_a_task_left_with_changes_on_another_branch_is_not_used"],
    "contract": [
        "work/test_contract.py::test_a_project_says_how_it_is_tested",
        f"{_HERE}::test_a_contract_names_the_test_of_the_project",
    ],
    "compliance": [
        f"{_COMPLIANCE}::test_what_was_kept_is_followed",
        f"{_COMPLIANCE}::test_what_was_not_kept_costs_its_part",
        f"{_COMPLIANCE}::test_nothing_observed_is_not_evaluated",
        f"{_COMPLIANCE}::test_a_score_is_a_share_and_falls_with_every_violation",
        f"{_FINALIZE}::test_the_next_session_hears_of_the_last_result_that_was_evaluated",
    ],
    "order": [f"{_COMPLIANCE}::test_looking_at_git_first_is_a_warning_and_no_violation"],
    "next resume": [f"{_FINALIZE}::test_the_next_session_hears_of_the_last_result_that_was_evaluated"],
    "finalize without task": [f"{_FINALIZE}::test_a_contract_that_was_kept_is_followed"],
    "failure families": ["contracts/test_toolchains.py::test_family_result_and_places_are_found"],
    "failure via finalize flags": [f"{_FINALIZE}::test_observed_errors_are_read_as_tools_report_them"],
    "repeat": [
        "commands/test_failures.py::test_a_mistake_of_two_sessions_is_one",
        f"{_RUNS}::test_a_pattern_counts_over_all_sessions",
    ],
    "resolve": [f"{_RUNS}::test_only_the_command_that_failed_or_one_that_includes_it_resolves"],
    "no positive failure": [
        f"{_FINALIZE}::test_a_failure_verifies_nothing",
        f"{_HERE}::test_a_failed_summary_is_nothing_that_was_done",
    ],
    "strategy": [
        "work/test_strategy.py::test_one_with_words_of_the_task_is_found",
        "work/test_strategy.py::test_a_session_that_left_a_failure_is_never_one",
    ],
    "area": [
        "work/test_areas.py::test_an_area_is_a_folder",
        "work/test_areas.py::test_counts_are_those_of_the_sessions",
    ],
    "RepoMap": [
        f"{_MAP}::test_an_answer_has_its_line_and_reasons",
        f"{_MAP}::test_without_the_provider_a_stored_map_answers",
        f"{_MAP}::test_a_file_that_is_gone_gives_its_place_to_the_next",
    ],
    "banner": [
        f"{_PREPARE}::test_the_banner_says_who_is_awake_where_and_what_goes_on",
        f"{_PREPARE}::test_a_session_has_its_banner_once",
        "agents/test_hook.py::test_a_session_is_told_once",
    ],
    "summary": [
        f"{_FINALIZE}::test_the_summary_has_a_line_only_where_there_is_something_to_say",
        f"{_HERE}::test_without_a_last_summary_that_is_said",
    ],
    "report": [f"{_DOCTOR}::test_figures_are_those_of_a_count_by_hand"],
    "doctor": [
        f"{_DOCTOR}::test_a_repository_that_was_set_up_is_ready",
        f"{_DOCTOR}::test_looking_changes_nothing_in_the_repository",
    ],
    "clean": [f"{_INIT}::test_init_then_clean_is_the_identity"],
    "uninstall": [f"{_INIT}::test_uninstall_leaves_nothing_of_ours_anywhere"],
    "concurrency": [f"{_FINALIZE}::test_twelve_at_once_lose_nothing"],
    "secrets": [f"{_FINALIZE}::test_no_secret_is_kept"],
    "truncated artifacts": [
        "work/test_events.py::test_a_damaged_line_is_named_and_the_rest_is_read",
        f"{_STATE}::test_a_damaged_file_is_reported_and_never_written",
        "lifecycle/test_survival.py::test_a_damaged_attempt_is_left_as_it_is_and_the_session_gets_another",
    ],
}
MEASURED = {"RepoMap speed": "benchmarks/repomap.py"}
LATER = {"arbiter"}
NOT_APPLICABLE = {"hook block", "portable"}  # nothing is kept in the repository that could be written or committed
ROWS = """
    init idempotent|settings merge|hook block|resume shape|task required|loaded_context|work state priority
    |branch safety|merged branch|dirty mismatch|contract|compliance|order|next resume|finalize without task
    |failure families
    |failure via finalize flags|repeat|resolve|no positive failure|strategy|area|RepoMap|RepoMap speed|arbiter|banner
    |summary|report|doctor|portable|clean|uninstall|concurrency|secrets|truncated artifacts
"""

CONTEXT = {
    *("kind", "source", "source_id", "summary", "match_reasons", "role", "selection_reason", "confidence"),
    *("staleness", "related_paths", "rank"),
}
CONTRACT = {
    *("first_action", "edit_scope", "test_command", "finalize_command", "expected_first_files", "contract_strength"),
}
MAP = {
    *("provider_available", "index_available", "query_available", "refresh_available", "last_refresh_status"),
    *("files_indexed", "symbols_indexed"),
}
BRIEF = {
    *("execution_contract", "structural_entry_points", "structural_context", "loaded_context"),
    *("previous_contract_result", "startup_banner_text"),
}


@cache
def names_in(path: str) -> frozenset[str]:
    return frozenset(re.findall(r"^ *def (\w+)\(", (TESTS / path).read_text("utf-8"), re.MULTILINE))


def test_every_line_is_covered_or_said_not_to_be() -> None:
    assert COVERED.keys() | MEASURED.keys() | LATER | NOT_APPLICABLE == {row.strip() for row in ROWS.split("|")}


def test_tests_that_cover_a_line_exist() -> None:
    for name in [name for names in COVERED.values() for name in names]:
        path, _, test = name.partition("::")
        assert test in names_in(path), name


def test_what_measures_a_line_is_there() -> None:
    assert [name for name in MEASURED.values() if not (TESTS.parent / name).exists()] == []


def test_the_brief_has_every_field_on_one_line(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["resume", "--task", "Fix the login", "--json"]) == 0
    out = capsys.readouterr().out
    found = json.loads(out)
    assert out.count("\n") == 1
    assert found.keys() >= BRIEF
    assert found["execution_contract"].keys() >= CONTRACT
    assert found["execution_contract"]["edit_scope"].keys() == {"primary", "secondary", "avoid"}
    assert found["execution_contract"]["test_command"].keys() == {"command", "source"}
    assert found["structural_context"].keys() >= MAP
    assert all(item.keys() >= CONTEXT for item in found["loaded_context"])


def test_an_empty_repository_has_them_too(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("AICX_HOME", str(tmp_path / "nothing"))
    found = place("resume", "--task", "Fix the login", "--repo", str(empty))
    assert found.keys() >= BRIEF
    assert found["loaded_context"] == []
    assert found["previous_contract_result"] is None


@pytest.mark.parametrize("words", [["resume", "--task"], ["prepare", "--task"], ["finalize", "--status", "success"]])
def test_a_task_without_its_text_is_wrong_usage(
    place: Place, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    assert words[-2] in capsys.readouterr().err + " ".join(words)


def test_the_context_is_ranked_bounded_and_inside_the_repository(place: Place) -> None:
    for number in range(6):
        place("task", "start", f"Fix the login part {number}", "--file", "src/login.py")
        place.session(f"s{number}", ("Edit", {"file_path": "/etc/passwd", "new_string": "a", "old_string": "b"}))
        place.finalize(f"Part {number}", f"s{number}", "--files-edited", "/etc/hosts")
    items = place("resume", "--task", "Fix the login")["loaded_context"]
    kinds = [item["kind"] for item in items]
    assert [item["rank"] for item in items] == list(range(1, len(items) + 1))
    assert len(items) <= 12
    caps = {"work_state": 3, "failure": 3, "decision": 3, "strategy": 2}
    assert {kind: kinds.count(kind) for kind in caps if kinds.count(kind) > caps[kind]} == {}
    paths = [path for item in items for path in item["related_paths"]]
    assert not [path for path in paths if path.startswith(("/", ".."))]
    assert all(len(item["summary"]) <= 160 and len(item["match_reasons"]) <= 6 for item in items)


def test_a_task_of_an_unmerged_branch_is_offered_nowhere(place: Place) -> None:
    place.repository.git("switch", "-c", "try")
    place.repository.commit("try.py")
    place("task", "start", "Xylophone", "--file", "src/login.py", "--next", "Tune the xylophone")
    place.repository.git("switch", "main")
    brief = place("resume", "--task", "login")
    assert "ylophone" not in json.dumps([brief["loaded_context"], brief["capsule"], brief["execution_contract"]])
    assert "ylophone" not in brief["startup_banner_text"]
    step = place("next")
    assert "ylophone" not in json.dumps([step["next"], step["steps"]])
    begun = place.prepare("s1", "--task", "login")
    assert "ylophone" not in json.dumps([begun["startup_banner_text"], begun["active"], begun["execution_contract"]])
    assert [task["reason"] for task in begun["skipped"]] == ["branch_mismatch_unmerged"]


@pytest.mark.needs("mcp")
def test_nor_over_mcp(place: Place) -> None:
    from aicx.config import load_settings
    from tests.servers.mcp.mcp_client import ask

    place.repository.git("switch", "-c", "try")
    place.repository.commit("try.py")
    place("task", "start", "Xylophone", "--next", "Tune the xylophone")
    place.repository.git("switch", "main")
    result = ask(
        load_settings(),
        lambda client: client.call_tool("aicx_resume", {"structured": True, "task": "login"}),
        folder=place.repository.folder,
    )
    [content] = result.content
    said = "\n".join(line for line in content.text.splitlines() if "left alone" not in line)
    assert "ylophone" not in said + json.dumps(result.structured_content)


def test_a_task_of_a_merged_branch_is_active_with_a_warning(place: Place) -> None:
    place.repository.git("switch", "-c", "try")
    place.repository.commit("try.py")
    place("task", "start", "Try something")
    place.repository.git("switch", "main")
    place.repository.git("merge", "--no-ff", "-m", "merge", "try")
    [task] = place.prepare()["active"]
    assert (task["title"], task["loading"]["reason"]) == ("Try something", "branch_changed_but_merged")
    assert task["loading"]["warning"]


@pytest.mark.parametrize(
    ("file", "text", "command"),
    [("package.json", '{"scripts": {"test": "vitest"}}', "npm test"), ("Cargo.toml", "[package]", "cargo test")],
)
def test_a_contract_names_the_test_of_the_project(place: Place, file: str, text: str, command: str) -> None:
    (place.repository.folder / "Makefile").unlink()
    place.repository.write(file, text)
    found = place.prepare("s1", "--task", "Fix the login")["execution_contract"]["test_command"]
    assert found == {"command": command, "source": "project_convention"}


def test_a_failed_summary_is_nothing_that_was_done(place: Place) -> None:
    place("task", "start", "Fix the login")
    place.finalize("Everything burns", "s1", status="failure")
    item = place("task", "handoffs")["items"][0]
    assert "Everything burns" not in item["done"]
    brief = place("resume", "--task", "Fix the login")
    assert "Everything burns" not in json.dumps(brief["capsule"]["validated"])


def test_without_a_last_summary_that_is_said(place: Place) -> None:
    assert "no session" in place("boot")["last_summary"]
    place.finalize("It works")
    assert place("boot")["last_summary"] == "It works"
