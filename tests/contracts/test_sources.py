"""What every log source promises, whatever its format: a source is tested here by being listed in `SOURCES`."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aicx.errors import UsageError
from aicx.sources import SOURCES, load_source
from aicx.sources.items import (
    MARK_BYTES,
    BadRecord,
    LogFile,
    LogIdentity,
    RecordMarks,
    SessionEvent,
    SkippedRecords,
    SourceItem,
    TimelineEntry,
    ToolUse,
)
from aicx.types import AgentHomes, Origin, Role
from tests.sampling import ALL

SESSION = "0b7c1f6e-3d52-4a8e-9a3c-5f0a1b2c3d4e"
CHILD = "1c8d2e7f-4e63-4b9f-8b4d-6a1b2c3d4e5f"
PROJECT = "a" * 64
AT = "2026-03-01T10:00:00.000Z"
UNIX = 1772359200

Value = dict[str, Any]


def codex(kind: str, payload: Value) -> Value:
    return {"timestamp": AT, "type": kind, "payload": payload}


CLAUDE = {"uuid": "u-1", "timestamp": AT, "cwd": "/srv/orbit", "sessionId": SESSION, "isSidechain": False}
CLAUDE_RECORDS: list[Value] = [
    {**CLAUDE, "type": "user", "message": {"role": "user", "content": "Fix the parser"}},
    {
        **CLAUDE,
        "type": "assistant",
        "uuid": "u-2",
        "message": {
            "id": "m",
            "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}],
        },
    },
    {
        **CLAUDE,
        "type": "user",
        "uuid": "u-3",
        "message": {"content": [{"type": "tool_result", "tool_use_id": "t", "content": "a b"}]},
    },
]
CODEX_RECORDS = [
    codex("session_meta", {"id": SESSION, "timestamp": AT, "cwd": "/srv/orbit"}),
    codex("event_msg", {"type": "user_message", "message": "Fix the parser"}),
    codex(
        "response_item", {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes"}]}
    ),
    codex("response_item", {"type": "function_call", "name": "shell", "arguments": '{"cmd":"ls"}', "call_id": "c"}),
    codex("response_item", {"type": "function_call_output", "call_id": "c", "output": "a b"}),
]
GEMINI_MESSAGES: list[Value] = [
    {"id": "m-1", "timestamp": AT, "type": "user", "content": "Fix the parser"},
    {
        "id": "m-2",
        "timestamp": AT,
        "type": "gemini",
        "content": "Yes",
        "toolCalls": [{"id": "t", "name": "ls", "args": {"path": "/srv"}, "status": "success", "timestamp": AT}],
    },
]
GEMINI_HEADER: Value = {"sessionId": SESSION, "projectHash": PROJECT, "startTime": AT}
ANTIGRAVITY_RECORDS: list[Value] = [
    {
        "step_index": 0,
        "source": "USER_EXPLICIT",
        "type": "USER_INPUT",
        "created_at": AT,
        "content": "<USER_REQUEST>\nFix the parser\n</USER_REQUEST>",
    },
    {"step_index": 1, "source": "MODEL", "type": "PLANNER_RESPONSE", "created_at": AT, "content": "Yes"},
]


def copilot(kind: str, number: int, **data: Any) -> Value:
    return {"type": kind, "data": data, "id": f"e-{number}", "timestamp": AT, "parentId": None}


COPILOT_EVENTS = [
    copilot("session.start", 1, sessionId=SESSION, startTime=AT, context={"cwd": "/srv/orbit", "branch": "main"}),
    copilot("user.message", 2, content="Fix the parser"),
    copilot("assistant.message", 3, content="Yes", toolRequests=[{"toolCallId": "c", "name": "bash", "arguments": {}}]),
    copilot("tool.execution_complete", 4, toolCallId="c", success=True, result={"content": "a b"}),
]
PI_RECORDS: list[Value] = [
    {"type": "session", "version": 3, "id": SESSION, "timestamp": AT, "cwd": "/srv/orbit"},
    {"type": "message", "id": "a1", "timestamp": AT, "message": {"role": "user", "content": "Fix the parser"}},
    {
        "type": "message",
        "id": "a2",
        "timestamp": AT,
        "message": {
            "role": "assistant",
            "content": [{"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "ls"}}],
        },
    },
]
CURSOR_RECORDS: list[Value] = [
    {"role": "user", "message": {"content": [{"type": "text", "text": "<user_query>\nFix the parser\n</user_query>"}]}},
    {
        "role": "assistant",
        "message": {
            "content": [
                {"type": "text", "text": "Yes"},
                {"type": "tool_use", "name": "Shell", "input": {"command": "ls"}},
            ]
        },
    },
]
OPENCODE_MESSAGES: list[Value] = [
    {
        "info": {"id": "msg_1", "role": "user", "time": {"created": UNIX * 1000}},
        "parts": [{"id": "prt_1", "type": "text", "text": "Fix the parser"}],
    },
    {
        "info": {"id": "msg_2", "role": "assistant", "time": {"created": UNIX * 1000, "completed": UNIX * 1000}},
        "parts": [
            {
                "id": "prt_2",
                "type": "tool",
                "tool": "bash",
                "callID": "c",
                "state": {
                    "status": "completed",
                    "input": {"command": "ls"},
                    "output": "a b",
                    "metadata": {"exit": 0},
                    "time": {"start": UNIX * 1000, "end": UNIX * 1000},
                },
            }
        ],
    },
]

RUN_RECORDS: list[Value] = [
    {"type": "session", "id": SESSION, "command": "aider", "cwd": "/srv/orbit", "task": "Fix the parser", "at": AT},
    {"type": "printed", "text": "Yes\n", "at": AT},
    {"type": "end", "exit_code": 0, "seconds": 1.5, "at": AT},
]

# For every agent: where a log of each format lies below the user's home, and records of a sound one. A new source adds
# its row here.
LINES: dict[str, dict[str, list[Value]]] = {
    "claude": {
        f".claude/projects/-srv-orbit/{SESSION}.jsonl": CLAUDE_RECORDS,
        f".claude/projects/-srv-orbit/{SESSION}/subagents/agent-7.jsonl": CLAUDE_RECORDS,
        ".claude/history.jsonl": [{"display": "Fix the parser", "timestamp": UNIX * 1000, "sessionId": SESSION}],
    },
    "codex": {
        f".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-{SESSION}.jsonl": CODEX_RECORDS,
        ".codex/history.jsonl": [{"session_id": SESSION, "ts": UNIX, "text": "Fix the parser"}],
        ".codex/session_index.jsonl": [{"id": SESSION, "thread_name": "Parser"}],
    },
    "gemini": {
        f".gemini/tmp/{PROJECT}/chats/session-2026-03-01T10-00-0b7c1f6e.jsonl": [GEMINI_HEADER, *GEMINI_MESSAGES],
    },
    "gemini-antigravity": {
        f".gemini/antigravity/brain/{SESSION}/.system_generated/logs/transcript_full.jsonl": ANTIGRAVITY_RECORDS,
    },
    "opencode": {},
    "copilot": {
        f".copilot/session-state/{SESSION}/events.jsonl": COPILOT_EVENTS,
        f".copilot/session-state/{SESSION}.jsonl": COPILOT_EVENTS,
    },
    "cursor": {
        f".cursor/projects/srv-orbit/agent-transcripts/{SESSION}/{SESSION}.jsonl": CURSOR_RECORDS,
        f".cursor/projects/srv-orbit/agent-transcripts/{SESSION}/subagents/{SESSION}.jsonl": CURSOR_RECORDS,
        f".cursor/projects/srv-orbit/agent-transcripts/{SESSION}.jsonl": CURSOR_RECORDS,
    },
    "pi": {f".pi/agent/sessions/--srv-orbit--/2026-03-01T10-00-00-000Z_{SESSION}.jsonl": PI_RECORDS},
    "run": {f".aicx/runs/{SESSION}.jsonl": RUN_RECORDS},
}
# Formats that are one JSON value; the records stand in it under the named key, or are all of it.
OBJECTS: dict[str, dict[str, tuple[str | None, list[Value]]]] = {
    "claude": {},
    "codex": {f".codex/sessions/rollout-2025-04-01-{SESSION}.json": ("items", [])},
    "gemini": {
        f".gemini/tmp/{PROJECT}/chats/session-2026-03-01T10-00-0b7c1f6e.json": ("messages", GEMINI_MESSAGES),
        f".gemini/tmp/{PROJECT}/logs.json": (None, []),
    },
    "gemini-antigravity": {f".gemini/antigravity/brain/{SESSION}/task.md.metadata.json": ("x", [])},
    "opencode": {f".local/share/opencode/export/ses_{SESSION}.json": ("messages", OPENCODE_MESSAGES)},
    "copilot": {},
    "cursor": {},
    "pi": {},
    "run": {},
}


def words(text: str) -> list[str]:
    return text.split()


# Words that mean something to some source, as keys and as values: junk made of plain letters would be skipped unread.
KEYS = words("""
type payload message content text role timestamp uuid sessionId session_id cwd gitBranch isSidechain isMeta id name
input arguments output call_id tool_use_id toolUseResult summary leafUuid aiTitle attachment prompt operation
planContent messages toolCalls args result thoughts functionResponse response model tokens kind projectHash
startTime display pastedContents project ts thread_name source step_index created_at thinking tool_calls git branch
repository_url action query changes is_error subtype origin items session $set status encrypted_content
replacement_history turn_id isCompactSummary parent_thread_id forked_from_id thread_spawn subagent phase images
error artifactType updatedAt info parts state metadata exit callID parentID directory title permission
data context reasoningText toolRequests toolCallId attachments summaryContent contents exitCode transformedContent
toolName isError parentSession
""")
VALUES = words("""
user assistant system attachment progress queue-operation summary ai-title custom-title pr-link response_item event_msg
session_meta turn_context compacted message function_call function_call_output custom_tool_call reasoning user_message
agent_message agent_reasoning token_count gemini info error warning tool_use tool_result thinking text image document
USER_EXPLICIT MODEL USER_INPUT PLANNER_RESPONSE RUN_COMMAND enqueue dequeue popAll remove compact_boundary away_summary
queued_command local_command api_error input_text output_text exec_command apply_patch shell success main subagent
<synthetic> <system-reminder>x</system-reminder> <command-name>/x</command-name> <USER_REQUEST>y</USER_REQUEST>
[Request interrupted by user] {"cmd":"ls"} {"a": ARTIFACT_TYPE_TASK HEAD
session.start user.message assistant.message tool.execution_start tool.execution_complete session.error abort selection
toolResult bashExecution toolCall compaction custom_message session_info turn_ended
""")
TEXTS = st.one_of(
    st.sampled_from(VALUES),
    st.sampled_from(
        [AT, "2026-03-01", "not a time", SESSION, "", "\ud800", "a\x00b", "*** Begin Patch\n*** Add File: a"]
    ),
    st.text(max_size=8),
)
SCALARS = st.one_of(
    TEXTS,
    st.none(),
    st.booleans(),
    st.sampled_from([0, -1, UNIX, UNIX * 1000, 10**30, 1e308, 0.5, float("nan"), float("inf")]),
)
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=8,
)
EXAMPLES = 200 if ALL else 12


@st.composite
def records(draw: st.DrawFn, sound: list[Value]) -> list[Any]:
    """Sound records in which something was replaced by junk, junk with a sound type, and junk alone."""
    found: list[Any] = []
    for _ in range(draw(st.integers(1, 5))):
        if sound and draw(st.booleans()):
            found.append(_spoilt(draw(st.sampled_from(sound)), draw))
        else:
            found.append(draw(st.dictionaries(st.sampled_from(KEYS), JUNK, max_size=8) | JUNK))
    return found


def _spoilt(value: Any, draw: st.DrawFn) -> Any:
    """``value`` with junk somewhere inside."""
    if isinstance(value, dict) and value and draw(st.integers(0, 3)):
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: _spoilt(value[key], draw)}
    if isinstance(value, list) and value and draw(st.integers(0, 3)):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], _spoilt(value[at], draw), *value[at + 1 :]]
    return draw(JUNK)


def homes(root: Path) -> AgentHomes:
    return AgentHomes(
        root / ".claude",
        root / ".codex",
        root / ".gemini",
        root / ".aicx" / "runs",
        opencode=root / ".local/share/opencode",
        copilot=root / ".copilot",
        pi=root / ".pi/agent",
        cursor=root / ".cursor",
        cursor_user=root / ".config/Cursor/User",
    )


def discover(agent: str, root: Path) -> list[LogFile | BadRecord]:
    return list(load_source(agent).discover(homes(root)))


def logs(agent: str, root: Path) -> list[LogFile]:
    return [found for found in discover(agent, root) if isinstance(found, LogFile)]


def read(agent: str, log: LogFile) -> list[SourceItem]:
    return list(load_source(agent).read(log))


def write(path: Path, body: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    # ``surrogatepass`` is not needed: JSON writes half an emoji as an escape.
    path.write_bytes(body if isinstance(body, bytes) else body.encode())
    return path


def write_lines(root: Path, place: str, values: Iterable[Any]) -> Path:
    return write(root / place, "".join(json.dumps(value) + "\n" for value in values))


def write_object(root: Path, place: str, key: str | None, values: list[Any]) -> Path:
    return write(root / place, json.dumps(values if key is None else {**GEMINI_HEADER, key: values}))


def another(place: str) -> str:
    """The place of a second log of the same kind; the same where there is only one."""
    return place.replace(SESSION, CHILD).replace("0b7c1f6e", "1c8d2e7f")


def check(agent: str, log: LogFile, items: list[SourceItem]) -> None:
    """The promises that hold for every item, whatever the log held."""
    for item in items:
        if isinstance(item, RecordMarks):
            assert len(item.marks) % MARK_BYTES == 0
            continue
        orjson.dumps(asdict(item))  # no lone surrogate anywhere, no number beyond 64 bits
        if isinstance(item, TimelineEntry):
            check_entry(agent, item)
        elif isinstance(item, SessionEvent):
            assert item.session_id
        elif isinstance(item, BadRecord):
            assert item.path
            assert item.reason
            assert item.line is None or item.line > 0
        else:
            assert isinstance(item, SkippedRecords)
            assert item.count > 0
    reasons = [item.reason for item in items if isinstance(item, SkippedRecords)]
    assert len(reasons) == len(set(reasons))


def check_entry(agent: str, entry: TimelineEntry) -> None:
    assert entry.agent == agent
    assert entry.session_id
    assert entry.at.utcoffset() is not None
    assert entry.at.tzinfo is UTC
    assert entry.role in get_args(Role)
    assert entry.origin in get_args(Origin)
    assert (entry.role == "tool") == isinstance(entry.tool, ToolUse)
    assert isinstance(entry.text, str)
    assert all(
        value is None or isinstance(value, str) for value in (entry.cwd, entry.branch, entry.record_id, entry.model)
    )
    ref = entry.ref
    assert 0 <= ref.start < ref.end
    assert len(ref.sha256) == 64
    if Path(ref.path).suffix == ".jsonl":
        body = Path(ref.path).read_bytes()
        assert ref.end <= len(body)
        assert sha256(body[ref.start : ref.end].strip(b" \t\r\n\0")).hexdigest() == ref.sha256


PLACES = [(agent, place) for agent, places in LINES.items() for place in places]
OBJECT_PLACES = [(agent, place) for agent, places in OBJECTS.items() for place in places]
every_agent = pytest.mark.parametrize("agent", SOURCES)
every_place = pytest.mark.parametrize(("agent", "place"), PLACES)
# A conversation of Antigravity is a folder; what is missing in it cannot be told from what never was.
every_file = pytest.mark.parametrize(("agent", "place"), [pair for pair in PLACES if pair[0] != "gemini-antigravity"])
every_object = pytest.mark.parametrize(("agent", "place"), OBJECT_PLACES)


def test_every_source_is_tested_here():
    assert list(LINES) == list(OBJECTS) == list(SOURCES)


@every_agent
def test_a_source_is_what_it_says(agent):
    source = load_source(agent)
    assert source.agent == agent
    assert all(callable(getattr(source, name)) for name in ("discover", "identify", "read"))


def test_an_unknown_agent_is_an_error_that_names_the_known():
    with pytest.raises(UsageError, match="clippy") as error:
        load_source("clippy")
    assert error.value.hint == f"known agents: {', '.join(SOURCES)}"


class TestDiscover:
    @every_agent
    def test_a_missing_home_yields_nothing(self, agent, tmp_path):
        assert discover(agent, tmp_path) == []

    @every_agent
    def test_an_empty_home_yields_nothing(self, agent, tmp_path):
        for name in (
            *(".claude/projects", ".codex/sessions", ".gemini/tmp", ".gemini/antigravity/brain", ".aicx/runs"),
            *(".local/share/opencode/export", ".local/share/opencode/storage/session", ".copilot/session-state"),
            *(".pi/agent/sessions", ".cursor/projects", ".config/Cursor/User/globalStorage"),
        ):
            (tmp_path / name).mkdir(parents=True)
        assert discover(agent, tmp_path) == []

    @every_place
    def test_a_log_is_found_in_its_place(self, agent, place, tmp_path):
        path = write_lines(tmp_path, place, LINES[agent][place])
        (log,) = logs(agent, tmp_path)
        assert log.agent == agent
        assert path == log.path or log.path in path.parents
        assert log.size == path.stat().st_size

    @every_agent
    def test_logs_come_in_the_same_order_every_time(self, agent, tmp_path):
        for place, values in LINES[agent].items():
            write_lines(tmp_path, place, values)
            write_lines(tmp_path, another(place), values)
        for place, (key, values) in OBJECTS[agent].items():
            write_object(tmp_path, place, key, values)
            write_object(tmp_path, another(place), key, values)
        assert discover(agent, tmp_path) == discover(agent, tmp_path)
        assert len(logs(agent, tmp_path)) > 1

    @every_agent
    def test_the_logs_of_other_agents_are_left_to_them(self, agent, tmp_path):
        for other in SOURCES:
            for place, values in LINES[other].items() if other != agent else ():
                write_lines(tmp_path, place, values)
            for place, (key, values) in OBJECTS[other].items() if other != agent else ():
                write_object(tmp_path, place, key, values)
        assert discover(agent, tmp_path) == []

    @every_place
    def test_the_fingerprint_changes_with_the_log(self, agent, place, tmp_path):
        path = write_lines(tmp_path, place, LINES[agent][place])
        before = logs(agent, tmp_path)[0].fingerprint
        assert logs(agent, tmp_path)[0].fingerprint == before
        with path.open("ab") as stream:
            stream.write(b"{}\n")
        assert logs(agent, tmp_path)[0].fingerprint != before

    @every_file
    def test_a_folder_named_like_a_log_is_a_problem_and_the_rest_carries_on(self, agent, place, tmp_path):
        (tmp_path / place).mkdir(parents=True)
        other = another(place)
        if other != place:
            write_lines(tmp_path, other, LINES[agent][place])
        found = discover(agent, tmp_path)
        assert [item.path for item in found if isinstance(item, BadRecord)] == [str(tmp_path / place)]
        assert len(found) == 1 + (other != place)

    @every_file
    def test_a_link_to_nothing_is_a_problem_and_no_more(self, agent, place, tmp_path):
        path = tmp_path / place
        path.parent.mkdir(parents=True)
        path.symlink_to(tmp_path / "nowhere")
        assert [type(item) for item in discover(agent, tmp_path)] == [BadRecord]

    @every_agent
    @pytest.mark.parametrize("name", [".claude", ".codex", ".gemini", ".local", ".copilot", ".pi"])
    def test_a_home_that_is_a_file_does_no_harm(self, agent, name, tmp_path):
        (tmp_path / name).write_text("not a folder")
        assert all(isinstance(item, BadRecord) for item in discover(agent, tmp_path))


class TestVanished:
    @every_file
    def test_a_log_that_vanished_is_a_problem(self, agent, place, tmp_path):
        path = write_lines(tmp_path, place, LINES[agent][place])
        log = logs(agent, tmp_path)[0]
        path.unlink()
        items = read(agent, log)
        check(agent, log, items)
        assert any(isinstance(item, BadRecord) for item in items)
        assert not any(isinstance(item, TimelineEntry) for item in items)

    @every_place
    def test_a_vanished_log_is_identified_all_the_same(self, agent, place, tmp_path):
        path = write_lines(tmp_path, place, LINES[agent][place])
        log = logs(agent, tmp_path)[0]
        path.unlink()
        assert isinstance(load_source(agent).identify(log), LogIdentity)

    @every_place
    def test_a_log_that_became_a_folder_is_a_problem(self, agent, place, tmp_path):
        path = write_lines(tmp_path, place, LINES[agent][place])
        log = logs(agent, tmp_path)[0]
        path.unlink()
        path.mkdir()
        assert isinstance(load_source(agent).identify(log), LogIdentity)
        assert not any(isinstance(item, TimelineEntry) for item in read(agent, log))

    @every_object
    def test_an_object_that_vanished_is_a_problem(self, agent, place, tmp_path):
        path = write_object(tmp_path, place, *OBJECTS[agent][place])
        found = logs(agent, tmp_path)
        path.unlink()
        for log in found:
            assert isinstance(load_source(agent).identify(log), LogIdentity)
            assert not any(isinstance(item, TimelineEntry) for item in read(agent, log))


class TestRead:
    @every_place
    def test_a_sound_log_keeps_every_promise(self, agent, place, tmp_path):
        write_lines(tmp_path, place, LINES[agent][place])
        (log,) = logs(agent, tmp_path)
        items = read(agent, log)
        check(agent, log, items)
        assert not any(isinstance(item, BadRecord) for item in items)
        assert any(isinstance(item, TimelineEntry | SessionEvent) for item in items)

    @every_place
    def test_entries_are_of_the_session_that_was_identified(self, agent, place, tmp_path):
        write_lines(tmp_path, place, LINES[agent][place])
        (log,) = logs(agent, tmp_path)
        wanted = load_source(agent).identify(log).session_id
        found = {item.session_id for item in read(agent, log) if isinstance(item, TimelineEntry | SessionEvent)}
        assert found == {wanted or SESSION}

    @every_place
    def test_reading_twice_gives_the_same(self, agent, place, tmp_path):
        write_lines(tmp_path, place, LINES[agent][place])
        (log,) = logs(agent, tmp_path)
        assert read(agent, log) == read(agent, log)

    @every_place
    def test_nothing_is_read_beyond_the_size_that_was_listed(self, agent, place, tmp_path):
        path = write_lines(tmp_path, place, LINES[agent][place])
        (log,) = logs(agent, tmp_path)
        before = read(agent, log)
        with path.open("ab") as stream:
            stream.write(b"{broken\n" + path.read_bytes())
        assert read(agent, log) == before or log.path != path  # a folder has no size to stop at

    @every_file
    def test_a_line_finished_after_it_was_listed_is_left_to_the_next_run(self, agent, place, tmp_path):
        path = write_lines(tmp_path, place, LINES[agent][place] * 2)
        body = path.read_bytes()
        path.write_bytes(body[:-20])
        (log,) = logs(agent, tmp_path)
        before = read(agent, log)
        path.write_bytes(body)
        assert read(agent, log) == before

    @every_place
    def test_a_bad_line_does_not_stop_the_file(self, agent, place, tmp_path):
        write_lines(tmp_path, place, LINES[agent][place])
        sound = [item for item in read(agent, logs(agent, tmp_path)[0]) if isinstance(item, TimelineEntry)]
        first, *rest = [json.dumps(value).encode() for value in LINES[agent][place]]
        write(tmp_path / place, b"\n".join([first, b'{"type": "us', b"\xff\xfe", b"[]", b"3", *rest, b""]))
        items = read(agent, logs(agent, tmp_path)[0])
        assert [entry.text for entry in items if isinstance(entry, TimelineEntry)] == [entry.text for entry in sound]
        bad = [item for item in items if isinstance(item, BadRecord)]
        assert {item.line for item in bad} == {2, 3, 4, 5}

    @every_place
    def test_a_log_cut_anywhere_is_read_as_far_as_it_goes(self, agent, place, tmp_path):
        body = write_lines(tmp_path, place, LINES[agent][place]).read_bytes()
        for cut in range(1, len(body), 17):
            write(tmp_path / place, body[:cut])
            for log in logs(agent, tmp_path):
                load_source(agent).identify(log)
                check(agent, log, read(agent, log))

    @every_place
    def test_an_empty_log_is_no_trouble(self, agent, place, tmp_path):
        write(tmp_path / place, b"")
        for log in logs(agent, tmp_path):
            assert isinstance(load_source(agent).identify(log), LogIdentity)
            assert not any(isinstance(item, TimelineEntry) for item in read(agent, log))

    @every_place
    def test_an_unknown_type_of_record_is_skipped_or_named(self, agent, place, tmp_path):
        strange = {"type": "hologram", "timestamp": AT, "created_at": AT, "payload": {"type": "hologram"}}
        write_lines(tmp_path, place, [*LINES[agent][place], strange])
        items = read(agent, logs(agent, tmp_path)[0])
        assert any(isinstance(item, SkippedRecords | BadRecord) for item in items)


@pytest.mark.slow
class TestJunk:
    """No content makes a source raise, and whatever comes out keeps every promise."""

    @every_agent
    def test_in_records(self, agent):
        @given(st.data())
        @settings(max_examples=EXAMPLES, deadline=None, database=None)
        def holds(data: st.DataObject) -> None:
            place = data.draw(st.sampled_from([*LINES[agent], *OBJECTS[agent]]))
            with tempfile.TemporaryDirectory() as folder:
                if place in LINES[agent]:
                    write_lines(Path(folder), place, data.draw(records(LINES[agent][place])))
                elif data.draw(st.integers(0, 4)):
                    key, sound = OBJECTS[agent][place]
                    write_object(Path(folder), place, key, data.draw(records(sound)))
                else:
                    write(Path(folder) / place, json.dumps(data.draw(JUNK)))
                self.survives(agent, Path(folder))

        holds()

    @every_agent
    @pytest.mark.parametrize("body", [b"\0" * 500, b"\xff" * 500, b"[" * 1500, b'{"a":' * 1500, b'"' + b"a" * 9000])
    def test_in_bytes(self, agent, body, tmp_path):
        for place in (*LINES[agent], *OBJECTS[agent]):
            write(tmp_path / place, body)
        self.survives(agent, tmp_path)

    def survives(self, agent: str, root: Path) -> None:
        for log in logs(agent, root):
            identity = load_source(agent).identify(log)
            assert identity.session_id is None or identity.session_id.encode()
            assert identity.started_at is None or identity.started_at.tzinfo is UTC
            check(agent, log, read(agent, log))
