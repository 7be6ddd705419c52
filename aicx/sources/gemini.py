"""Gemini CLI: one JSON object or one JSON Lines file per session below ``~/.gemini/tmp/<project>/chats``."""

from __future__ import annotations

import re
import stat
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from aicx.sources.records import (
    Record,
    dump_json,
    element_ref,
    list_folder,
    parse_instant,
    read_json,
    read_jsonl,
    stat_log,
)
from aicx.sources.tools import describe_call
from aicx.types import (
    AgentHomes,
    BadRecord,
    Lane,
    LogFile,
    LogIdentity,
    Origin,
    Role,
    SessionFact,
    Skipped,
    SourceItem,
    SourceRef,
    TimelineEntry,
    ToolUse,
)

AGENT = "gemini"

_TYPES = {
    **dict.fromkeys(("user", "human", "prompt"), "user"),
    **dict.fromkeys(("gemini", "model", "ai", "assistant"), "gemini"),
    **dict.fromkeys(("info", "error", "warning", "system"), "notice"),
}
_PREAMBLES = (
    "<session_context>",
    "This is the Gemini CLI. We are setting up the context for our chat",
    "Got it. Thanks for the context!",
    "Got it. Thanks for the additional context!",
)
_PROMPTED_BY_CLIENT = "System: Please continue."
_REFERENCES = "--- Content from referenced files ---"
_REFERENCED_FILE = re.compile(r"^Content from @?(.+?):$", re.MULTILINE)
_EMBEDDED = re.compile(r"<(system-reminder|hook_context|session_context)>.*?</\1>\s*", re.DOTALL)
_DATA_URL = re.compile(r"data:([\w.+/-]+);base64,[A-Za-z0-9+/=_-]+")
_EXIT_CODE = re.compile(r"^Exit Code: (-?\d+)$", re.MULTILINE)
_BARE_COMMAND = re.compile(r"/[A-Za-z][\w:-]*")
_HASH = re.compile(r"[0-9a-f]{64}")
# A whole JSON string that is a path (it may hold spaces), a path inside running text, a Windows path. The length
# limits and the look-behind keep base64, which is full of slashes, from being taken for thousands of paths. Each
# begins with a literal, which makes them several times faster than one pattern for all three.
_QUOTED_PATH = re.compile(rb'"(/[^"\\]{1,1024})"')
_BARE_PATH = re.compile(rb"/(?<![\w/+=.~-]/)[^\s\"'\\`<>|:;,()\[\]{}*?]{1,512}")
_WINDOWS_PATH = re.compile(rb"[A-Za-z]:(?:\\\\[^\s\"\\/:*?<>|]{1,128}){1,32}")


def folder_hash(path: str) -> str:
    """The name Gemini CLI gives to the folder of a project: the SHA-256 (hex) of the project's absolute path."""
    return sha256(path.encode("utf-8", "replace")).hexdigest()


def project_root(hash_or_slug: str, candidate_paths: Iterable[str], projects_map: Mapping[str, str]) -> str | None:
    """The project folder that a hash or a slug stands for, None when nothing known leads to it.

    ``projects_map`` says which folder has which slug (Gemini's own ``projects.json``). A hash cannot be reversed, but
    every candidate path and every folder above it can be hashed, and only the right one gives the same hash.
    """
    for folder, slug in projects_map.items():
        if slug == hash_or_slug:
            return folder
    if not _HASH.fullmatch(hash_or_slug):
        return None
    tried: set[str] = set()
    for path in chain(projects_map, candidate_paths):
        folder = path
        while folder and folder not in tried:
            tried.add(folder)
            if folder_hash(folder) == hash_or_slug:
                return folder
            folder = folder[: max(folder.rfind("/"), folder.rfind("\\"), 0)]
    return None


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
                    yield stat_log(AGENT, "gemini-logs", path)
        yield from _session_files(homes.gemini / "history", prefix="session-")

    def identify(self, log: LogFile) -> LogIdentity:
        """The session a log holds; a file that names none goes by its own name, a prompt history holds many."""
        if log.format == "gemini-logs":
            return LogIdentity(None, None)
        header = _header(log)
        lane, parent = _lane(log.path, header)
        return LogIdentity(_session_id(log, header), parse_instant(header.get("startTime")), lane, parent)

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        """The log's items in file order."""
        read = {"gemini-logs": _read_prompts, "gemini-json": _read_object}.get(log.format, _read_lines)
        yield from read(log)


