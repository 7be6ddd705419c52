"""Cursor: chats of its database, transcripts of its agent, and how both are told to be one."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from aicx.corpus.views.provenance import is_there, verify_source
from aicx.sources.cursor import SOURCE
from aicx.sources.items import BadRecord, LogFile, SessionEvent, SkippedRecords, SourceItem, TimelineEntry
from aicx.types import AgentHomes

Value = dict[str, Any]
CHAT = "98251e54-0000-4000-8000-00000000000c"
T0 = 1_772_359_200_000  # 2026-03-01T10:00:00Z


def bubble(id: str, type: int, text: str = "", second: int = 0, **more: Any) -> Value:
    return {"bubbleId": id, "type": type, "text": text, "createdAt": f"2026-03-01T10:00:{second:02d}.000Z", **more}


def tool(name: str, arguments: Any, result: Any, status: str = "completed") -> Value:
    called = {"name": name, "toolCallId": f"call-{name}", "status": status, "rawArgs": json.dumps(arguments)}
    return {**called, "result": json.dumps(result)}


TALK = [
    bubble("b1", 1, "Why is the lamp dark?"),
    bubble("b2", 2, "", 1, thinking={"text": "The switch."}),
    bubble(
        "b3", 2, "", 2, toolFormerData=tool("run_terminal_cmd", {"command": "ls"}, {"output": "no", "exitCodeV2": 2})
    ),
    bubble("b4", 2, "It is off.", 3, modelInfo={"modelName": "m-1"}),
    bubble("b5", 3, "?", 4),
]


def put(root: Path, rows: dict[str, Any], place: str = "globalStorage", table: str = "cursorDiskKV") -> None:
    path = root / "user" / place / "state.vscdb"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE IF NOT EXISTS {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        for key, value in rows.items():
            body = value if isinstance(value, str) else json.dumps(value)
            connection.execute(f"INSERT INTO {table} VALUES (?, ?)", (key, body))
        connection.commit()


def chat(root: Path, messages: list[Value], *, listed: list[str] | None = None, **about: Any) -> None:
    names = [message["bubbleId"] for message in messages] if listed is None else listed
    headers = [{"bubbleId": name} for name in names]
    place = {"workspaceIdentifier": {"uri": {"fsPath": "/srv/lamp"}}}
    head = {"composerId": CHAT, "createdAt": T0, "fullConversationHeadersOnly": headers, **place, **about}
    put(root, {f"bubbleId:{CHAT}:{message['bubbleId']}": message for message in messages})
    put(root, {f"composerData:{CHAT}": head})


def transcript(root: Path, *records: Any, id: str = CHAT, project: str = "srv-lamp", below: str = "") -> Path:
    path = root / f"cursor/projects/{project}/agent-transcripts/{below or id}/{id}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [line if isinstance(line, str) else json.dumps(line) for line in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.utime(path, (T0 / 1000, T0 / 1000))
    return path


def said(role: str, *blocks: Any) -> Value:
    parts = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return {"role": role, "message": {"content": parts}}


def found(root: Path) -> list[LogFile | BadRecord]:
    homes = AgentHomes(*[root / "none"] * 3, cursor=root / "cursor", cursor_user=root / "user")
    return list(SOURCE.discover(homes))


def logs(root: Path) -> list[LogFile]:
    return [log for log in found(root) if isinstance(log, LogFile)]


def items(root: Path) -> list[SourceItem]:
    return [item for log in logs(root) for item in SOURCE.read(log)]


def entries(root: Path) -> list[TimelineEntry]:
    return [item for item in items(root) if isinstance(item, TimelineEntry)]


def spoken(root: Path) -> list[tuple[str, str]]:
    return [(entry.role, entry.text) for entry in entries(root)]


def skipped(root: Path) -> dict[str, int]:
    return {item.reason: item.count for item in items(root) if isinstance(item, SkippedRecords)}


def bad(root: Path) -> list[str]:
    return [item.reason for item in (*found(root), *items(root)) if isinstance(item, BadRecord)]


class TestChats:
    def test_a_chat_is_read_in_its_order(self, tmp_path: Path) -> None:
        chat(tmp_path, TALK)
        assert spoken(tmp_path) == [
            ("user", "Why is the lamp dark?"),
            ("reasoning", "The switch."),
            ("tool", "run_terminal_cmd\n$ ls"),
            ("tool", "no"),
            ("assistant", "It is off."),
        ]
        assert skipped(tmp_path) == {"unknown type: 3": 1}
        assert bad(tmp_path) == []

    def test_facts_are_those_of_the_chat_and_its_messages(self, tmp_path: Path) -> None:
        chat(tmp_path, TALK, name="Lamps")
        *_, result, answer = entries(tmp_path)
        assert result.tool is not None
        assert (result.tool.exit_code, result.tool.failed, result.record_id) == (2, True, "b3#result")
        assert (answer.model, answer.cwd, answer.at.second) == ("m-1", "/srv/lamp", 3)
        assert SessionEvent(CHAT, title="Lamps") in items(tmp_path)

    def test_a_chat_that_grew_has_another_fingerprint_and_begins_as_before(self, tmp_path: Path) -> None:
        chat(tmp_path, TALK)
        (log,), before = logs(tmp_path), entries(tmp_path)
        assert logs(tmp_path) == [log]
        chat(tmp_path, [*TALK, bubble("b6", 1, "And now?", 5)])
        assert logs(tmp_path)[0].fingerprint != log.fingerprint
        assert entries(tmp_path)[: len(before)] == before

    def test_a_message_that_is_written_again_is_a_change(self, tmp_path: Path) -> None:
        chat(tmp_path, TALK)
        before = logs(tmp_path)[0].fingerprint
        put(tmp_path, {f"bubbleId:{CHAT}:b4": bubble("b4", 2, "It is off, as I said.", 3)})
        assert logs(tmp_path)[0].fingerprint != before

    def test_what_was_taken_back_or_is_not_there_is_counted(self, tmp_path: Path) -> None:
        chat(tmp_path, TALK[:2], listed=["b1", "gone"])
        assert spoken(tmp_path) == [("user", "Why is the lamp dark?")]
        assert skipped(tmp_path) == {"message that was taken back": 1, "message that is not there": 1}

    def test_an_empty_chat_is_not_listed(self, tmp_path: Path) -> None:
        put(tmp_path, {"composerData:empty": {"composerId": "empty"}, "composerData:broken": "{"})
        assert found(tmp_path) == []

    def test_a_chat_with_its_messages_in_it_is_read(self, tmp_path: Path) -> None:
        put(tmp_path, {f"composerData:{CHAT}": {"createdAt": T0, "conversation": TALK[:1]}})
        assert spoken(tmp_path) == [("user", "Why is the lamp dark?")]

    def test_a_message_that_is_broken_costs_itself(self, tmp_path: Path) -> None:
        chat(tmp_path, TALK)
        put(tmp_path, {f"bubbleId:{CHAT}:b2": '{"type": 2, "te'})
        assert bad(tmp_path) == ["is not a JSON object"]
        assert ("assistant", "It is off.") in spoken(tmp_path)

    def test_a_chat_without_any_time_is_reported(self, tmp_path: Path) -> None:
        chat(tmp_path, [{"bubbleId": "b1", "type": 1, "text": "Hi"}], createdAt=None)
        assert bad(tmp_path) == ["message without a time in a log without any"]

    @pytest.mark.parametrize("body", [b"", b"not a database"])
    def test_what_is_no_database_is_reported(self, body: bytes, tmp_path: Path) -> None:
        path = tmp_path / "user/globalStorage/state.vscdb"
        path.parent.mkdir(parents=True)
        path.write_bytes(body)
        assert len(bad(tmp_path)) == 1

    def test_the_workspace_that_lists_a_chat_names_its_folder(self, tmp_path: Path) -> None:
        chat(tmp_path, TALK, workspaceIdentifier=None)
        listed = {"composer.composerData": {"allComposers": [{"composerId": CHAT}]}}
        put(tmp_path, listed, "workspaceStorage/w1", "ItemTable")
        about = tmp_path / "user/workspaceStorage/w1/workspace.json"
        about.write_text(json.dumps({"folder": "file:///srv/the%20lamp"}))
        assert entries(tmp_path)[0].cwd == "/srv/the lamp"

    def test_what_is_stored_can_be_verified(self, tmp_path: Path) -> None:
        chat(tmp_path, TALK)
        (log,), refs = logs(tmp_path), [entry.ref for entry in entries(tmp_path)]
        digest = sha256("".join(ref.sha256 for ref in refs).encode()).hexdigest()
        spans = [[ref.start, ref.end] for ref in refs]
        source = {"path": str(log.path), "format": log.format, "spans": spans, "sha256": digest}
        assert is_there(source["path"])
        assert verify_source(source) == "unchanged"
        assert verify_source({**source, "path": str(log.path.with_name("other"))}) == "gone"


class TestTranscripts:
    def test_a_transcript_is_read_past_a_broken_line(self, tmp_path: Path) -> None:
        asked = said("user", "<user_query>\nWhy is the lamp dark?\n</user_query>")
        called = {"type": "tool_use", "name": "Shell", "input": {"command": "ls"}}
        transcript(tmp_path, asked, '{"role": "ass', said("assistant", "I look.", called), {"type": "turn_ended"})
        assert spoken(tmp_path) == [
            ("user", "Why is the lamp dark?"),
            ("assistant", "I look."),
            ("tool", "Shell\n$ ls"),
        ]
        assert bad(tmp_path) == ["is not JSON"]
        assert skipped(tmp_path) == {"bookkeeping": 1}

    def test_what_cursor_puts_around_a_prompt_is_not_the_persons(self, tmp_path: Path) -> None:
        transcript(tmp_path, said("user", "<attached_files>a.py</attached_files>\n<user_query>\nWhy?\n</user_query>"))
        assert [(entry.role, entry.origin, entry.text) for entry in entries(tmp_path)] == [
            ("user", "typed", "Why?"),
            ("system", "injected", "<attached_files>a.py</attached_files>"),
        ]

    @pytest.mark.parametrize(
        ("stamp", "at"),
        [
            ("Sunday, Sep 20, 2026, 12:31 AM (UTC+3)", "2026-09-19T21:31:00+00:00"),
            ("Sunday, Sep 20, 2026, 1:05 PM (UTC-5:30)", "2026-09-20T18:35:00+00:00"),
            ("Sunday, Sep 20, 2026, 12:00 PM (UTC)", "2026-09-20T12:00:00+00:00"),
            ("no time at all", "2026-03-01T10:00:00+00:00"),
            ("Sunday, Sep 99, 2026, 12:00 PM", "2026-03-01T10:00:00+00:00"),
        ],
    )
    def test_the_time_is_the_one_above_the_prompt(self, stamp: str, at: str, tmp_path: Path) -> None:
        asked = f"<timestamp>{stamp}</timestamp>\n<user_query>\nWhy?\n</user_query>"
        transcript(tmp_path, said("user", asked), said("assistant", "So."))
        assert [entry.at.isoformat() for entry in entries(tmp_path)] == [at, at]

    def test_a_thought_that_cursor_took_out_is_counted(self, tmp_path: Path) -> None:
        transcript(tmp_path, said("assistant", "[REDACTED]"), said("assistant", "Off.\n\n[REDACTED]"))
        assert spoken(tmp_path) == [("assistant", "Off.")]
        assert skipped(tmp_path) == {"thought that cannot be read": 1}

    def test_the_folder_is_the_one_beside_the_transcripts(self, tmp_path: Path) -> None:
        transcript(tmp_path, said("user", "Hello"))
        about = tmp_path / f"cursor/chats/aa/{CHAT}/meta.json"
        about.parent.mkdir(parents=True)
        about.write_text(json.dumps({"cwd": "/srv/lamp", "createdAtMs": T0 + 1000}))
        (entry,) = entries(tmp_path)
        assert (entry.cwd, entry.at.second) == ("/srv/lamp", 1)

    @pytest.mark.parametrize(
        ("path", "project", "cwd"),
        [
            ("/srv/la.mp/ui/a.ts", "srv-la-mp", "/srv/la.mp"),
            ("C:\\work\\lamp\\a.ts", "C-work-lamp", "C:\\work\\lamp"),
            ("/srv/other/a.ts", "srv-lamp", None),
            ("ui/a.ts", "srv-lamp", None),
        ],
    )
    def test_the_folder_is_one_that_a_call_names_and_the_project_fits(
        self, path: str, project: str, cwd: str | None, tmp_path: Path
    ) -> None:
        called = {"type": "tool_use", "name": "Read", "input": {"path": path}}
        transcript(tmp_path, said("assistant", called), project=project)
        assert entries(tmp_path)[0].cwd == cwd

    def test_a_subagents_transcript_names_its_parent(self, tmp_path: Path) -> None:
        transcript(tmp_path, said("user", "Look"), id="child", below=f"{CHAT}/subagents")
        (log,) = logs(tmp_path)
        identity = SOURCE.identify(log)
        assert (identity.lane, identity.parent_session) == ("subagent", CHAT)
        assert entries(tmp_path)[0].origin == "agent"

    def test_a_chat_of_the_database_is_not_read_from_its_transcript_too(self, tmp_path: Path) -> None:
        chat(tmp_path, TALK)
        transcript(tmp_path, said("user", "Why is the lamp dark?"))
        transcript(tmp_path, said("user", "Another"), id="other")
        assert [log.format for log in logs(tmp_path)] == ["cursor-database", "cursor-transcript"]

    def test_lines_have_ids_that_stay_when_the_file_is_touched(self, tmp_path: Path) -> None:
        path = transcript(tmp_path, said("user", "Hello"))
        (before,) = entries(tmp_path)
        os.utime(path)
        (after,) = entries(tmp_path)
        assert (before.record_id, before.at) != (None, after.at)
        assert before.record_id == after.record_id
