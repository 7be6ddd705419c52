"""Logs as they are on disk, for a replay: when a session began, where, on which branch, what was asked and edited.

Nothing of the product reads them here, so that what it makes of a log can be held against it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aicx.sources.values import object_of

_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_AGENT_FOLDERS = (".claude", ".codex", ".gemini", ".local", ".copilot")
_EDITS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
_PATCHED = re.compile(r"\*\*\* (?:Update|Add|Delete) File: ([^\n\\\"]+)")


@dataclass(frozen=True, slots=True)
class RawLog:
    """One log of a home. ``path`` is relative to it; ``ends`` are (instant, end of the line) for each of its lines.

    ``program`` is whether a program asked, or the session is another's: nobody begins to work there. ``edited`` are
    files below ``root``, the folder of the repository as the log names it.
    """

    path: str
    session: str
    root: str
    first: datetime
    last: datetime
    branch: str | None
    commit: str | None
    prompts: tuple[str, ...]
    edited: frozenset[str]
    program: bool
    ends: tuple[tuple[datetime, int], ...]

    def active_before(self, moment: datetime) -> datetime:
        """When it was last written to before ``moment``; its beginning where that is not known."""
        return max(
            (at for at, _ in self.ends if at < moment), default=min(self.last, moment) if not self.ends else self.first
        )

    def until(self, moment: datetime) -> int:
        """How many bytes of the log were written before ``moment``."""
        size = 0
        for at, end in self.ends:
            if at >= moment:
                break
            size = end
        return size


def homes_in(folder: Path) -> list[Path]:
    """The folders that are laid out as a home: ``folder`` itself, or those up to two levels below it."""
    found = [folder, *folder.glob("*"), *folder.glob("*/*")]
    return sorted(home for home in found if any((home / name).is_dir() for name in _AGENT_FOLDERS))


def logs_of(home: Path, repository: str) -> list[RawLog]:
    """The logs of a home whose sessions began in a folder of that name, in the order of their beginnings.

    Of several that begin with the same record, all but one are copies that went on elsewhere: their own beginning is
    not known, and they are left out.
    """
    found: dict[datetime, RawLog] = {}
    for path in sorted(home.rglob("*.jsonl")):
        log = _read(home, path, repository)
        if log is not None and (log.first not in found or log.last < found[log.first].last):
            found[log.first] = log
    return sorted(found.values(), key=lambda log: (log.first, log.path))


def _read(home: Path, path: Path, repository: str) -> RawLog | None:
    relative = str(path.relative_to(home))
    session = (_ID.findall(relative) or [""])[-1]
    if not relative.startswith((".claude/", ".codex/")) or not session:
        return None
    ends: list[tuple[datetime, int]] = []
    at: datetime | None = None
    branch = commit = cwd = None
    prompts: list[str] = []
    edited: list[str] = []
    program, size = "agent-" in path.name or "/subagents/" in relative, 0
    for line in path.read_bytes().splitlines(keepends=True):
        size += len(line)
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if not isinstance(record, dict):
            continue
        at = _instant(record.get("timestamp")) or at
        if at is not None:
            ends.append((at, size))
        payload = object_of(record.get("payload"))
        cwd = cwd or record.get("cwd") or payload.get("cwd")
        git = object_of(payload.get("git"))
        branch = branch or record.get("gitBranch") or git.get("branch")
        commit = commit or git.get("commit_hash")
        program = program or _is_of_program(record, payload)
        prompts += _prompts(record, payload)
        edited += _edited(record, payload)
    root = _root(cwd, repository) if cwd else None
    if root is None or not ends:
        return None
    files = frozenset(name for name in (_below(name, root) for name in edited) if name)
    first, last = min(at for at, _ in ends), max(at for at, _ in ends)
    return RawLog(
        relative, session, root, first, last, branch, commit, tuple(prompts), files, program or not prompts, tuple(ends)
    )


def _instant(text: object) -> datetime | None:
    try:
        return datetime.fromisoformat(str(text)).astimezone(UTC)
    except ValueError:
        return None


def _is_of_program(record: Mapping[str, Any], payload: Mapping[str, Any]) -> bool:
    if record.get("type") == "session_meta":
        source = payload.get("source")
        return isinstance(source, dict) or source in ("exec", "mcp") or payload.get("originator") == "codex_exec"
    return record.get("type") == "user" and str(record.get("entrypoint")).startswith("sdk-")


def _prompts(record: Mapping[str, Any], payload: Mapping[str, Any]) -> Iterator[str]:
    """What a person typed, in their words; what a client wrote around it begins with a mark."""
    if record.get("type") == "event_msg" and payload.get("type") == "user_message":
        texts = [payload.get("message")]
    elif record.get("type") == "user" and not (record.get("isMeta") or record.get("isSidechain")):
        origin = record.get("origin")
        if isinstance(origin, dict) and origin.get("kind") != "human":
            return
        content = (record.get("message") or {}).get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    else:
        return
    for text in texts:
        if (
            isinstance(text, str)
            and text.strip()
            and not text.lstrip().startswith(("<", "[Request interrupted", "Caveat:"))
        ):
            yield text.strip()


def _edited(record: Mapping[str, Any], payload: Mapping[str, Any]) -> Iterator[str]:
    content = (record.get("message") or {}).get("content") if record.get("type") == "assistant" else None
    for block in content if isinstance(content, list) else []:
        if isinstance(block, dict) and block.get("name") in _EDITS and isinstance(block.get("input"), dict):
            yield str(block["input"].get("file_path") or block["input"].get("notebook_path") or "")
    if payload.get("type") in ("custom_tool_call", "function_call"):
        yield from _PATCHED.findall(str(payload.get("input") or payload.get("arguments") or "").replace("\\n", "\n"))


def _parts(path: str) -> Sequence[str]:
    return path.replace("\\", "/").split("/")


def _root(cwd: str, repository: str) -> str | None:
    parts = _parts(cwd)
    if repository not in parts:
        return None
    length = len("/".join(parts[: parts.index(repository) + 1]))
    return cwd[:length]


def _below(path: str, root: str) -> str | None:
    """``path`` from the root; a relative one is taken from there."""
    path, root = "/".join(_parts(path.strip())), "/".join(_parts(root))
    if path.startswith(f"{root}/"):
        return path[len(root) + 1 :]
    return None if not path or path.startswith(("/", "~")) or path[1:2] == ":" else path
