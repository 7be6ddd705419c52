"""A secret may be anywhere in a log: in a folder, an id, a log's name, a type. It reaches no file and no reader."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from aicx.sources import SOURCES
from tests.corpus.builders import stamp, when
from tests.sampling import sample
from tests.servers.dashboard.http_client import TOKEN, get, request, serving
from tests.servers.mcp.mcp_client import call

pytestmark = pytest.mark.process

Value = dict[str, Any]

_ALNUM = string.ascii_letters + string.digits
_KEY_LETTERS = string.ascii_uppercase + "234567"


class Planted:
    """Secrets by the place each was put in: ``planted("branch")`` is a new one at the first call, then the same."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._chance = random.Random(kind)
        self.secrets: dict[str, str] = {}

    def __call__(self, place: str) -> str:
        return self.secrets.setdefault(place, self._new())

    def password(self, place: str) -> str:
        return self.secrets.setdefault(place, "Kx9" + "".join(self._chance.choices(_ALNUM, k=17)))

    def _new(self) -> str:
        if self._kind == "github":
            return "ghp_" + "".join(self._chance.choices(_ALNUM, k=36))
        return "AKIA" + "".join(self._chance.choices(_KEY_LETTERS, k=16))

    def found_in(self, body: bytes) -> list[str]:
        # An index folds letters to small ones, and a name that was cut off shows the beginning of a secret.
        low = body.lower()
        return [place for place, secret in self.secrets.items() if secret.lower()[:14].encode() in low]


