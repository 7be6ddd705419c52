"""Small builders for corpus tests: entries and drafts in memory, and whole homes with invented agent logs on disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import orjson
import pytest

from aicx.config import Settings, load_settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.chunks import put_chunk
from aicx.corpus.files import encode_sidecar
from aicx.corpus.files.read import load_sidecar, walk_chunks
from aicx.corpus.ingest.drafts import ChunkWindow, MessageDraft, draft_entries, pack
from aicx.corpus.ingest.render import RenderedChunk
from aicx.corpus.ingest.report import StoreReport, StoreRequest
from aicx.corpus.ingest.run import store
from aicx.corpus.ingest.session_chunks import SessionScope, SessionState, session_chunks
from aicx.corpus.places.evidence import Ledger
from aicx.corpus.places.identity import RepositoryIdentity
from aicx.corpus.places.places import FolderDecisions, Places
from aicx.folders import FolderClue
from aicx.sources.door import Door
from aicx.sources.items import Redact, SessionEvent, SourceRef, TimelineEntry, ToolUse
from aicx.types import Redacted

Value = dict[str, Any]

T0 = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
CWD = "/srv/ada/orbit"
SESSION = "0b7c1f6e-3d52-4a8e-9a3c-5f0a1b2c3d4e"
OTHER = "1c8d2e7f-4e63-4b9f-8b4d-6a1b2c3d4e5f"
THIRD = "2d9e3f80-5f74-4ca0-9c5e-7b2c3d4e5f60"
# A line that an agent was writing when it died: every log below begins with one.
TORN = b'{"type": "user", "uuid": "torn", "message": {"content": "this never\n'


def when(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


def stamp(seconds: float) -> str:
    return when(seconds).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def entry(text: str = "Hello", seconds: float = 0, role: str = "user", **fields: Any) -> TimelineEntry:
    """One entry; its record is made up from its place in time."""
    origin = {"user": "typed", "tool": "tool", "system": "injected", "artifact": "artifact"}.get(role, "agent")
    start = round(seconds * 10)
    found: Value = {
        "agent": "claude",
        "session_id": SESSION,
        "at": when(seconds),
        "role": role,
        "text": text,
        "ref": SourceRef("/logs/one.jsonl", start, start + 5, sha256(f"{start}".encode()).hexdigest()),
        "origin": origin,
        "cwd": CWD,
        "branch": "main",
        "record_id": f"r-{seconds}",
    }
    return TimelineEntry(**{**found, **fields})


def tool_entry(text: str, seconds: float = 0, phase: str = "result", name: str = "Bash", **use: Any) -> TimelineEntry:
    return entry(text, seconds, "tool", tool=ToolUse(name, phase, **use))  # type: ignore[arg-type]


def drafts_of(entries: Iterable[TimelineEntry], redact: Redact = Redacted) -> list[MessageDraft]:
    return list(draft_entries(entries, redact))


def draft(text: str = "Hello", seconds: float = 0, role: str = "user", **fields: Any) -> MessageDraft:
    return drafts_of([entry(text, seconds, role, **fields)])[0]


def windows(*entries: TimelineEntry) -> list[ChunkWindow]:
    return pack(drafts_of(entries))


def places_of(
    learned: Mapping[str, str], user_home: Path = Path("/nonexistent"), decisions: FolderDecisions | None = None
) -> Places:
    """Places where another session pushed to the repositories of the folders in ``learned``."""
    places = Places(user_home, Ledger(), decisions or FolderDecisions())
    places.observe(("claude", OTHER), [FolderClue(folder, "push", project) for folder, project in learned.items()])
    return places


def locator(**learned: str) -> Callable[[str | None], RepositoryIdentity | None]:
    """Knows the folders under /srv/ada by name, from other sessions, and nothing of this machine."""
    return places_of({f"/srv/ada/{name}": project for name, project in learned.items()}).resolve


def chunks_of(
    entries: Sequence[TimelineEntry],
    facts: Sequence[tuple[int, SessionEvent]] = (),
    redact: Redact = Redacted,
    locate: Callable[[str | None], RepositoryIdentity | None] | None = None,
    **state: Any,
) -> list[RenderedChunk]:
    """The chunks of one session of Claude Code, cut without any store."""
    found = SessionState(facts, {"/logs/one.jsonl": "claude-jsonl"}, **state)
    scope = SessionScope("claude", SESSION)
    door = Door(redact)
    found = replace(found, facts=[(at, door.fact(fact)) for at, fact in found.facts])
    drafts = drafts_of(map(door.entry, entries), redact)
    return list(session_chunks(scope, drafts, found, locate or locator(orbit="ada/orbit")))


@dataclass
class ClaudeLog:
    """A session log of Claude Code, record by record."""

    session: str = SESSION
    cwd: str = CWD
    branch: str = "main"
    records: list[Value] = field(default_factory=list)

    def add(self, kind: str, seconds: float, **fields: Any) -> ClaudeLog:
        envelope: Value = {
            "type": kind,
            "uuid": f"{self.session[:8]}-{len(self.records)}",
            "timestamp": stamp(seconds),
            "cwd": self.cwd,
            "gitBranch": self.branch,
            "sessionId": self.session,
            "isSidechain": False,
        }
        self.records.append({**envelope, **fields})
        return self

    def prompt(self, text: str, seconds: float, **fields: Any) -> ClaudeLog:
        return self.add("user", seconds, message={"role": "user", "content": text}, **fields)

    def answer(self, text: str, seconds: float, **fields: Any) -> ClaudeLog:
        return self._assistant({"type": "text", "text": text}, seconds, **fields)

    def call(self, name: str, seconds: float, call_id: str = "toolu_1", **arguments: Any) -> ClaudeLog:
        return self._assistant({"type": "tool_use", "id": call_id, "name": name, "input": arguments}, seconds)

    def result(self, text: str, seconds: float, call_id: str = "toolu_1", *, failed: bool = False) -> ClaudeLog:
        block = {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": failed}
        return self.add("user", seconds, message={"role": "user", "content": [block]})

    def title(self, text: str) -> ClaudeLog:
        self.records.append({"type": "ai-title", "aiTitle": text, "sessionId": self.session})
        return self

    def copied_from(self, other: ClaudeLog) -> ClaudeLog:
        """Takes the other session's records along, as a fork does: the ids stay, the session is this one."""
        self.records += [{**record, "sessionId": self.session} for record in other.records]
        return self

    def _assistant(self, block: Value, seconds: float, **fields: Any) -> ClaudeLog:
        message = {"id": f"msg_{len(self.records)}", "model": "opus", "content": [block]}
        return self.add("assistant", seconds, message=message, **fields)

    def body(self) -> bytes:
        return TORN + b"".join(json.dumps(record).encode() + b"\n" for record in self.records)