SOURCE = GeminiSource()


# --- where logs are, and which project they belong to


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
                yield stat_log(AGENT, "gemini-json" if path.suffix == ".json" else "gemini-jsonl", path)
        elif not path.name.startswith(".") and not path.is_symlink() and _is_folder(path):
            # Folders with a leading dot are Gemini's own git repositories: thousands of files, none of them a log.
            yield from _session_files(path, prefix)


def _project_folder(path: Path) -> Path:
    """The folder named by the project's hash or slug: above ``chats``, or right below ``history``."""
    for folder in path.parents:
        if folder.name == "chats" or folder.parent.name == "history":
            return folder.parent if folder.name == "chats" else folder
    return path.parent


def _lane(path: Path, header: Mapping[str, Any]) -> tuple[Lane, str | None]:
    if path.parent.parent.name == "chats":
        return "subagent", path.parent.name
    return ("subagent" if header.get("kind") == "subagent" else "primary"), None


def _session_id(log: LogFile, header: Mapping[str, Any]) -> str:
    return _string(header.get("sessionId")) or log.path.stem


def _header(log: LogFile) -> dict[str, Any]:
    """The record that names the session; empty when the log has none."""
    if log.format == "gemini-json":
        value = read_json(log)
        return {} if isinstance(value, BadRecord) else value
    return next((r.value for r in read_jsonl(log) if isinstance(r, Record) and _is_header(r.value)), {})


def _is_header(value: Mapping[str, Any]) -> bool:
    return "sessionId" in value and "type" not in value and "id" not in value


def _find_cwd(log: LogFile, header: Mapping[str, Any]) -> tuple[str | None, list[BadRecord]]:
    """The project folder, from Gemini's own notes where it keeps any, else from the paths that occur in the log."""
    folder = _project_folder(log.path)
    home = folder.parent.parent
    bad: list[BadRecord] = []
    owner = _small_file(folder / ".project_root", bad).decode("utf-8", "replace").strip()
    if owner:
        return owner, bad
    projects = _json_map(home / "projects.json", bad)
    nested = projects.get("projects")
    slugs = {k: v for k, v in (nested if isinstance(nested, dict) else projects).items() if isinstance(v, str)}
    trusted = _json_map(home / "trustedFolders.json", bad)
    paths = chain(trusted, _strings(header.get("directories")), _paths_in(log))
    by_name = project_root(folder.name, (), slugs)
    project_hash = _string(header.get("projectHash")) or folder.name
    return by_name or project_root(project_hash, paths, slugs), bad


def _small_file(path: Path, bad: list[BadRecord]) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        bad.append(BadRecord(str(path), f"cannot be read: {error.strerror or error}"))
        return b""


def _json_map(path: Path, bad: list[BadRecord]) -> dict[str, Any]:
    body = _small_file(path, bad)
    try:
        value = orjson.loads(body) if body.strip() else {}
    except orjson.JSONDecodeError:
        value = None
    if isinstance(value, dict):
        return value
    bad.append(BadRecord(str(path), "is not a JSON object, so project folders cannot be looked up in it"))
    return {}


def _paths_in(log: LogFile) -> Iterator[str]:
    """Every absolute path a log mentions, tool results included: arguments are often relative."""
    try:
        with log.path.open("rb") as stream:
            for line in stream:
                found = _QUOTED_PATH.findall(line)
                found += (path.rstrip(b".") for path in _BARE_PATH.findall(line))
                if rb":\\" in line:
                    found += (path.replace(rb"\\", b"\\") for path in _WINDOWS_PATH.findall(line))
                yield from (path.decode("utf-8", "replace") for path in found)
    except OSError:
        return  # the reader of the log itself reports this


# --- the three formats


