"""The two demonstrations: nothing false is agreed, and nothing stale, whichever way it comes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.fixtures.memory_trust import STALE, VARIANTS, Variant
from tests.fixtures.memory_trust.ours import VIEWS, Ours

pytestmark = pytest.mark.slow

FALSE = [variant for variant in VARIANTS if variant.demonstration == "false"]
OLD = [variant for variant in VARIANTS if variant.demonstration == "stale"]


def named(variants: list[Variant]) -> Any:
    return pytest.mark.parametrize("variant", variants, ids=lambda variant: variant.name)


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ours:
    def aicx(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        assert run([*arguments]) == code, capsys.readouterr()
        return capsys.readouterr().out

    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("AICX_HOME", str(tmp_path / "user/.aicx"))
    (tmp_path / "user").mkdir()
    found = Ours(tmp_path / "user", tmp_path / "widgets", aicx)
    monkeypatch.chdir(found.repository)
    return found


def about(ours: Ours, view: str, words: str) -> list[dict[str, Any]]:
    """What a view shows that has these words, or whose text is kept back."""
    return [entry for entry in ours.entries(view) if words in (entry["statement"] or words)]


class TestFalseMemory:
    @named(FALSE)
    @pytest.mark.parametrize("view", VIEWS)
    def test_what_no_person_said_is_never_agreed(self, ours: Ours, variant: Variant, view: str) -> None:
        ours.live(variant)
        found = about(ours, view, variant.statement)
        assert found, "there is nothing to be wrong about"
        for entry in found:
            if entry["status"] == "advisory":  # what a file says is that file's, and only where files are read
                assert variant.status == "advisory"
                assert (entry["usage"], entry["reasons"][0]) == ("guidance", "advisory_source")
            else:
                assert entry["status"] in (variant.status, "candidate")
                assert (entry["usage"], "candidate_not_adopted" in entry["reasons"]) == ("evidence", True)
                assert entry["tier"] >= 9
        assert [entry["ref"] for entry in ours.entries(view) if entry["baseline"]] == []
        if variant.reason is not None:
            assert any(variant.reason in entry["reasons"] for entry in found)

    @named([variant for variant in FALSE if variant.steps[0]["do"] == "session"])
    def test_a_statement_keeps_the_sessions_it_is_from(self, ours: Ours, variant: Variant) -> None:
        ours.live(variant)
        found = about(ours, "list", variant.statement)
        times = variant.steps[0].get("times", 1)
        assert max(entry["sightings"] for entry in found) >= times
        if variant.status != "quarantined":  # of which no answer shows what it rests on
            assert {ref.partition(":")[0] for entry in found for ref in entry["evidence"]} <= {"session", "chunk"}
            assert max(len(entry["evidence"]) for entry in found) >= times

    def test_a_forged_record_is_reported(self, ours: Ours, capsys: pytest.CaptureFixture[str]) -> None:
        (variant,) = (variant for variant in FALSE if variant.doctor)
        ours.live(variant)
        capsys.readouterr()
        assert run(["doctor", "--json"]) == 1
        checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
        assert checks["memory_adoption"]["severity"] == variant.doctor

    def test_a_person_may_accept_the_very_same_statement(self, ours: Ours) -> None:
        ours.live(FALSE[2])
        (entry,) = about(ours, "list", FALSE[2].statement)
        ours._memory("memory", "accept", entry["ref"], "--by", "Ada Lovelace", "--yes")
        assert ours.trust(FALSE[2].statement) == "agreed"


class TestStaleMemory:
    @named(OLD)
    @pytest.mark.parametrize("view", VIEWS)
    def test_what_is_no_longer_so_is_not_agreed_and_says_why(self, ours: Ours, variant: Variant, view: str) -> None:
        ref = ours.live(variant)
        assert ref is not None
        for entry in [ours.get(ref), *(entry for entry in ours.entries(view) if entry["ref"] == ref)]:
            assert (entry["status"], entry["baseline"]) == (variant.status, variant.agreed)
            assert variant.reason is None or variant.reason in entry["reasons"]
            if variant.reason is not None and variant.reason.startswith("anchor"):
                assert any(STALE["anchor"] == reason.get("anchor") for reason in entry["because"])

    @pytest.mark.parametrize("view", VIEWS)
    def test_a_newer_fact_alone_is_agreed_and_stays_so(self, ours: Ours, view: str) -> None:
        (variant,) = (variant for variant in OLD if variant.name.endswith("the lines as they were"))
        ref = ours.live(variant)
        agreed = [entry for entry in ours.entries(view) if entry["baseline"]]
        assert [entry["statement"] for entry in agreed] == ["Retries are capped at 9"]
        assert ref is not None
        assert ours.get(ref)["superseded_by"] == agreed[0]["ref"]

    def test_a_renamed_file_needs_another_look_and_then_counts(self, ours: Ours) -> None:
        (variant,) = (variant for variant in OLD if variant.name == "a renamed file")
        ref = ours.live(variant)
        assert ref is not None
        assert ours.get(ref)["because"][0]["to"] == "src/again.py"
        words = ("--result", "pass", "--by", "Ada Lovelace", "--method", "read it")
        assert ours._memory("memory", "validate", ref, *words)["entry"]["baseline"]
