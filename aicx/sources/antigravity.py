"""Antigravity: one folder per conversation, ``brain/<uuid>``, with its artifacts and, in newer builds, a transcript.

The conversation proper lies in ``conversations/<uuid>.pb`` (or ``.db``), encrypted or opaque, and is never parsed.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import orjson

from aicx.errors import SourceUnreadable
from aicx.sources.records import Record, list_folder, parse_instant, read_jsonl, stat_log
from aicx.sources.tools import describe_call
from aicx.types import (
    AgentHomes,
    BadRecord,
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

AGENT = "gemini-antigravity"
FORMAT = "antigravity-brain"
HOMES = ("antigravity", "antigravity-cli", "antigravity-ide")

_RESOLVED = re.compile(r"(.+)\.resolved(?:\.(\d+))?")
_METADATA = ".metadata.json"
_MEDIA = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".mp4", ".webm", ".mov", ".pdf", ".zip"))
_OPAQUE = (".pb", ".db")
_REQUEST = re.compile(r"<USER_REQUEST>(.*?)</USER_REQUEST>", re.DOTALL)
_WRAPPER = re.compile(r"<(ADDITIONAL_METADATA|USER_SETTINGS_CHANGE|CONTEXT_SUMMARY)>.*?</\1>", re.DOTALL)
_MODEL = re.compile(r"changed setting `Model Selection` from .*? to (.+?)\.(?=\s|$)")
_STAMPS = re.compile(r"\A\s*(?:(?:Created|Completed) At: *(\S+)[^\n]*(?:\n|\Z))+")
_EXIT_CODE = re.compile(r"(?:exited with code|failed with exit code:?) (-?\d+)")
_CHILD = re.compile(r'"conversationId":\s*"([0-9a-fA-F-]{36})"')
_LINK = re.compile(r"\(file://(/[^)\n]+)\)|file://(/[^\s)\]>\"'`]+)")
_REPOSITORY = re.compile(r"(.*/(?:hosted|repos|repositories|github|git)/[^/]+/[^/]+)/")
_FILE_ARGUMENTS = ("AbsolutePath", "TargetFile")


def extract_target(path: Path) -> Path:
    """The brain folder that belongs to ``path``: a conversation's ``.pb`` or ``.db``, or the folder itself."""
    if path.parent.name == "brain" and path.is_dir():
        return path
    root = path.parent.parent
    places = dict.fromkeys((root / "brain" / path.stem, *(root.parent / home / "brain" / path.stem for home in HOMES)))
    for place in places:
        if place.is_dir():
            return place
    raise SourceUnreadable(
        f"{path} is encrypted and no brain folder of this conversation was found. "
        f"Places searched: {', '.join(map(str, places))}",
        hint="Open the conversation in Antigravity once, so that it writes its artifacts, or name the brain folder.",
    )


class AntigravitySource:
    """The brain folders of the IDE and of the CLI, and a word on the conversations that have none."""

    agent = AGENT

    def discover(self, homes: AgentHomes) -> Iterator[LogFile | BadRecord]:
        """Every brain folder that holds something to read, and a BadRecord for each conversation that has none."""
        told: set[str] = set()
        for folder in _children(homes, "brain"):
            found = folder if isinstance(folder, BadRecord) else _discover_brain(folder)
            if isinstance(folder, Path) and found:
                told.add(folder.name)
            if found:
                yield found
        for path in _children(homes, "conversations"):
            if isinstance(path, BadRecord):
                yield path
            elif path.suffix in _OPAQUE and path.stem not in told:
                told.add(path.stem)
                places = ", ".join(str(homes.gemini / home / "brain" / path.stem) for home in HOMES)
                reason = f"the conversation itself is encrypted or opaque and cannot be read; looked for it in {places}"
                yield BadRecord(str(path), reason)

    def identify(self, log: LogFile) -> LogIdentity:
        """The conversation's id is the folder's name; it began with its first dated step or artifact."""
        brain = _survey(log.path)
        dates = [_load(artifact).at for artifact in brain.artifacts]
        dates += [_outline(brain.transcript).first] if brain.transcript else []
        return LogIdentity(log.path.name, min((date for date in dates if date), default=None))

    def read(self, log: LogFile) -> Iterator[SourceItem]:
        """The transcript's steps in file order, then each artifact in its newest version, the latest change last."""
        brain = _survey(log.path)
        yield from brain.problems
        reading = _Reading(log.path.name, brain.skipped.copy())
        artifacts = [_load(artifact) for artifact in brain.artifacts]
        for artifact in artifacts:
            yield from artifact.problems
        links = [link for artifact in artifacts for link in artifact.links]
        outline = _outline(brain.transcript) if brain.transcript else _Outline()
        reading.cwd = root = outline.cwd or _common_root([*links, *outline.files])
        if brain.transcript:
            yield from reading.transcript(brain.transcript, outline)
        elif _opaque(brain.folder):
            reading.skipped["conversation itself: encrypted or opaque"] += 1
        reading.cwd = root
        yield from reading.artifacts(artifacts)
        if brain.transcript or any(artifact.body for artifact in artifacts):
            reading.skipped["step output"] += len(brain.steps)
        else:
            yield from reading.steps(brain.steps, max((a.at for a in artifacts if a.at), default=None))
        for reason, count in reading.skipped.items():
            if count:
                yield Skipped(str(log.path), reason, count)


