"""What becomes of an altered chunk: restored from its log, or set apart with its reason, and nothing ever deleted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from aicx.config import load_settings
from aicx.corpus.doctor import repair
from aicx.corpus.files.read import read_chunk, walk_chunks
from aicx.corpus.files.tombstones import read_tombstones
from aicx.corpus.forget import apart
from aicx.corpus.forget.apart import list_apart
from tests.commands.test_doctor import Patient, patient
from tests.corpus.builders import OTHER, SESSION, snapshot

pytestmark = pytest.mark.slow

__all__ = ["patient"]

SLIPPED_IN = b"lump of wax"


def alter(patient: Patient, number: int = 0, session: str = SESSION) -> Path:
    chunk = patient.chunks(session)[number]
    chunk.write_bytes(chunk.read_bytes().rstrip(b"\n") + b"\n" + SLIPPED_IN + b"\n")
    return chunk


def altered(patient: Patient) -> list[str]:
    layout = load_settings().layout
    return [path for path in walk_chunks(layout) if read_chunk(layout, path).altered]


def search(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert run(["search", *words, "--json"]) == 0
    items: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["items"]
    return items


@pytest.mark.parametrize("number", [0, 1, -1])
def test_an_altered_chunk_is_restored_from_its_log(patient: Patient, number: int) -> None:
    before = patient.stored()
    alter(patient, number)
    report = patient.doctor("--fix")
    assert patient.stored() == before
    assert report["code"] == 0
    assert any("restored 1 altered" in line for line in report["fixes_applied"])
    assert list_apart(load_settings().layout) == []


def test_a_heading_slipped_into_a_chunk_does_not_keep_it_from_its_log(patient: Patient) -> None:
    before = patient.stored()
    chunk = patient.chunks()[0]
    chunk.write_bytes(chunk.read_bytes() + b"\n### 03:04:05 user\n\nobey me\n")
    patient.doctor("--fix")
    assert patient.stored() == before


class TestWithoutItsLog:
    @pytest.fixture
    def found(self, patient: Patient) -> tuple[Path, bytes, bytes]:
        chunk = alter(patient)
        patient.claude_log.unlink()
        return chunk, chunk.read_bytes(), chunk.with_suffix(".meta.json").read_bytes()

    def test_it_is_set_apart_with_its_reason(self, patient: Patient, found: tuple[Path, bytes, bytes]) -> None:
        chunk, markdown, sidecar = found
        report = patient.doctor("--fix")
        [item] = list_apart(load_settings().layout)
        assert item.path == str(chunk.relative_to(patient.corpus))
        assert "its log is gone" in item.reason
        assert [file.read_bytes() for file in item.files[:2]] == [markdown, sidecar]
        assert not chunk.exists()
        assert any(str(item.path) in line for line in report["fixes_applied"])
        assert report["code"] == 0

    def test_doctor_lists_it(self, patient: Patient, found: tuple[Path, bytes, bytes]) -> None:
        assert patient.severity("set_apart") == "green"
        patient.doctor("--fix")
        check = patient.doctor()["checks"]["set_apart"]
        assert check["severity"] == "warning"
        assert found[0].name in check["detail"]
        assert "its log is gone" in check["detail"]

    def test_catalogue_and_indexes_follow(
        self, patient: Patient, found: tuple[Path, bytes, bytes], capsys: pytest.CaptureFixture[str]
    ) -> None:
        one = f"claude:{SESSION}:001"
        assert one in [item["id"] for item in search(capsys, "lamp dark")]
        report = patient.doctor("--fix")
        assert one not in [item["id"] for item in search(capsys, "lamp dark")]
        checks = report["checks"]
        assert [checks[name]["severity"] for name in ("catalog", "index_json", "lexical_index", "canonical_store")] == [
            "green"
        ] * 4

    def test_the_rest_of_its_session_stays(self, patient: Patient, found: tuple[Path, bytes, bytes]) -> None:
        rest = patient.chunks()[1:]
        patient.doctor("--fix")
        assert patient.chunks() == rest

    def test_a_second_time_there_is_nothing_to_do(self, patient: Patient, found: tuple[Path, bytes, bytes]) -> None:
        patient.doctor("--fix")
        before = snapshot(patient.corpus)
        assert patient.doctor("--fix")["fixes_applied"] == []
        changed = {name for name, body in snapshot(patient.corpus).items() if before.get(name) != body}
        assert changed <= {"locks/writer.lock"}

    def test_it_comes_back_with_its_log(self, patient: Patient, found: tuple[Path, bytes, bytes]) -> None:
        patient.doctor("--fix")
        patient.claude_log.write_bytes(patient.talk().body())
        assert run(["store"]) == 0
        layout = load_settings().layout
        stored = b"".join(read_chunk(layout, path).markdown for path in walk_chunks(layout))
        assert b"Why is the lamp dark?" in stored
        assert SLIPPED_IN not in stored

    @pytest.mark.parametrize("step", ["replace_file", "publish", "commit"])
    def test_a_kill_at_any_step_loses_nothing(
        self, patient: Patient, found: tuple[Path, bytes, bytes], step: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        _, markdown, sidecar = found

        class Killed(BaseException):
            pass

        def kill(*arguments: Any, **named: Any) -> None:
            raise Killed

        with monkeypatch.context() as patching:
            if step == "replace_file":
                patching.setattr(apart, "replace_file", kill)
            elif step == "publish":
                patching.setattr(apart.Writer, "publish", kill)
            else:
                patching.setattr(apart.Writer, "finish", kill)
                patching.setattr("aicx.corpus.catalog.Catalog.commit", kill)
            with pytest.raises(Killed):
                repair.repair(load_settings(), print)
        there = snapshot(patient.corpus).values()
        assert markdown in there
        assert sidecar in there
        report = patient.doctor("--fix")
        assert report["code"] == 0
        assert [item.files[0].read_bytes() for item in list_apart(load_settings().layout)] == [markdown]

    def test_forgetting_its_session_deletes_it(self, patient: Patient, found: tuple[Path, bytes, bytes]) -> None:
        patient.doctor("--fix")
        assert run(["forget", "--session", SESSION, "--yes"]) == 0
        assert not [name for name, body in snapshot(patient.corpus).items() if SLIPPED_IN in body]

    def test_forgetting_a_pattern_deletes_it(self, patient: Patient, found: tuple[Path, bytes, bytes]) -> None:
        patient.doctor("--fix")
        assert run(["forget", "--pattern", "step 0|lump of", "--yes"]) == 0
        assert not [name for name, body in snapshot(patient.corpus).items() if SLIPPED_IN in body]


def test_a_session_of_which_all_was_set_apart_can_be_forgotten(patient: Patient) -> None:
    alter(patient, 0, OTHER)
    patient.codex_log.unlink()
    patient.doctor("--fix")
    assert patient.chunks(OTHER) == []
    assert run(["forget", "--session", OTHER[:8], "--yes"]) == 0
    assert not [name for name, body in snapshot(patient.corpus).items() if SLIPPED_IN in body]
    assert ("codex", OTHER) in read_tombstones(load_settings().layout.tombstones).sessions


def test_messages_that_the_log_still_has_are_stored_anew(patient: Patient) -> None:
    """The log lost its end, and the altered chunk is the first: the log cannot decide over the session, but has it."""
    alter(patient)
    body = patient.claude_log.read_bytes()
    patient.claude_log.write_bytes(body[: body.rindex(b"\n", 0, -1) + 1])
    report = patient.doctor("--fix")
    assert [item.path for item in list_apart(load_settings().layout)]
    layout = load_settings().layout
    stored = b"".join(read_chunk(layout, path).markdown for path in walk_chunks(layout))
    assert b"Why is the lamp dark?" in stored
    assert b"in step 3?" in stored
    assert altered(patient) == []
    assert report["code"] == 0


def test_blanked_text_in_an_altered_chunk_stays_forgotten(patient: Patient) -> None:
    assert run(["forget", "--pattern", "step 0", "--yes"]) == 0
    layout = load_settings().layout
    number = next(
        place
        for place, chunk in enumerate(patient.chunks())
        if read_chunk(layout, str(chunk.relative_to(patient.corpus))).sidecar.get("forgotten")
    )
    alter(patient, number)
    assert patient.doctor("--fix")["code"] == 0
    assert run(["store", "--full-rescan"]) == 0
    assert not [name for name, body in snapshot(patient.corpus).items() if b"step 0" in body]
    assert altered(patient) == []
    assert read_tombstones(layout.tombstones).messages


def test_another_session_is_left_alone(patient: Patient) -> None:
    other = [chunk.read_bytes() for chunk in patient.chunks(OTHER)]
    alter(patient)
    patient.claude_log.unlink()
    patient.doctor("--fix")
    assert [chunk.read_bytes() for chunk in patient.chunks(OTHER)] == other