def _read_prompts(log: LogFile) -> Iterator[SourceItem]:
    """``logs.json``: the prompts typed in one project, of all its sessions; the sessions hold them too."""
    path = str(log.path)
    problems: list[BadRecord] = []
    raw = _small_file(log.path, problems)
    try:
        prompts = orjson.loads(raw)
    except orjson.JSONDecodeError:
        prompts = None
    if not isinstance(prompts, list):
        yield from problems or [BadRecord(path, "is not a JSON array of prompts")]
        return
    cwd, problems = _find_cwd(log, {})
    yield from problems
    reading = _Reading(path, "", cwd, _first_instant(prompts))
    for index, value in enumerate(prompts):
        prompt = _dict(value)
        reading.session_id, text = _string(prompt.get("sessionId")), _string(prompt.get("message"))
        kind = prompt.get("type", "user")
        if not reading.session_id or not text.strip():
            yield BadRecord(path, "prompt without a session or a text", index + 1)
        elif kind != "user":
            reading.skipped[f"unknown type: {kind}"] += 1
        elif _BARE_COMMAND.fullmatch(text.strip()):
            reading.skipped["slash command"] += 1
        else:
            # Without an id on purpose: the same prompt stands in the session's own log, and is recognised by its text.
            yield from reading.entries(
                {"timestamp": prompt.get("timestamp")}, [_Draft("user", "typed", text)], _element(path, index, prompt)
            )
    yield from reading.close()


def _read_object(log: LogFile) -> Iterator[SourceItem]:
    """The older format: one object per session, rewritten whole after each message."""
    header = read_json(log)
    path = str(log.path)
    if isinstance(header, BadRecord):
        yield header
        return
    messages = header.get("messages")
    if not isinstance(messages, list):
        yield BadRecord(path, "has no list of messages")
        return
    reading = yield from _open(log, header, _first_instant(messages))
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            yield from reading.message(message, _element(path, index, message))
        else:
            yield BadRecord(path, "message is not an object", index + 1)
    yield from reading.close()


def _read_lines(log: LogFile) -> Iterator[SourceItem]:
    """The newer format: a header, then messages and patches, appended.

    A message is written again, whole, whenever it gains a tool call or a result: the last version wins and keeps the
    place of the first. So the log is read twice, and a message waits only until its last version has been seen.
    """
    outline = _outline(log)
    reading = yield from _open(log, outline.header, outline.first)
    waiting: dict[str, tuple[Record, dict[str, Any], bool]] = {}
    for number, record in enumerate(read_jsonl(log)):
        if isinstance(record, BadRecord):
            yield record
            continue
        yield from _patches(reading, record.value)
        for key, message, from_context in _messages(record.value, number):
            if from_context and key in outline.appended:
                reading.skipped["message repeated in a context update"] += 1
            else:
                waiting[key] = (record, message, from_context)
        while waiting and outline.last.get(first := next(iter(waiting)), number) <= number:
            yield from _release(reading, *waiting.pop(first))
    for held in waiting.values():
        yield from _release(reading, *held)
    yield from reading.close()


def _release(
    reading: _Reading, record: Record, message: dict[str, Any], from_context: bool
) -> Iterator[TimelineEntry | BadRecord]:
    place = _Place(record.line, lambda: record.ref(reading.path))
    yield from reading.message(message, place, only_new=from_context)


class _Outline(NamedTuple):
    """What must be known of a JSON Lines log before its first message can be given out."""

    header: dict[str, Any]
    first: datetime | None
    last: dict[str, int]  # message -> number of the record holding its last version
    appended: set[str]  # messages written as records of their own


def _outline(log: LogFile) -> _Outline:
    header: dict[str, Any] = {}
    first: datetime | None = None
    last: dict[str, int] = {}
    appended: set[str] = set()
    for number, record in enumerate(read_jsonl(log)):
        if isinstance(record, BadRecord):
            continue
        if not header and _is_header(record.value):
            header = record.value
        for key, message, from_context in _messages(record.value, number):
            last[key] = number
            if not from_context:
                appended.add(key)
            first = first or parse_instant(message.get("timestamp"))
    return _Outline(header, first, last, appended)


