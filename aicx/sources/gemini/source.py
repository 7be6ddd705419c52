"""Gemini CLI: one JSON object or one JSON Lines file per session below ``~/.gemini/tmp/<project>/chats``."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from pathlib import Path

from aicx.sources.gemini.lines import read_lines
from aicx.sources.gemini.messages import GeminiDraft
from aicx.sources.gemini.projects import find_cwd, folder_hash, project_root
from aicx.sources.gemini.sessions import MESSAGES, PROMPTS, SESSION_JSON, SESSION_LINES, identify_session, read_object
from aicx.sources.gemini.timeline import AGENT, GeminiTimeline, first_instant
from aicx.sources.items import BadRecord, LogFile, LogIdentity, SourceItem
from aicx.sources.records import Element, list_folder, stat_log, unreadable
from aicx.sources.values import object_of, parse_json, quoted, string_of
from aicx.sources.voices import speaker_of
from aicx.types import AgentHomes

__all__ = [
    "AGENT",
    "MESSAGES",
    "PROMPTS",
    "SESSION_JSON",
    "SESSION_LINES",
    "SOURCE",
    "GeminiSource",
    "folder_hash",
    "project_root",
]
_BARE_COMMAND = re.compile(r"/[A-Za-z][\w:-]*")


class GeminiSource:
    """Session files, the subagents' files below them, and the prompt history of each project."""

    agent = AGENT

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        """Every log, by listing and stat alone; ``checkpoint-*.json`` are copies of sessions and are passed over."""
        for project in _folders(homes.gemini / "tmp"):
            if isinstance(project, BadRecord):
                yield project
                continue
            listing = list_folder(project)
            for path in [listing] if isinstance(listing, BadRecord) else listing:
                if isinstance(path, BadRecord):
                    yield path
                elif path.name == "chats":
                    yield from _session_files(path, prefix="")
                elif path.name == "logs.json":
                    yield stat_log(AGENT, PROMPTS, path)
        yield from _session_files(homes.gemini / "history", prefix="session-")

    def identify(self, log: LogFile) -> LogIdentity:
        """The session a log holds; a file that names none goes by its own name, a prompt history holds many."""
        return LogIdentity(None, None) if log.format == PROMPTS else identify_session(log)

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        """The log's items in file order."""
        return {PROMPTS: read_prompts, SESSION_JSON: read_object}.get(log.format, read_lines)(log)


SOURCE = GeminiSource()


def _folders(folder: Path) -> Iterator[Path | BadRecord]:
    listing = list_folder(folder)
    if isinstance(listing, BadRecord):
        yield listing
    else:
        yield from (path for path in listing if _is_folder(path))


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # listing it will then say what is wrong


def _session_files(folder: Path, prefix: str) -> Iterator[LogFile | BadRecord]:
    listing = list_folder(folder)
    if isinstance(listing, BadRecord):
        yield listing
        return
    for path in listing:
        if path.suffix in (".json", ".jsonl"):
            if path.name.startswith(prefix) and not path.name.startswith("checkpoint-"):
                yield stat_log(AGENT, SESSION_JSON if path.suffix == ".json" else SESSION_LINES, path)
        elif not path.name.startswith(".") and not path.is_symlink() and _is_folder(path):
            # Folders with a leading dot are Gemini's own git repositories: thousands of files, none of them a log.
            yield from _session_files(path, prefix)


def read_prompts(log: LogFile) -> Iterator[SourceItem]:
    """One entry a prompt, in file order."""
    path = str(log.path)
    try:
        prompts = parse_json(log.path.read_bytes())
    except OSError as error:
        yield unreadable(log.path, error)
        return
    if not isinstance(prompts, list):
        yield BadRecord(path, "is not a JSON array of prompts")
        return
    cwd, problems = find_cwd(log, {})
    yield from problems
    timeline = GeminiTimeline(path, "", cwd, first_instant(prompts))
    for index, value in enumerate(prompts):
        prompt = object_of(value)
        timeline.session_id, text = string_of(prompt.get("sessionId")), string_of(prompt.get("message"))
        kind = prompt.get("type", "user")
        if not timeline.session_id or not text.strip():
            yield BadRecord(path, "prompt without a session or a text", index + 1)
        elif kind != "user":
            timeline.skipped[f"unknown type: {quoted(kind)}"] += 1
        elif _BARE_COMMAND.fullmatch(text.strip()):
            timeline.skipped["slash command"] += 1
        else:
            # Without an id on purpose: the same prompt stands in the session's own log, and is recognised by its text.
            drafts = [GeminiDraft("user", speaker_of(text) or "typed", text)]
            place = Element(prompt, index, index + 1)
            yield from timeline.place({"timestamp": prompt.get("timestamp")}, drafts, place)
    yield from timeline.close()
