"""`aicx doctor`: what it finds, that it changes nothing unless asked, and what it mends."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from aicx.config import load_settings
from aicx.corpus.doctor.inputs import Check
from aicx.corpus.files.read import walk_chunks
from aicx.storage.derived import record, withdraw
from aicx.storage.journal import Writer
from aicx.storage.lock import writer_lock
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, CodexLog, snapshot, strip_tool_facts
from tests.kept import Kept

pytestmark = pytest.mark.slow

LONG = "The wick is trimmed at both ends. " * 45


class Patient:
    """A home with two stored sessions."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.home, self.corpus = home, home / ".aicx"
        self._capsys = capsys
        self.claude_log = home / f".claude/projects/-work/{SESSION}.jsonl"
        self.codex_log = home / f".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-{OTHER}.jsonl"

    def store(self) -> None:
        self._write(str(self.claude_log.relative_to(self.home)), self.talk().body())
        name = str(self.codex_log.relative_to(self.home))
        self._write(name, CodexLog().prompt("How tall is the beacon?", 500).body())
        assert run(["store"]) == 0
        self.corpus.chmod(0o700)

    @staticmethod
    def talk() -> ClaudeLog:
        log = ClaudeLog().prompt("Why is the lamp dark?", 0)
        for turn in range(4):
            log.answer(f"Look {turn}. {LONG}", 10 + turn * 20).prompt(f"And then, in step {turn}?", 20 + turn * 20)
        return log

    def _write(self, relative: str, body: bytes) -> Path:
        path = self.home / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        return path

    def doctor(self, *arguments: str) -> dict[str, Any]:
        """The report, with its checks by name and the exit code."""
        self._capsys.readouterr()
        code = run(["doctor", "--json", *arguments])
        report: dict[str, Any] = json.loads(self._capsys.readouterr().out)
        return report | {"code": code, "checks": {check["name"]: check for check in report["checks"]}}

    def severity(self, name: str, *arguments: str) -> str:
        severity: str = self.doctor(*arguments)["checks"][name]["severity"]
        return severity

    def chunks(self, session: str = SESSION) -> list[Path]:
        return [self.corpus / path for path in walk_chunks(load_settings().layout) if session in path]

    def stored(self) -> dict[str, bytes]:
        return {
            name: body for name, body in snapshot(self.corpus).items() if name.endswith((".md", ".meta.json", "x.json"))
        }


@pytest.fixture
def patient(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Patient:
    patient = Patient(kept.home(monkeypatch), capsys)
    kept.again(patient.store)
    return patient


def sidecar(chunk: Path) -> Path:
    return chunk.with_suffix(".meta.json")


def edit(path: Path, **fields: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_bytes()) | fields))


# What it finds ------------------------------------------------------------------------------------------------------


def test_a_sound_corpus_has_nothing_critical(patient: Patient) -> None:
    report = patient.doctor()
    assert report["code"] == 0
    assert {check["severity"] for name, check in report["checks"].items() if name != "sources"} == {"green"}


def test_looking_changes_nothing(patient: Patient) -> None:
    before = snapshot(patient.home), sorted(map(str, patient.corpus.rglob("*")))
    patient.doctor()
    patient.doctor("--quick")
    assert (snapshot(patient.home), sorted(map(str, patient.corpus.rglob("*")))) == before