def _lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def claude_logs(p: Planted) -> Iterator[tuple[str, bytes]]:
    session, cwd = p("claude session id"), f"/srv/{p('claude cwd')}/orbit"
    base: Value = {"cwd": cwd, "gitBranch": f"fix/{p('claude branch')}", "sessionId": session, "isSidechain": False}

    def record(number: int, kind: str, **fields: Any) -> Value:
        return {**base, "type": kind, "uuid": f"{p('claude record id')}-{number}", "timestamp": stamp(number), **fields}

    def said(number: int, *blocks: Value) -> Value:
        message = {"id": "m", "model": f"opus-{p('claude model')}", "content": list(blocks)}
        return record(number, "assistant", message=message)

    steering = "".join(
        f"{name}: {p(f'frontmatter {name}')}\n"
        for name in ("run_id", "prompt_id", "status", "mode", "skill_code", "workflow_phase", "framework_version")
    )
    prompt = f"---\n{steering}---\nFix the lexer of {p('claude prompt')}"
    arguments = {"command": f"cat {p('claude command')}", "file_path": f"{cwd}/{p('claude file')}.py"}
    result = {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": f"no {p('claude error')}"}
    records = [
        record(0, "user", message={"role": "user", "content": prompt}),
        said(1, {"type": "tool_use", "id": "t", "name": f"mcp__{p('claude tool')}__get", "input": arguments}),
        record(2, "user", message={"content": [result]}),
        said(3, {"type": "text", "text": f"Decision: keep {p('claude answer')}"}, {"type": p("claude block type")}),
        {**base, "type": f"kind-{p('claude record type')}", "timestamp": stamp(4)},
        {**base, "type": "x" * 60 + "-" + p("claude long record type"), "timestamp": stamp(4)},
        record(5, "system", subtype=f"sub-{p('claude subtype')}", content="x"),
        record(6, "attachment", attachment={"type": f"at-{p('claude attachment')}"}),
        {"type": "custom-title", "customTitle": f"About {p('claude title')}", "sessionId": session},
        {"type": "summary", "summary": f"Summary {p('claude summary')}", "leafUuid": f"{p('claude record id')}-3"},
        {
            "type": "pr-link",
            "prUrl": f"https://ada:{p.password('pr link password')}@github.com/ada/orbit/pull/1",
            "prRepository": "ada/orbit",
            "sessionId": session,
        },
    ]
    torn = b'{"type": "user", "sessionId": "' + p("claude torn line").encode() + b"\n"
    folder = f".claude/projects/-srv-{p('claude log folder')}"
    yield f"{folder}/{session}.jsonl", torn + _lines(*records)
    child = {**record(9, "user", message={"role": "user", "content": "Look"}), "isSidechain": True}
    child |= {"agentId": p("claude agent id"), "cwd": WORKTREE}
    yield f"{folder}/{session}/subagents/agent-{p('claude agent id')}.jsonl", torn + _lines(child)
    # The same session again, as a copy that another session took along.
    other = p("claude fork id")
    yield f"{folder}/{other}.jsonl", torn + _lines(*({**row, "sessionId": other} for row in records[:4]))
    history = {
        "display": f"Remember {p('history text')}",
        "timestamp": round(when(50).timestamp() * 1000),
        "project": f"/srv/{p('history folder')}",
        "sessionId": p("history session id"),
    }
    yield ".claude/history.jsonl", _lines(history, [p("history bad record")])
    yield f".claude/projects/-srv/{p('claude empty log')}.jsonl", b"\0\0\0\n"


def codex_logs(p: Planted) -> Iterator[tuple[str, bytes]]:
    session = p("codex session id")

    def record(kind: str, payload: Value) -> Value:
        return {"timestamp": stamp(100), "type": kind, "payload": payload}

    cwd = f"/srv/{p('codex cwd')}"
    git = {
        "branch": p("codex branch"),
        "commit_hash": p("codex commit"),
        "repository_url": f"https://ada:{p.password('codex remote password')}@github.com/ada/{p('codex remote')}.git",
    }
    message = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Fix the hive"}]}
    yield (
        f".codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-{session}.jsonl",
        _lines(
            record("session_meta", {"id": session, "timestamp": stamp(100), "cwd": cwd, "git": git}),
            record("turn_context", {"cwd": f"/srv/{p('codex second cwd')}", "model": p("codex model")}),
            record("response_item", message),
            record("event_msg", {"type": "user_message", "message": "Fix the hive"}),
            record("response_item", {"type": f"item-{p('codex item type')}"}),
            record("event_msg", {"type": f"event-{p('codex event type')}"}),
            record(f"kind-{p('codex record type')}", {}),
            {"record_type": p("codex state")},
            record(
                "response_item",
                {
                    "type": "function_call",
                    "name": p("codex tool"),
                    "arguments": json.dumps({"cmd": f"ls {p('codex command')}"}),
                    "call_id": p("codex call id"),
                },
            ),
        ),
    )
    yield (
        ".codex/history.jsonl",
        _lines({"session_id": p("codex history id"), "ts": 1772359300, "text": "Fix the comb"}),
    )
    yield ".codex/session_index.jsonl", _lines({"id": session, "thread_name": f"Hive {p('codex thread name')}"})
    yield f".codex/sessions/2026/03/01/rollout-{p('codex bad log')}.jsonl", _lines({"payload": 1}, {"type": 7})


def gemini_logs(p: Planted) -> Iterator[tuple[str, bytes]]:
    session, folder = p("gemini session id"), f".gemini/tmp/{p('gemini folder')}"
    header = {"sessionId": session, "projectHash": p("gemini project"), "startTime": stamp(200)}
    call_ = {"id": "t", "name": p("gemini tool"), "args": {"path": f"/srv/{p('gemini path')}"}, "status": "success"}
    rows: list[Value] = [
        {"id": p("gemini id"), "timestamp": stamp(200), "type": "user", "content": "Fix the wing"},
        {
            "id": "m-2",
            "timestamp": stamp(201),
            "type": "gemini",
            "content": "Yes",
            "model": p("gemini model"),
            "toolCalls": [{**call_, "timestamp": stamp(201)}],
        },
        {"id": "m-3", "timestamp": stamp(202), "type": f"t-{p('gemini type')}", "content": "x"},
    ]
    yield f"{folder}/chats/session-2026-03-01T10-00-{p('gemini log name')}.jsonl", _lines(header, *rows)
    other = {**header, "sessionId": p("gemini second session"), "messages": rows}
    yield f"{folder}/chats/session-2026-03-01T11-00-{p('gemini json name')}.json", json.dumps(other).encode()
    prompt = {"sessionId": p("gemini prompt session"), "messageId": 0, "timestamp": stamp(203), "message": "Fix it"}
    yield f"{folder}/logs.json", json.dumps([{**prompt, "type": "user"}, {**prompt, "type": p("prompt type")}]).encode()


def antigravity_logs(p: Planted) -> Iterator[tuple[str, bytes]]:
    brain = f".gemini/antigravity/brain/{p('brain folder')}"
    step = {"created_at": stamp(300), "source": "MODEL"}
    yield (
        f"{brain}/.system_generated/logs/transcript_full.jsonl",
        _lines(
            {**step, "step_index": 0, "source": "USER_EXPLICIT", "type": "USER_INPUT", "content": "Fix the queen"},
            {**step, "step_index": 1, "type": p("step type"), "content": "done"},
            {**step, "step_index": 2, "source": p("step source"), "type": "ODD"},
        ),
    )
    yield f"{brain}/{p('artifact name')}.md", b"# Task"
    about = {"artifactType": f"ARTIFACT_TYPE_{p('artifact type')}", "updatedAt": stamp(301)}
    yield f"{brain}/{p('artifact name')}.md.metadata.json", json.dumps(about).encode()
    yield f".gemini/antigravity/conversations/{p('opaque conversation')}.pb", b"\x00\x01"


def opencode_logs(p: Planted) -> Iterator[tuple[str, bytes]]:
    session = f"ses_{p('opencode session id')}"
    at = round(when(400).timestamp() * 1000)
    about = {
        "id": session,
        "title": f"Comb {p('opencode title')}",
        "directory": f"/srv/{p('opencode cwd')}",
        "parentID": p("opencode parent"),
        "time": {"created": at},
    }
    state = {
        "status": "error",
        "input": {"command": f"cat {p('opencode command')}", "filePath": p("opencode file")},
        "error": f"no {p('opencode error')}",
        "time": {"start": at, "end": at},
    }
    parts = [
        {"id": p("opencode part"), "type": "text", "text": f"Mend {p('opencode text')}"},
        {"id": "prt_2", "type": "tool", "tool": p("opencode tool"), "callID": p("opencode call"), "state": state},
        {"id": "prt_3", "type": f"part-{p('opencode type')}"},
    ]
    info = {
        "id": "msg_1",
        "role": "assistant",
        "modelID": p("opencode model"),
        "time": {"created": at, "completed": at},
    }
    odd = {"info": {"role": p("opencode role")}, "parts": []}
    messages = [{"info": info, "parts": parts}, odd, p("opencode bad message")]
    folder = ".local/share/opencode"
    yield f"{folder}/export/{session}.json", json.dumps({"info": about, "messages": messages}).encode()
    yield f"{folder}/storage/session/{p('opencode project')}/ses_{p('opencode broken file')}.json", b'{"id": "ses'
    yield f"{folder}/opencode-{p('opencode database')}.db", b"not a database"


def copilot_logs(p: Planted) -> Iterator[tuple[str, bytes]]:
    session = p("copilot session id")

    def event(number: int, kind: str, **data: Any) -> Value:
        at = stamp(500 + number)
        return {"type": kind, "data": data, "id": f"{p('copilot id')}-{number}", "timestamp": at, "parentId": None}

    context = {
        "cwd": f"/srv/{p('copilot cwd')}",
        "branch": p("copilot branch"),
        "repository": f"ada/{p('copilot repository')}",
        "repositoryHost": "github.com",
        "headCommit": p("copilot commit"),
    }
    request = {"toolCallId": p("copilot call"), "name": p("copilot tool"), "arguments": {"path": p("copilot path")}}
    folder = f".copilot/session-state/{session}"
    yield (
        f"{folder}/events.jsonl",
        _lines(
            event(0, "session.start", sessionId=session, context=context),
            event(1, "user.message", content=f"Mend {p('copilot text')}", transformedContent=p("copilot sent")),
            event(2, "assistant.message", content="Yes", toolRequests=[request], model=p("copilot model")),
            event(3, "tool.execution_complete", toolCallId=p("copilot call"), error={"message": p("copilot error")}),
            event(4, f"kind.{p('copilot type')}"),
            [p("copilot bad event")],
        ),
    )
    yield f"{folder}/workspace.yaml", f"summary: Honey {p('copilot title')}\n".encode()


def pi_logs(p: Planted) -> Iterator[tuple[str, bytes]]:
    session = p("pi session id")

    def said(number: int, role: str, content: Any, **more: Any) -> Value:
        message = {"role": role, "content": content, **more}
        return {"type": "message", "id": f"{p('pi id')}{number}", "timestamp": stamp(600 + number), "message": message}

    call_ = {"type": "toolCall", "id": p("pi call"), "name": p("pi tool"), "arguments": {"path": p("pi path")}}
    parent = f"/srv/2026_{p('pi parent')}.jsonl"
    yield (
        f".pi/agent/sessions/--{p('pi folder')}--/2026-03-01_{session}.jsonl",
        _lines(
            {"type": "session", "id": session, "timestamp": stamp(600), "cwd": p("pi cwd"), "parentSession": parent},
            {"type": "session_info", "name": f"Wax {p('pi title')}"},
            said(1, "user", f"Melt {p('pi text')}"),
            said(2, "assistant", [call_, {"type": p("pi block")}], model=p("pi model"), errorMessage=p("pi error")),
            said(3, p("pi role"), "x"),
            {"type": p("pi type")},
            [p("pi bad record")],
        ),
    )


def cursor_logs(p: Planted) -> Iterator[tuple[str, bytes]]:
    session = p("cursor session id")
    home = f".cursor/projects/{p('cursor project')}/agent-transcripts/{session}"
    called = {"type": "tool_use", "name": p("cursor tool"), "input": {"path": f"/srv/{p('cursor path')}"}}
    blocks = [{"type": "text", "text": f"Skep {p('cursor text')}"}, called, {"type": p("cursor block")}]
    yield (
        f"{home}/{session}.jsonl",
        _lines(
            {"role": "assistant", "message": {"content": blocks}},
            {"type": p("cursor type")},
            [p("cursor bad record")],
        ),
    )
    yield f".cursor/chats/x/{session}/meta.json", json.dumps({"cwd": p("cursor cwd")}).encode()


WORKTREE = "/srv/worktree"
LOGS: tuple[Callable[[Planted], Iterator[tuple[str, bytes]]], ...] = (
    claude_logs,
    codex_logs,
    gemini_logs,
    antigravity_logs,
    opencode_logs,
    copilot_logs,
    pi_logs,
    cursor_logs,
)
READING = (
    "list",
    "list --json",
    "store --dry-run --full-rescan --json",
    "store --full-rescan --emit json",
    "store --full-rescan --emit paths",
    "store --full-rescan --json -o {out}",
    "state",
    "state --json",
    "refs --json",
    "refs --emit paths",
    "doctor",
    "doctor --json",
    "sessions --json",
    "steer --json --limit 100",
    "search fix --json",
    "search lexer",
    "rank --json -p {project}",
    "resume --json -p {project}",
    "extract --session {session} --json",
    "forget --project {project} --dry-run --json",
    "dashboard -o {out}/page.html",
)


@pytest.mark.needs("mcp", "web")
@pytest.mark.parametrize("kind", sample(["github", "aws"], 1, ends=False))
def test_a_secret_anywhere_in_a_log_reaches_no_file_and_no_reader(
    kind: str, home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = Planted(kind)
    logs = {name: body for logs in LOGS for name, body in logs(planted)}
    worktree, repository = home / "work" / "tree", home / "work" / f"{planted('repository folder')}.git"
    logs["work/tree/.git"] = f"gitdir: {repository}".encode()
    logs[f"work/{repository.name}/config"] = b"[core]\n"
    for name, body in logs.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body.replace(WORKTREE.encode(), str(worktree).encode()))
    monkeypatch.chdir(tmp_path)
    leaks: dict[str, list[str]] = {}

    def check(where: str, body: bytes) -> None:
        if found := planted.found_in(body):
            leaks[where] = found

    def ask(*arguments: str) -> str:
        code = run(list(arguments))
        out, err = capfd.readouterr()
        # A command given a secret may say it back in an error; none is given one here.
        check(f"$ aicx {' '.join(arguments)}", (out + err).encode())
        assert code != 70, err
        return out

    out = tmp_path / "out"
    stored = json.loads(ask("store", "--json"))
    assert stored["chunks_written"] >= 8
    assert stored["problems"]
    chunks = json.loads(ask("steer", "--json", "--limit", "100"))["items"]
    assert {chunk["agent"] for chunk in chunks} == set(SOURCES) - {"run"}
    project = next(chunk["project"] for chunk in chunks if "/" in chunk["project"])
    for line in READING:
        ask(*line.format(out=out, session=chunks[0]["session_id"], project=project).split(" "))
    for chunk in chunks:
        ask("show", chunk["id"], "--json", "--verify")
        ask("show", f"session:{chunk['session_id']}", "--verify")
    for name in logs:
        if not name.startswith("work/"):
            ask("extract", str(home / name), "--json")
    for folder in (home / ".aicx", tmp_path):
        for path in folder.rglob("*"):
            check(f"name of {path.relative_to(folder)}", str(path.relative_to(folder)).encode())
            if path.is_file() and path.stat().st_size:
                check(f"{path.relative_to(folder)}", path.read_bytes())

    from aicx.config import load_settings

    settings = load_settings()
    for tool, arguments in (
        ("aicx_search", {"query": "fix the lexer"}),
        ("aicx_steer", {}),
        ("aicx_resume", {"project": project}),
        ("aicx_index_status", {}),
        *(("aicx_read", {"ref": chunk["id"]}) for chunk in chunks),
    ):
        check(f"MCP {tool}", call(settings, tool, **arguments).model_dump_json().encode())
    with serving() as (_, address):
        for path in ("/api/status", "/api/overview", "/api/browse"):
            check(path, json.dumps(get(address, path).fields).encode())
        for chunk in chunks:
            check("/api/chunk", str(request(address, "GET", f"/api/chunk?id={chunk['id']}")).encode())
    assert TOKEN
    assert {where: places for where, places in leaks.items() if places} == {}
