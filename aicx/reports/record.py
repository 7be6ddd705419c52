"""One report as a record: the facts from its files and its path, merged and redacted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from hashlib import sha256
from os import fsencode
from typing import Annotated, Any

from aicx.reports.listing import Part, ReportEntry, agent_in, day_in, title_in
from aicx.reports.reading import (
    Heading,
    ReportText,
    clean_line,
    outline,
    read_meta,
    read_report,
    read_tail,
    shorten,
    split_block,
)
from aicx.sources.items import BadRecord
from aicx.sources.records import parse_instant
from aicx.text import instant
from aicx.values import dataclass

DETAIL_CHARS = 48_000
_TITLE_CHARS = 200
_VALUE_CHARS = 300

_ALIASES = {"skill_code": ("skill_code", "skill"), "model": ("model", "agent_model")}
_TEXTS = ("agent", "workflow", "lane", "mode", "run_id", "prompt_id", "session_id", "skill_code", "model")
_NUMBERS = ("token_usage", "findings_count", "exit_code")
_INSTANTS = ("started_at", "completed_at", "updated_at")
# What is written where a launcher did not know.
_NOTHING = frozenset({"", "unknown", "none", "null", "n/a", "-", "~"})
# A launcher that died leaves such a status behind; the report itself may know how it ended.
_OPEN_STATUSES = frozenset({"launching", "starting", "running", "pending", "queued", "in_progress", "in-progress"})
# Folders of a layout rather than names of a workflow.
_PLAIN_FOLDERS = frozenset({"reports", "plans", "transcripts", "logs", "tmp", "runs"})


@dataclass(frozen=True, slots=True)
class Report:
    """One report. Every text is redacted; what nothing says is left out."""

    id: Annotated[str, "16 hexadecimal digits from organisation, repository, day, lane and stem: the same everywhere"]
    title: Annotated[str, "as stated, its highest heading, or the name of the file"]
    path: Annotated[str, "its main file, relative to the folder"]
    files: Annotated[dict[Part, str], "the names of its files by type"]
    scanned_at: Annotated[str, "when the folder was read"]
    date: Annotated[
        str | None,
        "the day of the folder, else of the file name, else of a time in the report; never that of the file system",
    ] = None
    org: Annotated[str | None, "from its folders"] = None
    repo: Annotated[str | None, "from its folders"] = None
    agent: Annotated[str | None, "as stated, else the end of the file's name"] = None
    status: Annotated[
        str | None, "the sidecar's, else the block's; if the sidecar stayed at `launching` or `running`, the block's"
    ] = None
    workflow: Annotated[str | None, "as stated, else `mode`, else a known folder of the lane, else `skill_code`"] = None
    lane: Annotated[str | None, "as stated, else from its folders"] = None
    mode: Annotated[str | None, "as stated"] = None
    run_id: Annotated[str | None, "as stated"] = None
    prompt_id: Annotated[str | None, "as stated"] = None
    session_id: Annotated[str | None, "as stated"] = None
    skill_code: Annotated[str | None, "as stated; `skill` is an accepted name"] = None
    model: Annotated[str | None, "as stated; `agent_model` is an accepted name"] = None
    started_at: Annotated[str | None, "as stated, in UTC"] = None
    completed_at: Annotated[str | None, "as stated, in UTC"] = None
    updated_at: Annotated[str | None, "as stated, in UTC"] = None
    token_usage: Annotated[int | None, "as stated"] = None
    findings_count: Annotated[int | None, "as stated"] = None
    exit_code: Annotated[int | None, "as stated"] = None
    headings: Annotated[tuple[Heading, ...], "the first 200"] = ()
    preview: Annotated[
        str, "the beginning of its prose, at most 280 characters; or the last line of a transcript without report"
    ] = ""
    detail: Annotated[str, "its text, at most 48,000 characters"] = ""
    detail_cut: Annotated[bool, "whether that was cut"] = False
    transcript_tail: Annotated[str, "the end of the transcript, at most 48 KiB"] = ""
    transcript_bytes: Annotated[int | None, "its whole size"] = None
    problems: Annotated[tuple[str, ...], "its unreadable parts"] = ()

    @property
    def project(self) -> str | None:
        return "/".join(filter(None, (self.org, self.repo))) or None

    def to_json(self) -> dict[str, Any]:
        """The record as JSON has it; what nothing says is absent."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in found.items() if value or (value == 0 and value is not False)}


