"""Gemini CLI logs: the three formats, what each message becomes, and how the project folder is found."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from aicx.sources.gemini import SOURCE, folder_hash, project_root
from aicx.sources.items import BadRecord, LogFile, SessionEvent, SkippedRecords, SourceItem, TimelineEntry
from aicx.types import AgentHomes

ROOT = "/srv/work/lamp"
HASH = folder_hash(ROOT)
SESSION = "0f1e2d3c-4b5a-4697-8877-665544332211"
T0 = "2026-03-01T10:00:00.000Z"


def at(second: int) -> str:
    return f"2026-03-01T10:00:{second:02d}.000Z"


def message(id: str, type: str, content: Any = "", second: int = 0, **more: Any) -> dict[str, Any]:
    return {"id": id, "timestamp": at(second), "type": type, "content": content, **more}


def call(id: str, name: str, args: Any, output: Any = None, status: str = "success", **more: Any) -> dict[str, Any]:
    answer = {"error": output} if status != "success" else {"output": output}
    result = [] if output is None else [{"functionResponse": {"id": id, "name": name, "response": answer}}]
    return {"id": id, "name": name, "args": args, "result": result, "status": status, "timestamp": at(9), **more}


def homes(folder: Path) -> AgentHomes:
    return AgentHomes(folder / "claude", folder / "codex", folder / "gemini")


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def chats(folder: Path, project: str = HASH) -> Path:
    return folder / "gemini" / "tmp" / project / "chats"


def write_json(folder: Path, messages: Any, project: str = HASH, **header: Any) -> Path:
    value = {"sessionId": SESSION, "projectHash": HASH, "startTime": T0, "messages": messages, **header}
    return write(chats(folder, project) / "session-2026-03-01T10-00-0f1e2d3c.json", json.dumps(value, indent=2))


def write_lines(folder: Path, *lines: Any, name: str = "session-2026-03-01T10-00-0f1e2d3c.jsonl") -> Path:
    header = {"sessionId": SESSION, "projectHash": HASH, "startTime": T0, "kind": "main"}
    records = [line if isinstance(line, str) else json.dumps(line) for line in (header, *lines)]
    return write(chats(folder) / name, "\n".join(records) + "\n")


def logs(folder: Path) -> list[LogFile]:
    return [found for found in SOURCE.discover(homes(folder)) if isinstance(found, LogFile)]


def items(folder: Path) -> list[SourceItem]:
    return [item for log in logs(folder) for item in SOURCE.read(log)]


def entries(folder: Path) -> list[TimelineEntry]:
    return [item for item in items(folder) if isinstance(item, TimelineEntry)]


def said(folder: Path) -> list[tuple[str, str]]:
    return [(entry.role, entry.text) for entry in entries(folder)]


def skipped(folder: Path) -> dict[str, int]:
    return {item.reason: item.count for item in items(folder) if isinstance(item, SkippedRecords)}


def bad(folder: Path) -> list[BadRecord]:
    return [item for item in items(folder) if isinstance(item, BadRecord)]


def from_json(folder: Path, *messages: Any) -> list[TimelineEntry]:
    write_json(folder, list(messages))
    return entries(folder)


# --- discovery


def test_formats_are_told_by_name(tmp_path: Path) -> None:
    write_json(tmp_path, [])
    write_lines(tmp_path)
    write(tmp_path / "gemini/tmp" / HASH / "logs.json", "[]")
    assert [log.format for log in logs(tmp_path)] == ["gemini-json", "gemini-jsonl", "gemini-logs"]


def test_checkpoints_are_copies_and_not_listed(tmp_path: Path) -> None:
    write(tmp_path / "gemini/tmp" / HASH / "checkpoint-before.json", "[]")
    write(chats(tmp_path) / "checkpoint-before.json", "[]")
    assert list(SOURCE.discover(homes(tmp_path))) == []


def test_history_is_searched_but_not_its_git_folder(tmp_path: Path) -> None:
    write(tmp_path / "gemini/history" / HASH / ".git" / "session-trap.json", "{}")
    kept = write(tmp_path / "gemini/history" / HASH / "session-old.json", "{}")
    assert [log.path for log in logs(tmp_path)] == [kept]


def test_a_folder_named_like_a_log_is_reported_and_the_rest_carries_on(tmp_path: Path) -> None:
    write_json(tmp_path, [])
    (chats(tmp_path) / "session-folder.json").mkdir()
    found = list(SOURCE.discover(homes(tmp_path)))
    assert [type(item) for item in found] == [LogFile, BadRecord]


def test_a_missing_home_yields_nothing(tmp_path: Path) -> None:
    assert list(SOURCE.discover(homes(tmp_path / "nowhere"))) == []


def test_a_stray_file_among_the_projects_is_ignored(tmp_path: Path) -> None:
    write(tmp_path / "gemini/tmp/notes.txt", "x")
    assert list(SOURCE.discover(homes(tmp_path))) == []


# --- identity


def test_identity_is_the_full_session_id_and_its_start(tmp_path: Path) -> None:
    write_json(tmp_path, [])
    identity = SOURCE.identify(logs(tmp_path)[0])
    assert (identity.session_id, identity.lane) == (SESSION, "primary")
    assert identity.started_at is not None
    assert identity.started_at.isoformat() == "2026-03-01T10:00:00+00:00"


def test_a_chat_below_a_session_folder_is_that_sessions_subagent(tmp_path: Path) -> None:
    write_lines(tmp_path, message("m", "user", "look"), name="parent-id/child.jsonl")
    identity = SOURCE.identify(logs(tmp_path)[0])
    assert (identity.lane, identity.parent_session) == ("subagent", "parent-id")
    assert SessionEvent(SESSION, parent_session="parent-id", lane="subagent") in items(tmp_path)


def test_a_log_without_a_session_id_goes_by_its_file_name(tmp_path: Path) -> None:
    write(chats(tmp_path) / "session-odd.json", '{"sessionId": null, "messages": []}')
    assert SOURCE.identify(logs(tmp_path)[0]).session_id == "session-odd"


def test_a_prompt_history_belongs_to_no_session(tmp_path: Path) -> None:
    write(tmp_path / "gemini/tmp" / HASH / "logs.json", "[]")
    assert SOURCE.identify(logs(tmp_path)[0]).session_id is None


def test_a_broken_log_has_still_an_identity(tmp_path: Path) -> None:
    write(chats(tmp_path) / "session-cut.json", '{"sessionId": "x", "mess')
    assert SOURCE.identify(logs(tmp_path)[0]).session_id == "session-cut"


# --- one object a session


def test_a_turn_reads_as_thought_answer_call_and_result(tmp_path: Path) -> None:
    thoughts = [{"subject": "Plan", "description": "Read it first.", "timestamp": at(1)}]
    found = from_json(
        tmp_path,
        message("u", "user", "what is in a.txt?"),
        message(
            "g",
            "gemini",
            "I will look.",
            2,
            thoughts=thoughts,
            toolCalls=[call("c", "read_file", {"file_path": "a.txt"}, "hello")],
        ),
    )
    assert [(entry.role, entry.text) for entry in found] == [
        ("user", "what is in a.txt?"),
        ("reasoning", "Plan: Read it first."),
        ("assistant", "I will look."),
        ("tool", "read_file a.txt"),
        ("tool", "hello"),
    ]


def test_ids_differ_for_every_entry_of_a_message(tmp_path: Path) -> None:
    thoughts = [{"subject": "Plan", "description": "x"}]
    found = from_json(tmp_path, message("g", "gemini", "ok", thoughts=thoughts, toolCalls=[call("c", "ls", {}, "out")]))
    assert [entry.record_id for entry in found] == ["g#reasoning", "g", "c:call", "c:result"]


def test_the_model_is_taken_from_each_message(tmp_path: Path) -> None:
    found = from_json(tmp_path, message("a", "gemini", "x", model="pro"), message("b", "gemini", "y", model="flash"))
    assert [entry.model for entry in found] == ["pro", "flash"]


def test_a_result_carries_the_name_and_id_of_its_call(tmp_path: Path) -> None:
    result = from_json(tmp_path, message("g", "gemini", "", toolCalls=[call("c", "read_file", {}, "hello")]))[1].tool
    assert result is not None
    assert (result.name, result.call_id, result.phase, result.failed) == ("read_file", "c", "result", False)


@pytest.mark.parametrize("status", ["error", "cancelled"])
def test_an_error_or_a_cancelled_call_is_a_failed_result(tmp_path: Path, status: str) -> None:
    result = from_json(tmp_path, message("g", "gemini", "", toolCalls=[call("c", "replace", {}, "no match", status)]))[
        1
    ]
    assert result.tool is not None
    assert (result.text, result.tool.failed) == ("no match", True)


def test_a_cancelled_call_without_any_text_is_still_recorded(tmp_path: Path) -> None:
    result = from_json(tmp_path, message("g", "gemini", "", toolCalls=[call("c", "replace", {}, None, "cancelled")]))[1]
    assert result.text == "cancelled"


def test_a_shell_result_has_the_exit_code_below_its_output(tmp_path: Path) -> None:
    output = "Output: Exit Code: 0\nExit Code: 0\nError: (none)\nExit Code: 2\nSignal: 0"
    found = from_json(
        tmp_path, message("g", "gemini", "", toolCalls=[call("c", "run_shell_command", {"command": "make"}, output)])
    )
    assert found[0].tool is not None
    assert found[1].tool is not None
    assert found[0].tool.command == "make"
    assert (found[1].tool.exit_code, found[1].tool.failed) == (2, True)


def test_tags_around_a_shell_result_are_no_part_of_its_output(tmp_path: Path) -> None:
    output = "<untrusted_context>\nOutput: no <b>tests</b>\nExit Code: 254\n</untrusted_context>"
    result = from_json(
        tmp_path, message("g", "gemini", "", toolCalls=[call("c", "run_shell_command", {"command": "make"}, output)])
    )[1]
    assert result.text == "Output: no <b>tests</b>\nExit Code: 254"
    assert result.tool is not None
    assert result.tool.exit_code == 254


def test_what_was_displayed_stands_in_for_a_result_that_was_not_kept(tmp_path: Path) -> None:
    found = from_json(tmp_path, message("g", "gemini", "", toolCalls=[call("c", "glob", {}, resultDisplay="Found 3")]))
    assert found[1].text == "Found 3"


def test_a_result_is_never_before_its_call(tmp_path: Path) -> None:
    early = {**call("c", "ls", {}, "out"), "timestamp": at(1)}
    found = from_json(tmp_path, message("g", "gemini", "", 2, toolCalls=[early]))
    assert found[1].at == found[0].at


def test_a_repeated_thought_is_kept_once(tmp_path: Path) -> None:
    thought = {"subject": "Plan", "description": "x"}
    found = from_json(tmp_path, message("g", "gemini", "", thoughts=[thought, thought, None, {}]))
    assert [entry.text for entry in found] == ["Plan: x"]


def test_content_may_be_parts(tmp_path: Path) -> None:
    parts = [{"text": "one"}, "two", None, 7, {"text": None}, {"text": "hidden", "thought": True}]
    assert said_of(tmp_path, "gemini", parts) == [("reasoning", "hidden"), ("assistant", "one\ntwo")]


def test_thought_parts_that_repeat_the_thoughts_are_dropped(tmp_path: Path) -> None:
    parts = [{"text": "**Plan** x", "thought": True}, {"text": "done"}]
    found = from_json(tmp_path, message("g", "gemini", parts, thoughts=[{"subject": "Plan", "description": "x"}]))
    assert [entry.text for entry in found] == ["Plan: x", "done"]


def test_a_signed_text_part_is_an_answer(tmp_path: Path) -> None:
    assert said_of(tmp_path, "gemini", [{"text": "done", "thoughtSignature": "Zm9v"}]) == [("assistant", "done")]


def test_binary_parts_become_marks(tmp_path: Path) -> None:
    parts = [
        {"inlineData": {"mimeType": "image/png", "data": "QUJD" * 100}},
        {"fileData": {"mimeType": "application/pdf", "fileUri": "x"}},
        {"text": "see data:image/png;base64,QUJDREVG here"},
    ]
    assert said_of(tmp_path, "user", parts) == [("user", "[image]\n[file: application/pdf]\nsee [image] here")]


def test_an_image_in_a_tool_result_becomes_a_mark(tmp_path: Path) -> None:
    shot = {**call("c", "read_file", {}, "Binary content"), "status": "success"}
    shot["result"].append({"inlineData": {"mimeType": "image/png", "data": "QUJD"}})
    assert from_json(tmp_path, message("g", "gemini", "", toolCalls=[shot]))[1].text == "Binary content\n[image]"


def test_function_parts_are_calls_and_results(tmp_path: Path) -> None:
    found = from_json(
        tmp_path,
        message("g", "model", [{"functionCall": {"id": "c", "name": "read_file", "args": {"file_path": "a"}}}]),
        message("r", "user", [{"functionResponse": {"id": "c", "response": {"error": "no such file"}}}]),
    )
    assert [(entry.role, entry.text, entry.tool and entry.tool.name) for entry in found] == [
        ("tool", "read_file a", "read_file"),
        ("tool", "no such file", "read_file"),
    ]


def test_a_call_stored_as_part_and_as_tool_call_is_one_call(tmp_path: Path) -> None:
    parts = [{"functionCall": {"id": "c", "name": "ls", "args": {}}}]
    found = from_json(
        tmp_path,
        message("g", "gemini", parts, toolCalls=[call("c", "ls", {}, "a.txt")]),
        message("r", "user", [{"functionResponse": {"id": "c", "name": "ls", "response": {"output": "a.txt"}}}]),
    )
    assert [entry.record_id for entry in found] == ["c:call", "c:result"]


def test_display_content_is_the_fallback(tmp_path: Path) -> None:
    found = from_json(tmp_path, message("u", "user", "", displayContent=[{"text": "typed"}]))
    assert [entry.text for entry in found] == ["typed"]


def test_files_named_in_a_prompt_are_not_what_was_typed(tmp_path: Path) -> None:
    text = "explain @a.py\n--- Content from referenced files ---\nContent from @a.py:\nx = 1\n--- End of content ---"
    prompt, file = from_json(tmp_path, message("u", "user", text))
    assert (prompt.role, prompt.origin, prompt.text) == ("user", "typed", "explain @a.py")
    assert file.tool is not None
    assert (file.role, file.tool.files) == ("tool", ("a.py",))
    assert "x = 1" in file.text


def test_a_commands_expansion_is_not_what_was_typed(tmp_path: Path) -> None:
    found = from_json(tmp_path, message("u", "user", "You are a reviewer. Review.", displayContent="/review"))
    assert [(entry.role, entry.origin, entry.text) for entry in found] == [
        ("user", "typed", "/review"),
        ("system", "injected", "You are a reviewer. Review."),
    ]


def test_the_preamble_is_skipped_and_counted(tmp_path: Path) -> None:
    assert said_of(tmp_path, "user", "<session_context>\nToday is Monday.\n</session_context>") == []
    assert skipped(tmp_path) == {"scaffolding": 1}


def test_a_reminder_inside_a_prompt_is_cut_out(tmp_path: Path) -> None:
    assert said_of(tmp_path, "user", "go on <hook_context>\nnoise\n</hook_context>") == [("user", "go on")]
    assert skipped(tmp_path) == {"scaffolding inside a text": 1}


def test_what_a_hook_put_before_a_prompt_is_cut_out(tmp_path: Path) -> None:
    given = [{"text": "<hook_context>gemini@orbit\n\n## Now\n- a &lt;b&gt;\n</hook_context>\n\nGo on."}]
    assert said_of(tmp_path, "user", given) == [("user", "Go on.")]
    # At a terminal it is a message of its own.
    assert said_of(tmp_path, "user", [{"text": "<hook_context>gemini@orbit</hook_context>"}]) == []


def test_a_prompt_written_by_the_client_is_not_typed(tmp_path: Path) -> None:
    assert from_json(tmp_path, message("u", "user", "System: Please continue."))[0].origin == "injected"


def test_a_compression_summary_is_a_compaction(tmp_path: Path) -> None:
    found = from_json(tmp_path, message("u", "user", "<state_snapshot>\nall so far\n</state_snapshot>"))
    assert (found[0].role, found[0].origin) == ("system", "compaction")


@pytest.mark.parametrize("type", ["info", "error", "warning"])
def test_notices_are_short_system_entries(tmp_path: Path, type: str) -> None:
    assert said_of(tmp_path, type, "Request cancelled.\n") == [("system", "Request cancelled.")]


def test_update_notices_are_skipped_and_counted(tmp_path: Path) -> None:
    assert said_of(tmp_path, "info", "Gemini CLI update available! 0.1 → 0.2") == []
    assert skipped(tmp_path) == {"update notice": 1}


@pytest.mark.parametrize(
    ("name", "role"), [("human", "user"), ("prompt", "user"), ("ai", "assistant"), ("system", "system")]
)
def test_role_synonyms_are_understood(tmp_path: Path, name: str, role: str) -> None:
    write_json(tmp_path, [{"id": "m", "timestamp": T0, "role": name, "content": "x"}])
    assert said(tmp_path) == [(role, "x")]


def test_unknown_types_are_counted_by_name(tmp_path: Path) -> None:
    write_json(tmp_path, [message("a", "telepathy", "x"), {"id": "b"}, message("c", "user", "still here")])
    assert said(tmp_path) == [("user", "still here")]
    assert skipped(tmp_path) == {"unknown type: telepathy": 1, "unknown type: none": 1}


def test_a_message_that_is_no_object_costs_only_itself(tmp_path: Path) -> None:
    path = write_json(tmp_path, [None, message("u", "user", "fine")])
    assert said(tmp_path) == [("user", "fine")]
    assert bad(tmp_path) == [BadRecord(str(path), "message is not an object", 1)]


def test_strange_values_everywhere_do_not_stop_the_log(tmp_path: Path) -> None:
    strange = [None, 7, True, "x", [], [[1]], {"a": 1}, [None, {"text": 3}]]
    messages = [
        {"id": v, "timestamp": v, "type": "gemini", "content": v, "thoughts": v, "toolCalls": v, "model": v}
        for v in strange
    ]
    messages += [
        message("g", "gemini", "", toolCalls=[{"id": v, "name": v, "args": v, "result": v, "status": v}])
        for v in strange
    ]
    messages += [message("u", "user", v, displayContent=v) for v in strange]
    write_json(tmp_path, [*messages, message("end", "user", "the end")], summary=7, directories=3, kind=[])
    assert said(tmp_path)[-1] == ("user", "the end")
    assert bad(tmp_path) == []


def test_deep_nesting_does_not_stop_the_log(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(300):
        deep = [deep]
    found = from_json(
        tmp_path, message("g", "gemini", "", toolCalls=[call("c", "t", {"a": deep})]), message("u", "user", "ok")
    )
    assert found[-1].text == "ok"


@pytest.mark.parametrize("text", ['{"sessionId": "x", "messages": [', "[]", '{"sessionId": "x", "messages": 3}', ""])
def test_a_log_that_is_not_whole_is_one_bad_record(tmp_path: Path, text: str) -> None:
    write(chats(tmp_path) / "session-x.json", text)
    assert [type(item) for item in items(tmp_path)] == [BadRecord]


def test_a_session_without_a_human_turn_is_fine(tmp_path: Path) -> None:
    assert said_of(tmp_path, "warning", "Hook failed.") == [("system", "Hook failed.")]


def test_a_message_without_a_time_takes_the_one_before(tmp_path: Path) -> None:
    found = from_json(tmp_path, message("a", "user", "one", 5), {"id": "b", "type": "user", "content": "two"})
    assert found[1].at == found[0].at


def test_a_first_message_without_a_time_takes_the_next_one(tmp_path: Path) -> None:
    write_json(
        tmp_path, [{"id": "a", "type": "user", "content": "one"}, message("b", "user", "two", 5)], startTime="soon"
    )
    first, second = entries(tmp_path)
    assert first.at == second.at


def test_a_log_without_any_time_is_dated_by_its_file(tmp_path: Path) -> None:
    os.utime(
        write_json(tmp_path, [{"id": "a", "type": "user", "content": "one"}], startTime=None), (1_772_000_000,) * 2
    )
    assert [entry.at.timestamp() for entry in entries(tmp_path)] == [1_772_000_000]


@pytest.mark.parametrize("name", ["history", "items"])
def test_messages_under_another_name_are_read(tmp_path: Path, name: str) -> None:
    turns = [{"role": "user", "parts": [{"text": "Mend the lamp"}]}, {"role": "model", "parts": [{"text": "Done."}]}]
    write_json(tmp_path, None, **{name: turns})
    assert said(tmp_path) == [("user", "Mend the lamp"), ("assistant", "Done.")]


def test_a_message_that_holds_its_text_directly_is_read(tmp_path: Path) -> None:
    write_json(tmp_path, [{"id": "a", "type": "user", "text": "Mend the lamp"}])
    assert said(tmp_path) == [("user", "Mend the lamp")]


def test_the_summary_is_the_title(tmp_path: Path) -> None:
    write_json(tmp_path, [], summary="Fix the lamp")
    assert items(tmp_path) == [SessionEvent(SESSION, title="Fix the lamp")]


def test_provenance_is_the_messages_place_and_hash(tmp_path: Path) -> None:
    found = from_json(tmp_path, message("a", "user", "one"), message("b", "user", "two"))
    assert [(entry.ref.start, entry.ref.end) for entry in found] == [(0, 1), (1, 2)]
    assert found[0].ref.sha256 != found[1].ref.sha256


def test_growth_only_adds_to_the_tail(tmp_path: Path) -> None:
    messages = [message("a", "user", "one"), message("b", "gemini", "two", 1), message("c", "user", "three", 2)]
    before = from_json(tmp_path, *messages[:2])
    assert from_json(tmp_path, *messages)[: len(before)] == before


# --- JSON Lines


def test_a_message_written_again_wins_and_keeps_its_place(tmp_path: Path) -> None:
    write_lines(
        tmp_path,
        message("u", "user", "list"),
        message("g", "gemini", "", toolCalls=[call("c", "ls", {}, None, "executing")]),
        {"$set": {"lastUpdated": at(3)}},
        message("i", "info", "meanwhile"),
        message("g", "gemini", "", toolCalls=[call("c", "ls", {}, "a.txt")]),
        message("e", "gemini", "one file"),
    )
    assert said(tmp_path) == [
        ("user", "list"),
        ("tool", "ls"),
        ("tool", "a.txt"),
        ("system", "meanwhile"),
        ("assistant", "one file"),
    ]


def test_provenance_of_a_line_is_its_bytes(tmp_path: Path) -> None:
    path = write_lines(tmp_path, message("u", "user", "grüße"))
    ref = entries(tmp_path)[0].ref
    line = path.read_bytes()[ref.start : ref.end]
    assert json.loads(line)["id"] == "u"
    assert sha256(line.strip()).hexdigest() == ref.sha256


def test_a_patch_can_set_the_title(tmp_path: Path) -> None:
    write_lines(tmp_path, {"$set": {"summary": "Fix the lamp"}}, {"$set": None})
    assert SessionEvent(SESSION, title="Fix the lamp") in items(tmp_path)


def test_a_bad_line_costs_only_itself(tmp_path: Path) -> None:
    write_lines(tmp_path, message("a", "user", "one"), "{broken", "[1]", message("b", "user", "two"), '{"id": "c", "ty')
    assert said(tmp_path) == [("user", "one"), ("user", "two")]
    assert [item.line for item in bad(tmp_path)] == [3, 4, 6]


def test_a_context_rewrite_neither_erases_nor_repeats_what_was_said(tmp_path: Path) -> None:
    write_lines(
        tmp_path,
        message("u", "user", "first"),
        message("g", "gemini", "answer", toolCalls=[call("c", "ls", {}, "a.txt")]),
        {
            "$set": {
                "messages": [
                    message("x0", "user", "<state_snapshot>summary</state_snapshot>"),
                    message("x1", "gemini", "Got it. Thanks for the additional context!"),
                    message("x2", "gemini", "answer", toolCalls=[call("c", "ls", {}, "[masked]")]),
                    message("u", "user", "first"),
                ]
            }
        },
        message("n", "user", "second"),
    )
    assert said(tmp_path) == [
        ("user", "first"),
        ("assistant", "answer"),
        ("tool", "ls"),
        ("tool", "a.txt"),
        ("system", "<state_snapshot>summary</state_snapshot>"),
        ("user", "second"),
    ]


def test_messages_found_only_in_context_rewrites_are_read_once(tmp_path: Path) -> None:
    first, second = message("u", "user", "one"), message("g", "gemini", "two")
    write_lines(tmp_path, {"$set": {"messages": [first]}}, {"$set": {"messages": [first, second]}})
    assert said(tmp_path) == [("user", "one"), ("assistant", "two")]


def test_rewound_turns_are_kept(tmp_path: Path) -> None:
    write_lines(tmp_path, message("a", "user", "one"), message("b", "user", "two"), {"$rewindTo": "b"})
    assert said(tmp_path) == [("user", "one"), ("user", "two")]
    assert skipped(tmp_path) == {"rewind mark": 1}


def test_a_log_without_its_header_is_read(tmp_path: Path) -> None:
    write(chats(tmp_path) / "session-x.jsonl", json.dumps(message("a", "user", "one")) + "\n")
    assert [(entry.session_id, entry.text) for entry in entries(tmp_path)] == [("session-x", "one")]


# --- prompt histories


def write_prompts(folder: Path, prompts: Any) -> Path:
    return write(folder / "gemini/tmp" / HASH / "logs.json", json.dumps(prompts))


def prompt(session: Any, text: Any, second: int = 0) -> dict[str, Any]:
    return {"sessionId": session, "messageId": 0, "type": "user", "message": text, "timestamp": at(second)}


def test_a_prompt_history_holds_typed_prompts_of_many_sessions(tmp_path: Path) -> None:
    write_prompts(tmp_path, [prompt("s1", "one"), prompt("s2", "two", 1)])
    found = entries(tmp_path)
    assert [(entry.session_id, entry.origin, entry.text) for entry in found] == [
        ("s1", "typed", "one"),
        ("s2", "typed", "two"),
    ]
    assert [entry.record_id for entry in found] == [None, None]


def test_bare_slash_commands_are_skipped_and_others_kept(tmp_path: Path) -> None:
    write_prompts(tmp_path, [prompt("s", "/quit"), prompt("s", "/review the lamp"), prompt("s", "/etc/hosts is odd")])
    assert [entry.text for entry in entries(tmp_path)] == ["/review the lamp", "/etc/hosts is odd"]
    assert skipped(tmp_path) == {"slash command": 1}


def test_a_bad_prompt_costs_only_itself(tmp_path: Path) -> None:
    write_prompts(tmp_path, [None, prompt(None, "x"), prompt("s", 7), prompt("s", "good")])
    assert [entry.text for entry in entries(tmp_path)] == ["good"]
    assert [item.line for item in bad(tmp_path)] == [1, 2, 3]


@pytest.mark.parametrize("text", ["{}", "[", ""])
def test_a_broken_prompt_history_is_one_bad_record(tmp_path: Path, text: str) -> None:
    write(tmp_path / "gemini/tmp" / HASH / "logs.json", text)
    assert [type(item) for item in items(tmp_path)] == [BadRecord]


# --- the project folder


def test_a_folder_hash_is_the_sha256_of_its_path() -> None:
    assert folder_hash("/a") == sha256(b"/a").hexdigest()


@pytest.mark.parametrize("path", [ROOT, f"{ROOT}/src/deep/a.py", f"{ROOT}/"])
def test_a_hash_is_found_among_a_path_and_the_folders_above_it(path: str) -> None:
    assert project_root(HASH, [path], {}) == ROOT


def test_a_hash_of_a_windows_path_is_found() -> None:
    assert project_root(folder_hash("C:\\work\\lamp"), ["C:\\work\\lamp\\src\\a.py"], {}) == "C:\\work\\lamp"


def test_a_slug_is_looked_up_in_the_map() -> None:
    assert project_root("lamp", [], {"/other": "other", ROOT: "lamp"}) == ROOT


def test_a_hash_is_found_among_the_folders_of_the_map() -> None:
    assert project_root(HASH, [], {ROOT: "lamp"}) == ROOT


@pytest.mark.parametrize("candidates", [[], ["", "relative/path", "/srv/other"]])
def test_what_nothing_leads_to_stays_unknown(candidates: Sequence[str]) -> None:
    assert project_root(HASH, candidates, {}) is None


def cwds(folder: Path) -> set[str | None]:
    return {entry.cwd for entry in entries(folder)}


def test_a_path_in_a_tool_result_reveals_the_project(tmp_path: Path) -> None:
    answer = f"Successfully wrote to new file: {ROOT}/docs/blue.md."
    write_json(
        tmp_path, [message("u", "user", "hi"), message("g", "gemini", "", toolCalls=[call("c", "w", {}, answer)])]
    )
    assert cwds(tmp_path) == {ROOT}


def test_a_project_folder_with_spaces_is_found_in_arguments(tmp_path: Path) -> None:
    root = "/srv/my work/lamp"
    turn = message("g", "gemini", "", toolCalls=[call("c", "w", {"file_path": f"{root}/a.py"})])
    write_json(tmp_path, [turn], folder_hash(root), projectHash=folder_hash(root))
    assert cwds(tmp_path) == {root}


def test_a_windows_project_folder_is_found_in_results(tmp_path: Path) -> None:
    root = "C:\\work\\lamp"
    turn = message("g", "gemini", "", toolCalls=[call("c", "w", {}, f"Wrote {root}\\a.py")])
    write_json(tmp_path, [turn], folder_hash(root), projectHash=folder_hash(root))
    assert cwds(tmp_path) == {root}


def test_without_a_matching_path_the_folder_stays_unknown(tmp_path: Path) -> None:
    write_json(tmp_path, [message("u", "user", "see /srv/other/a.py and data:image/png;base64,/9j/4AAQ" + "A/" * 2000)])
    assert cwds(tmp_path) == {None}


@pytest.mark.parametrize("wrap", [lambda slugs: {"projects": slugs}, lambda slugs: slugs])
def test_the_projects_file_names_the_folder_of_a_slug(tmp_path: Path, wrap: Any) -> None:
    write_json(tmp_path, [message("u", "user", "hi")], "lamp")
    write(tmp_path / "gemini/projects.json", json.dumps(wrap({ROOT: "lamp"})))
    assert cwds(tmp_path) == {ROOT}


def test_the_project_root_file_names_the_folder(tmp_path: Path) -> None:
    write_json(tmp_path, [message("u", "user", "hi")], "lamp")
    write(tmp_path / "gemini/tmp/lamp/.project_root", ROOT)
    assert cwds(tmp_path) == {ROOT}


def test_a_trusted_folder_reveals_the_project(tmp_path: Path) -> None:
    write_json(tmp_path, [message("u", "user", "hi")])
    write(tmp_path / "gemini/trustedFolders.json", json.dumps({ROOT: "TRUST_FOLDER"}))
    assert cwds(tmp_path) == {ROOT}


def test_a_broken_projects_file_is_reported_and_costs_only_the_folder(tmp_path: Path) -> None:
    write_json(tmp_path, [message("u", "user", "hi")])
    path = write(tmp_path / "gemini/projects.json", "{")
    assert said(tmp_path) == [("user", "hi")]
    assert [item.path for item in bad(tmp_path)] == [str(path)]


def said_of(folder: Path, type: str, content: Any) -> list[tuple[str, str]]:
    write_json(folder, [message("m", type, content)])
    return said(folder)


def test_what_no_person_typed_has_its_own_origin(tmp_path: Path) -> None:
    (found,) = from_json(tmp_path, message("m1", "user", "Stop hook feedback:\n[seal.sh]: not sealed"))
    assert (found.role, found.origin) == ("user", "injected")