def _messages(value: dict[str, Any], number: int) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """The messages of one record with their keys, and whether they come from a rewrite of the model's context.

    Such a rewrite (``$set`` with ``messages``) follows a compression or a cancelled turn and lists what the model is
    to see from now on. It must not erase what was said, but it is the only place where the summary is found.
    """
    patch = value.get("$set")
    listed = value.get("messages") if _is_header(value) else patch.get("messages") if isinstance(patch, dict) else None
    if isinstance(listed, list):
        for index, message in enumerate(listed):
            if isinstance(message, dict):
                yield _string(message.get("id")) or f"{number}.{index}", message, True
    elif "type" in value or "role" in value or "id" in value:
        yield _string(value.get("id")) or str(number), value, False


def _patches(reading: _Reading, value: dict[str, Any]) -> Iterator[SessionFact]:
    patch = value.get("$set")
    if isinstance(patch, dict):
        title = _string(patch.get("summary")) or _string(patch.get("title"))
        if title:
            yield SessionFact(reading.session_id, title=title)
        reading.skipped["metadata update"] += 1
    elif "$rewindTo" in value:
        # The rewound turns stay: they were said, and taking them back would change what has been given out already.
        reading.skipped["rewind mark"] += 1
    elif not any(key in value for key in ("sessionId", "type", "role", "id")):
        reading.skipped["unknown record"] += 1


def _open(
    log: LogFile, header: dict[str, Any], first: datetime | None
) -> Generator[SessionFact | BadRecord, None, _Reading]:
    """Yields what the header says of the session; returns the reading to go on with."""
    cwd, bad = _find_cwd(log, header)
    yield from bad
    session_id = _session_id(log, header)
    lane, parent = _lane(log.path, header)
    title = _string(header.get("summary")) or _string(header.get("title")) or None
    if title or lane == "subagent":
        yield SessionFact(session_id, title=title, parent_session=parent, lane=lane if lane == "subagent" else None)
    began = parse_instant(header.get("startTime")) or first or parse_instant(header.get("lastUpdated"))
    return _Reading(str(log.path), session_id, cwd, began)


# --- from messages to entries


class _Place(NamedTuple):
    """Where a message stands; its provenance is taken only when the message yields something."""

    line: int
    ref: Callable[[], SourceRef]


def _element(path: str, index: int, element: dict[str, Any]) -> _Place:
    return _Place(index + 1, lambda: element_ref(path, index, element))


class _Draft(NamedTuple):
    """An entry before it has its place: time, session and provenance are the message's unless said here."""

    role: Role
    origin: Origin
    text: str
    suffix: str = ""  # told apart from the message's other entries
    at: Any = None
    record_id: str | None = None
    tool: ToolUse | None = None


