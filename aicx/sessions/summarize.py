"""Sums up a session or one of its windows: once for each text, by rules, and by a configured command where there is."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field, replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal
from zlib import crc32

import orjson

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.errors import NotFound, StoreUnwritable, UsageError
from aicx.evidence import Step, read_steps
from aicx.evidence.patterns import reading_version
from aicx.paths import Layout
from aicx.sessions.stored import StoredSession, find_stored
from aicx.sessions.summary import Summary, summary_of
from aicx.sessions.windows import (
    Window,
    WindowAnswer,
    WindowsAnswer,
    read_windows,
    steps_of_windows,
    window_answer,
    windows_of,
)
from aicx.storage import replace_file
from aicx.storage.typed import from_json
from aicx.text import plural
from aicx.values import dataclass
from aicx.work.session_facts import Said
from aicx.work.summarizer import By, Fact
from aicx.work.summarizer import summarize as ask_summarizer

SCHEMA = "aicx.session_summary/1"
Status = Literal["exists", "summarized", "seeded"]
How = Literal["deterministic", "llm"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummaryAnswer:
    """A summary of a session or of one of its windows, or the prompt of a new session."""

    status: Annotated[
        str, "`summarized` (made now), `exists` (made before, of the same text) or `seeded` (a prompt was made)"
    ]
    session: Annotated[str, "its reference"]
    title: str | None
    window: Annotated[WindowAnswer | None, "the window that was summed up; null for the whole session"] = None
    windows: Annotated[list[WindowAnswer], "all windows of the session"]
    summary: Annotated[Summary | None, "null for a seed"] = None
    claims: Annotated[tuple[Said, ...], "of the configured summarizer, each with the evidence that it names"] = ()
    summary_by: Annotated[str, "`rules` or `summarizer`"] = "rules"
    summary_note: Annotated[str | None, "what became of asking the summarizer"] = None
    seed_prompt: Annotated[str | None, "what a new session begins with; null for a summary"] = None
    seed_windows: Annotated[Sequence[str], "references of the windows in it, the latest first"] = ()
    omitted: Annotated[int, "how many lines had no room in the prompt"] = 0
    notes: list[str]


@dataclass(slots=True)
class SummaryReader:
    """One session as it is read: its windows, its messages by window, and the summaries that are kept of it."""

    layout: Layout
    session: StoredSession
    windows: tuple[Window, ...]
    kept: KeptSummaries
    notes: list[str]
    _steps: list[list[Step]] | None = None

    @property
    def steps(self) -> list[list[Step]]:
        """The messages of each window."""
        if self._steps is None:
            found, notes = read_steps(self.layout, self.session.paths)
            self.notes += (note for note in notes if note not in self.notes)
            self._steps = steps_of_windows(self.windows, found)
        return self._steps

    def summary(self, window: int | None) -> Summary:
        """The summary of a window by rules, or of all; the one that is kept where there is one."""
        known = self.kept.entries.get(_name(window))
        return known.summary if known else self.made(window)

    def made(self, window: int | None) -> Summary:
        """The same, made anew. A window in which nothing was asked goes on with what was asked last before it."""
        if window is None:
            every = [step for part in self.steps for step in part]
            return summary_of(self.session, every) or Summary.empty()
        found = self._of_window(window)
        for before in reversed(range(window)):
            if found.goal is not None:
                break
            earlier = self._of_window(before)
            found = replace(found, goal=earlier.asked or earlier.goal)
        return found

    def answer(self, status: Status, **found: Any) -> SessionSummaryAnswer:
        """Returns what was ``found`` of the session, as an answer."""
        windows = windows_of(self.session.ref, self.windows)
        notes = list(self.notes)
        return SessionSummaryAnswer(
            status=status, session=self.session.ref, title=self.session.title, windows=windows, notes=notes, **found
        )

    def _of_window(self, window: int) -> Summary:
        goes_on = window + 1 < len(self.windows)
        return summary_of(self.session, self.steps[window], whole=False, goes_on=goes_on) or Summary.empty()


def open_session(settings: Settings, text: str) -> SummaryReader:
    """The session that ``text`` names. Raises NotFound with the nearest ones, UsageError where several fit."""
    with open_catalog(settings.layout) as opened:
        session = find_stored(opened.catalog, text)
    windows, notes = read_windows(settings.layout, session.paths)
    if not windows:
        raise NotFound(f"no message of session {session.session_id} can be read", hint="aicx doctor")
    return SummaryReader(settings.layout, session, windows, load_kept(settings.layout, session), notes)


def summarize(
    settings: Settings, text: str, *, window: int | None = None, force: bool = False, how: How | None = None
) -> SessionSummaryAnswer:
    """The summary of the session that ``text`` names, or of its ``window``: made, or as it was made of the same text.

    By ``how``: rules alone, or the configured summarizer too, which is the default where there is one. Where it fails
    or there is none, rules sum up, and the note says so. Raises NotFound, and UsageError for a name of several.
    """
    reader = open_session(settings, text)
    window = _wanted(reader, text, window)
    command = settings.summarizer if how != "deterministic" else None
    name = f"{_name(window)}:llm" if command else _name(window)
    known = None if force else reader.kept.entries.get(name)
    if known is not None:
        return _answer(reader, "exists", window, known)
    entry = SummaryEntry(reader.made(window))
    if command is not None:
        entry = _by_command(command, entry)
    elif how == "llm":
        entry = SummaryEntry(entry.summary, note="summed up by rules: no summarizer_command is configured")
    reader.kept.entries[name] = entry
    try:
        reader.kept.save()
    except StoreUnwritable as error:
        reader.notes.append(f"the summary could not be kept: {error.message}")
    return _answer(reader, "summarized", window, entry)


def _answer(reader: SummaryReader, status: Status, window: int | None, entry: SummaryEntry) -> SessionSummaryAnswer:
    return reader.answer(
        status,
        window=None if window is None else window_answer(reader.session.ref, reader.windows[window]),
        summary=entry.summary,
        claims=entry.claims,
        summary_by=entry.by,
        summary_note=entry.note,
    )


def windows_answer(found: SummaryReader) -> WindowsAnswer:
    session = found.session
    return WindowsAnswer(session.ref, session.title, windows_of(session.ref, found.windows), found.notes)


def _wanted(reader: SummaryReader, text: str, window: int | None) -> int | None:
    """The window that is asked for, with an option or as ``…#w3``."""
    _, mark, number = text.partition("#w")
    if mark and not number.isdecimal():
        raise UsageError(f"{text!r} names no window", hint="a window is written session:AGENT:ID#w0")
    if mark and window not in (None, int(number)):
        raise UsageError(f"{text!r} names another window than --window {window}", hint="name it once")
    window = int(number) if mark else window
    if window is not None and window >= len(reader.windows):
        last = len(reader.windows) - 1
        raise NotFound(
            f"session {reader.session.session_id} has {plural(len(reader.windows), 'window')}, and no window {window}",
            hint=f"--window takes 0 to {last}",
        )
    return window


