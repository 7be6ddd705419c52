"""Renders one window of messages as a chunk: Markdown for people, a sidecar for machines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from aicx.corpus.files import SCHEMA, encode_sidecar, tool_facts
from aicx.corpus.ingest.drafts import ChunkWindow, MessageDraft
from aicx.corpus.ingest.names import UNTITLED
from aicx.corpus.ingest.segments import Segment
from aicx.corpus.places.identity import RepositoryIdentity
from aicx.folders import relative, slashed
from aicx.paths import NON_REPOSITORY, chunk_stem
from aicx.terminal import without_controls
from aicx.text import instant
from aicx.types import PROMPTS, Kind, Lane
from aicx.values import dataclass

# How the line below a title names the project of a chunk that has none.
UNKNOWN = "no repository"
_MAX_HIGHLIGHTS = 3
_MAX_COMMANDS = 40
_MAX_FILES = 100
_MAX_ERRORS = 10
_LINE_LENGTH = 200
_FENCE_BYTES = re.compile(rb"^\s{0,3}(`{3,})", re.MULTILINE)
_NO_ERROR = re.compile(
    r"\W*(?:Exit code:? \d+|Process exited with code \d+|Chunk ID: \w+|Wall time:.*|Output:|error)\W*"
)


@dataclass(frozen=True, slots=True)
class SessionContext:
    """The session as one of its chunks tells of it. Everything here is as known at the chunk's end."""

    agent: str
    session_id: str
    stream: str
    names: Mapping[str, Any]  # the fields that `name_chunk` gives
    automated_why: str | None
    lane: Lane
    parent_session: str | None
    commit: str | None
    formats: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RenderedChunk:
    """A chunk ready to be written: ``stem`` is its path below the home without ending."""

    id: str
    number: int
    stem: str
    markdown: bytes
    fields: dict[str, Any]

    @property
    def sidecar(self) -> bytes:
        return encode_sidecar(self.fields)


def render(window: ChunkWindow, segment: Segment, context: SessionContext, number: int, kind: Kind) -> RenderedChunk:
    """The chunk of one window. Everything in it is redacted already."""
    # A tilde of the session's own is doubled, so that no session can be taken for another one's prompt history.
    session = context.session_id.replace("~", "~~") + (f"~{context.stream}" if context.stream else "")
    chunk_id = f"{context.agent}:{session}:{number:03d}"
    project = segment.identity.project if segment.identity else None
    header = _header(context, project, segment.date, number, window)
    markdown, messages = _body(header, window)
    own = window.own
    sources = _sources(own, context.formats)
    first, last = min(own, key=_at).entry, max(own, key=_at).entry
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "id": chunk_id,
        "project": project or NON_REPOSITORY,
        "agent": context.agent,
        "session_id": context.session_id,
        "date": segment.date,
        "kind": kind,
        "started_at": instant(first.at),
        "completed_at": instant(last.at),
        "content_sha256": sha256(markdown).hexdigest(),
        "source": sources[0],
        "redactions": _sum_counts(own),
        "more_sources": sources[1:],
        "cwd": next((draft.entry.cwd for draft in own if draft.entry.cwd), None),
        "repo_source": segment.identity.source if segment.identity else None,
        "folders": _folders(own, segment),
        "branch": next((draft.entry.branch for draft in reversed(own) if draft.entry.branch), None),
        "commit": context.commit,
        "model": next((draft.entry.model for draft in reversed(own) if draft.entry.model), None),
        **context.names,
        "automated_why": context.automated_why,
        "lane": context.lane,
        "parent_session": context.parent_session,
        "stream": context.stream,
        **_tool_fields(own),
        "highlights": _highlights(own),
        "tokens": window.tokens,
        "messages": messages,
    }
    # The steering block speaks for the whole group, so it wins over what was mined; the instants stay those of records.
    steering = {name: value for name, value in segment.steering.items() if name not in ("kind",)}
    for name in ("started_at", "completed_at"):
        if name in steering:
            steering[f"stated_{name}"] = steering.pop(name)
    fields |= steering
    return RenderedChunk(
        chunk_id,
        number,
        chunk_stem(project, segment.date, kind, context.agent, context.session_id, number, context.stream),
        markdown,
        fields,
    )