SOURCE = AntigravitySource()


# --- what a brain folder holds


@dataclass(frozen=True, slots=True)
class _Artifact:
    """The files of one artifact: its newest text, the text with links resolved, and what is said about it."""

    name: str
    newest: Path | None
    resolved: Path | None
    metadata: Path | None


@dataclass(frozen=True, slots=True)
class _Brain:
    folder: Path
    artifacts: tuple[_Artifact, ...] = ()
    transcript: Path | None = None
    steps: tuple[Path, ...] = ()
    problems: tuple[BadRecord, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)

    def files(self) -> set[Path]:
        """All that reading this folder reads."""
        parts = {path for a in self.artifacts for path in (a.newest, a.resolved, a.metadata) if path}
        return parts | set(self.steps) | ({self.transcript} if self.transcript else set())


def _children(homes: AgentHomes, name: str) -> Iterator[Path | BadRecord]:
    for home in HOMES:
        listing = list_folder(homes.gemini / home / name)
        if isinstance(listing, BadRecord):
            yield listing
        else:
            yield from (path for path in listing if not path.name.startswith("."))


def _discover_brain(folder: Path) -> LogFile | BadRecord | None:
    """None when the folder holds nothing that can be read: one is made for every conversation, many stay empty."""
    brain = _survey(folder)
    size = 0
    seen = sha256()
    for path in sorted(brain.files()):
        log = stat_log(AGENT, FORMAT, path)
        if isinstance(log, LogFile):
            size += log.size
            seen.update(f"{path.relative_to(folder)}:{log.fingerprint}\n".encode("utf-8", "surrogateescape"))
    if size:
        return LogFile(AGENT, FORMAT, folder, size, seen.hexdigest())
    return brain.problems[0] if brain.problems else None


def _survey(folder: Path) -> _Brain:
    listing = list_folder(folder)
    if isinstance(listing, BadRecord):
        return _Brain(folder, problems=(listing,))
    skipped: Counter[str] = Counter()
    generated = folder / ".system_generated"
    logs, steps = list_folder(generated / "logs"), list_folder(generated / "steps")
    problems = tuple(found for found in (logs, steps) if isinstance(found, BadRecord))
    names = {} if isinstance(logs, BadRecord) else {path.name: path for path in logs}
    numbered = [] if isinstance(steps, BadRecord) else [path for path in steps if path.name.isdecimal()]
    return _Brain(
        folder,
        tuple(_artifacts(listing, skipped)),
        # The plain transcript cuts long arguments and outputs.
        names.get("transcript_full.jsonl") or names.get("transcript.jsonl"),
        tuple(path / "output.txt" for path in sorted(numbered, key=lambda path: int(path.name))),
        problems,
        skipped,
    )


def _artifacts(listing: list[Path], skipped: Counter[str]) -> Iterator[_Artifact]:
    """The newest version of each artifact.

    ``<name>`` itself is the text being worked on, ``<name>.resolved`` the last version shown with its links resolved,
    ``<name>.resolved.N`` the versions shown before. In real folders the first is never behind the second (it lacks
    the links, or is ahead by an edit), the second is at or past the highest N, and the first can be missing.
    """
    plain: dict[str, Path] = {}
    metadata: dict[str, Path] = {}
    versions: dict[str, dict[int, Path]] = {}
    for path in listing:
        if found := _RESOLVED.fullmatch(path.name):
            # The unnumbered one goes before all the numbered ones.
            versions.setdefault(found[1], {})[int(found[2]) if found[2] else 1 << 62] = path
        elif path.name.endswith(_METADATA):
            metadata[path.name.removesuffix(_METADATA)] = path
        elif not path.name.startswith("."):
            plain[path.name] = path
    for name in sorted(plain.keys() | metadata.keys() | versions.keys()):
        history = versions.get(name, {})
        if name not in metadata and not history and not name.endswith(".md"):
            skipped["image or recording" if Path(name).suffix.lower() in _MEDIA else "file that is no artifact"] += 1
            continue
        resolved = history[max(history)] if history else None
        skipped["older version of an artifact"] += len(history) - (1 if resolved and name not in plain else 0)
        yield _Artifact(name, plain.get(name, resolved), resolved, metadata.get(name))