def build(entry: ReportEntry, relative: str, now: datetime) -> tuple[Report, list[BadRecord]]:
    """The record of ``entry``, and what could not be read of it. ``relative`` leads from the scanned folder to it."""
    problems: list[tuple[Part, str]] = []

    def attempt(part: Part, read: Callable[[Any], Any]) -> Any:
        """Reads a file of the report with ``read``; None where it is missing or cannot be read."""
        if part not in entry.files:
            return None
        try:
            found = read(entry.path(part))
        except OSError as error:
            problems.append((part, f"cannot be read: {error.strerror or error}"))
            return None
        if isinstance(found, str):
            problems.append((part, found))
            return None
        if isinstance(found, ReportText) and found.problem:
            problems.append((part, found.problem))
        return found

    meta: Mapping[str, Any] = attempt("meta", read_meta) or {}
    report: ReportText | None = attempt("report", read_report) or attempt("last_message", read_report)
    transcript: ReportText | None = attempt("transcript", read_tail)
    said, body = split_block(report.text) if report else ({}, "")
    stem = clean_line(entry.stem)
    facts = _facts(meta, said)
    headings, begins = outline(body)
    lane = facts["lane"] or (clean_line(entry.lane) if entry.lane else None)
    main = next(part for part in ("report", "last_message", "meta", "transcript") if part in entry.files)
    record = Report(
        id=sha256(b"\0".join(fsencode(name) for name in entry.key)).hexdigest()[:16],
        title=shorten(facts["title"] or _first_title(headings) or title_in(stem), _TITLE_CHARS),
        path=clean_line(f"{relative}{entry.files[main]}"),
        files={part: clean_line(name) for part, name in sorted(entry.files.items())},
        scanned_at=instant(now, "seconds"),
        date=_date(entry, facts, said),
        org=clean_line(entry.org) if entry.org else None,
        repo=clean_line(entry.repo) if entry.repo else None,
        agent=(facts["agent"] or agent_in(stem) or "").lower() or None,
        status=_status(meta, said),
        workflow=facts["workflow"] or facts["mode"] or _workflow_in(lane) or facts["skill_code"],
        lane=lane,
        **{name: facts[name] for name in ("mode", "run_id", "prompt_id", "session_id", "skill_code", "model")},
        **{name: facts[name] for name in (*_INSTANTS, *_NUMBERS)},
        headings=tuple(headings),
        preview=begins or _last_line(transcript),
        detail=body[:DETAIL_CHARS],
        detail_cut=bool(report and report.cut) or len(body) > DETAIL_CHARS,
        transcript_tail=transcript.text if transcript else "",
        transcript_bytes=transcript.size if transcript else None,
        problems=tuple(f"{clean_line(entry.files[part])} {reason}" for part, reason in problems),
    )
    return record, [BadRecord(f"{relative}{entry.files[part]}", reason) for part, reason in problems]


def _facts(meta: Mapping[str, Any], said: Mapping[str, str]) -> dict[str, Any]:
    """Takes each fact from the sidecar, and where it has none from the report's own block."""
    facts: dict[str, Any] = {}
    for name in ("title", *_TEXTS):
        keys = _ALIASES.get(name, (name,))
        values = [source.get(key) for source in (meta, said) for key in keys]
        facts[name] = next(filter(None, map(_text, values)), None)
    for name in _NUMBERS:
        numbers = (_number(source.get(name)) for source in (meta, said))
        facts[name] = next((number for number in numbers if number is not None), None)
    for name in _INSTANTS:
        instants = filter(None, (parse_instant(source.get(name)) for source in (meta, said)))
        facts[name] = next((instant(at, "seconds") for at in instants), None)
    return facts


def _text(value: Any) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or value.strip().lower() in _NOTHING:
        return None
    return shorten(clean_line(value), _VALUE_CHARS) or None


def _number(value: Any) -> int | None:
    if isinstance(value, str) and (digits := value.strip().replace("_", "").replace(",", "")).isdecimal():
        value = int(digits[:15])
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**15 else None


def _status(meta: Mapping[str, Any], said: Mapping[str, str]) -> str | None:
    launcher, own = ((_text(source.get("status")) or "").lower() for source in (meta, said))
    if own and launcher in _OPEN_STATUSES and own not in _OPEN_STATUSES:
        return own
    return launcher or own or None


def _date(entry: ReportEntry, facts: Mapping[str, Any], said: Mapping[str, str]) -> str | None:
    if entry.day:
        return entry.day
    stated = next(filter(None, (facts[name] for name in ("completed_at", "started_at", "updated_at"))), None)
    return day_in(stated or said.get("date", ""))


def _workflow_in(lane: str | None) -> str | None:
    names = (lane or "").split("/")
    return next((name for name in names if name and name.lower() not in _PLAIN_FOLDERS), None)


def _first_title(outline: list[Heading]) -> str | None:
    top = min((heading.level for heading in outline), default=0)
    return next((heading.text for heading in outline if heading.level == top), None)


def _last_line(transcript: ReportText | None) -> str:
    lines = transcript.text.split("\n") if transcript else []
    return shorten(next((" ".join(line.split()) for line in reversed(lines) if line.strip()), ""), 280)
