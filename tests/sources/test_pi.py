"""Pi: where its sessions are, and what each of its records becomes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.sources.items import BadRecord, LogFile, SessionEvent, SkippedRecords, SourceItem, TimelineEntry
from aicx.sources.pi import SOURCE
from aicx.types import AgentHomes

Value = dict[str, Any]
SESSION = "0190c1f6-3d52-7a8e-9a3c-5f0a1b2c3d4e"
PARENT = "0190c1f6-0000-7a8e-9a3c-5f0a1b2c3d4e"


def header(**more: Any) -> Value:
    return {"type": "session", "version": 3, "id": SESSION, "timestamp": at(0), "cwd": "/srv/lamp", **more}


def at(second: int) -> str:
    return f"2026-03-01T10:00:{second:02d}.000Z"


def record(kind: str, second: int = 1, **more: Any) -> Value:
    return {"type": kind, "id": f"{second:08x}", "parentId": None, "timestamp": at(second), **more}


def said(role: str, content: Any, second: int = 1, **more: Any) -> Value:
    return record("message", second, message={"role": role, "content": content, **more})


def result(text: str, *, failed: bool = False, name: str = "bash") -> Value:
    return said("toolResult", [{"type": "text", "text": text}], 3, toolCallId="c1", toolName=name, isError=failed)


def write(root: Path, *records: Any, name: str = f"2026-03-01T10-00-00-000Z_{SESSION}") -> Path:
    path = root / "sessions/--srv-lamp--" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [line if isinstance(line, str) else json.dumps(line) for line in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def logs(root: Path) -> list[LogFile]:
    return [log for log in SOURCE.discover(AgentHomes(*[root / "none"] * 3, pi=root)) if isinstance(log, LogFile)]


def items(root: Path, *records: Any) -> list[SourceItem]:
    if records:
        write(root, *records)
    return [item for log in logs(root) for item in SOURCE.read(log)]


def entries(root: Path, *records: Any) -> list[TimelineEntry]:
    return [item for item in items(root, *records) if isinstance(item, TimelineEntry)]


def spoken(root: Path, *records: Any) -> list[tuple[str, str, str]]:
    return [(entry.role, entry.origin, entry.text) for entry in entries(root, *records)]


def skipped(root: Path, *records: Any) -> dict[str, int]:
    return {item.reason: item.count for item in items(root, *records) if isinstance(item, SkippedRecords)}


def test_a_session_is_read_in_order_past_a_broken_line(tmp_path: Path) -> None:
    answer = [
        {"type": "thinking", "thinking": "The switch."},
        {"type": "text", "text": "I look."},
        {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls"}},
    ]
    talk = [
        header(),
        said("user", "Why is the lamp dark?"),
        '{"type": "mess',
        said("assistant", answer, 2),
        result("off"),
    ]
    assert spoken(tmp_path, *talk) == [
        ("user", "typed", "Why is the lamp dark?"),
        ("reasoning", "agent", "The switch."),
        ("assistant", "agent", "I look."),
        ("tool", "tool", "bash\n$ ls"),
        ("tool", "tool", "off"),
    ]
    assert [item.line for item in items(tmp_path) if isinstance(item, BadRecord)] == [3]
    assert skipped(tmp_path) == {"bookkeeping": 1}


def test_entries_of_one_record_have_ids_of_their_own(tmp_path: Path) -> None:
    blocks = [{"type": "text", "text": "One"}, {"type": "text", "text": "Two"}]
    ids = [entry.record_id for entry in entries(tmp_path, header(), said("assistant", blocks))]
    assert ids == [f"{at(1)}:00000001", f"{at(1)}:00000001:1"]


@pytest.mark.parametrize(
    ("told", "code", "failed"),
    [
        (result("no\n\nCommand exited with code 2", failed=True), 2, True),
        (result("Command exited with code 2"), None, False),
        (result("no\n\nCommand exited with code 2", failed=True, name="read"), None, True),
    ],
)
def test_the_exit_code_is_what_pi_adds_to_a_failure(
    told: Value, code: int | None, failed: bool, tmp_path: Path
) -> None:
    (found,) = entries(tmp_path, header(), told)
    assert found.tool is not None
    assert (found.tool.exit_code, found.tool.failed) == (code, failed)


def test_a_command_that_the_person_ran_is_a_call_and_a_result(tmp_path: Path) -> None:
    ran = said("bashExecution", None, command="make", output="no rule", exitCode=2)
    call, outcome = entries(tmp_path, header(), ran)
    assert call.tool is not None
    assert outcome.tool is not None
    assert (call.tool.command, outcome.text, outcome.tool.exit_code) == ("make", "no rule", 2)


def test_the_model_is_the_one_of_the_answer_or_of_the_last_change(tmp_path: Path) -> None:
    text = [{"type": "text", "text": "Yes"}]
    found = entries(
        tmp_path,
        header(),
        record("model_change", modelId="m-1"),
        said("assistant", text, 2),
        said("assistant", text, 3, model="m-2"),
    )
    assert [entry.model for entry in found] == ["m-1", "m-2"]


def test_summaries_are_compactions(tmp_path: Path) -> None:
    told = [record("compaction", 1, summary="Goal: light"), record("branch_summary", 2, summary="Tried the fuse")]
    assert [entry[:2] for entry in spoken(tmp_path, header(), *told)] == [("system", "compaction")] * 2


def test_what_an_extension_puts_in_is_not_the_persons(tmp_path: Path) -> None:
    told = [record("custom_message", 1, customType="x", content="Remember"), record("custom", 2, data={"a": 1})]
    assert spoken(tmp_path, header(), *told) == [("system", "injected", "Remember")]
    assert skipped(tmp_path)["kept by an extension"] == 1


def test_the_title_is_the_name_that_the_session_was_given(tmp_path: Path) -> None:
    assert SessionEvent(SESSION, title="Lamps") in items(tmp_path, header(), record("session_info", name="Lamps"))


@pytest.mark.parametrize("field", ["parentSession", "branchedFrom"])
def test_a_branched_session_names_its_parent(field: str, tmp_path: Path) -> None:
    write(tmp_path, header(**{field: f"C:\\pi\\2026-02-01_{PARENT}.jsonl"}), said("user", "Go on"))
    (log,) = logs(tmp_path)
    assert SOURCE.identify(log).parent_session == PARENT
    assert SessionEvent(SESSION, parent_session=PARENT) in items(tmp_path)


def test_an_error_of_the_model_is_told(tmp_path: Path) -> None:
    broken = said("assistant", [], stopReason="error", errorMessage="overloaded")
    assert spoken(tmp_path, header(), broken) == [("system", "injected", "overloaded")]


def test_pictures_and_unknown_parts_are_counted(tmp_path: Path) -> None:
    blocks = [{"type": "text", "text": "See"}, {"type": "image", "data": "AAAA"}, {"type": "hologram"}]
    assert skipped(tmp_path, header(), said("user", blocks), record("hologram", 2)) == {
        "bookkeeping": 1,
        "picture": 1,
        "unknown type: hologram": 2,
    }


def test_a_log_without_a_header_goes_by_its_name(tmp_path: Path) -> None:
    write(tmp_path, said("user", "Hello"))
    assert SOURCE.identify(logs(tmp_path)[0]).session_id == SESSION


def test_the_records_of_the_first_version_have_no_ids(tmp_path: Path) -> None:
    first = {"type": "message", "timestamp": at(1), "message": {"role": "user", "content": "Hello", "timestamp": 1}}
    (found,) = entries(tmp_path, {**header(), "provider": "x", "modelId": "m"}, first)
    assert found.record_id is None
