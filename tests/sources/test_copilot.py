"""Copilot CLI: where its sessions are, and what each of its events becomes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.sources.copilot import SOURCE
from aicx.sources.items import BadRecord, LogFile, SessionEvent, SkippedRecords, SourceItem, TimelineEntry
from aicx.types import AgentHomes

Value = dict[str, Any]
SESSION = "378ab881-0000-4000-8000-00000000000c"


def event(kind: str, second: int = 0, *, id: str | None = None, within: str | None = None, **data: Any) -> Value:
    about = {"agentId": within} if within else {}
    at = f"2026-03-01T10:00:{second:02d}.000Z"
    return {"type": kind, "data": data, "id": id or f"e{second}-{kind}", "timestamp": at, "parentId": None, **about}


def start(**context: Any) -> Value:
    return event("session.start", sessionId=SESSION, context={"cwd": "/srv/lamp", "branch": "main", **context})


def call(id: str, name: str, arguments: Any, second: int = 1) -> Value:
    return event("assistant.message", second, content="", toolRequests=[_request(id, name, arguments)])


def _request(id: str, name: str, arguments: Any) -> Value:
    return {"toolCallId": id, "name": name, "arguments": arguments, "type": "function"}


def ended(id: str, text: str, second: int = 3, *, success: bool = True, **more: Any) -> Value:
    result = {"result": {"content": text, "detailedContent": text}} if success else {"error": {"message": text}}
    return event("tool.execution_complete", second, toolCallId=id, success=success, **result, **more)


def write(root: Path, *events: Any, about: str | None = None) -> Path:
    path = root / "session-state" / SESSION / "events.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [line if isinstance(line, str) else json.dumps(line) for line in events]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if about is not None:
        path.with_name("workspace.yaml").write_text(about, encoding="utf-8")
    return path


def logs(root: Path) -> list[LogFile]:
    found = SOURCE.discover(AgentHomes(*[root / "none"] * 3, copilot=root))
    return [log for log in found if isinstance(log, LogFile)]


def items(root: Path) -> list[SourceItem]:
    return [item for log in logs(root) for item in SOURCE.read(log)]


def entries(root: Path, *events: Any) -> list[TimelineEntry]:
    if events:
        write(root, *events)
    return [item for item in items(root) if isinstance(item, TimelineEntry)]


def said(root: Path, *events: Any) -> list[tuple[str, str, str]]:
    return [(entry.role, entry.origin, entry.text) for entry in entries(root, *events)]


def skipped(root: Path) -> dict[str, int]:
    return {item.reason: item.count for item in items(root) if isinstance(item, SkippedRecords)}


def facts(root: Path) -> list[SessionEvent]:
    return [item for item in items(root) if isinstance(item, SessionEvent)]


def test_a_session_is_read_in_order_past_a_broken_line(tmp_path: Path) -> None:
    talk = [
        start(),
        event("user.message", 1, content="Why is the lamp dark?"),
        '{"type": "assistant.mess',
        event("assistant.message", 2, content="I look.", toolRequests=[_request("c1", "bash", {"command": "ls"})]),
        event("tool.execution_start", 3, toolCallId="c1", toolName="bash", arguments={"command": "ls"}),
        ended("c1", "switch\n<exited with exit code 0>", 5),
        event("assistant.message", 6, content="It is off."),
    ]
    assert said(tmp_path, *talk) == [
        ("user", "typed", "Why is the lamp dark?"),
        ("assistant", "agent", "I look."),
        ("tool", "tool", "bash\n$ ls"),
        ("tool", "tool", "switch\n<exited with exit code 0>"),
        ("assistant", "agent", "It is off."),
    ]
    assert [item.line for item in items(tmp_path) if isinstance(item, BadRecord)] == [3]
    assert skipped(tmp_path) == {"bookkeeping": 1, "tool call written twice": 1}


def test_a_call_and_its_result_are_joined(tmp_path: Path) -> None:
    begun = event("tool.execution_start", 2, toolCallId="c1", toolName="bash", arguments={})
    one, two = entries(tmp_path, start(), call("c1", "bash", {"command": "make"}), begun, ended("c1", "x", 5))
    assert one.tool is not None
    assert two.tool is not None
    assert (one.tool.command, two.tool.name, two.tool.call_id) == ("make", "bash", "c1")
    assert (two.tool.failed, two.tool.seconds) == (False, 3.0)


@pytest.mark.parametrize(
    ("tool", "text", "code", "failed"),
    [
        ("bash", "no\n<exited with exit code 2>", 2, True),
        ("bash", "<exited with exit code 2>\nis what it printed", None, False),
        ("view", "no\n<exited with exit code 2>", None, False),
    ],
)
def test_the_exit_code_is_what_the_shell_tool_adds(
    tool: str, text: str, code: int | None, failed: bool, tmp_path: Path
) -> None:
    _, result = entries(tmp_path, start(), call("c1", tool, {}), ended("c1", text))
    assert result.tool is not None
    assert (result.tool.exit_code, result.tool.failed) == (code, failed)


def test_a_failure_is_told_by_its_message(tmp_path: Path) -> None:
    _, result = entries(tmp_path, start(), call("c1", "edit", {"path": "a.py"}), ended("c1", "no match", success=False))
    assert result.tool is not None
    assert (result.text, result.tool.failed) == ("no match", True)


def test_a_call_that_never_ran_is_kept(tmp_path: Path) -> None:
    assert said(tmp_path, start(), call("c1", "bash", {"command": "rm -r x"})) == [("tool", "tool", "bash\n$ rm -r x")]


def test_a_patch_names_its_files(tmp_path: Path) -> None:
    patch = "*** Begin Patch\n*** Add File: src/lamp.py\n+x\n*** End Patch"
    (found,) = entries(tmp_path, start(), call("c1", "apply_patch", patch))
    assert found.tool is not None
    assert found.tool.files == ("src/lamp.py",)


def test_what_a_skill_puts_in_is_not_the_persons(tmp_path: Path) -> None:
    skill = event("user.message", 1, content="<skill-context>Plan first</skill-context>", source="skill-plan")
    assert [entry[:2] for entry in said(tmp_path, start(), skill)] == [("system", "injected")]


def test_a_prompt_to_a_subagent_is_the_agents(tmp_path: Path) -> None:
    inside = event("user.message", 1, content="Look for the switch", within="agent-1")
    assert said(tmp_path, start(), inside) == [("user", "agent", "Look for the switch")]


def test_a_thought_written_twice_is_kept_once(tmp_path: Path) -> None:
    thought = event("assistant.reasoning", 1, content="The switch.", reasoningId="r")
    both = event("assistant.message", 2, content="Off.", reasoningText="The switch.")
    assert [entry[0] for entry in said(tmp_path, start(), thought, both)] == ["reasoning", "assistant"]
    assert skipped(tmp_path)["thought written twice"] == 1


def test_folder_branch_and_model_follow_the_session(tmp_path: Path) -> None:
    found = entries(
        tmp_path,
        start(),
        event("user.message", 1, content="One"),
        event("session.context_changed", 2, cwd="/srv/lamp-2", branch="fix"),
        event("session.model_change", 3, newModel="m-2"),
        event("assistant.message", 4, content="Two"),
    )
    assert [(entry.cwd, entry.branch, entry.model) for entry in found] == [
        ("/srv/lamp", "main", None),
        ("/srv/lamp-2", "fix", "m-2"),
    ]


def test_the_repository_is_the_one_that_the_log_names_with_its_host(tmp_path: Path) -> None:
    about = {"repository": "ada/lamp", "repositoryHost": "github.com", "gitRoot": "/srv/lamp", "headCommit": "1a2b3c4"}
    write(tmp_path, start(**about))
    url = "https://github.com/ada/lamp"
    assert facts(tmp_path) == [SessionEvent(SESSION, remote_url=url, cwd="/srv/lamp", commit="1a2b3c4")]
    write(tmp_path, start(repository="ada/lamp"))
    assert facts(tmp_path) == []


@pytest.mark.parametrize(
    ("about", "title"),
    [
        ("id: x\nsummary: Repair the lamp\nsummary_count: 0\n", "Repair the lamp"),
        ("summary: Repair the lamp\nname: Lamps\n", "Lamps"),
        ('summary: "Repair: the lamp"\n', "Repair: the lamp"),
        ("summary: |-\n  Repair the lamp\n  and more\n", "Repair the lamp"),
        ("summary:\nid: x\n", None),
        ("\0\0", None),
    ],
)
def test_the_title_is_the_name_beside_the_events(about: str, title: str | None, tmp_path: Path) -> None:
    write(tmp_path, start(), about=about)
    assert [fact.title for fact in facts(tmp_path)] == ([title] if title else [])


def test_a_new_title_is_a_change(tmp_path: Path) -> None:
    write(tmp_path, start(), about="summary: Repair\n")
    before = logs(tmp_path)[0].fingerprint
    write(tmp_path, start(), about="summary: Repair the lamp\n")
    assert logs(tmp_path)[0].fingerprint != before


def test_a_compaction_keeps_its_summary(tmp_path: Path) -> None:
    done = event("session.compaction_complete", 1, success=True, summaryContent="Goal: light")
    assert said(tmp_path, start(), done) == [("system", "compaction", "Goal: light")]


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (event("session.error", 1, message="rate limited"), "rate limited"),
        (event("abort", 1, reason="user initiated"), "aborted: user initiated"),
        (event("subagent.failed", 1, error="no answer"), "no answer"),
    ],
)
def test_what_went_wrong_is_told(told: Value, text: str, tmp_path: Path) -> None:
    assert said(tmp_path, start(), told) == [("system", "injected", text)]


def test_an_attached_selection_is_kept_and_a_picture_counted(tmp_path: Path) -> None:
    attached = [{"type": "selection", "text": "x = 1", "filePath": "a.py"}, {"type": "blob", "data": "AAAA"}]
    found = entries(tmp_path, start(), event("user.message", 1, content="Why?", attachments=attached))
    assert [entry.text for entry in found] == ["Why?", "x = 1"]
    assert skipped(tmp_path)["attached file"] == 1


def test_an_unknown_event_is_counted_by_its_name(tmp_path: Path) -> None:
    write(tmp_path, start(), event("session.hologram", 1, text="x"))
    assert skipped(tmp_path) == {"bookkeeping": 1, "unknown type: session.hologram": 1}


def test_a_session_of_the_older_layout_goes_by_the_name_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "session-state").mkdir()
    (tmp_path / "session-state/abc.jsonl").write_text(json.dumps(event("user.message", content="Hello")) + "\n")
    (log,) = logs(tmp_path)
    assert SOURCE.identify(log).session_id == "abc"