@dataclass
class CodexLog:
    """A rollout of Codex, record by record; prompts stand in it twice, as they do in real ones."""

    session: str = OTHER
    cwd: str = CWD
    remote: str | None = None
    records: list[Value] = field(default_factory=list)

    def __post_init__(self) -> None:
        git = {"git": {"branch": "main", "repository_url": self.remote}} if self.remote else {}
        self._add("session_meta", 0, {"id": self.session, "timestamp": stamp(0), "cwd": self.cwd, **git})
        self._add("turn_context", 0, {"cwd": self.cwd, "model": "gpt-5"})

    def prompt(self, text: str, seconds: float) -> CodexLog:
        item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        self._add("response_item", seconds, item)
        return self._add("event_msg", seconds, {"type": "user_message", "message": text})

    def answer(self, text: str, seconds: float) -> CodexLog:
        item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        self._add("event_msg", seconds, {"type": "agent_message", "message": text})
        return self._add("response_item", seconds, item)

    def call(self, command: str, seconds: float, call_id: str = "call_1") -> CodexLog:
        arguments = json.dumps({"cmd": command})
        item = {"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": call_id}
        return self._add("response_item", seconds, item)

    def result(self, text: str, seconds: float, call_id: str = "call_1") -> CodexLog:
        return self._add("response_item", seconds, {"type": "function_call_output", "output": text, "call_id": call_id})

    def _add(self, kind: str, seconds: float, payload: Value) -> CodexLog:
        self.records.append({"timestamp": stamp(seconds), "type": kind, "payload": payload})
        return self

    def body(self) -> bytes:
        return TORN + b"".join(json.dumps(record).encode() + b"\n" for record in self.records)


