"""Recognising one log by its content: every format under a name that says nothing, and what is no log at all."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from aicx.errors import SourceUnreadable, UsageError
from aicx.sources.detect import detect_log

SESSION = "0f1e2d3c-4b5a-4697-8877-665544332211"
T0 = "2026-03-01T10:00:00.000Z"
BROKEN = '{"type":"user","mess'

CLAUDE = {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": SESSION, "timestamp": T0, "message": {}}
CLAUDE_SNAPSHOT = {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}
CLAUDE_SUMMARY = {"type": "summary", "summary": "Lamps", "leafUuid": "u9"}
CLAUDE_PROMPT = {"display": "hello", "pastedContents": {}, "timestamp": 1772359200000, "project": "/srv/lamp"}
ROLLOUT = {"timestamp": T0, "type": "session_meta", "payload": {"id": SESSION}}
ROLLOUT_2025 = {"id": SESSION, "timestamp": T0, "instructions": None}
ROLLOUT_STATE = {"record_type": "state"}
ROLLOUT_BARE = {"type": "message", "role": "user", "content": []}
CODEX_PROMPT = {"session_id": SESSION, "ts": 1772359200, "text": "hello"}
CODEX_TITLE = {"id": SESSION, "thread_name": "Lamps", "updated_at": T0}
COPILOT = {"type": "user.message", "data": {"content": "hello"}, "id": "e1", "timestamp": T0, "parentId": None}
GEMINI_HEADER = {"sessionId": SESSION, "projectHash": "ab", "startTime": T0, "kind": "main"}
GEMINI_MESSAGE = {"id": "m1", "timestamp": T0, "type": "user", "content": "hello"}


def write(path: Path, *records: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def found(path: Path, format: str | None = None) -> tuple[str, str]:
    log = detect_log(path, format)
    return log.agent, log.format


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (CLAUDE, ("claude", "claude-jsonl")),
        (CLAUDE_SNAPSHOT, ("claude", "claude-jsonl")),
        (CLAUDE_SUMMARY, ("claude", "claude-jsonl")),
        (CLAUDE_PROMPT, ("claude", "claude-history")),
        (ROLLOUT, ("codex", "codex-rollout")),
        (ROLLOUT_2025, ("codex", "codex-rollout")),
        (ROLLOUT_STATE, ("codex", "codex-rollout")),
        (ROLLOUT_BARE, ("codex", "codex-rollout")),
        (CODEX_PROMPT, ("codex", "codex-history")),
        (CODEX_TITLE, ("codex", "codex-index")),
        (GEMINI_HEADER, ("gemini", "gemini-jsonl")),
        (GEMINI_MESSAGE, ("gemini", "gemini-jsonl")),
        (COPILOT, ("copilot", "copilot-events")),
        ({"role": "user", "message": {"content": "hello"}}, ("cursor", "cursor-transcript")),
        ({"type": "session", "id": SESSION, "timestamp": T0, "cwd": "/srv/lamp"}, ("pi", "pi-jsonl")),
    ],
)
@pytest.mark.parametrize("before", [(), (BROKEN,)])
def test_lines_are_recognised_whatever_the_name_and_after_a_bad_line(
    tmp_path: Path, record: dict[str, Any], expected: tuple[str, str], before: tuple[str, ...]
) -> None:
    assert found(write(tmp_path / "saved.txt", *before, record)) == expected


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"session": {"id": SESSION, "timestamp": T0}, "items": [ROLLOUT_BARE]}, ("codex", "codex-rollout-json")),
        ({**GEMINI_HEADER, "messages": [GEMINI_MESSAGE]}, ("gemini", "gemini-json")),
        ([{"sessionId": SESSION, "messageId": 0, "type": "user", "message": "hello"}], ("gemini", "gemini-logs")),
    ],
)
def test_whole_objects_are_recognised_on_one_line_and_on_many(
    tmp_path: Path, value: Any, expected: tuple[str, str], indent: int | None
) -> None:
    assert found(write(tmp_path / "saved.txt", json.dumps(value, indent=indent))) == expected


def test_half_an_emoji_does_not_hide_a_gemini_session(tmp_path: Path) -> None:
    path = write(tmp_path / "saved", json.dumps({**GEMINI_HEADER, "messages": [{"content": "\ud83d"}]}, indent=2))
    assert found(path) == ("gemini", "gemini-json")


def test_bookkeeping_before_the_first_telling_record_is_passed_over(tmp_path: Path) -> None:
    assert found(write(tmp_path / "saved", {"type": "mode"}, {"type": "atis-latch"}, CLAUDE)) == (
        "claude",
        "claude-jsonl",
    )


def test_log_has_an_absolute_path_and_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "saved.jsonl", CLAUDE)
    monkeypatch.chdir(tmp_path)
    log = detect_log(Path("saved.jsonl"))
    assert (log.path, log.size) == (path, path.stat().st_size)


def test_cut_off_gemini_session_is_recognised_by_its_place(tmp_path: Path) -> None:
    assert found(write(tmp_path / "chats" / "session-2026-03-01.json", '{\n  "sessionId": "0f')) == (
        "gemini",
        "gemini-json",
    )


def test_rollout_without_one_whole_line_is_recognised_by_its_name(tmp_path: Path) -> None:
    assert found(write(tmp_path / "rollout-2026.jsonl", BROKEN)) == ("codex", "codex-rollout")


def test_transcript_without_one_whole_line_is_recognised_by_its_place(tmp_path: Path) -> None:
    assert found(write(tmp_path / "projects" / "-srv-lamp" / f"{SESSION}.jsonl", BROKEN)) == ("claude", "claude-jsonl")


def test_named_agent_is_taken_where_the_content_says_nothing(tmp_path: Path) -> None:
    assert found(write(tmp_path / "saved", BROKEN), "codex") == ("codex", "codex-rollout")


def test_named_agent_wins_over_the_content(tmp_path: Path) -> None:
    assert found(write(tmp_path / "saved.jsonl", CLAUDE), "gemini") == ("gemini", "gemini-jsonl")


def test_named_agent_still_lets_the_content_choose_its_format(tmp_path: Path) -> None:
    assert found(write(tmp_path / "saved.jsonl", CLAUDE_PROMPT), "claude") == ("claude", "claude-history")


def test_unknown_agent_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        detect_log(write(tmp_path / "saved", CLAUDE), "clippy")
    assert "gemini-antigravity" in (error.value.hint or "")


def test_opaque_conversation_leads_to_its_brain_folder(tmp_path: Path) -> None:
    write(tmp_path / "brain" / SESSION / "task.md", "- [ ] wick")
    assert detect_log(write(tmp_path / "conversations" / f"{SESSION}.pb", "\x00")).path == tmp_path / "brain" / SESSION


def test_opaque_conversation_without_a_brain_names_the_places_searched(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable, match="encrypted") as error:
        detect_log(write(tmp_path / "conversations" / f"{SESSION}.pb", "\x00"))
    assert str(tmp_path / "brain" / SESSION) in error.value.message


def test_brain_folder_is_recognised(tmp_path: Path) -> None:
    task = write(tmp_path / "brain" / SESSION / "task.md", "- [ ] wick")
    assert found(task.parent) == ("gemini-antigravity", "antigravity-brain")


def test_brain_folder_moved_elsewhere_is_recognised_by_its_artifacts(tmp_path: Path) -> None:
    about = write(tmp_path / "backup" / "task.md.metadata.json", {"artifactType": "ARTIFACT_TYPE_TASK"})
    assert found(about.parent) == ("gemini-antigravity", "antigravity-brain")


def test_artifact_stands_for_its_brain_folder(tmp_path: Path) -> None:
    task = write(tmp_path / "brain" / SESSION / "task.md", "- [ ] wick")
    assert detect_log(task).path == task.parent


def test_log_kept_in_a_folder_called_brain_is_still_a_log(tmp_path: Path) -> None:
    assert found(write(tmp_path / "brain" / "notes" / "saved.jsonl", CLAUDE)) == ("claude", "claude-jsonl")


def test_plain_folder_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        detect_log(tmp_path)
    assert "aicx store" in (error.value.hint or "")


def test_folder_is_refused_for_an_agent_that_has_none(tmp_path: Path) -> None:
    brain = write(tmp_path / "brain" / SESSION / "task.md", "x").parent
    with pytest.raises(UsageError, match="folder"):
        detect_log(brain, "claude")


@pytest.mark.parametrize("text", ["root:x:0:0:root:/root:/bin/sh", '{"name": "lamp", "version": 1}', "[1, 2]"])
def test_file_that_is_no_log_is_refused_with_what_was_looked_for(tmp_path: Path, text: str) -> None:
    with pytest.raises(SourceUnreadable, match="no record of any known log format") as error:
        detect_log(write(tmp_path / "saved", text))
    assert "Codex rollout" in (error.value.hint or "")


def test_empty_file_is_called_empty(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable, match="is empty"):
        detect_log(write(tmp_path / "saved.jsonl"))


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable, match="No such file"):
        detect_log(tmp_path / "gone.jsonl")


def test_pipe_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceUnreadable, match="not a regular file"):
        detect_log(tmp_path / "pipe")


def test_sessions_of_opencode_are_recognised_in_every_layout(tmp_path: Path) -> None:
    about = {"id": "ses_1", "projectID": "p", "directory": "/srv/lamp", "title": "Lamp", "time": {}}
    exported = write(tmp_path / "saved.json", {"info": about, "messages": []})
    kept = write(tmp_path / "storage/session/p/ses_1.json", about)
    with closing(sqlite3.connect(tmp_path / "opencode.db")) as connection:
        connection.execute("CREATE TABLE session (id TEXT)")
        connection.execute("INSERT INTO session VALUES ('ses_1')")
        connection.commit()
    assert found(exported) == ("opencode", "opencode-export")
    assert found(kept) == ("opencode", "opencode-files")
    assert found(tmp_path / "opencode.db/ses_1") == ("opencode", "opencode-database")
    with pytest.raises(SourceUnreadable):
        detect_log(tmp_path / "opencode.db/ses_2")