def _opaque(folder: Path) -> bool:
    listing = list_folder(folder.parent.parent / "conversations")
    paths = [] if isinstance(listing, BadRecord) else listing
    return any(path.stem == folder.name and path.suffix in _OPAQUE for path in paths)


# --- artifacts


@dataclass(frozen=True, slots=True)
class _Loaded:
    """An artifact as read: its entry's first line, its text, and what is known about it."""

    name: str
    title: str
    body: str
    ref: SourceRef
    at: datetime | None
    links: list[str]
    problems: list[BadRecord]


def _load(artifact: _Artifact) -> _Loaded:
    problems: list[BadRecord] = []
    about_raw = _read(artifact.metadata, problems)
    about = _json_object(about_raw, artifact.metadata, problems)
    kind = _string(about.get("artifactType")).removeprefix("ARTIFACT_TYPE_").replace("_", " ").lower() or "untyped"
    summary = " ".join(_string(about.get("summary")).split())
    raw, path = b"", artifact.newest
    if path and Path(artifact.name).suffix.lower() not in _MEDIA:
        raw = _read(path, problems)
    body = "" if b"\0" in raw else raw.decode("utf-8", "replace").strip()
    source = (path, raw) if body else (artifact.metadata or path, about_raw)
    shown = _read(artifact.resolved, problems) if artifact.resolved != path else b""
    return _Loaded(
        artifact.name,
        f"Artifact {artifact.name} ({kind})" + (f": {summary}" if summary else ""),
        body,
        _whole(*source),
        parse_instant(about.get("updatedAt")),
        _links(body) + _links(shown.decode("utf-8", "replace")),
        problems,
    )


def _read(path: Path | None, problems: list[BadRecord]) -> bytes:
    try:
        return path.read_bytes() if path else b""
    except OSError as error:
        problems.append(BadRecord(str(path), f"cannot be read: {error.strerror or error}"))
        return b""


def _json_object(raw: bytes, path: Path | None, problems: list[BadRecord]) -> dict[str, Any]:
    try:
        value = orjson.loads(raw) if raw else {}
    except orjson.JSONDecodeError:
        value = None
    if isinstance(value, dict):
        return value
    problems.append(BadRecord(str(path), "is not a JSON object, so the artifact's type and date are unknown"))
    return {}


def _whole(path: Path | None, raw: bytes) -> SourceRef:
    return SourceRef(str(path), 0, len(raw), sha256(raw).hexdigest())


def _links(text: str) -> list[str]:
    """The absolute paths of a text's ``file:///`` links, those into Antigravity's own folders left out."""
    paths = [_plain_path(unquote((wrapped or bare).split("#")[0])) for wrapped, bare in _LINK.findall(text)]
    return [path for path in paths if "/.gemini/" not in path]


def _plain_path(path: str) -> str:
    """With forward slashes, and a Windows drive as ``C:/``: links write it ``/c:/``, ``/C:/`` or ``c:\\``."""
    path = path.replace("\\", "/") if re.match(r"[A-Za-z]:\\", path) else path
    drive = re.match(r"/?([A-Za-z]):/", path)
    return f"{drive[1].upper()}:/{path[drive.end() :]}" if drive else path


def _common_root(paths: list[str]) -> str | None:
    """The project folder that several linked files agree on; careful, since nothing in a brain folder names it."""
    files = list(dict.fromkeys(paths))
    known = {found[1] if (found := _REPOSITORY.match(path)) else "" for path in files}
    if len(known) == 1 and "" not in known:
        return known.pop()
    if len(files) < 2:
        return None
    folders = [PurePosixPath(path).parent.parts for path in files]
    common = []
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        common.append(names[0])
    # Anything above a folder of one's own says nothing: /home/me and C:/Users/me hold every project.
    least = 4 if len(common) > 1 and common[1].lower() in ("home", "users") else 3
    return str(PurePosixPath(*common)) if len(common) >= least else None


# --- the transcript


@dataclass(frozen=True, slots=True)
class _Outline:
    """What must be known of a transcript before its first step can be given out."""

    first: datetime | None = None
    cwd: str | None = None
    files: list[str] = field(default_factory=list)
    last: dict[int, int] = field(default_factory=dict)  # step -> line of its last version


