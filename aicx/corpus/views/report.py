"""Writes what was read from logs as a local report: Markdown for people, JSON for programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import orjson

from aicx.fields import INLINE, OPTIONAL, to_fields
from aicx.redaction import redact
from aicx.sources.items import TimelineEntry
from aicx.storage import replace_file
from aicx.terminal import invisible, without_controls
from aicx.text import instant, local, plural, time_span, zone_name
from aicx.types import FRAMES, PROMPTS, Frame
from aicx.values import dataclass

REPORT_SCHEMA = "aicx.report/1"

_BACKTICKS = re.compile(r"`{3,}")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_LINE_END = re.compile(r"\r\n?")


@dataclass(frozen=True, slots=True)
class Entry:
    """Something read from a log. What is not known is left out."""

    timestamp: Annotated[str, "when"]
    agent: str
    session_id: str
    role: Annotated[str, "`user`, `assistant`, `reasoning` or `tool`"]
    message: Annotated[str, "the text"]
    frame_kind: Annotated[Frame | None, "whose words they are"] = field(metadata=OPTIONAL)
    branch: str | None = field(metadata=OPTIONAL)
    cwd: str | None = field(metadata=OPTIONAL)


@dataclass(frozen=True, slots=True)
class EntryList:
    """Everything that was read, under the names that consumers of such exports know."""

    total_entries: Annotated[int, "number of entries"]
    sessions: Annotated[list[str], "ids of their sessions"]
    entries: Annotated[list[Entry], "in the order of the logs"]


@dataclass(frozen=True, slots=True)
class EntryReport:
    """The files that `aicx store --output DIR` writes."""

    generated_at: str
    entries: EntryList = field(metadata=INLINE)


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a conversation. What is not known is null."""

    timestamp: Annotated[str, "when"]
    agent: str
    session_id: str
    role: Annotated[str, "`user` or `assistant`"]
    message: Annotated[str, "the text"]
    repo_project: Annotated[str | None, "the repository"]
    source_path: Annotated[str | None, "the working folder"]
    branch: str | None


@dataclass(frozen=True, slots=True)
class MessageList:
    total_messages: Annotated[int, "number of messages"]
    messages: Annotated[list[Message], "oldest first"]


def write_reports(folder: Path, name: str, entries: Sequence[TimelineEntry], now: datetime) -> list[Path]:
    """Writes ``<name>-<UTC time>.md`` and ``.json`` into ``folder``, over no earlier report; returns their paths."""
    written = EntryReport(now.isoformat(timespec="seconds"), entry_list(entries))
    bodies = {
        ".md": render_markdown(entries, f"Agent sessions: {name}").encode("utf-8", "replace"),
        ".json": encode_report(REPORT_SCHEMA, written),
    }
    stem = _free_stem(folder, f"{name}-{now:%Y%m%dT%H%M%SZ}", list(bodies))
    paths = []
    for suffix, body in bodies.items():
        replace_file(folder / f"{stem}{suffix}", body)
        paths.append(folder / f"{stem}{suffix}")
    return paths


