"""What continuity did, in figures, and whether a repository is ready for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.cli import run
from tests.lifecycle.conftest import Place

pytestmark = pytest.mark.slow


def test_figures_are_those_of_a_count_by_hand(place: Place) -> None:
    place("task", "start", "Fix the login", "--file", "src/login.py")
    place.prepare("s1", "--task", "Fix the login")
    place.finalize("Done", "s1", "--files-edited", "src/login.py", "--tests-executed", "make test")
    place.prepare("s2", "--task", "Fix the login")
    place.finalize("No luck", "s2", "--files-edited", "other.py", status="failure")
    place.prepare("s3")
    found = place("usage")
    assert found["sessions"] == {
        "stored": 1, "prepared": 3, "finalized": 2, "succeeded": 1, "handoffs_stated": 2, "handoffs_derived": 1,
    }  # fmt: skip
    contracts = found["contracts"]
    assert contracts["results"] == {"followed": 1, "violated": 1, "not_evaluated": 1}
    assert contracts["mean_score"] == (1.0 + 0.15) / 2
    assert contracts["rates"]["canonical_test_used"] == 0.5
    assert contracts["top_violations"]["edit_outside_scope"] == 1
    assert found["tasks"] == {"total": 1, "by_status": {"in_progress": 1}}


def test_results_of_contracts_are_listed_one_by_one_the_newest_first(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in range(2):
        place.prepare(f"s{number}", "--task", "Fix src/login.py")
        place.finalize("Done", f"s{number}", "--files-edited", "other.py")
    each = place("usage")["contracts"]["each"]
    assert [one["status"] in ("followed", "partial", "violated") for one in each] == [True, True]
    assert [one["at"] for one in each] == sorted((one["at"] for one in each), reverse=True)
    capsys.readouterr()
    assert run(["usage", "--contracts"]) == 0
    said = capsys.readouterr().out
    assert all(one["ref"] in said and one["compact_summary"] in said for one in each)


def test_a_repository_without_anything_has_figures_of_nothing(place: Place, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    found = place("usage", "--repo", str(empty))
    assert (found["sessions"]["stored"], found["contracts"]["mean_score"], found["failures"]["patterns"]) == (
        0,
        None,
        0,
    )


def checks(place: Place, *words: str) -> dict[str, str]:
    return {check["name"]: check["status"] for check in place("doctor", "--repo", ".", *words)["checks"]}


def test_a_repository_that_was_set_up_is_ready(place: Place) -> None:
    assert checks(place)["repo_initialized"] == "warning"
    assert run(["init", "--agents", "claude", "--yes"]) == 0
    found = checks(place)
    assert (found["repo_initialized"], found["hooks_claude"], found["session_start"]) == ("ok", "ok", "ok")


def test_hooks_that_somebody_took_out_are_named(place: Place) -> None:
    assert run(["init", "--agents", "claude", "--yes"]) == 0
    (place.repository.folder / "CLAUDE.md").write_text("Our own rules\n")
    found = place("doctor", "--repo", ".")
    assert found["status"] == "warning"
    assert "aicx init --agents claude" in found["recommended_actions"]


def test_looking_changes_nothing_in_the_repository(place: Place) -> None:
    before = {path: path.read_bytes() for path in place.repository.folder.rglob("*") if path.is_file()}
    place("doctor", "--repo", ".", "--release-readiness")
    assert before == {path: path.read_bytes() for path in place.repository.folder.rglob("*") if path.is_file()}


def test_a_damaged_task_is_an_error(place: Place) -> None:
    place("task", "start", "Fix the login")
    [file] = place.user.corpus.glob("work/*/tasks/*.json")
    file.write_text("{")
    found = place("doctor", "--repo", ".", code=1)
    assert found["status"] == "error"


def test_a_release_asks_for_a_test(place: Place) -> None:
    assert checks(place, "--release-readiness")["test_command"] == "ok"
    (place.repository.folder / "Makefile").unlink()
    assert checks(place, "--release-readiness")["test_command"] == "warning"
    assert "test_command" not in checks(place)


@pytest.mark.needs("code")
def test_the_map_and_the_memory_are_looked_at(place: Place) -> None:
    assert (checks(place)["repomap_status"], checks(place)["stale_duplicate_memory"]) == ("warning", "ok")
    assert run(["map", "refresh"]) == 0
    place("memory", "put", "Exports need an authorisation check in the handler", "--kind", "fact")
    assert (checks(place)["repomap_status"], checks(place)["stale_duplicate_memory"]) == ("ok", "ok")
    place("memory", "put", "Exports need an authorisation check, in the handler!", "--kind", "fact")
    (place.repository.folder / "new.py").write_text("x = 1\n")
    assert (checks(place)["repomap_status"], checks(place)["stale_duplicate_memory"]) == ("warning", "warning")


def test_a_release_asks_for_a_makefile_that_has_what_ci_calls(place: Place) -> None:
    assert checks(place, "--release-readiness")["makefile_ci_compatibility"] == "warning"
    place.repository.write(".github/workflows/ci.yml", "jobs:\n  test:\n    steps:\n      - run: make test\n")
    assert checks(place, "--release-readiness")["makefile_ci_compatibility"] == "ok"
    assert "makefile_ci_compatibility" not in checks(place)


@pytest.mark.parametrize("words", [["--repo", ".", "--fix"], ["--release-readiness"]])
def test_options_that_do_not_go_together_are_refused(place: Place, words: list[str]) -> None:
    assert run(["doctor", *words]) == 2
