"""The two demonstrations: nothing false is agreed, and nothing stale, whichever way it comes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest

from aicx.cli import run
from aicx.memory.assess import Status, Usage
from aicx.memory.record import REASONS
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


def about(entries: list[dict[str, Any]], words: str) -> list[dict[str, Any]]:
    """Those that have these words, or whose text is kept back."""
    return [entry for entry in entries if words in (entry["statement"] or words)]


class TestFalseMemory:
    @named(FALSE)
    def test_what_no_person_said_is_never_agreed(self, ours: Ours, variant: Variant) -> None:
        ours.live(variant)
        for view in VIEWS:
            entries = ours.entries(view)
            found = about(entries, variant.statement)
            assert found, "there is nothing to be wrong about"
            for entry in found:
                if entry["status"] == "advisory":  # what a file says is that file's, and only where files are read
                    assert variant.status == "advisory"
                    assert (entry["usage"], entry["reasons"][0]) == ("guidance", "advisory_source")
                else:
                    assert entry["status"] in (variant.status, "candidate")
                    assert (entry["usage"], "candidate_not_adopted" in entry["reasons"]) == ("evidence", True)
                    assert entry["tier"] >= 9
            assert [entry["ref"] for entry in entries if entry["baseline"]] == []
            if variant.reason is not None:
                assert any(variant.reason in entry["reasons"] for entry in found)
            if view == "list" and variant.steps[0]["do"] == "session":
                times = variant.steps[0].get("times", 1)
                assert max(entry["sightings"] for entry in found) >= times
                if variant.status != "quarantined":  # of which no answer shows what it rests on
                    assert {ref.partition(":")[0] for entry in found for ref in entry["evidence"]} <= {
                        "session",
                        "chunk",
                    }
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
        (entry,) = about(ours.entries("list"), FALSE[2].statement)
        ours._memory("memory", "accept", entry["ref"], "--by", "Ada Lovelace", "--yes")
        assert ours.trust(FALSE[2].statement) == "agreed"


class TestStaleMemory:
    @named(OLD)
    def test_what_is_no_longer_so_is_not_agreed_and_says_why(self, ours: Ours, variant: Variant) -> None:
        ref = ours.live(variant)
        assert ref is not None
        entries = [entry for view in VIEWS for entry in ours.entries(view)]
        for entry in [ours.get(ref), *(entry for entry in entries if entry["ref"] == ref)]:
            assert (entry["status"], entry["baseline"]) == (variant.status, variant.agreed)
            assert variant.reason is None or variant.reason in entry["reasons"]
            if variant.reason is not None and variant.reason.startswith("anchor"):
                assert any(STALE["anchor"] == reason.get("anchor") for reason in entry["because"])

    def test_a_newer_fact_alone_is_agreed_and_stays_so(self, ours: Ours) -> None:
        (variant,) = (variant for variant in OLD if variant.name.endswith("the lines as they were"))
        ref = ours.live(variant)
        assert ref is not None
        for view in VIEWS:
            agreed = [entry for entry in ours.entries(view) if entry["baseline"]]
            assert [entry["statement"] for entry in agreed] == ["Retries are capped at 9"]
            assert ours.get(ref)["superseded_by"] == agreed[0]["ref"]

    def test_a_renamed_file_needs_another_look_and_then_counts(self, ours: Ours) -> None:
        (variant,) = (variant for variant in OLD if variant.name == "a renamed file")
        ref = ours.live(variant)
        assert ref is not None
        assert ours.get(ref)["because"][0]["to"] == "src/again.py"
        words = ("--result", "pass", "--yes", "--by", "Ada Lovelace", "--method", "read it")
        assert ours._memory("memory", "validate", ref, *words)["entry"]["baseline"]


class TestReading:
    """What only looks leaves everything as it was."""

    LOOKING = (
        *(
            ("memory", "sources"),
            ("memory", "list"),
            ("memory", "candidates"),
            ("memory", "stats"),
            ("steer", "retries"),
        ),
        *(("search", "retries"), ("resume",), ("sessions",), *VIEWS.values()),
    )

    def test_a_repository_without_a_store_stays_as_it_was(self, ours: Ours) -> None:
        before = tree(ours.repository), tree(ours.home)
        for words in self.LOOKING:
            run([*words, "--json"])  # there is nothing to find, and that may be an error
            assert (tree(ours.repository), tree(ours.home)) == before, words

    def test_no_number_of_answers_changes_a_record(self, ours: Ours) -> None:
        ref = ours.live(OLD[0])
        assert ref is not None
        memory = ours.home / ".aicx" / "memory"
        before, status = tree(memory), ours.get(ref)
        for _ in range(3):
            for view in VIEWS:
                ours.entries(view)
            ours.get(ref)
        assert (tree(memory), ours.get(ref)) == (before, status)

    def test_every_entry_says_what_may_be_believed_and_why(self, ours: Ours) -> None:
        ours.live(OLD[1])
        ours.live(FALSE[2])
        for view in VIEWS:
            entries = ours.entries(view)
            assert len(entries) >= 2
            for entry in entries:
                assert entry["status"] in get_args(Status)
                assert entry["usage"] in get_args(Usage)
                assert 0 <= entry["tier"] <= 10
                assert entry["reasons"]
                assert set(entry["reasons"]) <= REASONS.keys()


def tree(folder: Path) -> dict[str, bytes]:
    """Everything below a folder, but for what git and SQLite write for those who read."""
    found = {path.relative_to(folder): path for path in sorted(folder.rglob("*"))}
    kept = {name: path for name, path in found.items() if ".git" not in name.parts and "index" not in name.parts}
    return {str(name): path.read_bytes() if path.is_file() else b"" for name, path in kept.items()}