class Home:
    """A user's home in a temporary folder: agents' logs in it, a corpus beside them, and repositories to work in."""

    def __init__(self, root: Path) -> None:
        self.root = root / "home"
        self.root.mkdir(exist_ok=True)
        self.corpus = root / "corpus"
        self.work = root / "work"  # outside the home, as a checkout on another disk would be
        self.environ = {"HOME": str(self.root), "AICX_HOME": str(self.corpus)}

    @property
    def settings(self) -> Settings:
        return load_settings(self.environ)

    def used(self, monkeypatch: pytest.MonkeyPatch) -> Self:
        """Makes it the home that commands find in the environment."""
        for name, value in self.environ.items():
            monkeypatch.setenv(name, value)
        return self

    # What the agents wrote

    def claude(self, log: ClaudeLog, cut: int | None = None) -> Path:
        """Writes a log, or only its first ``cut`` bytes."""
        return self._write(f".claude/projects/-srv-ada-orbit/{log.session}.jsonl", log.body()[:cut])

    def codex(self, log: CodexLog, cut: int | None = None) -> Path:
        name = f"rollout-2026-03-01T10-00-00-{log.session}.jsonl"
        return self._write(f".codex/sessions/2026/03/01/{name}", log.body()[:cut])

    def claude_history(self, *prompts: tuple[str, str, float]) -> Path:
        """The prompt history: (session, text, seconds) of each prompt."""
        rows = [
            {"display": text, "timestamp": round(when(at).timestamp() * 1000), "project": CWD, "sessionId": session}
            for session, text, at in prompts
        ]
        return self._write(".claude/history.jsonl", TORN + b"".join(orjson.dumps(row) + b"\n" for row in rows))

    def repository(self, name: str, remote: str | None = None) -> str:
        """A folder with a git administration as far as aicx reads it; returns its path."""
        folder = self.work / name
        write_git(folder, remote)
        return str(folder)

    def _write(self, relative: str, body: bytes) -> Path:
        path = self.root / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        return path

    # What aicx made of it

    def store(self, notify: Callable[[str], None] = lambda line: None, **request: Any) -> StoreReport:
        return store(self.settings, StoreRequest(**request), lambda done, total, label: None, notify)

    def files(self) -> dict[str, bytes]:
        """Every chunk and sidecar, byte for byte."""
        found = [*self.corpus.glob("store/**/*"), *self.corpus.glob("non-repository-contexts/**/*")]
        return {str(path.relative_to(self.corpus)): path.read_bytes() for path in sorted(found) if path.is_file()}

    def chunks(self) -> dict[str, Value]:
        """The path of every chunk and its sidecar."""
        layout = self.settings.layout
        return {path: dict(load_sidecar(layout, path).fields) for path in walk_chunks(layout)}

    def sidecars(self) -> list[Value]:
        return list(self.chunks().values())

    def sidecar(self) -> Value:
        """The only one there is."""
        (fields,) = self.sidecars()
        return fields

    def markdown(self) -> str:
        """All chunks, one after the other."""
        layout = self.settings.layout
        return "".join(layout.inside(path).read_text("utf-8") for path in walk_chunks(layout))

    def own_texts(self) -> list[str]:
        """The messages as stored, each where it is no repetition, in the order of the chunks."""
        layout = self.settings.layout
        texts = []
        for path in walk_chunks(layout):
            body = layout.inside(path).read_bytes()
            for message in load_sidecar(layout, path).messages:
                if not message.get("repeated"):
                    start, end = message["span"]
                    texts.append(body[start:end].decode())
        return texts


def strip_tool_facts(corpus: Path) -> None:
    """Makes every sidecar below ``corpus`` one of aicx.chunk/1, which had no tool facts, as if its version had run."""
    for path in corpus.rglob("*.meta.json"):
        fields = json.loads(path.read_bytes())
        for message in fields["messages"]:
            message.pop("tool", None)
        path.write_bytes(encode_sidecar({**fields, "schema": "aicx.chunk/1"}))
    for path in corpus.glob("catalog.sqlite*"):
        path.unlink()


def write_git(folder: Path, remote: str | None = None) -> None:
    """The administration of a repository with at most one remote."""
    (folder / ".git").mkdir(parents=True)
    section = f'[remote "origin"]\n\turl = {remote}\n\tfetch = +refs/heads/*\n' if remote else ""
    (folder / ".git" / "config").write_text(f"[core]\n\tbare = false\n{section}")


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content, but for those that SQLite makes for whoever reads a database."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.name.endswith(("-wal", "-shm"))]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def fields_of(number: int = 1, **fields: Any) -> Value:
    """The sidecar of a chunk that nobody wrote, for a catalogue in memory."""
    found: Value = {
        "schema": "aicx.chunk/1",
        "project": "ada/orbit",
        "agent": "claude",
        "session_id": SESSION,
        "date": "2026-03-01",
        "kind": "conversations",
        "started_at": "2026-03-01T10:00:00.000Z",
        "content_sha256": "0" * 64,
        "source": {"path": "/logs/one.jsonl", "format": "claude-jsonl", "spans": [], "sha256": "0" * 64},
        "redactions": {},
        **fields,
    }
    found.setdefault("completed_at", found["started_at"])
    return {"id": f"{found['agent']}:{found['session_id']}:{number:03d}", **found}


def catalog_of(*chunks: Value) -> Catalog:
    """A catalogue in memory that knows the given sidecars."""
    catalog = Catalog.in_memory()
    for fields in chunks:
        put_chunk(catalog, fields, f"store/{fields['id']}.md", "0" * 64, b"")
    return catalog