def _by_command(command: str, entry: SummaryEntry) -> SummaryEntry:
    facts = [Fact(part, line.text, line.refs) for part, line in entry.summary.lines()]
    found = ask_summarizer(command, "session", entry.summary.goal.text if entry.summary.goal else "", facts)
    dates = {ref: line.at for _, line in entry.summary.lines() for ref in line.refs}
    claims = [Said(one.text, dates.get(one.refs[0], "") if one.refs else "", one.refs) for one in found.claims]
    return SummaryEntry(entry.summary, tuple(claims), found.by, found.note)


def _name(window: int | None) -> str:
    return "session" if window is None else f"w{window}"


@dataclass(frozen=True, slots=True)
class SummaryEntry:
    """A summary as it was made. ``claims`` are those of a configured summarizer, ``note`` what became of asking it."""

    summary: Summary
    claims: tuple[Said, ...] = ()
    by: By = "rules"
    note: str | None = None


@dataclass(slots=True)
class KeptSummaries:
    """The summaries of one session as its text is now: of window 3 under ``w3``, of all of it under ``session``.

    After the name ``:llm`` for one that a summarizer was asked for.
    """

    path: Path
    version: str
    entries: dict[str, SummaryEntry] = field(default_factory=dict)

    def save(self) -> None:
        """Raises StoreUnwritable."""
        body = orjson.dumps({"version": self.version, "entries": self.entries})
        replace_file(self.path, b"%08x\n%b" % (crc32(body), body))


def load_kept(layout: Layout, session: StoredSession) -> KeptSummaries:
    """What is kept of a session; nothing of what was made of another text, by other rules or by another version."""
    name = sha256(session.ref.encode()).hexdigest()[:32]
    version = f"{reading_version(1)} {session.digest}"
    kept = KeptSummaries(layout.session_summaries / f"{name}.json", version)
    with suppress(OSError, ValueError, TypeError, LookupError, AttributeError):
        checksum, _, body = kept.path.read_bytes().partition(b"\n")
        found = orjson.loads(body) if checksum == b"%08x" % crc32(body) else {}
        if found.get("version") == version:
            kept.entries = {name: from_json(SummaryEntry, fields) for name, fields in found["entries"].items()}
    return kept