def _header(context: SessionContext, project: str | None, date: str, number: int, window: ChunkWindow) -> bytes:
    branch = next((draft.entry.branch for draft in reversed(window.own) if draft.entry.branch), None)
    facts = [project or UNKNOWN, context.agent, date, f"session {context.session_id}", f"part {number}"]
    if branch:
        facts.insert(1, f"branch {branch}")
    if context.lane == "subagent":
        facts.append("subagent")
    if context.stream:
        facts.append("from the prompt history")
    title = context.names["title"] or UNTITLED
    return f"# {title}\n\n{_words(' · '.join(facts))}\n".encode("utf-8", "replace")


def _body(header: bytes, window: ChunkWindow) -> tuple[bytes, list[dict[str, Any]]]:
    """The Markdown, and where in its bytes each message's text stands."""
    parts = [header]
    position = len(header)
    messages: list[dict[str, Any]] = []
    repeated = len(window.repeated)
    for index, draft in enumerate((*window.repeated, *window.own)):
        message: dict[str, Any] = {
            "at": instant(draft.entry.at),
            "role": draft.entry.role,
            "origin": draft.entry.origin,
            "span": [0, 0],
            "key": draft.key,
            "text_key": draft.text_key,
        }
        if draft.entry.tool:
            message["tool"] = tool_facts(draft.entry.tool)
        if draft.echo:
            message["echo"] = True
        if draft.part:
            message["part"] = list(draft.part)
        if index < repeated:
            message["repeated"] = True
        marks = (f" ({draft.part[0]}/{draft.part[1]})" if draft.part else "") + (
            " · repeated" if index < repeated else ""
        )
        heading = f"\n### {draft.entry.at:%H:%M:%S} {speaker_of(message)}{marks}\n\n"
        fence = _fence(draft)
        opening = heading.encode() + (fence + b"\n" if fence else b"")
        closing = b"\n" + (fence + b"\n" if fence else b"")
        start = position + len(opening)
        message["span"] = [start, start + len(draft.body)]
        messages.append(message)
        parts += (opening, draft.body, closing)
        position = start + len(draft.body) + len(closing)
    return b"".join(parts), messages


def speaker_of(message: Mapping[str, Any]) -> str:
    """How a message's heading names who speaks, from its entry in the sidecar."""
    role, origin, tool = str(message["role"]), message["origin"], message.get("tool")
    if tool:
        outcome = "" if tool["phase"] == "call" else " failed" if tool.get("failed") else " result"
        return f"tool · {_one_line(tool['name'])}{outcome}"
    if origin in ("compaction", "injected") or (role == "user" and origin not in PROMPTS):
        return f"{role} · {origin}"
    return role


def _fence(draft: MessageDraft) -> bytes:
    """Tool text is shown verbatim, in a fence longer than any inside it."""
    if draft.entry.role != "tool":
        return b""
    longest = max((len(run) for run in _FENCE_BYTES.findall(draft.body)), default=2) if b"```" in draft.body else 2
    return b"`" * max(3, longest + 1)


def _sources(own: Sequence[MessageDraft], formats: Mapping[str, str]) -> list[dict[str, Any]]:
    """Provenance by log: the spans of its records, and the SHA-256 over the SHA-256s of those records in order."""
    by_path: dict[str, dict[tuple[int, int], str]] = {}
    for draft in own:
        ref = draft.entry.ref
        by_path.setdefault(ref.path, {})[(ref.start, ref.end)] = ref.sha256
    return [
        {
            "path": path,
            "format": _format_of(path, formats),
            "spans": [list(span) for span in spans],
            "sha256": sha256("".join(spans.values()).encode()).hexdigest(),
        }
        for path, spans in by_path.items()
    ]