def _outline(path: Path) -> _Outline:
    first: datetime | None = None
    cwd: str | None = None
    files: list[str] = []
    last: dict[int, int] = {}
    log = stat_log(AGENT, FORMAT, path)
    for record in read_jsonl(log) if isinstance(log, LogFile) else ():
        if isinstance(record, Record):
            first = first or parse_instant(record.value.get("created_at"))
            if (step := _step_index(record.value)) is not None:
                last[step] = record.line
            for _, arguments in _calls(record.value):
                cwd = cwd or _folder(arguments)
                files += [_plain_path(file) for key in _FILE_ARGUMENTS if (file := _string(arguments.get(key)))]
    return _Outline(first, cwd, [file for file in files if "/.gemini/" not in file], last)


def _step_index(step: dict[str, Any]) -> int | None:
    value = step.get("step_index")
    return value if isinstance(value, int) else None


def _calls(step: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """A step's tool calls by name; string arguments come quoted a second time, as JSON inside JSON."""
    calls = step.get("tool_calls")
    found = []
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict):
            arguments = call.get("args")
            decoded = {key: _unquoted(value) for key, value in arguments.items()} if isinstance(arguments, dict) else {}
            found.append((_string(call.get("name")) or "tool", decoded))
    return found


def _unquoted(value: Any) -> Any:
    if not (isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"'):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def _folder(arguments: dict[str, Any]) -> str | None:
    folder = _plain_path(_string(arguments.get("Cwd")))
    return folder if re.match(r"/|[A-Z]:/", folder) and "/.gemini/" not in folder else None


@dataclass(slots=True)
class _Reading:
    """What carries over from one entry of a conversation to the next."""

    session_id: str
    skipped: Counter[str]
    cwd: str | None = None
    model: str | None = None
    last: datetime | None = None
    open_calls: deque[tuple[str, str]] = field(default_factory=deque)  # (name, call id), in the order of asking

    def transcript(self, path: Path, outline: _Outline) -> Iterator[SourceItem]:
        """The transcript's steps; of a step written again when it was finished, the last version."""
        log = stat_log(AGENT, FORMAT, path)
        if isinstance(log, BadRecord):
            yield log
            return
        self.last = outline.first
        for record in read_jsonl(log):
            if isinstance(record, BadRecord):
                yield record
                continue
            step = _step_index(record.value)
            if step is not None and outline.last.get(step, record.line) > record.line:
                self.skipped["earlier version of a step"] += 1
                continue
            self.last = parse_instant(record.value.get("created_at")) or self.last
            drafts = self._step(record.value, step)
            if drafts and self.last is None:
                yield BadRecord(str(path), "step without a time in a transcript without any", record.line)
            elif drafts:
                ref = record.ref(str(path))
                yield from (self._entry(draft, ref, self.last) for draft in drafts if self.last)
            if record.value.get("type") == "INVOKE_SUBAGENT":
                for child in _CHILD.findall(_string(record.value.get("content"))):
                    yield SessionFact(child, parent_session=self.session_id, lane="subagent")

    def _entry(self, draft: _Draft, ref: SourceRef, at: datetime) -> TimelineEntry:
        return TimelineEntry(
            AGENT,
            self.session_id,
            at,
            draft.role,
            draft.text,
            ref,
            draft.origin,
            cwd=self.cwd,
            record_id=f"{self.session_id}:{draft.key}" if draft.key else None,
            model=self.model if draft.role in ("assistant", "reasoning") or draft.key.endswith(":call") else None,
            tool=draft.tool,
        )

    def _step(self, step: dict[str, Any], index: int | None) -> list[_Draft]:
        kind, source = _string(step.get("type")), _string(step.get("source"))
        text = _string(step.get("content")) or _string(step.get("output"))
        key = "" if index is None else str(index)
        match kind:
            case "USER_INPUT":
                return self._request(text, key, typed=source != "SYSTEM")
            case "PLANNER_RESPONSE":
                return self._response(step, text, key)
            case "CHECKPOINT":
                return [_Draft("system", "compaction", text.strip(), key)] if text.strip() else []
            case "ERROR_MESSAGE":
                return [_Draft("system", "injected", text.strip(), key)] if text.strip() else []
        if source == "MODEL" or kind == "TOOL_RESPONSE":
            return self._outcome(step, kind, text, key)
        self.skipped[f"{source.lower() or 'unknown'} step: {kind or 'none'}"] += 1
        return []

    def _request(self, text: str, key: str, *, typed: bool) -> list[_Draft]:
        if chosen := _MODEL.findall(text):
            self.model = chosen[-1]
        requests = _REQUEST.findall(text)
        said = "\n\n".join(request.strip() for request in requests) if requests else _WRAPPER.sub("", text).strip()
        if requests or said != text.strip():
            self.skipped["scaffolding inside a text"] += 1
        return (
            [_Draft("user", "typed", said, key) if typed else _Draft("system", "injected", said, key)] if said else []
        )

    def _response(self, step: dict[str, Any], text: str, key: str) -> list[_Draft]:
        self.open_calls.clear()
        drafts = []
        if thinking := _string(step.get("thinking")).strip():
            drafts.append(_Draft("reasoning", "agent", thinking, f"{key}#reasoning" if key else ""))
        if text.strip():
            drafts.append(_Draft("assistant", "agent", text.strip(), key))
        for number, (name, arguments) in enumerate(_calls(step)):
            self.cwd = _folder(arguments) or self.cwd
            call_id = f"{key}.{number}" if key else ""
            described, use = describe_call(name, arguments, call_id or None)
            drafts.append(_Draft("tool", "tool", described, f"{call_id}:call" if key else "", use))
            self.open_calls.append((name, call_id))
        return drafts

    def _outcome(self, step: dict[str, Any], kind: str, text: str, key: str) -> list[_Draft]:
        error = _string(step.get("error")).strip()
        text = _STAMPS.sub("", text).strip().replace("\r\n", "\n")
        text = f"{text}\n{error}".strip() if error and error not in text else text
        if not text:
            return []
        # Results carry no call id: they follow their response in the order of its calls.
        name, call_id = self.open_calls.popleft() if self.open_calls else (kind.lower(), key)
        code = _EXIT_CODE.search(text[:400]) if name == "run_command" else None
        exit_code = int(code[1]) if code else None
        failed = {"DONE": False, "ERROR": True, "CANCELED": True, "CANCELLED": True}.get(_string(step.get("status")))
        use = ToolUse(name, "result", call_id or None, failed=True if exit_code else failed, exit_code=exit_code)
        return [_Draft("tool", "tool", text, f"{call_id}:result" if call_id else "", use)]

    def artifacts(self, artifacts: list[_Loaded]) -> Iterator[TimelineEntry | BadRecord]:
        """Artifacts by the time of their last change: one that is edited moves to the end."""
        dated: list[tuple[datetime, str, _Loaded]] = []
        for index, artifact in enumerate(artifacts):
            before = (a.at for a in reversed(artifacts[:index]) if a.at)
            after = (a.at for a in artifacts[index:] if a.at)
            at = artifact.at or next(before, None) or next(after, None) or self.last
            if at is None:
                reason = f"artifact {artifact.name} has no date, and nothing else in its folder has one"
                yield BadRecord(artifact.ref.path, reason)
            else:
                dated.append((at, artifact.name, artifact))
        for at, name, artifact in sorted(dated, key=lambda item: item[:2]):
            text = f"{artifact.title}\n\n{artifact.body or _mark(name)}"
            # The text is part of the id: an artifact that was edited is not a copy of what it was.
            yield self._entry(
                _Draft("artifact", "artifact", text, f"{name}#{artifact.ref.sha256[:16]}"), artifact.ref, at
            )

    def steps(self, outputs: tuple[Path, ...], dated: datetime | None) -> Iterator[TimelineEntry | BadRecord]:
        """The outputs of single steps: all that is left where there is neither a transcript nor an artifact."""
        for path in outputs:
            problems: list[BadRecord] = []
            raw = _read(path, problems)
            yield from problems
            text = raw.decode("utf-8", "replace")
            stamp = _STAMPS.match(text)
            at = (parse_instant(stamp[1]) if stamp else None) or dated
            body = _STAMPS.sub("", text).strip()
            if not body:
                self.skipped["empty step output"] += 0 if problems else 1
            elif at is None:
                yield BadRecord(str(path), "step output has no date, and nothing in its folder has one")
            else:
                number = path.parent.name
                note = f"[Fallback: output of step {number}; no full transcript of this conversation is available]"
                key = f"steps/{number}#{sha256(raw).hexdigest()[:16]}"
                yield self._entry(_Draft("artifact", "artifact", f"{note}\n\n{body}", key), _whole(path, raw), at)


@dataclass(frozen=True, slots=True)
class _Draft:
    """An entry before it has its place."""

    role: Role
    origin: Origin
    text: str
    key: str  # within the conversation; empty where the record has no number
    tool: ToolUse | None = None


def _mark(name: str) -> str:
    images = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp")
    return f"[image: {name}]" if name.lower().endswith(images) else f"[file: {name}]"


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
