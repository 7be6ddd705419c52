"""A bad line of the tombstones: named with its number, set apart on request, and nothing forgotten comes back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.config import load_settings
from aicx.corpus.doctor import tombstone_repair
from aicx.corpus.doctor.repair import repair
from aicx.corpus.files.tombstones import read_tombstones
from aicx.errors import CorpusDamaged
from tests.commands.test_doctor import Patient, patient
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, snapshot, when

pytestmark = pytest.mark.slow

__all__ = ["patient"]

GOOD = b'{"agent":"claude","session":"gone"}\n'
KEY = "0123456789abcdef"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"[]", "is not an object"),
        (b"{}", "names no session, no project and no messages"),
        (b'{"session": "one"}', "has no agent"),
        (b'{"agent": "claude", "session": 7}', "has no session"),
        (b'{"project": ["a"]}', "has no project"),
        (b'{"messages": "0123456789abcdef"}', "names no session"),
        (b'{"messages": ["0123456789abcdeX"]}', "is no key"),
    ],
)
def test_a_bad_line_is_named_with_its_number(tmp_path: Path, line: bytes, reason: str) -> None:
    path = tmp_path / "forgotten.jsonl"
    path.write_bytes(GOOD + b"\n" + line + b"\n" + GOOD)
    with pytest.raises(CorpusDamaged) as caught:
        read_tombstones(path)
    assert "line 3 " in caught.value.message
    assert reason in caught.value.message
    assert "aicx doctor --fix" in (caught.value.hint or "")


def test_good_lines_of_every_form_are_read(tmp_path: Path) -> None:
    path = tmp_path / "forgotten.jsonl"
    path.write_bytes(GOOD + b'{"project": "ada/orbit"}\r\n' + json.dumps({"messages": [KEY]}).encode())
    found = read_tombstones(path)
    assert (found.sessions, found.projects, found.messages) == ({("claude", "gone")}, {"ada/orbit"}, {KEY})


def flip(line: bytes) -> bytes:
    return line.replace(b'"', b"'", 1)


def cut(line: bytes) -> bytes:
    return line[: len(line) // 2]


def wipe(line: bytes) -> bytes:
    return b"\0" * len(line)


DAMAGE: list[Callable[[bytes], bytes]] = [flip, cut, wipe]


def spoil(patient: Patient, damage: Callable[[bytes], bytes]) -> list[bytes]:
    """Every line of the tombstones damaged; returns them as they are now."""
    path = patient.corpus / "forgotten.jsonl"
    lines = [damage(line) for line in path.read_bytes().splitlines()]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return lines


def holding(patient: Patient, text: bytes) -> list[str]:
    return [name for name, body in snapshot(patient.corpus).items() if text in body]


def store(*arguments: str) -> int:
    return run(["store", *arguments])


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("without_catalogue", [False, True])
def test_a_forgotten_session_stays_forgotten(
    patient: Patient, damage: Callable[[bytes], bytes], without_catalogue: bool
) -> None:
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    lines = spoil(patient, damage)
    if without_catalogue:
        (patient.corpus / "catalog.sqlite").unlink()
    assert store() == 7
    assert patient.doctor("--fix")["code"] == 0
    assert (patient.corpus / "set-apart" / "forgotten.jsonl").read_bytes().splitlines() == lines
    assert store() == store("--full-rescan") == 0
    assert not holding(patient, b"lamp")
    assert holding(patient, b"beacon")


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_forgotten_text_stays_forgotten(patient: Patient, damage: Callable[[bytes], bytes]) -> None:
    assert run(["forget", "--pattern", "step 1", "--yes"]) == 0
    spoil(patient, damage)
    assert patient.doctor("--fix")["code"] == 0
    assert store("--full-rescan") == 0
    patient.claude_log.write_bytes(patient.talk().answer("Lit again.", 900).body())
    assert store() == 0
    assert not holding(patient, b"step 1")
    assert holding(patient, b"Lit again.")


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_forgotten_project_stays_forgotten(patient: Patient, damage: Callable[[bytes], bytes]) -> None:
    assert run(["forget", "--project", "/srv/ada/orbit", "--yes"]) == 0
    spoil(patient, damage)
    assert patient.doctor("--fix")["code"] == 0
    assert store("--full-rescan") == 0
    assert not holding(patient, b"lamp")


def test_messages_written_since_are_stored(patient: Patient) -> None:
    """`store` stops at the bad line, so sessions gather that it has never read: they were not forgotten."""
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    spoil(patient, wipe)
    body = ClaudeLog(THIRD).prompt("How deep is the harbour?", 4000).body()
    patient.claude_log.with_name(f"{THIRD}.jsonl").write_bytes(body)
    patient.codex_log.write_bytes(
        CodexLog().prompt("How tall is the beacon?", 500).prompt("And how bright?", 600).body()
    )
    assert patient.doctor("--fix")["code"] == 0
    assert store() == 0
    assert holding(patient, b"harbour")
    assert holding(patient, b"how bright")
    assert not holding(patient, b"lamp")


def test_without_a_catalogue_what_is_younger_than_the_file_is_stored(patient: Patient) -> None:
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    spoil(patient, wipe)
    until = when(3000).timestamp()
    os.utime(patient.corpus / "forgotten.jsonl", (until, until))
    (patient.corpus / "catalog.sqlite").unlink()
    body = ClaudeLog(THIRD).prompt("How deep is the harbour?", 4000).body()
    patient.claude_log.with_name(f"{THIRD}.jsonl").write_bytes(body)
    assert patient.doctor("--fix")["code"] == 0
    assert store() == 0
    assert holding(patient, b"harbour")
    assert not holding(patient, b"lamp")


def test_stored_chunks_stay_stored(patient: Patient) -> None:
    before = patient.stored()
    (patient.corpus / "forgotten.jsonl").write_bytes(b'{"agent": "codex", "session": "' + OTHER.encode() + b'"\n{"mess')
    assert patient.doctor("--fix")["code"] == 0
    assert store("--full-rescan") == 0
    assert patient.stored() == before


def test_good_lines_are_kept_and_doctor_names_what_is_set_apart(patient: Patient) -> None:
    path = patient.corpus / "forgotten.jsonl"
    path.write_bytes(GOOD + b"{\n" + b'{"project":"ada/orbit"}\n')
    check = patient.doctor()["checks"]["tombstones"]
    assert (check["severity"], "line 2 is not JSON" in check["detail"]) == ("critical", True)
    report = patient.doctor("--fix")
    assert any("set line 2 of forgotten.jsonl apart" in line for line in report["fixes_applied"])
    found = read_tombstones(path)
    assert (found.sessions, found.projects) == ({("claude", "gone")}, {"ada/orbit"})
    assert report["checks"]["set_apart"]["severity"] == "warning"
    assert "forgotten.jsonl" in report["checks"]["set_apart"]["detail"]
    assert patient.doctor("--fix")["fixes_applied"] == []


def test_a_kill_between_loses_no_line(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    path = patient.corpus / "forgotten.jsonl"
    path.write_bytes(GOOD + b"{bad\n")

    class Killed(BaseException):
        pass

    write = tombstone_repair.replace_file

    def kill(target: Path, body: bytes) -> None:
        if target == path:
            raise Killed
        write(target, body)

    with monkeypatch.context() as patching:
        patching.setattr(tombstone_repair, "replace_file", kill)
        with pytest.raises(Killed):
            repair(load_settings(), print)
    assert path.read_bytes() == GOOD + b"{bad\n"
    patient.doctor("--fix")
    assert (patient.corpus / "set-apart" / "forgotten.jsonl").read_bytes() == b"{bad\n"
    assert path.read_bytes() == GOOD