def encode_report(schema: str, answer: Any) -> bytes:
    """A JSON report as it is written to a file: indented, its schema first."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps({"schema": schema, **to_fields(answer)}, option=options)


def entry_list(entries: Sequence[TimelineEntry]) -> EntryList:
    return EntryList(len(entries), sorted({entry.session_id for entry in entries}), [_entry(one) for one in entries])


def _entry(entry: TimelineEntry) -> Entry:
    # What stands in a person's place without being a prompt is no frame.
    frame = FRAMES.get(entry.role) if entry.role != "user" or entry.origin in PROMPTS else None
    return Entry(
        instant(entry.at), entry.agent, entry.session_id, entry.role, entry.text, frame, entry.branch, entry.cwd
    )


def message_list(entries: Sequence[TimelineEntry], projects: Mapping[str, str]) -> MessageList:
    """``projects`` has the repository of each working folder that has one."""
    messages = [
        Message(
            timestamp=instant(entry.at),
            agent=entry.agent,
            session_id=entry.session_id,
            role=entry.role,
            message=entry.text,
            repo_project=projects.get(entry.cwd or ""),
            source_path=entry.cwd,
            branch=entry.branch,
        )
        for entry in entries
    ]
    return MessageList(len(messages), messages)


def render_markdown(entries: Sequence[TimelineEntry], title: str) -> str:
    """The entries as a page: a part for each session, oldest first, its messages in the order of its log."""
    sessions: dict[tuple[str, str], list[TimelineEntry]] = {}
    for entry in entries:
        sessions.setdefault((entry.agent, entry.session_id), []).append(entry)
    ordered = sorted(sessions.values(), key=lambda session: min(entry.at for entry in session))
    counts = f"{plural(len(ordered), 'session')}, {plural(len(entries), 'message')}."
    counts += f" All times are {zone_name(_ended(entries))}."
    parts = [f"# {_one_line(title)}\n\n{counts}\n"]
    for session in ordered:
        parts += _session(session)
    return "".join(parts)


def for_terminal(page: str, *, redact_secrets: bool) -> str:
    """A page as it is printed: also without the characters that show nothing to people and say something to agents.

    A file keeps those, since joined emoji and some scripts need them.
    """
    plain = page.translate(invisible())
    # What stood on both sides of such a character is one word now, and may be a secret.
    return redact(plain).text if redact_secrets and plain != page else plain


def _session(entries: Sequence[TimelineEntry]) -> Iterator[str]:
    first = entries[0]
    folders = _distinct(entry.cwd for entry in entries)
    branches = _distinct(entry.branch for entry in entries)
    began, ended = local(min(entry.at for entry in entries)), local(_ended(entries))
    yield f"\n## {first.agent} · {folders[0] if folders else 'no project folder'} · {began:%Y-%m-%d}\n\n"
    yield f"Session {_one_line(first.session_id)}: {plural(len(entries), 'message')}, {_span(began, ended)}."
    if branches:
        yield f" {'Branch' if len(branches) == 1 else 'Branches'} {', '.join(branches)}."
    if len(folders) > 1:
        yield f" It also worked in {', '.join(folders[1:])}."
    yield "\n"
    day = began.date()
    for entry in entries:
        # The date is said again where it changes, so that a time never stands for the wrong day.
        at = local(entry.at)
        stamp = f"{at:%H:%M:%S}" if at.date() == day else f"{at:%Y-%m-%d %H:%M:%S}"
        day = at.date()
        yield f"\n### {stamp} {_speaker(entry)}\n\n{_body(entry)}\n"


def _ended(entries: Sequence[TimelineEntry]) -> datetime:
    return max((entry.at for entry in entries), default=datetime.now(UTC))


def _speaker(entry: TimelineEntry) -> str:
    if entry.tool is not None:
        outcome = "" if entry.tool.phase == "call" else " failed" if entry.tool.failed else " result"
        return f"tool · {_one_line(entry.tool.name)}{outcome}"
    if entry.origin in ("compaction", "injected"):
        return f"{entry.role} · {entry.origin}"
    return entry.role


def _body(entry: TimelineEntry) -> str:
    text = without_controls(_LINE_END.sub("\n", entry.text)).strip("\n")
    if entry.role == "tool":
        # Verbatim, in a fence longer than any inside it.
        fence = "`" * max((len(run) + 1 for run in _BACKTICKS.findall(text)), default=3)
        return f"{fence}\n{text}\n{fence}"
    unclosed = _open_fence(text)
    return f"{text}\n{unclosed}" if unclosed else text


def _open_fence(text: str) -> str | None:
    """The fence that ``text`` opens and never closes; left open it would swallow every message after it."""
    fence: str | None = None
    for line in text.splitlines():
        match = _FENCE.fullmatch(line)
        if not match:
            continue
        mark, rest = match.groups()
        if fence is None:
            if "`" not in rest or mark[0] == "~":
                fence = mark
        elif mark[0] == fence[0] and len(mark) >= len(fence) and not rest.strip():
            fence = None
    return fence


def _distinct(values: Iterable[str | None]) -> list[str]:
    return list(dict.fromkeys(_one_line(value) for value in values if value))


def _span(began: datetime, ended: datetime) -> str:
    if began.date() == ended.date():
        return f"{began:%H:%M} to {ended:%H:%M}"
    return time_span(began, ended)


def _one_line(text: str) -> str:
    return " ".join(without_controls(text).split())


def _free_stem(folder: Path, stem: str, suffixes: Sequence[str]) -> str:
    number = 1
    free = stem
    while any((folder / f"{free}{suffix}").exists() for suffix in suffixes):
        number += 1
        free = f"{stem}-{number}"
    return free