@dataclass(slots=True)
class _Reading:
    """What carries over from one message of a log to the next."""

    path: str
    session_id: str
    cwd: str | None
    last: datetime | None  # the time given to a message that has none
    skipped: Counter[str] = field(default_factory=Counter)
    said: set[int] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)  # call id -> tool
    answered: set[str] = field(default_factory=set)

    def close(self) -> Iterator[Skipped]:
        for reason, count in self.skipped.items():
            yield Skipped(self.path, reason, count)

    def message(
        self, message: dict[str, Any], place: _Place, *, only_new: bool = False
    ) -> Iterator[TimelineEntry | BadRecord]:
        """The entries of one message; with ``only_new`` those whose text has not been seen in this log."""
        named = _string(message.get("type")) or _string(message.get("role"))
        match _TYPES.get(named.lower()):
            case "user":
                drafts = self._user(message)
            case "gemini":
                drafts = self._gemini(message)
            case "notice":
                drafts = self._notice(message)
            case _:
                self.skipped[f"unknown type: {named or 'none'}"] += 1
                return
        fresh = [draft for draft in drafts if not only_new or hash((draft.role, draft.text)) not in self.said]
        if len(fresh) < len(drafts):
            self.skipped["message repeated in a context update"] += 1
        yield from self.entries(message, fresh, place)

    def entries(
        self, message: dict[str, Any], drafts: list[_Draft], place: _Place
    ) -> Iterator[TimelineEntry | BadRecord]:
        at = parse_instant(message.get("timestamp")) or self.last
        if not drafts:
            self.last = at
            return
        if at is None:
            yield BadRecord(self.path, "message without a time in a log without any", place.line)
            return
        self.last = at
        ref = place.ref()
        key = _string(message.get("id"))
        for draft in drafts:
            self.said.add(hash((draft.role, draft.text)))
            stamp = parse_instant(draft.at) or at
            yield TimelineEntry(
                AGENT,
                self.session_id,
                # A result can be stamped a millisecond before the message that holds its call.
                max(stamp, at) if draft.role == "tool" else stamp,
                draft.role,
                draft.text,
                ref,
                draft.origin,
                cwd=self.cwd,
                record_id=draft.record_id or (f"{key}{draft.suffix}" if key else None),
                model=_string(message.get("model")) or None,
                tool=draft.tool,
            )

    def _user(self, message: dict[str, Any]) -> list[_Draft]:
        body = self._split(_content(message))
        shown = self._split(message.get("displayContent")).text
        drafts = [*self._responses(body)]
        text = self._without_scaffolding(body.text)
        if not text:
            return drafts
        if "<state_snapshot>" in text[:200]:
            return [*drafts, _Draft("system", "compaction", text)]
        if text == _PROMPTED_BY_CLIENT:
            return [*drafts, _Draft("system", "injected", text)]
        # The CLI sends the model more than was typed (files named with @, a command's expansion) and keeps what was
        # typed in `displayContent`, when that differs.
        prompt, _, referenced = text.partition(_REFERENCES)
        typed = shown or prompt.rstrip()
        if typed:
            drafts.append(_Draft("user", "typed", typed))
        if referenced.strip():
            files = tuple(dict.fromkeys(_REFERENCED_FILE.findall(referenced)))
            use = ToolUse("referenced files", "result", files=files)
            drafts.append(_Draft("tool", "tool", referenced.strip(), "#referenced", tool=use))
        elif shown and shown != text:
            drafts.append(_Draft("system", "injected", text, "#expanded"))
        return drafts

    def _gemini(self, message: dict[str, Any]) -> list[_Draft]:
        body = self._split(_content(message))
        thoughts = [thought for thought in _dicts(message.get("thoughts")) if _thought(thought)]
        reasoning = list(dict.fromkeys(map(_thought, thoughts))) or body.thoughts
        drafts = []
        if reasoning:
            began = thoughts[0].get("timestamp") if thoughts else None
            drafts.append(_Draft("reasoning", "agent", "\n".join(reasoning), "#reasoning", at=began))
        if text := self._without_scaffolding(body.text):
            drafts.append(_Draft("assistant", "agent", text))
        calls = _dicts(message.get("toolCalls"))
        known = {_string(call.get("id")) for call in calls}
        # Where a turn has `toolCalls`, its `functionCall` parts are the same calls once more.
        calls += [call for call in body.calls if not (known and _string(call.get("id")) in known | {""})]
        results = []
        for index, call in enumerate(calls):
            name = _string(call.get("name")) or "tool"
            call_id = _string(call.get("id")) or None
            key = call_id or f"{_string(message.get('id'))}#call{index}"
            if call_id and call_id in self.names:
                self.skipped["tool call written twice"] += 1
            else:
                text, use = describe_call(name, call.get("args"), call_id)
                drafts.append(_Draft("tool", "tool", self._without_data(text), record_id=f"{key}:call", tool=use))
            if call_id:
                self.names[call_id] = name
            results += self._outcome(call, name, call_id, key)
        return [*drafts, *results, *self._responses(body)]

    def _notice(self, message: dict[str, Any]) -> list[_Draft]:
        text = self._split(_content(message)).text.strip()
        if "update available!" in text:
            self.skipped["update notice"] += 1
            return []
        return [_Draft("system", "injected", text)] if text else []

    def _outcome(self, call: dict[str, Any], name: str, call_id: str | None, key: str) -> list[_Draft]:
        if call_id in self.answered:
            return []
        status = _string(call.get("status"))
        body = self._split(call.get("result"))
        text = "\n".join(filter(None, [*map(_response_text, body.responses), body.text])) or _display(call)
        failed = {"error": True, "cancelled": True, "success": False}.get(status)
        return self._result(text or (status if failed else ""), name, call_id, key, failed, call.get("timestamp"))

    def _responses(self, body: _Body) -> list[_Draft]:
        """Results given as parts of a message rather than with their call; a copy of one already seen yields none."""
        drafts = []
        for response in body.responses:
            call_id = _string(response.get("id")) or None
            if call_id in self.answered:
                self.skipped["tool result written twice"] += 1
                continue
            name = _string(response.get("name")) or self.names.get(call_id or "", "tool")
            failed = True if _dict(response.get("response")).get("error") else None
            key = call_id or name
            drafts += self._result(_response_text(response), name, call_id, key, failed, None)
        return drafts

    def _result(
        self, text: str, name: str, call_id: str | None, key: str, failed: bool | None, at: Any
    ) -> list[_Draft]:
        text = self._without_scaffolding(self._without_data(text))
        if not text:
            return []
        if call_id:
            self.answered.add(call_id)
        # The last one counts: the CLI adds it below the output, which may hold such a line too.
        codes = _EXIT_CODE.findall(text) if name == "run_shell_command" else []
        exit_code = int(codes[-1]) if codes else None
        use = ToolUse(name, "result", call_id, failed=True if exit_code else failed, exit_code=exit_code)
        return [_Draft("tool", "tool", text, at=at, record_id=f"{key}:result", tool=use)]

    def _without_scaffolding(self, text: str) -> str:
        if text.startswith(_PREAMBLES):
            self.skipped["scaffolding"] += 1
            return ""
        if "</" in text:
            text, count = _EMBEDDED.subn("", text)
            if count:
                self.skipped["scaffolding inside a text"] += count
        return text.strip("\n") if text.strip() else ""

    def _without_data(self, text: str) -> str:
        return _DATA_URL.sub(lambda found: _mark(found[1]), text) if ";base64," in text else text

    def _split(self, content: Any) -> _Body:
        body = _Body([], [], [], [])
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, str):
                body.texts.append(part)
            elif not isinstance(part, dict):
                continue
            elif isinstance(text := part.get("text"), str):
                # A `thoughtSignature` does not make a thought: Gemini 3 signs its answers too.
                (body.thoughts if part.get("thought") is True else body.texts).append(text)
            elif call := _dict(part.get("functionCall")):
                body.calls.append(call)
            elif response := _dict(part.get("functionResponse")):
                body.responses.append(response)
            else:
                body.texts.append(_other_part(part))
        return body