def test_a_home_that_does_not_exist_is_not_made(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor"]) == 0
    assert run(["doctor", "--fix"]) == 0
    assert not (home / ".aicx").exists()


def test_chunks_without_tool_facts_are_counted_until_their_logs_are_read_again(patient: Patient) -> None:
    log = patient.talk().call("Bash", 200, command="pytest").result("fine", 201)
    patient.claude_log.write_bytes(log.body())
    assert run(["store"]) == 0
    strip_tool_facts(patient.corpus)
    assert run(["doctor", "--fix"]) == 0  # which makes the catalogue again, and reads no log
    check = patient.doctor()["checks"]["tool_facts"]
    assert (check["severity"], check["recommendation"]) == ("warning", "aicx store --full-rescan")
    assert check["detail"].startswith("1 chunk without tool facts: ")
    assert run(["store", "--full-rescan"]) == 0
    assert patient.severity("tool_facts") == "green"


def test_chunk_whose_log_is_gone_stays_without_tool_facts_and_is_no_warning(patient: Patient) -> None:
    patient.claude_log.write_bytes(patient.talk().call("Bash", 200, command="pytest").result("fine", 201).body())
    assert run(["store"]) == 0
    strip_tool_facts(patient.corpus)
    patient.claude_log.unlink()
    assert run(["store"]) == 0
    check = patient.doctor()["checks"]["tool_facts"]
    assert (check["severity"], check["recommendation"]) == ("green", None)
    assert "1 chunk without tool facts" in check["detail"]
    assert check["detail"].endswith("the logs of 0 are there")


def test_the_report_counts_what_was_compared(patient: Patient) -> None:
    count = len(patient.chunks()) + len(patient.chunks(OTHER))
    assert f"{count} compared" in patient.doctor()["checks"]["canonical_store"]["detail"]
    assert "not compared" in patient.doctor("--quick")["checks"]["canonical_store"]["detail"]


def test_a_chunk_without_a_sidecar_is_critical(patient: Patient) -> None:
    sidecar(patient.chunks()[0]).unlink()
    report = patient.doctor()
    assert report["checks"]["canonical_store"]["severity"] == "critical"
    assert report["overall"] == "critical"
    assert report["code"] == 1


def test_a_sidecar_without_its_chunk_is_critical(patient: Patient) -> None:
    patient.chunks()[0].unlink()
    assert patient.severity("canonical_store") == "critical"


def test_an_altered_chunk_is_critical_and_quick_does_not_see_it(patient: Patient) -> None:
    chunk = patient.chunks()[0]
    chunk.write_bytes(chunk.read_bytes().replace(b"lamp", b"lump"))
    assert patient.severity("canonical_store") == "critical"
    assert patient.severity("canonical_store", "--quick") == "green"


def test_a_chunk_in_the_wrong_folder_is_critical(patient: Patient) -> None:
    edit(sidecar(patient.chunks()[0]), kind="plans")
    assert "in another place" in patient.doctor()["checks"]["canonical_store"]["detail"]


def test_a_file_that_aicx_did_not_write_is_a_warning(patient: Patient) -> None:
    (patient.chunks()[0].parent / "notes.txt").write_text("mine")
    assert patient.severity("canonical_store") == "warning"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"schema": "aicx.chunk/1"}', b'{"schema": "other/1"}'])
def test_a_damaged_sidecar_is_critical(patient: Patient, body: bytes) -> None:
    sidecar(patient.chunks()[0]).write_bytes(body)
    assert patient.severity("sidecars") == "critical"


def test_a_sidecar_whose_spans_do_not_fit_is_critical(patient: Patient) -> None:
    path = sidecar(patient.chunks()[0])
    messages = json.loads(path.read_bytes())["messages"]
    messages[0]["span"] = [0, 10**9]
    edit(path, messages=messages)
    assert patient.severity("sidecars") == "critical"


def test_a_sidecar_of_a_newer_version_is_left_alone(patient: Patient) -> None:
    path = sidecar(patient.chunks()[0])
    edit(path, schema="aicx.chunk/3")
    before = path.read_bytes()
    assert patient.severity("sidecars") == "warning"
    patient.doctor("--fix")
    assert path.read_bytes() == before


def test_a_missing_catalogue_is_a_warning(patient: Patient) -> None:
    (patient.corpus / "catalog.sqlite").unlink()
    assert patient.severity("catalog") == "warning"


def test_a_damaged_catalogue_is_found(patient: Patient) -> None:
    (patient.corpus / "catalog.sqlite").write_bytes(b"this is no database " * 100)
    assert patient.severity("catalog") == "critical"


def test_a_catalogue_that_knows_a_chunk_no_longer_there_is_critical(patient: Patient) -> None:
    chunk = patient.chunks()[0]
    chunk.unlink()
    sidecar(chunk).unlink()
    assert "1 chunk in it but not on disk" in patient.doctor()["checks"]["catalog"]["detail"]


def test_a_catalogue_that_knows_another_sidecar_is_critical(patient: Patient) -> None:
    edit(sidecar(patient.chunks()[0]), title="Another title")
    assert "1 chunk different in it" in patient.doctor()["checks"]["catalog"]["detail"]


@pytest.mark.parametrize(
    ("body", "severity"),
    [(None, "warning"), (b"{", "critical"), (b'{"schema": "aicx.summary/1"}', "warning")],
    ids=["none", "damaged", "other numbers"],
)
def test_a_wrong_index_json_is_found(patient: Patient, body: bytes | None, severity: str) -> None:
    path = patient.corpus / "index.json"
    path.unlink() if body is None else path.write_bytes(body)
    assert patient.severity("index_json") == severity


