"""Claude Code logs: every trap of the format, on small invented sessions."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.sources.claude import SOURCE
from aicx.sources.claude.text import cut_additions, cut_reminders
from aicx.sources.items import (
    BadRecord,
    LogFile,
    RecordMarks,
    SessionEvent,
    SkippedRecords,
    SourceItem,
    TimelineEntry,
    record_mark,
)
from aicx.types import AgentHomes

SESSION = "0b7c1f6e-3d52-4a8e-9a3c-5f0a1b2c3d4e"
OTHER = "11111111-2222-4333-8444-555555555555"
CWD = "/home/ada/orbit"

Value = dict[str, Any]


def at(minute: int, second: int = 0) -> str:
    return f"2026-03-01T10:{minute:02}:{second:02}.000Z"


def record(kind: str, minute: int = 0, **fields: Any) -> Value:
    envelope = {
        "type": kind,
        "uuid": f"{kind}-{minute}",
        "timestamp": at(minute),
        "cwd": CWD,
        "gitBranch": "main",
        "sessionId": SESSION,
        "isSidechain": False,
    }
    return {**envelope, **fields}


def user(content: Any, minute: int = 0, **fields: Any) -> Value:
    return record("user", minute, message={"role": "user", "content": content}, **fields)


def assistant(*blocks: Any, minute: int = 0, message: str = "msg_1", model: str = "opus", **fields: Any) -> Value:
    body = {"id": message, "model": model, "content": list(blocks), "usage": {"output_tokens": 7}}
    return record("assistant", minute, message=body, **fields)


def text(said: str) -> Value:
    return {"type": "text", "text": said}


def call(name: str = "Bash", call_id: str = "toolu_1", **arguments: Any) -> Value:
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(content: Any, call_id: str = "toolu_1", **fields: Any) -> Value:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


def queue(operation: str, content: str | None = None, minute: int = 0) -> Value:
    value = {"type": "queue-operation", "operation": operation, "timestamp": at(minute), "sessionId": SESSION}
    return value if content is None else {**value, "content": content}


def queued_command(prompt: Any, minute: int = 0, **fields: Any) -> Value:
    attachment = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt", **fields}
    return record("attachment", minute, attachment=attachment)


def lines(*values: Value) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / ".claude"


@pytest.fixture
def write(home: Path) -> Callable[..., LogFile]:
    def write(*values: Value, path: str = f"projects/-home-ada-orbit/{SESSION}.jsonl", raw: bytes = b"") -> LogFile:
        file = home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(lines(*values) + raw)
        return next(log for log in discover(home) if isinstance(log, LogFile) and log.path == file)

    return write


@pytest.fixture
def read(write: Callable[..., LogFile]) -> Callable[..., list[SourceItem]]:
    return lambda *values, **options: list(SOURCE.read(write(*values, **options)))


def discover(home: Path) -> list[LogFile | BadRecord]:
    return list(SOURCE.discover(AgentHomes(claude=home, codex=home / "none", gemini=home / "none")))


def entries(items: list[SourceItem]) -> list[TimelineEntry]:
    return [item for item in items if isinstance(item, TimelineEntry)]


def voices(items: list[SourceItem]) -> list[tuple[str, str, str]]:
    return [(entry.role, entry.origin, entry.text) for entry in entries(items)]


def typed(items: list[SourceItem]) -> list[str]:
    return [entry.text for entry in entries(items) if entry.origin == "typed"]


def facts(items: list[SourceItem]) -> list[SessionEvent]:
    return [item for item in items if isinstance(item, SessionEvent)]


def skipped(items: list[SourceItem]) -> dict[str, int]:
    return {item.reason: item.count for item in items if isinstance(item, SkippedRecords)}


def reasons(items: list[SourceItem]) -> list[str]:
    return [item.reason for item in items if isinstance(item, BadRecord)]


class TestDiscover:
    def touch(self, home: Path, *paths: str) -> None:
        for path in paths:
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).touch()

    def test_sessions_subagents_and_history_are_found(self, home):
        wanted = [
            "history.jsonl",
            f"projects/-a/{SESSION}.jsonl",
            f"projects/-a/{SESSION}/subagents/agent-1.jsonl",
            f"projects/-a/{SESSION}/subagents/workflows/wf_1/agent-2.jsonl",
            "projects/-b/agent-3.jsonl",
        ]
        self.touch(home, *wanted)
        found = [(log.format, str(log.path.relative_to(home))) for log in discover(home) if isinstance(log, LogFile)]
        assert sorted(found) == sorted(
            ("claude-history" if path == "history.jsonl" else "claude-jsonl", path) for path in wanted
        )

    def test_files_that_are_no_logs_are_left_alone(self, home):
        self.touch(
            home,
            "settings.json",
            "projects/.DS_Store",
            "projects/-a/notes.md",
            f"projects/-a/{SESSION}/tool-results/out.txt",
            f"projects/-a/{SESSION}/workflows/wf_1/journal.jsonl",
            f"projects/-a/{SESSION}/subagents/workflows/wf_1/journal.jsonl",
        )
        assert discover(home) == []

    def test_missing_folder_yields_nothing(self, home):
        assert discover(home) == []

    def test_folder_named_like_a_log_is_reported_and_the_rest_found(self, home):
        (home / f"projects/-a/{OTHER}.jsonl").mkdir(parents=True)
        self.touch(home, f"projects/-a/{SESSION}.jsonl")
        found = discover(home)
        assert [type(item) for item in found] == [LogFile, BadRecord]

    def test_dangling_link_is_reported(self, home):
        (home / "projects/-a").mkdir(parents=True)
        os.symlink(home / "gone", home / "projects/-a/x.jsonl")
        (bad,) = discover(home)
        assert isinstance(bad, BadRecord)
        assert "No such file" in bad.reason

    def test_order_is_stable(self, home):
        self.touch(home, "projects/-b/x.jsonl", "projects/-a/y.jsonl", "projects/-a/x.jsonl")
        paths = [str(log.path) for log in discover(home)]
        assert paths == sorted(paths)


class TestIdentify:
    def test_session_is_the_uuid_of_the_name(self, write):
        log = write(user("hi", sessionId=OTHER))
        assert SOURCE.identify(log).session_id == SESSION

    def test_date_before_the_uuid_is_no_part_of_it(self, write):
        log = write(user("hi"), path=f"projects/-a/2026-01-22-{SESSION}.jsonl")
        assert SOURCE.identify(log).session_id == SESSION

    def test_session_of_another_name_comes_from_the_records(self, write):
        log = write({"type": "mode"}, user("hi", sessionId=OTHER), path="projects/-a/copy.jsonl")
        assert SOURCE.identify(log).session_id == OTHER

    def test_name_is_the_last_resort(self, write):
        assert SOURCE.identify(write(path="projects/-a/empty.jsonl")).session_id == "empty"

    def test_start_is_the_first_timestamp(self, write):
        log = write({"type": "summary", "summary": "x"}, user("hi", 5), user("ho", 3))
        assert SOURCE.identify(log).started_at == datetime(2026, 3, 1, 10, 5, tzinfo=UTC)

    def test_only_the_head_is_read(self, write):
        log = write(*[{"type": "mode"}] * 600, user("hi"))
        assert SOURCE.identify(log).started_at is None

    def test_old_subagent_names_its_parent_in_its_records(self, write):
        identity = SOURCE.identify(write(user("go", isSidechain=True), path="projects/-a/agent-77ab.jsonl"))
        assert (identity.session_id, identity.lane, identity.parent_session) == ("agent-77ab", "subagent", SESSION)

    def test_subagent_without_records_has_the_parent_of_its_folder(self, write):
        log = write(path=f"projects/-a/{OTHER}/subagents/workflows/wf_1/agent-7.jsonl")
        assert SOURCE.identify(log).parent_session == OTHER

    def test_history_holds_many_sessions(self, write):
        log = write({"display": "hi", "timestamp": 1772366400000}, path="history.jsonl")
        identity = SOURCE.identify(log)
        assert identity.session_id is None
        assert identity.started_at == datetime(2026, 3, 1, 12, tzinfo=UTC)


class TestEnvelope:
    def test_entry_carries_all_its_record_says(self, write):
        log = write(user("hi"))
        (entry, _) = SOURCE.read(log)
        body = lines(user("hi"))
        assert isinstance(entry, TimelineEntry)
        assert (entry.agent, entry.session_id, entry.cwd, entry.branch) == ("claude", SESSION, CWD, "main")
        assert (entry.record_id, entry.at) == ("user-0", datetime(2026, 3, 1, 10, tzinfo=UTC))
        assert (entry.ref.start, entry.ref.end) == (0, len(body))
        assert entry.ref.sha256 == sha256(body.strip()).hexdigest()

    def test_folder_and_branch_are_those_of_each_record(self, read):
        items = read(user("a"), user("b", 1, cwd="/else", gitBranch="fix"), user("c", 2, gitBranch="HEAD"))
        assert [(e.cwd, e.branch) for e in entries(items)] == [(CWD, "main"), ("/else", "fix"), (CWD, None)]

    def test_copied_history_keeps_its_ids_and_takes_the_session_of_its_log(self, read):
        (entry,) = entries(read(user("a", sessionId=OTHER)))
        assert (entry.session_id, entry.record_id) == (SESSION, "user-0")

    def test_order_is_that_of_the_file_where_times_are_not_monotone(self, read):
        assert typed(read(user("late", 9), user("early", 1))) == ["late", "early"]

    def test_record_without_a_time_has_the_time_before_it(self, read):
        items = read(user("a", 5), user("b", timestamp=None), user("c", timestamp="soon"))
        assert [entry.at.minute for entry in entries(items)] == [5, 5, 5]

    def test_first_records_without_a_time_have_the_next_one(self, read):
        items = read(user("a", timestamp=None), user("b", 7))
        assert [entry.at.minute for entry in entries(items)] == [7, 7]

    def test_log_without_any_time_is_reported(self, read):
        items = read(user("a", timestamp=None))
        assert reasons(items) == ["has no timestamp, nor has any record around it"]

    def test_bad_line_does_not_stop_the_file(self, read):
        items = read(user("a"), raw=b"{broken\n" + lines(user("b", 1)))
        assert typed(items) == ["a", "b"]
        assert reasons(items) == ["is not JSON"]

    def test_record_glued_to_another_is_read(self, read):
        glued = lines(user("a")).strip() + lines({"type": "summary", "summary": "t"}, user("b", 1))
        items = read(raw=glued)
        assert typed(items) == ["a", "b"]
        assert [fact.title for fact in facts(items)] == ["t"]

    def test_half_a_last_line_is_reported_as_unfinished(self, read):
        items = read(user("a"), raw=lines(user("b"))[:40])
        assert typed(items) == ["a"]
        assert "unfinished" in reasons(items)[0]

    def test_lone_surrogate_can_be_written(self, read):
        (said,) = typed(read(raw=lines(user("cut \ud83d"))))
        assert said.encode() == b"cut ?"

    def test_unknown_type_is_counted(self, read):
        assert skipped(read(record("hologram"), record("hologram"))) == {"unknown type: hologram": 2}

    def test_bookkeeping_is_counted_by_type(self, read):
        items = read(
            record("mode"), record("last-prompt"), record("file-history-snapshot"), record("file-history-delta")
        )
        assert skipped(items) == {"mode": 1, "last-prompt": 1, "file-history-snapshot": 1, "file-history-delta": 1}

    @pytest.mark.parametrize("kind", ["user", "assistant"])
    @pytest.mark.parametrize("message", [None, "x", [], {}, {"content": None}, {"content": 5}])
    def test_record_without_a_readable_message_is_reported(self, read, kind, message):
        items = read(record(kind, message=message), user("next", 1))
        assert reasons(items) == [f"is a record of type {kind} without a readable message"]
        assert typed(items) == ["next"]


class TestPrompts:
    def test_string_and_list_are_the_same_prompt(self, read):
        assert voices(read(user("a"), user([text("a")], 1))) == [("user", "typed", "a")] * 2

    def test_blocks_of_one_prompt_are_one_entry(self, read):
        assert typed(read(user([text("look"), text("closer")]))) == ["look\n\ncloser"]

    def test_image_and_document_become_marks(self, read):
        image = {"type": "image", "source": {"type": "base64", "data": "iVBOR" * 9}}
        pdf = {"type": "document", "title": "plan.pdf", "source": {"data": "JVBER" * 9}}
        assert typed(read(user([text("see"), image, pdf]))) == ["see\n\n[image]\n\n[document: plan.pdf]"]

    def test_data_url_in_a_text_becomes_a_mark(self, read):
        assert typed(read(user("x data:image/png;base64,iVBORw0KGgo= y"))) == ["x [embedded data] y"]

    def test_additions_around_a_prompt_are_cut_and_counted(self, read):
        said = "<ide_opened_file>a.py</ide_opened_file>\nfix it\n<system-reminder>\nbe nice\n</system-reminder>"
        items = read(user(said))
        assert typed(items) == ["fix it"]
        assert skipped(items) == {"scaffolding inside a text": 2}

    def test_addition_in_a_block_of_its_own_leaves_the_prompt(self, read):
        assert typed(read(user([text("<ide_selection>x</ide_selection>"), text("fix it")]))) == ["fix it"]

    def test_prompt_that_is_only_additions_is_no_prompt(self, read):
        items = read(user("<system-reminder>\nx\n</system-reminder>"))
        assert entries(items) == []
        assert skipped(items) == {"scaffolding inside a text": 1, "scaffolding": 1}

    def test_reminder_quoted_in_a_sentence_stays(self, read):
        said = "why does <system-reminder>x</system-reminder> appear?"
        assert typed(read(user(said))) == [said]

    def test_pasted_markup_is_a_prompt(self, read):
        assert typed(read(user("<div>what is this?</div>"))) == ["<div>what is this?</div>"]

    def test_injected_record_is_counted_not_yielded(self, read):
        items = read(user("Base directory for this skill: /x", isMeta=True), user([text("x")], 1, isMeta=True))
        assert entries(items) == []
        assert skipped(items) == {"injected (isMeta)": 2}

    def test_injected_record_from_a_channel_is_a_prompt(self, read):
        said = '<channel source="chat">\nship it\n</channel>'
        assert typed(read(user(said, isMeta=True, origin={"kind": "channel"}))) == ["ship it"]

    def test_message_of_another_session_is_from_an_agent(self, read):
        items = read(user("over to you", isMeta=True, origin={"kind": "peer"}))
        assert voices(items) == [("user", "agent", "over to you")]

    def test_message_of_a_teammate_is_from_an_agent(self, read):
        said = '<teammate-message teammate_id="lead">start</teammate-message>'
        assert voices(read(user(said))) == [("user", "agent", said)]

    def test_continuation_by_the_client_is_not_typed(self, read):
        items = read(user("go on", origin={"kind": "auto-continuation"}), user("x", 1, promptSource="system"))
        assert voices(items) == [("system", "injected", "go on"), ("system", "injected", "x")]

    def test_sidechain_prompt_is_from_an_agent(self, read):
        items = read(user("find it", isSidechain=True), assistant(text("found"), minute=1, isSidechain=True))
        assert voices(items) == [("user", "agent", "find it"), ("assistant", "agent", "found")]

    def test_prompt_of_a_subagent_log_is_from_an_agent(self, read):
        items = read(user("find it"), path="projects/-a/agent-5.jsonl")
        assert voices(items) == [("user", "agent", "find it")]
        assert entries(items)[0].session_id == "agent-5"

    def test_plan_that_the_prompt_does_not_quote_is_kept(self, read):
        items = read(
            user("Implement it", planContent="# Plan\n1. dig"), user("Do: # Plan B", 1, planContent="# Plan B")
        )
        assert typed(items) == ["Implement it\n\n# Plan\n1. dig", "Do: # Plan B"]


class TestCommands:
    def test_slash_command_reads_as_it_was_typed(self, read):
        said = (
            "<command-name>/review</command-name>\n  <command-message>review</command-message>\n"
            "  <command-args>src\nnow</command-args>"
        )
        assert typed(read(user(said))) == ["/review src\nnow"]

    def test_command_may_come_in_another_order(self, read):
        said = "<command-message>pr is running…</command-message>\n<command-name>/pr</command-name>"
        assert typed(read(user([text(said)]))) == ["/pr"]

    def test_text_after_a_command_is_kept(self, read):
        assert typed(read(user("<command-name>/a</command-name>\nand this"))) == ["/a\n\nand this"]

    def test_skill_loaded_by_the_model_was_not_typed(self, read):
        said = (
            "<command-message>loading</command-message><command-name>pdf</command-name>"
            "<skill-format>true</skill-format>"
        )
        assert entries(read(user(said))) == []

    def test_skill_called_by_a_person_was_typed(self, read):
        said = "<command-name>/pdf</command-name><skill-format>true</skill-format>"
        assert typed(read(user(said))) == ["/pdf"]

    def test_output_of_a_command_is_a_tool_result(self, read):
        items = read(user("<local-command-stdout>Done</local-command-stdout>"))
        assert voices(items) == [("tool", "tool", "Done")]

    def test_output_keeps_its_colours_until_secrets_are_looked_for(self, read):
        items = read(user("<local-command-stdout>\x1b[2mDone\x1b[22m</local-command-stdout>"))
        assert voices(items) == [("tool", "tool", "\x1b[2mDone\x1b[22m")]

    def test_output_of_nothing_but_colours_is_nothing(self, read):
        items = read(user("<local-command-stdout>\x1b[2m(no content)\x1b[22m</local-command-stdout>"))
        assert entries(items) == []

    def test_empty_output_is_nothing(self, read):
        items = read(user("<local-command-stdout></local-command-stdout>"), user("<bash-stdout></bash-stdout>", 1))
        assert entries(items) == []

    def test_shell_line_is_typed_and_its_output_is_not(self, read):
        items = read(
            user("<bash-input>git status</bash-input>"),
            user("<bash-stdout>clean</bash-stdout><bash-stderr>hm</bash-stderr>", 1),
        )
        assert voices(items) == [("user", "typed", "! git status"), ("tool", "tool", "clean\nhm")]

    def test_old_caveat_is_cut_off_the_command_after_it(self, read):
        caveat = "Caveat: The messages below were generated by the user while running local commands. Ignore them."
        assert typed(read(user(f"{caveat}\n<command-name>/clear</command-name>"))) == ["/clear"]

    def test_newer_form_of_a_local_command_reads_the_same(self, read):
        items = read(
            record("system", subtype="local_command", content="<command-name>/mcp</command-name>"),
            record("system", 1, subtype="local_command", content="<local-command-stdout>ok</local-command-stdout>"),
        )
        assert voices(items) == [("user", "typed", "/mcp"), ("tool", "tool", "ok")]

    def test_report_of_a_background_task_answers_its_call(self, read):
        report = (
            "<task-notification>\n<task-id>b1</task-id>\n<tool-use-id>toolu_9</tool-use-id>\n"
            "<status>completed</status>\n<summary>Search done</summary>\n<result>found 3</result>\n</task-notification>"
        )
        items = read(assistant(call("Task", "toolu_9", prompt="search")), user(report, 1))
        entry = entries(items)[1]
        assert (entry.role, entry.origin, entry.text) == ("tool", "tool", "Search done\n\nfound 3")
        assert entry.tool is not None
        assert (entry.tool.name, entry.tool.call_id) == ("Task", "toolu_9")


class TestAssistant:
    def test_pieces_of_a_message_are_one_entry(self, read):
        items = read(assistant(text("one")), record("progress", 1), assistant(text("two"), minute=2))
        assert voices(items) == [("assistant", "agent", "one\n\ntwo")]
        assert entries(items)[0].record_id == "assistant-0"

    def test_pieces_with_a_call_between_them_stay_apart(self, read):
        items = read(assistant(text("one")), assistant(call(command="ls"), minute=1), assistant(text("two"), minute=2))
        assert [entry.text for entry in entries(items)] == ["one", "Bash\n$ ls", "two"]

    def test_pieces_with_a_result_between_them_stay_apart(self, read):
        items = read(assistant(text("one")), user([result("out")], 1), assistant(text("two"), minute=2))
        assert [entry.text for entry in entries(items)] == ["one", "out", "two"]

    def test_different_messages_stay_apart(self, read):
        items = read(assistant(text("one"), message="m1"), assistant(text("two"), minute=1, message="m2"))
        assert [entry.text for entry in entries(items)] == ["one", "two"]

    def test_messages_without_an_id_stay_apart(self, read):
        one, two = assistant(text("one")), assistant(text("two"), minute=1)
        del one["message"]["id"], two["message"]["id"]
        assert [entry.text for entry in entries(read(one, two))] == ["one", "two"]

    def test_entries_of_one_record_have_ids_of_their_own(self, read):
        items = read(assistant({"type": "thinking", "thinking": "hm"}, text("a"), call(command="ls")))
        assert [entry.record_id for entry in entries(items)] == ["assistant-0", "assistant-0#1", "toolu_1:call"]

    def test_model_is_that_of_each_record(self, read):
        items = read(assistant(text("a"), message="1"), assistant(text("b"), minute=1, message="2", model="haiku"))
        assert [entry.model for entry in entries(items)] == ["opus", "haiku"]

    def test_visible_reasoning_is_kept_and_the_hidden_counted(self, read):
        hidden = {"type": "thinking", "thinking": "", "signature": "abc"}
        items = read(assistant({"type": "thinking", "thinking": "because"}, hidden, {"type": "redacted_thinking"}))
        assert voices(items) == [("reasoning", "agent", "because")]
        assert skipped(items) == {"reasoning without text": 2}

    def test_content_may_be_a_string(self, read):
        assert voices(read(record("assistant", message={"content": "plain"}))) == [("assistant", "agent", "plain")]

    def test_placeholder_of_the_client_is_not_said_by_the_model(self, read):
        items = read(assistant(text("No response requested."), model="<synthetic>"))
        assert entries(items) == []
        assert skipped(items) == {"synthetic": 1}

    @pytest.mark.parametrize("fields", [{"model": "<synthetic>"}, {"isApiErrorMessage": True}])
    def test_error_shown_in_the_models_name_is_a_client_event(self, read, fields):
        items = read(assistant(text("API Error: 529 overloaded"), **fields))
        assert voices(items) == [("system", "injected", "API Error: 529 overloaded")]

    def test_unknown_block_is_counted(self, read):
        assert skipped(read(assistant({"type": "hologram"}, 5))) == {"unknown block: hologram": 1, "empty text": 1}


class TestTools:
    def test_call_is_described(self, read):
        (entry,) = entries(read(assistant(call("Edit", file_path="/a.py", old_string="x", new_string="y\nz"))))
        assert entry.text == "Edit /a.py\nnew_string:\ny\nz\nold_string: x"
        assert entry.tool is not None
        assert (entry.role, entry.origin, entry.record_id) == ("tool", "tool", "toolu_1:call")
        assert (entry.tool.phase, entry.tool.files) == ("call", ("/a.py",))

    def test_plan_is_kept(self, read):
        (entry,) = entries(read(assistant(call("ExitPlanMode", plan="# Plan\n1. dig"))))
        assert "# Plan\n1. dig" in entry.text

    def test_result_names_the_tool_that_was_called_long_before(self, read):
        items = read(
            assistant(call("Bash", "t1", command="a"), call("Grep", "t2", pattern="b")),
            user("meanwhile", 1),
            user([result("from b", "t2")], 2),
            user([result("from a", "t1")], 3),
        )
        assert [(e.tool.name, e.text) for e in entries(items)[3:] if e.tool] == [("Grep", "from b"), ("Bash", "from a")]

    def test_result_whose_call_was_cut_off_is_kept(self, read):
        (entry,) = entries(read(user([result("out", "t9")])))
        assert entry.tool is not None
        assert (entry.tool.name, entry.record_id) == ("unknown tool", "t9:result")

    def test_richer_copy_of_a_result_is_not_read(self, read):
        items = read(user([result("out")], toolUseResult={"stdout": "out", "originalFile": "SECOND COPY"}))
        assert voices(items) == [("tool", "tool", "out")]

    @pytest.mark.parametrize(
        ("body", "flags", "expected"),
        [
            ("fine", {}, (False, None)),
            ("fine", {"is_error": False}, (False, None)),
            ("Exit code 2\nno such file", {"is_error": True}, (True, 2)),
            ("Error: Exit code 127\nnot found", {"is_error": True}, (True, 127)),
            ("<tool_use_error>File does not exist.</tool_use_error>", {"is_error": True}, (True, None)),
        ],
    )
    def test_outcome_of_a_call(self, read, body, flags, expected):
        (entry,) = entries(read(user([result(body, **flags)])))
        assert entry.tool is not None
        assert (entry.tool.failed, entry.tool.exit_code) == expected

    def test_error_is_taken_out_of_its_envelope(self, read):
        items = read(user([result("<tool_use_error>Not read yet.</tool_use_error>", is_error=True)]))
        assert voices(items) == [("tool", "tool", "Not read yet.")]

    def test_reminder_after_a_result_is_cut(self, read):
        body = "     1\tcode\n\n<system-reminder>\nmalware?\n</system-reminder>\n"
        items = read(user([result(body)]))
        assert voices(items) == [("tool", "tool", "     1\tcode")]
        assert skipped(items) == {"scaffolding inside a text": 1}

    def test_reminder_in_a_file_that_was_read_stays(self, read):
        body = "    30→// <system-reminder>quoted</system-reminder>"
        assert voices(read(user([result(body)]))) == [("tool", "tool", body)]

    def test_parts_of_a_result_are_joined(self, read):
        parts = [
            text("one"),
            {"type": "image", "source": {"data": "iVBOR"}},
            {"type": "tool_reference", "tool_name": "mcp__a"},
            None,
            text("two"),
        ]
        assert voices(read(user([result(parts)]))) == [("tool", "tool", "one\n[image]\n[tool reference: mcp__a]\ntwo")]

    @pytest.mark.parametrize("content", ["", None, [], 5, [text("")], [{"type": "text"}]])
    def test_empty_result_is_counted(self, read, content):
        items = read(user([result(content)]))
        assert entries(items) == []
        assert skipped(items) == {"empty tool result": 1}

    def test_empty_failure_is_kept(self, read):
        assert voices(read(user([result("", is_error=True)]))) == [("tool", "tool", "[no output]")]

    def test_search_by_the_server_is_a_call_and_a_result(self, read):
        hit = {"type": "web_search_result", "title": "Orbits", "url": "https://o.example", "encrypted_content": "EqgfC"}
        items = read(
            assistant(
                {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "orbit"}},
                {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [hit]},
            )
        )
        assert [entry.text for entry in entries(items)] == ["web_search\nquery: orbit", "Orbits https://o.example"]

    def test_text_beside_a_result_is_typed(self, read):
        items = read(user([result("out"), text("and now the tests")]))
        assert voices(items) == [("tool", "tool", "out"), ("user", "typed", "and now the tests")]

    def test_reason_for_refusing_a_call_is_typed(self, read):
        refusal = (
            "The user doesn't want to proceed with this tool use. The tool use was rejected. "
            "To tell you how to proceed, the user said:\nuse a switch\n\ninstead\n\n"
            "Note: The user's next message may contain a correction or preference."
        )
        items = read(user([result(refusal, is_error=True)]))
        assert typed(items) == ["use a switch\n\ninstead"]
        assert "use a switch" not in entries(items)[0].text

    def test_refusal_without_a_reason_is_only_a_result(self, read):
        refusal = "The user doesn't want to proceed with this tool use. STOP what you are doing."
        assert voices(read(user([result(refusal, is_error=True)]))) == [("tool", "tool", refusal)]

    def test_request_to_clarify_was_written_by_the_client(self, read):
        refusal = (
            "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\n"
            "The user wants to clarify these questions."
        )
        assert typed(read(user([result(refusal, is_error=True)]))) == []

    def test_refusal_quoted_in_a_file_is_only_a_result(self, read):
        assert typed(read(user([result("log:\nthe user said:\nhello")]))) == []


class TestClientEvents:
    @pytest.mark.parametrize("said", ["[Request interrupted by user]", "[Request interrupted by user for tool use]"])
    def test_interruption_is_a_client_event(self, read, said):
        assert voices(read(user([text(said)]))) == [("system", "injected", said)]

    def test_stop_by_a_hook_is_a_client_event(self, read):
        assert voices(read(user("Operation stopped by hook: busy"))) == [
            ("system", "injected", "Operation stopped by hook: busy")
        ]

    def test_prompt_that_a_hook_blocked_is_kept(self, read):
        content = "UserPromptSubmit operation blocked by hook:\nno secrets\n\nOriginal prompt: deploy it"
        items = read(record("system", subtype="informational", content=content))
        assert typed(items) == ["deploy it"]

    def test_compaction_summary_is_marked_as_such(self, read):
        items = read(
            record("system", subtype="compact_boundary", content="Conversation compacted"),
            user("This session is being continued…", 1, isCompactSummary=True, isVisibleInTranscriptOnly=True),
        )
        assert voices(items) == [("system", "compaction", "This session is being continued…")]
        assert skipped(items) == {"system: compact_boundary": 1}

    def test_summary_without_a_flag_is_recognised(self, read):
        said = "This session is being continued from a previous conversation that ran out of context."
        assert voices(read(user(said))) == [("system", "compaction", said)]

    def test_summary_of_what_happened_while_away_is_kept(self, read):
        items = read(record("system", subtype="away_summary", content="Tests pass now."))
        assert voices(items) == [("system", "compaction", "Tests pass now.")]

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"error": {}, "retryAttempt": 1, "maxRetries": 10}, "API error (retry 1 of 10)"),
            ({"error": {"status": 529, "error": {"error": {"message": "Overloaded"}}}}, "API error 529: Overloaded"),
            ({"error": {"cause": {"code": "ECONNRESET"}}}, "API error: ECONNRESET"),
            ({"error": None, "cause": "timeout"}, "API error: timeout"),
        ],
    )
    def test_api_error_is_a_short_event(self, read, fields, expected):
        assert voices(read(record("system", subtype="api_error", **fields))) == [("system", "injected", expected)]

    def test_other_notices_are_counted(self, read):
        assert skipped(read(record("system", subtype="turn_duration"), record("system"))) == {
            "system: turn_duration": 1,
            "system: none": 1,
        }

    def test_progress_is_counted_and_that_of_agents_apart(self, read):
        items = read(record("progress", data={"type": "agent_progress", "prompt": "p"}), record("progress", data=None))
        assert skipped(items) == {"agent_progress": 1, "progress": 1}

    def test_context_attachment_is_counted(self, read):
        hook = {"type": "hook_additional_context", "content": ["claude@orbit"], "hookEvent": "SessionStart"}
        items = read(
            record("attachment", attachment={"type": "skill_listing"}),
            record("attachment", attachment=hook),
            record("attachment", attachment=None),
        )
        assert entries(items) == []
        assert skipped(items) == {
            "attachment: skill_listing": 1,
            "attachment: hook_additional_context": 1,
            "attachment: none": 1,
        }


class TestQueue:
    def test_prompt_taken_in_while_working_is_typed(self, read):
        (entry,) = entries(read(queued_command("hurry", 3)))
        assert (entry.origin, entry.text, entry.record_id) == ("typed", "hurry", "attachment-3")

    def test_queued_blocks_are_read(self, read):
        assert typed(read(queued_command([text("look"), {"type": "image"}]))) == ["look\n\n[image]"]

    def test_queued_notification_is_not_typed(self, read):
        report = "<task-notification><summary>done</summary></task-notification>"
        items = read(queued_command(report, commandMode="task-notification"))
        assert voices(items) == [("tool", "tool", "done")]

    def test_queued_message_of_another_session_is_not_typed(self, read):
        items = read(queued_command("hello", isMeta=True, origin={"kind": "peer"}))
        assert voices(items) == [("user", "agent", "hello")]

    def test_prompt_sent_after_waiting_comes_once(self, read):
        items = read(queue("enqueue", "next"), queue("dequeue"), user("next", 1))
        assert [(entry.text, entry.record_id) for entry in entries(items)] == [("next", "user-1")]

    def test_prompt_queued_above_what_was_copied_from_before_comes_in_its_time_and_once(self, read):
        copied = (user("seal it", 1), assistant(text("sealed"), minute=2))
        items = read(queue("enqueue", "go on", 9), queue("dequeue", minute=9), *copied, user("go on", 9))
        assert [entry.text for entry in entries(items)] == ["seal it", "sealed", "go on"]

    def test_prompt_queued_above_what_was_copied_from_before_is_kept_without_a_copy(self, read):
        copied = (user("seal it", 1), assistant(text("sealed"), minute=2))
        items = read(
            queue("enqueue", "go on", 9), queue("dequeue", minute=9), *copied, assistant(text("ok"), minute=10)
        )
        assert [entry.text for entry in entries(items)] == ["seal it", "sealed", "go on", "ok"]

    @pytest.mark.parametrize("copy_first", [True, False])
    def test_prompt_with_an_attachment_comes_once(self, read, copy_first):
        pair = [queued_command("hurry", 1), queue("remove", minute=1)]
        items = read(queue("enqueue", "hurry"), *(pair if copy_first else pair[::-1]), assistant(text("ok"), minute=2))
        assert [entry.record_id for entry in entries(items)] == ["attachment-1", "assistant-2"]

    def test_absorbed_prompt_without_a_copy_is_kept(self, read):
        items = read(
            user("start"),
            queue("enqueue", "and test it", 1),
            queue("remove", minute=2),
            assistant(text("ok"), minute=3),
        )
        assert voices(items)[1] == ("user", "typed", "and test it")
        absorbed = entries(items)[1]
        assert (absorbed.at.minute, absorbed.cwd, absorbed.record_id) == (1, CWD, None)

    def test_absorbed_prompt_stands_before_the_answer(self, read):
        items = read(queue("enqueue", "q"), queue("remove"), assistant(text("a"), minute=1))
        assert [entry.text for entry in entries(items)] == ["q", "a"]

    def test_absorbed_prompt_at_the_head_takes_the_folder_of_the_next_record(self, read):
        items = read(queue("enqueue", "q"), queue("remove"), assistant(text("a"), minute=1))
        assert (entries(items)[0].cwd, entries(items)[0].branch) == (CWD, "main")

    def test_removal_tells_what_was_queued_above_the_head(self, read):
        items = read(queue("remove", "lost?", 1), assistant(text("a"), minute=2))
        assert typed(items) == ["lost?"]

    def test_same_words_typed_again_later_come_again(self, read):
        items = read(queue("enqueue", "continue"), queue("remove"), assistant(text("a"), minute=1), user("continue", 2))
        assert typed(items) == ["continue", "continue"]

    def test_prompts_joined_into_one_come_once(self, read):
        items = read(queue("enqueue", "a"), queue("enqueue", "b"), queue("dequeue"), queue("dequeue"), user("a\nb", 1))
        assert typed(items) == ["a\nb"]

    def test_word_inside_another_prompt_is_no_copy(self, read):
        items = read(queue("enqueue", "yes"), queue("remove"), user("yesterday it worked", 1))
        assert sorted(typed(items)) == ["yes", "yesterday it worked"]

    def test_prompt_taken_back_and_edited_comes_once(self, read):
        items = read(queue("enqueue", "do it"), queue("popAll", "do it"), user("do it, with tests", 1))
        assert typed(items) == ["do it, with tests"]

    def test_prompt_taken_back_and_queued_again_comes_once(self, read):
        items = read(
            queue("enqueue", "do it"),
            queue("popAll", "do it"),
            queue("enqueue", "do it, with tests", 1),
            queue("remove", minute=1),
            assistant(text("ok"), minute=2),
        )
        assert [entry.text for entry in entries(items)] == ["do it, with tests", "ok"]

    def test_prompt_taken_back_and_dropped_is_kept(self, read):
        items = read(queue("enqueue", "spelling?"), queue("popAll", "spelling?"), user("something else", 1))
        assert typed(items) == ["spelling?", "something else"]

    def test_prompt_still_waiting_at_the_end_is_kept(self, read):
        assert typed(read(user("a"), queue("enqueue", "b", 1))) == ["a", "b"]

    def test_queued_slash_command_comes_once(self, read):
        items = read(
            queue("enqueue", "/skills"),
            queue("remove"),
            assistant(text("a"), minute=1),
            user("<command-name>/skills</command-name>", 2),
        )
        assert typed(items) == ["/skills"]

    def test_command_run_at_once_leaves_the_queue_alone(self, read):
        items = read(queue("enqueue", "next"), user("<command-name>/ide</command-name>", 1), user("next", 2))
        assert typed(items) == ["/ide", "next"]

    def test_notification_leaving_the_queue_is_not_taken_for_a_prompt(self, read):
        items = read(
            queue("enqueue", "<task-notification><summary>s</summary></task-notification>"),
            queue("enqueue", "next"),
            queue("remove"),
            assistant(text("a"), minute=1),
            queue("dequeue"),
            user("next", 2),
        )
        assert [entry.text for entry in entries(items)] == ["a", "next"]

    def test_removal_is_of_the_prompt_whose_copy_was_seen(self, read):
        items = read(
            queue("enqueue", "later"),
            queue("enqueue", "now"),
            queued_command("now", 1),
            queue("remove", minute=1),
            assistant(text("a"), minute=2),
            queue("dequeue"),
            user("later", 3),
        )
        assert [entry.text for entry in entries(items)] == ["now", "a", "later"]

    def test_subagent_speaking_absorbs_nothing(self, read):
        items = read(
            queue("enqueue", "q"),
            queue("remove"),
            assistant(text("side"), minute=1, isSidechain=True),
            queued_command("q", 2),
        )
        assert [entry.text for entry in entries(items)] == ["side", "q"]

    def test_text_does_not_join_over_an_absorbed_prompt(self, read):
        items = read(assistant(text("one")), queue("enqueue", "q"), queue("remove"), assistant(text("two"), minute=1))
        assert [entry.text for entry in entries(items)] == ["one", "q", "two"]


class TestFacts:
    def test_generated_title_is_told_once(self, read):
        titles = [{"type": "ai-title", "aiTitle": title, "sessionId": SESSION} for title in ("A", "A", "B")]
        assert facts(read(*titles)) == [SessionEvent(SESSION, title="A"), SessionEvent(SESSION, title="B")]

    def test_title_chosen_by_a_person_stays(self, read):
        items = read(
            {"type": "ai-title", "aiTitle": "A"},
            {"type": "custom-title", "customTitle": "Mine"},
            {"type": "ai-title", "aiTitle": "A"},
        )
        assert [fact.title for fact in facts(items)] == ["A", "Mine"]

    def test_summary_names_the_record_it_is_the_title_of(self, read):
        items = read({"type": "summary", "summary": "Orbit fix", "leafUuid": "u-9"})
        assert facts(items) == [SessionEvent(SESSION, title="Orbit fix", title_of_record="u-9")]

    def test_pull_request_tells_the_remote_of_the_folder(self, read):
        link = {
            "type": "pr-link",
            "prNumber": 7,
            "prUrl": "https://github.com/ada/orbit/pull/7",
            "prRepository": "ada/orbit",
        }
        items = read(user("hi", cwd="/w"), link)
        assert facts(items) == [
            SessionEvent(SESSION, remote_url="https://github.com/ada/orbit", cwd="/w", of_pull_request=True)
        ]

    def test_pull_request_elsewhere_keeps_its_host(self, read):
        link = {"type": "pr-link", "prUrl": "https://git.corp.example/ada/orbit/pull/7", "prRepository": "ada/orbit"}
        assert facts(read(link))[0].remote_url == "https://git.corp.example/ada/orbit"

    @pytest.mark.parametrize("value", [{"type": "pr-link"}, {"type": "summary"}, {"type": "ai-title", "aiTitle": 5}])
    def test_fact_that_says_nothing_is_counted(self, read, value):
        items = read(value)
        assert facts(items) == []
        assert skipped(items) == {f"{value['type']} that says nothing new": 1}


class TestHistory:
    def history(self, *values: Value) -> dict[str, Any]:
        return {"path": "history.jsonl", "raw": lines(*values)}

    def prompt(self, display: Any, **fields: Any) -> Value:
        return {"display": display, "pastedContents": {}, "timestamp": 1772366400000, "project": CWD, **fields}

    def test_line_is_a_typed_prompt(self, read):
        (entry,) = read(**self.history(self.prompt("fix the orbit", sessionId=SESSION)))
        assert (entry.session_id, entry.cwd, entry.text, entry.origin) == (SESSION, CWD, "fix the orbit", "typed")
        assert (entry.at, entry.record_id) == (datetime(2026, 3, 1, 12, tzinfo=UTC), None)

    def test_prompt_of_an_unknown_session_has_a_fixed_one(self, read):
        (entry,) = read(**self.history(self.prompt("fix")))
        assert entry.session_id == "history"

    def test_pasted_texts_follow_in_their_order(self, read):
        pasted = {
            "10": {"type": "text", "content": "ten"},
            "2": {"type": "text", "content": "two"},
            "3": {"type": "image", "content": "iVBOR"},
            "4": {"type": "text", "contentHash": "abc"},
            "5": None,
        }
        (entry,) = read(**self.history(self.prompt("see [Pasted text #2]", pastedContents=pasted)))
        assert entry.text == "see [Pasted text #2]\n\ntwo\n\nten"

    def test_slash_command_is_counted(self, read):
        items = read(**self.history(self.prompt("/clear"), self.prompt("/review src")))
        assert items == [SkippedRecords(items[0].path, "slash command", 2)]

    def test_prompt_that_begins_with_a_path_is_a_prompt(self, read):
        (entry,) = read(**self.history(self.prompt("/home/ada/notes.txt is wrong")))
        assert entry.text == "/home/ada/notes.txt is wrong"

    @pytest.mark.parametrize("value", [{}, {"display": None}, {"display": ["x"]}, {"display": " "}])
    def test_empty_prompt_is_counted(self, read, value):
        assert skipped(read(**self.history(value))) == {"empty prompt": 1}

    def test_prompt_without_a_time_has_that_of_a_neighbour(self, read):
        items = read(**self.history(self.prompt("a", timestamp=None), self.prompt("b")))
        assert [entry.at.hour for entry in entries(items)] == [12, 12]

    def test_history_without_any_time_is_reported(self, read):
        items = read(**self.history(self.prompt("a", timestamp="?")))
        assert reasons(items) == ["has no timestamp, nor has any record around it"]

    def test_bad_line_costs_itself(self, read):
        options = self.history(self.prompt("a"))
        items = read(path="history.jsonl", raw=b"[]\n" + options["raw"])
        assert typed(items) == ["a"]
        assert len(reasons(items)) == 1


class TestAdditions:
    def test_unclosed_addition_stays(self):
        assert cut_additions("<system-reminder>\nopen") == ("<system-reminder>\nopen", 0)

    def test_additions_in_a_row_are_all_cut(self):
        row = "<ide_opened_file>a</ide_opened_file><system-reminder>b</system-reminder>c"
        assert cut_additions(row) == ("c", 2)

    def test_text_between_additions_is_kept(self):
        body = "a\n<system-reminder>1</system-reminder>\nb\n<system-reminder>2</system-reminder>\nc"
        assert cut_reminders(body) == ("a\n\nb\n\nc", 2)

    def test_many_unclosed_additions_are_searched_once(self):
        body = "<system-reminder>\n" * 60_000
        started = time.process_time()
        assert cut_reminders(body) == (body, 0)
        assert time.process_time() - started < 1


def test_growth_of_a_log_only_adds_to_its_tail(write):
    """All but the last entry of every prefix of a log stand unchanged in the whole."""
    values = [
        user("one"),
        assistant(text("a"), minute=1),
        assistant(text("b"), minute=2),
        assistant(call(command="ls"), minute=3, message="msg_2"),
        queued_command("hurry", 4),
        user([result("out"), text("ok")], 5),
        {"type": "ai-title", "aiTitle": "T"},
        assistant(text("c"), minute=6, message="msg_3"),
    ]
    whole = entries(list(SOURCE.read(write(*values))))
    for length in range(len(values)):
        part = entries(list(SOURCE.read(write(*values[:length]))))
        assert part[:-1] == whole[: max(len(part) - 1, 0)]


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "x", "text", "tool_result", "<a>", "uuid"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["type", "text", "content", "id", "name", "input"]), inner, max_size=4)
    ),
    max_leaves=8,
)
kinds = st.sampled_from(
    ["user", "assistant", "system", "attachment", "queue-operation", "summary", "pr-link", "ai-title", "progress"]
)
fields = ["uuid", "timestamp", "cwd", "message", "content", "attachment", "operation", "subtype", "error", "origin"]
strange = st.builds(
    lambda kind, rest, content: {**rest, "type": kind, "message": {"content": content, **rest}},
    kinds,
    st.dictionaries(st.sampled_from(fields), anything, max_size=5),
    anything | st.lists(anything, max_size=3),
)


@given(st.lists(strange, max_size=4))
@pytest.mark.slow
def test_strange_content_is_never_an_error(tmp_path_factory, values):
    path = tmp_path_factory.getbasetemp() / f"{SESSION}.jsonl"
    path.write_bytes(lines(user("first"), *values, user("last", 9)))
    items = list(SOURCE.read(LogFile("claude", "claude-jsonl", path, path.stat().st_size, "f")))
    assert "last" in typed(items)
    assert all(entry.text.strip() for entry in entries(items))


def test_every_record_with_an_id_is_marked_in_file_order(read):
    items = read(user("hi"), record("progress", 1, data={}), {"type": "mode"}, record("system", 2))
    (marks,) = [item.marks for item in items if isinstance(item, RecordMarks)]
    assert marks == b"".join(map(record_mark, ("user-0", "progress-1", "system-2")))


class TestToolRecords:
    """Calls and results at top level, as logs of other versions and exports have them."""

    def test_a_call_and_its_result_are_read_and_paired(self, read):
        items = read(
            record("tool_use", 1, id="toolu_7", name="Bash", input={"command": "make"}),
            record("tool_result", 2, tool_use_id="toolu_7", content="Exit code 2\nno rule", is_error=True),
        )
        call, result = entries(items)
        assert (call.role, call.tool.name, call.tool.command, call.record_id) == (
            "tool",
            "Bash",
            "make",
            "toolu_7:call",
        )
        assert (result.tool.name, result.tool.failed, result.tool.exit_code) == ("Bash", True, 2)
        assert result.text.endswith("no rule")

    def test_names_in_camel_case_are_understood(self, read):
        items = read(
            record("tool_use", 1, toolUseId="t1", toolName="Grep", toolInput={"pattern": "lamp"}),
            record("tool_result", 2, toolUseId="t1", toolOutput="lamp.py:3"),
        )
        assert [(entry.tool.name, entry.tool.phase) for entry in entries(items)] == [
            ("Grep", "call"),
            ("Grep", "result"),
        ]
        assert entries(items)[1].text == "lamp.py:3"

    def test_one_with_a_message_of_its_own_is_read_like_a_block(self, read):
        items = read(record("tool_result", 1, message={"role": "user", "content": [result("ok")]}))
        assert [entry.text for entry in entries(items)] == ["ok"]

    def test_one_without_a_call_or_a_result_is_reported(self, read):
        assert reasons(read(record("tool_use", 1))) == ["is a record of type tool_use without a call or a result"]


TASK = '{"task_id":"b1","tool_use_id":"toolu_9","description":"Seal the cell","task_type":"local_bash"}'


class TestPrograms:
    def test_a_queue_record_of_a_task_is_told_in_its_place_and_is_not_typed(self, read):
        items = read(
            user("seal it", 1),
            queue("enqueue", TASK, 2),
            assistant(text("sealing"), minute=3),
            queue("remove", minute=4),
            assistant(text("sealed"), minute=5),
            user("thanks", 6),
        )
        assert [(found.origin, found.at.minute) for found in entries(items) if found.role == "user"] == [
            ("typed", 1),
            ("injected", 2),
            ("typed", 6),
        ]
        assert [found.text for found in entries(items)][1] == TASK

    def test_a_queue_record_keeps_the_key_that_it_had(self, read):
        (found,) = [found for found in entries(read(queue("enqueue", TASK, 2), user("x", 3))) if found.text == TASK]
        assert (found.role, found.record_id) == ("user", None)  # the key comes from session, time and role

    @pytest.mark.parametrize(
        ("fields", "origin"),
        [
            ({"entrypoint": "sdk-cli", "promptSource": "sdk"}, "program"),
            ({"entrypoint": "sdk-py"}, "program"),
            ({"promptSource": "sdk"}, "program"),
            ({"entrypoint": "cli", "promptSource": "typed"}, "typed"),
            ({"entrypoint": "claude-vscode"}, "typed"),
            ({"entrypoint": "claude-desktop", "promptSource": "sdk", "origin": {"kind": "human"}}, "typed"),
            ({"entrypoint": "claude-desktop", "promptSource": "sdk"}, "typed"),
            ({"promptSource": "sdk", "origin": {"kind": "human"}}, "typed"),
            ({"entrypoint": "sdk-cli", "promptSource": "system"}, "injected"),
            (
                {"entrypoint": "claude-desktop", "promptSource": "sdk", "origin": {"kind": "task-notification"}},
                "injected",
            ),
        ],
    )
    def test_a_prompt_of_a_program_is_told_from_one_of_a_person(self, read, fields, origin):
        (found,) = entries(read(user("seal the cell", **fields)))
        assert found.origin == origin

    def test_the_evidence_is_told_once(self, read):
        items = read(user("a", 1, entrypoint="sdk-cli"), user("b", 2, entrypoint="sdk-cli"))
        assert [item.automated for item in items if isinstance(item, SessionEvent)] == [
            "started by claude -p (entrypoint sdk-cli)"
        ]

    def test_a_prompt_of_claude_p_is_stored_once_though_the_queue_has_it_too(self, read):
        items = read(queue("enqueue", "seal it"), queue("dequeue"), user("seal it", 1, entrypoint="sdk-cli"))
        assert [(found.text, found.origin) for found in entries(items)] == [("seal it", "program")]

    def test_a_message_of_another_session_is_the_agents_also_without_the_clients_mark(self, read):
        said = 'Another Claude session sent a message:\n<teammate-message teammate_id="bee">hi</teammate-message>'
        (found,) = entries(read(user(said)))
        assert found.origin == "agent"