def _format_of(path: str, formats: Mapping[str, str]) -> str:
    """The format of the log a record is from; where the log is a folder, its records lie in files below it."""
    return formats.get(path) or next((name for log, name in formats.items() if path.startswith(f"{log}/")), "unknown")


def _folders(own: Iterable[MessageDraft], segment: Segment) -> dict[str, Any]:
    """Returns the repository that each working folder of these messages was taken for."""
    cwds = dict.fromkeys(draft.entry.cwd for draft in own if draft.entry.cwd)
    return folder_fields({cwd: segment.folders.get(cwd) for cwd in cwds})


def folder_fields(folders: Mapping[str, RepositoryIdentity | None]) -> dict[str, Any]:
    """Returns the repository of each folder, as the sidecar's ``folders``."""
    return {
        cwd: {"project": found.project, "repo_source": found.source} if found else None
        for cwd, found in folders.items()
    }


def _tool_fields(own: Sequence[MessageDraft]) -> dict[str, Any]:
    tools: dict[str, int] = {}
    commands: dict[str, None] = {}
    paths: dict[str, None] = {}
    errors: dict[str, None] = {}
    for draft in own:
        tool = draft.entry.tool
        if tool is None or (draft.part and draft.part[0] > 1):
            continue
        if tool.phase == "call":
            name = _one_line(tool.name)
            tools[name] = tools.get(name, 0) + 1
            if tool.command and len(commands) < _MAX_COMMANDS:
                commands[_one_line(tool.command)] = None
            for path in tool.files:
                paths[_relative(path, draft.entry.cwd)] = None
        elif tool.failed:
            lines = draft.body.decode("utf-8", "replace").splitlines()
            line = next((text for line in lines if (text := _error_line(line))), None)
            errors[line or f"{_one_line(tool.name)} failed"] = None
    return {
        "files": [path for path in paths if path][:_MAX_FILES],
        "commands": list(commands),
        "tools": tools,
        "errors": list(errors)[:_MAX_ERRORS],
    }


def _error_line(line: str) -> str | None:
    line = line.strip()
    return None if not line or _NO_ERROR.fullmatch(line) or line.strip("`-=~# ") == "" else _one_line(line)


def _relative(path: str, cwd: str | None) -> str:
    return (cwd and relative(path, cwd)) or slashed(path)


def _highlights(own: Iterable[MessageDraft]) -> list[str]:
    found: dict[str, None] = {}
    for draft in own:
        if draft.entry.role not in ("user", "assistant"):
            continue
        for line in draft.entry.text.splitlines():
            plain = line[:_LINE_LENGTH].strip(" \t>*#-_")
            if plain.lower().startswith(_markers()):
                found[_one_line(line.strip(" \t>*#-"))] = None
                if len(found) == _MAX_HIGHLIGHTS:
                    return list(found)
    return list(found)


@cache
def _markers() -> tuple[str, ...]:
    lines = files("aicx").joinpath("data/highlights.txt").read_text("utf-8").splitlines()
    return tuple(line.strip().lower() for line in lines if line.strip() and not line.startswith("#"))


def _words(text: str) -> str:
    """``text`` on one line: what a log calls a tool or a branch must not look like a heading of ours."""
    return " ".join(without_controls(text).split())


def _one_line(text: str) -> str:
    line = _words(text)
    return line if len(line) <= _LINE_LENGTH else line[: _LINE_LENGTH - 1] + "…"


def _sum_counts(own: Iterable[MessageDraft]) -> dict[str, int]:
    total: dict[str, int] = {}
    for draft in own:
        for rule, count in draft.redactions.items():
            total[rule] = total.get(rule, 0) + count
    return dict(sorted(total.items()))


def _at(draft: MessageDraft) -> Any:
    return draft.entry.at