def test_a_missing_search_index_is_a_warning(patient: Patient) -> None:
    shutil.rmtree(patient.corpus / "index")
    assert patient.severity("lexical_index") == "warning"
    assert patient.severity("lexical_index", "--fix") == "green"


def test_an_interrupted_publication_is_a_warning(patient: Patient) -> None:
    writer = Writer(load_settings().layout)
    writer.stage_removal("store/none.md")
    writer.publish()
    assert patient.severity("staging") == "warning"


def test_a_writer_is_named_and_what_it_changes_is_not_judged(patient: Patient) -> None:
    holder = (
        "import sys; from pathlib import Path; from aicx.storage.lock import writer_lock\n"
        f"with writer_lock(Path({str(patient.corpus / 'locks')!r}), 5, print):\n"
        " print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", holder], stdin=-1, stdout=-1) as process:
        assert process.stdout is not None
        process.stdout.readline()
        checks = patient.doctor()["checks"]
        process.communicate()
    assert str(process.pid) in checks["lock"]["detail"]
    assert checks["catalog"]["severity"] == "skipped"


def test_an_ignore_file_is_counted_and_has_to_be_applied(patient: Patient) -> None:
    (patient.corpus / ".aicxignore").write_text("*codex*\n")
    check = patient.doctor()["checks"]["ignore_file"]
    assert check["severity"] == "warning"
    assert "hides 1 of" in check["detail"]
    assert run(["store"]) == 0
    assert patient.severity("ignore_file") == "green"


def test_tombstones_that_cannot_be_read_are_critical(patient: Patient) -> None:
    (patient.corpus / "forgotten.jsonl").write_bytes(b"{\n")
    assert patient.severity("tombstones") == "critical"


def test_a_forgotten_session_that_is_still_stored_is_critical(patient: Patient) -> None:
    row = {"agent": "claude", "session": SESSION}
    (patient.corpus / "forgotten.jsonl").write_text(json.dumps(row) + "\n")
    assert patient.severity("tombstones") == "critical"


def test_a_home_that_others_can_read_is_a_warning(patient: Patient) -> None:
    patient.corpus.chmod(0o755)
    assert patient.severity("permissions") == "warning"


def test_a_damaged_config_is_reported_and_the_rest_still_examined(patient: Patient) -> None:
    (patient.corpus / "config.toml").write_text("no such thing\n")
    report = patient.doctor()
    assert report["checks"]["config"]["severity"] == "critical"
    assert report["checks"]["catalog"]["severity"] == "green"


def test_a_log_with_bad_records_is_named(patient: Patient) -> None:
    check = patient.doctor()["checks"]["sources"]
    assert check["severity"] == "warning"
    assert str(patient.claude_log) in check["detail"]


def test_a_log_about_to_be_deleted_that_is_not_stored_is_critical(patient: Patient) -> None:
    patient.claude_log.write_bytes(patient.talk().answer("One more.", 900).body())
    soon = time.time() - timedelta(days=29, hours=12).total_seconds()
    os.utime(patient.claude_log, (soon, soon))
    check = patient.doctor()["checks"]["retention"]
    assert check["severity"] == "critical"
    assert check["recommendation"].startswith("aicx store")


def test_people_see_the_next_step(patient: Patient, capsys: pytest.CaptureFixture[str]) -> None:
    patient.corpus.chmod(0o755)
    assert run(["doctor"]) == 0
    assert "next: aicx doctor --fix" in capsys.readouterr().out


# What it mends ------------------------------------------------------------------------------------------------------


def _lose_sidecar(patient: Patient) -> None:
    sidecar(patient.chunks()[1]).unlink()


def _lose_last_sidecar(patient: Patient) -> None:
    sidecar(patient.chunks()[-1]).unlink()


def _lose_chunk(patient: Patient) -> None:
    patient.chunks()[0].unlink()


def _lose_both(patient: Patient) -> None:
    chunk = patient.chunks()[0]
    chunk.unlink()
    sidecar(chunk).unlink()


def _damage_sidecar(patient: Patient) -> None:
    sidecar(patient.chunks()[0]).write_bytes(b"{")


def _lose_catalogue_and_sidecar(patient: Patient) -> None:
    (patient.corpus / "catalog.sqlite").unlink()
    _lose_sidecar(patient)


def _damage_catalogue(patient: Patient) -> None:
    (patient.corpus / "catalog.sqlite").write_bytes(b"this is no database " * 100)


