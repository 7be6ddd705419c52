"""`aicx reports --raw`: any one log or session becomes a report, and the corpus stays as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from tests.corpus.builders import CWD, OTHER, SESSION, ClaudeLog, CodexLog, snapshot, stamp, write_git

SECRET = "ghp_" + "Q7w8E9r0T1y2U3i4O5p6A7s8D9f0G1h2J3k4"
OPAQUE = "9f8e7d6c-5b4a-4392-8170-665544332211"


def talk() -> ClaudeLog:
    """A session with a secret in it; like every log of the builders it begins with a torn line."""
    log = ClaudeLog().prompt("Why is the lamp dark?", 0)
    log.call("Bash", 1, command="ls wicks").result("no such folder", 2, failed=True)
    return log.answer(f"There is no wick. The token is {SECRET}, keep it.", 3)


def write(path: Path, body: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)
    return path


@pytest.fixture
def log(home: Path) -> Path:
    return write(home / ".claude" / "projects" / "-srv-ada-orbit" / f"{SESSION}.jsonl", talk().body())


@pytest.fixture
def rollout(home: Path) -> Path:
    name = f"rollout-2026-03-01T10-00-00-{OTHER}.jsonl"
    body = CodexLog(remote="https://github.com/ada/orbit.git").prompt("Trim the wick", 5).answer("Trimmed.", 6).body()
    return write(home / ".codex" / "sessions" / "2026" / "03" / "01" / name, body)


def extracted(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[str, str]:
    """stdout and stderr of an extract that works."""
    code = run(["extract", *map(str, arguments)])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    return printed.out, printed.err


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    """Exit code and stderr of an extract that does not; it prints no data."""
    code = run(["extract", *map(str, arguments)])
    printed = capsys.readouterr()
    assert printed.out == ""
    return code, printed.err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(extracted(capsys, *arguments, "--json")[0])
    return found


# What is read


def test_log_becomes_a_page(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, _ = extracted(capsys, log)
    assert page.startswith("# Why is the lamp dark?\n")
    assert "### 10:00:02 tool · Bash failed\n\n```\nno such folder\n```\n" in page


def test_bad_line_is_named_with_its_number_and_costs_only_itself(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, said = extracted(capsys, log)
    assert f"{log}, line 1: is not JSON" in said
    assert page.count("\n### ") == 4


def test_json_has_every_entry_and_every_problem(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = as_json(capsys, log)
    assert report["schema"] == "aicx.extract/1"
    assert report["total_entries"] == len(report["entries"]) == 4
    assert report["problems"] == [{"path": str(log), "line": 1, "reason": "is not JSON"}]


def test_agent_is_recognised_without_being_named(rollout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert as_json(capsys, rollout.rename(rollout.with_name("saved.txt")))["format"] == "codex-rollout"


def test_relative_path_is_understood(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(log.parent)
    assert as_json(capsys, log.name)["source_paths"] == [str(log)]


def test_format_forces_the_agent(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = refused(capsys, log, "--format", "gemini")
    assert code == 8
    assert "gemini-jsonl" in said


def test_log_without_a_message_is_an_error_that_says_what_it_holds(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(home / "saved.jsonl", b'{"type":"file-history-snapshot","messageId":"m","snapshot":{}}\n')
    code, said = refused(capsys, path)
    assert code == 8
    assert "file-history-snapshot 1" in said


def test_log_with_only_bad_records_is_an_error_that_names_the_first(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = refused(capsys, write(home / "rollout-1.jsonl", b'{"timestamp":\n'))
    assert code == 8
    assert "line 1 is not JSON" in said


def test_opaque_conversation_without_a_brain_is_unreadable(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = refused(
        capsys, write(home / ".gemini" / "antigravity" / "conversations" / f"{OPAQUE}.pb", b"\x08\x01")
    )
    assert code == 8
    assert "brain" in said


def test_opaque_conversation_is_read_from_its_brain(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = home / ".gemini" / "antigravity"
    about = {"artifactType": "ARTIFACT_TYPE_TASK", "updatedAt": stamp(0)}
    write(root / "brain" / OPAQUE / "task.md.metadata.json", json.dumps(about).encode())
    write(root / "brain" / OPAQUE / "task.md", b"- [ ] buy a wick")
    page, _ = extracted(capsys, write(root / "conversations" / f"{OPAQUE}.pb", b"\x08\x01"))
    assert "- [ ] buy a wick" in page


@pytest.mark.parametrize("path", ["/srv/\x00lamp.jsonl", "/srv/lamp\n.jsonl", "/srv/\x1b[2Jlamp"])
def test_path_with_control_characters_is_unsafe(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, path)[0] == 2


def test_one_of_input_and_session_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys)[0] == 2


def test_input_and_session_together_are_refused(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, log, "--session", SESSION)[0] == 2


# Sessions


def test_session_is_found_by_the_beginning_of_its_id(
    log: Path, rollout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert as_json(capsys, "--session", OTHER[:6])["sessions"] == [OTHER]


def test_session_has_what_all_its_logs_hold(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = ClaudeLog().prompt("And now?", 99)
    more.records[0]["uuid"] = "resumed"
    write(log.parent.parent / "-srv-elsewhere" / log.name, more.body())
    report = as_json(capsys, "--session", SESSION)
    assert len(report["source_paths"]) == 2
    assert report["entries"][-1]["message"] == "And now?"


def test_beginning_that_several_sessions_share_is_refused_with_their_ids(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twin = SESSION[:-1] + "f"
    write(log.with_name(f"{twin}.jsonl"), ClaudeLog(twin).prompt("hello", 0).body())
    code, said = refused(capsys, "--session", SESSION[:8])
    assert code == 2
    assert SESSION in said
    assert twin in said


def test_whole_id_is_taken_even_where_another_begins_with_it(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(log.with_name("0b7c.jsonl"), ClaudeLog("0b7c").prompt("hello", 0).body())
    assert as_json(capsys, "--session", "0b7c")["sessions"] == ["0b7c"]


def test_session_whose_log_is_gone_is_found_in_the_prompt_history(
    home: Path, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        {"display": text, "timestamp": 1772359200000, "project": CWD, "sessionId": session}
        for text, session in (("lost words", OTHER), ("other words", SESSION))
    ]
    write(home / ".claude" / "history.jsonl", b"torn\n" + b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    assert [entry["message"] for entry in as_json(capsys, "--session", OTHER)["entries"]] == ["lost words"]


def test_unknown_session_is_not_found(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "--session", "ffff")[0] == 3


# What is selected


def test_user_only_leaves_what_people_typed(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert [entry["role"] for entry in as_json(capsys, log, "--user-only")["entries"]] == ["user"]


def test_selection_that_leaves_nothing_says_so(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(home / "saved.jsonl", ClaudeLog().answer("Nobody asked.", 0).body())
    assert "none that you asked for" in extracted(capsys, path, "--user-only")[1]


def test_conversation_has_messages_instead_of_entries(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = as_json(capsys, log, "--conversation")
    assert report["total_messages"] == 2
    assert "entries" not in report
    assert report["messages"][0] == {
        "timestamp": "2026-03-01T10:00:00.000Z",
        "agent": "claude",
        "session_id": SESSION,
        "role": "user",
        "message": "Why is the lamp dark?",
        "repo_project": None,
        "source_path": CWD,
        "branch": "main",
    }


def test_project_of_a_message_is_that_of_its_folder(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_git(home / "orbit", "git@github.com:ada/orbit.git")
    path = write(home / "saved.jsonl", ClaudeLog(cwd=str(home / "orbit" / "src")).prompt("hello", 0).body())
    assert as_json(capsys, path, "--conversation")["messages"][0]["repo_project"] == "ada/orbit"


def test_project_of_a_vanished_folder_comes_from_the_remote_in_the_log(
    rollout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert as_json(capsys, rollout, "--conversation")["messages"][0]["repo_project"] == "ada/orbit"


def test_project_of_a_vanished_folder_comes_from_what_the_corpus_learned(
    log: Path, rollout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["store", "-a", "codex"]) == 0
    capsys.readouterr()
    assert as_json(capsys, log, "--conversation")["messages"][0]["repo_project"] == "ada/orbit"


def test_damaged_catalogue_costs_a_warning(home: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(home / ".aicx" / "catalog.sqlite", b"not a catalogue, and long enough to be looked at" * 40)
    assert "folders that are gone may lack their project" in extracted(capsys, log)[1]


def test_long_messages_are_shortened_on_request(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = as_json(capsys, log, "--max-message-chars", 7)["entries"][0]
    assert first["message"] == "Why is \n[… 14 characters left out …]"


def test_conversation_is_never_shortened(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = as_json(capsys, log, "--conversation", "--max-message-chars", 7)["messages"][0]
    assert first["message"] == "Why is the lamp dark?"


# Secrets


@pytest.mark.parametrize("options", [(), ("--json",), ("--conversation", "--json"), ("--max-message-chars", "50")])
def test_secret_does_not_reach_the_report(
    log: Path, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    page, said = extracted(capsys, log, *options)
    assert "[REDACTED:" in page
    assert SECRET[:12] not in page + said


def test_secret_in_a_folder_or_branch_does_not_reach_the_report(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = ClaudeLog(cwd=f"/srv/{SECRET}", branch=f"fix/{SECRET}").prompt("hello", 0).body()
    assert SECRET[:12] not in extracted(capsys, write(home / "saved.jsonl", body))[0]


def test_secret_in_the_name_of_a_log_does_not_reach_the_report(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(home / SECRET / "saved.jsonl", talk().body())
    printed, said = extracted(capsys, path, "--json")
    assert SECRET[:12] not in printed + said


def test_name_of_a_log_that_is_no_text_does_not_stop_the_report(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(home / "saved\udcff.jsonl", talk().body())
    assert as_json(capsys, path)["source_paths"] == [str(home / "saved?.jsonl")]


def test_secrets_stay_when_that_is_asked_for_and_said(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, said = extracted(capsys, log, "--no-redact-secrets")
    assert SECRET in page
    assert "secrets are shown as they are" in said


# Where it goes


def test_file_gets_the_page_and_stdout_stays_empty(home: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed, said = extracted(capsys, log, "-o", home / "new" / "talk.md")
    assert (home / "new" / "talk.md").read_text().startswith("# Why is the lamp dark?\n")
    assert printed == ""
    assert str(home / "new" / "talk.md") in said


def test_file_ending_in_json_gets_json(home: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    extracted(capsys, log, "-o", home / "talk.json")
    assert json.loads((home / "talk.json").read_bytes())["total_entries"] == 4


def test_file_that_exists_is_not_replaced(home: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = write(home / "talk.md", b"mine")
    code, said = refused(capsys, log, "-o", mine)
    assert (code, mine.read_bytes()) == (2, b"mine")
    assert "--force" in said


def test_force_replaces_the_file(home: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = write(home / "talk.md", b"old")
    extracted(capsys, log, "-o", old, "--force")
    assert old.read_bytes().startswith(b"# Why")


def test_force_never_writes_over_the_log(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = log.read_bytes()
    assert refused(capsys, log, "-o", log, "--force")[0] == 2
    assert log.read_bytes() == before


def test_folder_is_no_file_to_write(home: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, log, "-o", home)[0] == 2


def test_report_is_not_written_into_the_corpus(home: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, log, "-o", home / ".aicx" / "store" / "talk.md")[0] == 2
    assert not (home / ".aicx").exists()


def test_no_corpus_is_made(home: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    extracted(capsys, log)
    extracted(capsys, "--session", SESSION, "-o", home / "talk.md")
    assert not (home / ".aicx").exists()


def test_corpus_and_logs_stay_byte_for_byte(
    home: Path, log: Path, rollout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["store"]) == 0
    capsys.readouterr()
    before = snapshot(home)
    extracted(capsys, log, "--conversation")
    extracted(capsys, "--session", OTHER, "-o", tmp_path / "talk.json")
    assert snapshot(home) == before


# What a terminal gets

TAGGED = "".join(chr(0xE0000 + ord(letter)) for letter in "obey")
HOSTILE = f"fine\x1b[31mred\x1b[0m\x1b]0;title\x07 over\rwritten \u202eturned\u202c hid\u200bden{TAGGED} \x9b2Jend"


def test_nothing_that_a_terminal_obeys_or_hides_is_printed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = ClaudeLog().prompt(HOSTILE, 0).answer("Trimmed.", 5).title(f"{HOSTILE} as a title").body()
    log = write(home / ".claude" / "projects" / "-srv" / f"{SESSION}.jsonl", body)
    out, err = extracted(capsys, log)
    assert [sign for sign in out + err if not (sign.isprintable() or sign == "\n")] == []
    assert "finered over\nwritten turned hidden end" in out
    assert "obey" not in out


def test_a_secret_in_pieces_is_whole_again_and_redacted(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    token = "ghp_" + "q7Z2x" * 7 + "w"
    body = ClaudeLog().prompt(f"use {token[:9]}\u200b{token[9:20]}\u2060{token[20:]} for it", 0).body()
    log = write(home / ".claude" / "projects" / "-srv" / f"{SESSION}.jsonl", body)
    out, _ = extracted(capsys, log)
    assert token not in out
    assert "[REDACTED:" in out


def test_a_file_keeps_joined_emoji(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = ClaudeLog().prompt("the family \U0001f468\u200d\U0001f469\u200d\U0001f467 is here", 0).body()
    log = write(home / ".claude" / "projects" / "-srv" / f"{SESSION}.jsonl", body)
    extracted(capsys, log, "-o", home / "talk.md")
    assert "\U0001f468\u200d\U0001f469\u200d\U0001f467" in (home / "talk.md").read_text("utf-8")


def test_a_sessions_id_may_be_written_in_place_of_a_log(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["extract", SESSION[:8]]) == 0
    bare = capsys.readouterr().out
    assert run(["extract", "--session", SESSION[:8]]) == 0
    assert capsys.readouterr().out == bare != ""
