"""Recognises one log that the user names by its path, from what its records look like rather than from its name."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from aicx.errors import SourceUnreadable, UsageError
from aicx.sources import RUN, antigravity, claude, codex, copilot, cursor, gemini, load_source, opencode, pi, run
from aicx.sources.databases import holds_session
from aicx.sources.items import BadRecord, LogFile
from aicx.sources.records import RawRecord, read_json, read_jsonl, stat_log
from aicx.sources.values import object_of

# Bookkeeping and damage can stand before the first record that tells the formats apart.
_HEAD_RECORDS = 50
_MAX_ARRAY = 64 * 1024 * 1024
_LOOKED_FOR = (
    "a log is a Claude Code transcript or history.jsonl, a Codex rollout or history.jsonl, a Gemini CLI session or"
    " logs.json, an Antigravity brain folder or .pb, a session of OpenCode (exported, its file, or opencode.db/ID),"
    " events of Copilot CLI, a session of Pi, a transcript or a chat of Cursor (state.vscdb/ID), or what `aicx run`"
    " wrote; --format names the agent where the content does not"
)
_CODEX_BARE = frozenset(("message", "reasoning", "function_call", "function_call_output", "local_shell_call"))
_CODEX_EXEC = frozenset(("thread.started", "turn.started", "item.started", "item.completed"))
_GEMINI_TYPES = frozenset(("user", "gemini", "info", "error", "warning"))
_BRAIN_MARKS = ("*.metadata.json", "*.resolved", ".system_generated")


# One format of one agent, and how a record of it is told from all others.
_Form = tuple[str, str, Callable[[dict[str, Any]], bool]]


def detect_log(path: Path, format: str | None = None) -> LogFile:
    """The log at ``path``, ready for its source; ``format`` is an agent's name and rules out all other agents.

    Raises SourceUnreadable for what is no log that can be read, UsageError for an unknown agent or a plain folder.
    """
    if format is not None:
        load_source(format)
    path = path.absolute()  # a source may look at the folders above
    if path.parent.is_file() and holds_session(path):
        is_cursor = path.parent.suffix == ".vscdb"
        agent, kind = (cursor.AGENT, cursor.DATABASE) if is_cursor else (opencode.AGENT, opencode.DATABASE)
        return LogFile(agent, kind, path, 0, "")
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise SourceUnreadable(f"{path} cannot be read: {error.strerror or error}", hint=_LOOKED_FOR) from error
    if stat.S_ISDIR(mode):
        return _folder(path, format)
    if format == antigravity.AGENT:
        return _brain(_brain_around(path) or antigravity.extract_target(path))
    if format is None and (path.suffix == ".pb" or (path.suffix == ".db" and path.parent.name == "conversations")):
        return _brain(antigravity.extract_target(path))
    log = _listed(*(_recognise(path, format) or _by_name(path, format) or ("", "")), path)
    if log.format:
        return log
    if format is None and (brain := _brain_around(path)):
        return _brain(brain)
    reason = "is empty" if log.size == 0 else "holds no record of any known log format"
    raise SourceUnreadable(f"{path} {reason}", hint=_LOOKED_FOR)


def _listed(agent: str, format: str, path: Path) -> LogFile:
    log = stat_log(agent, format, path)
    if isinstance(log, BadRecord):
        raise SourceUnreadable(f"{path} {log.reason}", hint=_LOOKED_FOR)
    return log


# --- folders


def _folder(path: Path, format: str | None) -> LogFile:
    brain = path if format == antigravity.AGENT or _is_brain(path) else None
    if brain is None or format not in (None, antigravity.AGENT):
        raise UsageError(
            f"{path} is a folder and no Antigravity brain", hint="name one log; `aicx store` reads whole folders"
        )
    return _brain(brain)


def _brain(folder: Path) -> LogFile:
    # Its files are listed when it is read, so size and fingerprint of the folder itself would say nothing.
    return LogFile(antigravity.AGENT, antigravity.FORMAT, folder, 0, "")


def _is_brain(folder: Path) -> bool:
    if folder.parent.name == "brain":
        return True
    return any(next(folder.glob(mark), None) is not None for mark in _BRAIN_MARKS)


def _brain_around(path: Path) -> Path | None:
    """The brain folder that ``path``, an artifact or a transcript, lies in."""
    return next((folder for folder in path.parents if folder.parent.name == "brain"), None)


# --- files


def _recognise(path: Path, agent: str | None) -> tuple[str, str] | None:
    """(agent, format) of a file by its content, None when nothing in it decides."""
    log = _listed("", "", path)
    head = list(islice(read_jsonl(log), 2))
    for item in head:
        if isinstance(item, BadRecord) and item.line is None:
            raise SourceUnreadable(f"{path} {item.reason}", hint=_LOOKED_FOR)
    if not head or isinstance(head[0], BadRecord) or len(head) == 1:
        found = _first_fit(_WHOLE_FORMS, [_whole_object(log)], agent) or _first_fit(_ARRAY_FORMS, _array(log), agent)
        if found:
            return found
    records = (item.value for item in islice(read_jsonl(log), _HEAD_RECORDS) if isinstance(item, RawRecord))
    return _first_fit(_LINE_FORMS, records, agent)


def _first_fit(
    forms: Sequence[_Form], values: Iterator[dict[str, Any]] | Sequence[dict[str, Any]], agent: str | None
) -> tuple[str, str] | None:
    allowed = [form for form in forms if agent in (None, form[0])]
    return next((form[:2] for value in values for form in allowed if form[2](value)), None)


def _whole_object(log: LogFile) -> dict[str, Any]:
    value = read_json(log)
    return {} if isinstance(value, BadRecord) else value


def _array(log: LogFile) -> list[dict[str, Any]]:
    """The first elements of a log that is one JSON array; empty when it is none."""
    try:
        with log.path.open("rb") as stream:
            is_array = stream.read(64).lstrip()[:1] == b"["
        values = orjson.loads(log.path.read_bytes()) if is_array and log.size <= _MAX_ARRAY else []
    except OSError as error:
        raise SourceUnreadable(f"{log.path} cannot be read: {error.strerror or error}") from error
    except orjson.JSONDecodeError:
        return []
    return [value for value in values[:_HEAD_RECORDS] if isinstance(value, dict)]


def _by_name(path: Path, agent: str | None) -> tuple[str, str] | None:
    """For a log so damaged that no record tells: its place and name, or the agent the user named."""
    is_object = path.suffix == ".json"
    if agent is None:
        if path.name.startswith("rollout-"):
            agent = "codex"
        elif path.name.startswith("session-") and path.parent.name == "chats":
            agent = "gemini"
        elif path.suffix == ".jsonl" and path.parent.parent.name == "projects":
            agent = "claude"
    match agent:
        case "claude":
            return agent, claude.SESSION_FORMAT
        case "codex":
            return agent, codex.ROLLOUT_JSON if is_object else codex.ROLLOUT
        case "gemini":
            return agent, gemini.SESSION_JSON if is_object else gemini.SESSION_LINES
        case "copilot":
            return agent, copilot.FORMAT
        case "cursor":
            return agent, cursor.TRANSCRIPT
        case "pi":
            return agent, pi.FORMAT
        case "opencode":
            return agent, opencode.EXPORT
        case "run":
            return agent, run.FORMAT
    return None


# --- what tells a record's format


def _is_claude(value: dict[str, Any]) -> bool:
    if not isinstance(value.get("type"), str) or "payload" in value:
        return False
    return "sessionId" in value or "leafUuid" in value or "parentUuid" in value or "snapshot" in value


def _is_claude_prompt(value: dict[str, Any]) -> bool:
    return isinstance(value.get("display"), str) and ("project" in value or "pastedContents" in value)


def _is_rollout(value: dict[str, Any]) -> bool:
    kind = value.get("type")
    if "payload" in value or "record_type" in value or kind in _CODEX_EXEC:
        return True
    if kind is None:
        return isinstance(value.get("id"), str) and "timestamp" in value and "sessionId" not in value
    return kind in _CODEX_BARE and "sessionId" not in value


def _is_gemini_line(value: dict[str, Any]) -> bool:
    if "type" not in value and "sessionId" in value:
        return True
    return "$set" in value or "$rewindTo" in value or ("id" in value and value.get("type") in _GEMINI_TYPES)


def _is_copilot(value: dict[str, Any]) -> bool:
    return "." in str(value.get("type")) and isinstance(value.get("data"), dict) and "parentId" in value


def _is_cursor(value: dict[str, Any]) -> bool:
    return value.keys() == {"role", "message"} and isinstance(object_of(value["message"]).get("content"), list | str)


_LINE_FORMS: tuple[_Form, ...] = (
    ("claude", claude.SESSION_FORMAT, _is_claude),
    ("claude", claude.HISTORY_FORMAT, _is_claude_prompt),
    ("codex", codex.HISTORY, lambda value: "session_id" in value and "ts" in value and "text" in value),
    ("codex", codex.INDEX, lambda value: "id" in value and "thread_name" in value),
    ("codex", codex.ROLLOUT, _is_rollout),
    (gemini.AGENT, gemini.SESSION_LINES, _is_gemini_line),
    (copilot.AGENT, copilot.FORMAT, _is_copilot),
    (cursor.AGENT, cursor.TRANSCRIPT, _is_cursor),
    (pi.AGENT, pi.FORMAT, lambda value: value.get("type") == "session" and "cwd" in value and "command" not in value),
    (RUN, run.FORMAT, lambda value: value.get("type") == "session" and "command" in value),
)
_WHOLE_FORMS: tuple[_Form, ...] = (
    ("codex", codex.ROLLOUT_JSON, lambda value: "session" in value and isinstance(value.get("items"), list)),
    (
        gemini.AGENT,
        gemini.SESSION_JSON,
        lambda value: "sessionId" in value and any(isinstance(value.get(name), list) for name in gemini.MESSAGES),
    ),
    (
        opencode.AGENT,
        opencode.EXPORT,
        lambda value: isinstance(value.get("info"), dict) and isinstance(value.get("messages"), list),
    ),
    (opencode.AGENT, opencode.FILES, lambda value: isinstance(value.get("directory"), str) and "projectID" in value),
)
_ARRAY_FORMS: tuple[_Form, ...] = (
    (gemini.AGENT, gemini.PROMPTS, lambda value: "sessionId" in value and isinstance(value.get("message"), str)),
)