def _damage_index(patient: Patient) -> None:
    (patient.corpus / "index.json").write_bytes(b"{")


@pytest.mark.parametrize(
    "damage",
    [
        _lose_sidecar,
        _lose_last_sidecar,
        _lose_chunk,
        _lose_both,
        _damage_sidecar,
        _lose_catalogue_and_sidecar,
        _damage_catalogue,
        _damage_index,
    ],
)
def test_what_can_be_made_again_is_made_again(patient: Patient, damage: Any) -> None:
    before = patient.stored()
    damage(patient)
    report = patient.doctor("--fix")
    assert patient.stored() == before
    assert report["fixes_applied"]
    assert report["not_fixed"] == []
    assert report["code"] == 0


def test_mending_twice_mends_nothing_the_second_time(patient: Patient) -> None:
    _lose_sidecar(patient)
    patient.doctor("--fix")
    before = snapshot(patient.corpus)
    assert patient.doctor("--fix")["fixes_applied"] == []
    assert {name for name, body in snapshot(patient.corpus).items() if before.get(name) != body} <= {
        "locks/writer.lock"
    }


def test_a_chunk_whose_log_is_gone_is_left_as_it_is(patient: Patient) -> None:
    _lose_sidecar(patient)
    patient.claude_log.unlink()
    before = patient.stored()
    report = patient.doctor("--fix")
    assert {name: body for name, body in patient.stored().items() if name in before} == before
    assert "its log is gone" in report["not_fixed"][0]
    assert report["code"] == 1


def test_a_chunk_that_holds_more_than_its_log_is_left_as_it_is(patient: Patient) -> None:
    chunk = patient.chunks()[-1]
    body = chunk.read_bytes()
    sidecar(chunk).unlink()
    patient.claude_log.write_bytes(ClaudeLog().prompt("Why is the lamp dark?", 0).body())
    report = patient.doctor("--fix")
    assert chunk.read_bytes() == body
    assert "cannot be made again" in report["not_fixed"][0]


def test_the_last_chunk_is_left_when_the_catalogue_forgot_it_and_the_log_was_cut(patient: Patient) -> None:
    chunk = patient.chunks()[-1]
    body = chunk.read_bytes()
    sidecar(chunk).unlink()
    (patient.corpus / "catalog.sqlite").unlink()
    patient.claude_log.write_bytes(patient.claude_log.read_bytes().rsplit(b"\n", 2)[0] + b"\n")
    report = patient.doctor("--fix")
    assert chunk.read_bytes() == body
    assert "not in its log" in report["not_fixed"][0]


def test_the_home_is_closed_to_others(patient: Patient) -> None:
    patient.corpus.chmod(0o755)
    assert patient.doctor("--fix")["fixes_applied"] == ["closed the home to other users"]
    assert patient.corpus.stat().st_mode & 0o777 == 0o700


def test_an_interrupted_publication_is_finished(patient: Patient) -> None:
    chunk = patient.chunks(OTHER)[0]
    relative = str(chunk.relative_to(patient.corpus)).removesuffix(".md")
    writer = Writer(load_settings().layout)
    writer.stage_removal(f"{relative}.md")
    writer.stage_removal(f"{relative}.meta.json")
    writer.publish()
    report = patient.doctor("--fix")
    assert "finished an interrupted run" in report["fixes_applied"]
    assert report["checks"]["catalog"]["severity"] == "green"


def test_a_changed_ignore_file_is_applied(patient: Patient) -> None:
    (patient.corpus / ".aicxignore").write_text("*codex*\n")
    report = patient.doctor("--fix")
    assert "applied .aicxignore" in report["fixes_applied"]
    assert report["checks"]["ignore_file"]["severity"] == "green"


def test_mending_waits_for_the_writer(patient: Patient) -> None:
    (patient.corpus / "config.toml").write_text("lock_wait_seconds = 0.1\n")
    with writer_lock(patient.corpus / "locks", 1, print):
        assert run(["doctor", "--fix"]) == 5


def test_what_was_forgotten_is_not_mended_back(patient: Patient) -> None:
    assert run(["forget", "--pattern", "step 1", "--yes"]) == 0
    assert patient.doctor("--fix")["code"] == 0
    assert run(["store", "--full-rescan"]) == 0
    assert not [name for name, body in snapshot(patient.corpus).items() if b"step 1" in body]


# Damage of what is derived --------------------------------------------------------------------------------------------