class _Body(NamedTuple):
    """A message's content, sorted by what it is."""

    texts: list[str]
    thoughts: list[str]
    calls: list[dict[str, Any]]
    responses: list[dict[str, Any]]

    @property
    def text(self) -> str:
        text = "\n".join(filter(None, self.texts))
        return _DATA_URL.sub(lambda found: _mark(found[1]), text) if ";base64," in text else text


def _content(message: Mapping[str, Any]) -> Any:
    return message.get("content") or message.get("displayContent") or message.get("parts")


def _other_part(part: Mapping[str, Any]) -> str:
    """Data becomes a mark; code that the model ran itself, and what came out, stays."""
    for key in ("inlineData", "fileData"):
        if data := _dict(part.get(key)):
            return _mark(_string(data.get("mimeType")) or "unknown type")
    return _string(_dict(part.get("executableCode")).get("code")) or _string(
        _dict(part.get("codeExecutionResult")).get("output")
    )


def _mark(mime: str) -> str:
    return "[image]" if mime.startswith("image/") else f"[file: {mime}]"


def _thought(thought: Mapping[str, Any]) -> str:
    return ": ".join(filter(None, (_string(thought.get(key)).strip() for key in ("subject", "description"))))


def _response_text(response: Mapping[str, Any]) -> str:
    answer = response.get("response")
    if not isinstance(answer, dict):
        return answer if isinstance(answer, str) else ""
    said = [answer[key] for key in ("output", "error") if answer.get(key)] or ([answer] if any(answer.values()) else [])
    return "\n".join(value if isinstance(value, str) else dump_json(value).decode() for value in said)


def _display(call: Mapping[str, Any]) -> str:
    """What the terminal showed, where the result itself was not kept."""
    shown = call.get("resultDisplay")
    return shown if isinstance(shown, str) else _string(_dict(shown).get("fileDiff"))


def _first_instant(messages: list[Any]) -> datetime | None:
    return next((at for m in messages if (at := parse_instant(_dict(m).get("timestamp")))), None)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _strings(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