def flip(path: Path) -> None:
    """One bit in the middle, with size and modification time as before."""
    before = path.stat()
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 16
    path.write_bytes(body)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def derived(patient: Patient, check: str) -> Path:
    if check == "catalog":
        return patient.corpus / "catalog.sqlite"
    if check == "lexical_index":
        return next((patient.corpus / "index" / "lexical").glob("*.idx"))
    model = patient.corpus / "models" / "static-tiny"
    model.mkdir(parents=True)
    (model / "table.npy").write_bytes(b"numbers " * 50)
    record(model)
    return model / "table.npy"


@pytest.mark.parametrize("check", ["catalog", "lexical_index", "vector_index"])
def test_a_flipped_bit_in_a_derived_file_is_critical_and_fixed(patient: Patient, check: str) -> None:
    flip(derived(patient, check))
    report = patient.doctor()
    assert (report["checks"][check]["severity"], report["code"]) == ("critical", 1)
    assert report["checks"][check]["recommendation"] == "aicx doctor --fix"
    mended = patient.doctor("--fix")
    assert (mended["checks"][check]["severity"], mended["code"]) == ("green", 0)
    assert mended["fixes_applied"]


@pytest.mark.parametrize("check", ["catalog", "lexical_index"])
def test_a_flipped_bit_without_a_trace_in_the_times_is_found_too(
    patient: Patient, check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a disk that fails gives it back."""
    path = derived(patient, check)
    with monkeypatch.context() as patched:
        patched.setattr("aicx.storage.derived._stamp", lambda file: [Path(file).stat().st_size, 0, 0])
        recorded = path if check == "catalog" else path.parent
        withdraw(recorded)
        record(recorded)
        flip(path)
        assert patient.severity(check, "--quick") != "critical"
        assert patient.severity(check) == "critical"
    assert patient.doctor("--fix")["code"] == 0


@pytest.mark.parametrize("check", ["catalog", "lexical_index"])
def test_store_mends_a_flipped_bit(patient: Patient, check: str) -> None:
    flip(derived(patient, check))
    assert run(["store"]) == 0
    assert patient.severity(check) == "green"


def test_a_question_to_a_catalogue_with_a_flipped_bit_is_answered_from_the_sidecars(
    patient: Patient, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["steer", "--json"]) == 0
    before = json.loads(capsys.readouterr().out)
    flip(derived(patient, "catalog"))
    assert run(["steer", "--json"]) == 0
    after = json.loads(capsys.readouterr().out)
    assert [item["id"] for item in after["items"]] == [item["id"] for item in before["items"]]
    assert "catalogue is missing or damaged" in after["oracle_status"]["fallback_reason"]


def test_words_with_a_flipped_bit_are_left_out_and_named(patient: Patient, capsys: pytest.CaptureFixture[str]) -> None:
    flip(derived(patient, "lexical_index"))
    capsys.readouterr()
    assert run(["search", "beacon", "--json"]) == 0
    status = json.loads(capsys.readouterr().out)["oracle_status"]
    assert status["rankers"] == ["scan"]
    assert "is not as it was written" in status["fallback_reason"]


def test_an_alarm_that_passes_while_somebody_writes_is_not_reported(
    patient: Patient, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def changing(*arguments: Any, **options: Any) -> list[Check]:
        looks.append(1)
        with writer_lock(patient.corpus / "locks", 0, lambda line: None, "work"):
            pass
        return [Check("work", "critical" if len(looks) < 3 else "green", "between two files")]

    monkeypatch.setattr("aicx.corpus.doctor.checks._examine", changing)
    assert patient.doctor()["checks"]["work"]["severity"] == "green"
    assert len(looks) == 3


def test_an_alarm_that_stays_is_reported(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Check("work", "critical", "damaged")]
    monkeypatch.setattr("aicx.corpus.doctor.checks._examine", lambda *_, **__: found)
    monkeypatch.setattr("aicx.corpus.doctor.checks._SECONDS_BETWEEN", 0)
    with writer_lock(patient.corpus / "locks", 0, lambda line: None, "work"):
        assert patient.doctor()["checks"]["work"]["severity"] == "critical"


def test_a_home_that_is_a_file_is_one_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").write_text("")
    monkeypatch.setenv("AICX_HOME", str(tmp_path / "home"))
    assert run(["doctor"]) == 1
    assert "is not a folder" in capsys.readouterr().out
    assert run(["list"]) == 2
    assert "is not a folder" in capsys.readouterr().err
