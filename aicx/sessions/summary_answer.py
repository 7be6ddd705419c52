"""The answers about windows and summaries, made from what was found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

from aicx.fields import taken_from
from aicx.refs import Ref
from aicx.sessions.summarize import Reader, Summarized
from aicx.sessions.summary import COUNTED, LINES, Summary
from aicx.sessions.window_answer import WindowAnswer, WindowsAnswer
from aicx.sessions.windows import Window, ref_of
from aicx.text import instant
from aicx.values import dataclass
from aicx.work.session_facts import Said

if TYPE_CHECKING:  # it takes the search
    from aicx.sessions.seed import Seed

SCHEMA = "aicx.session_summary/1"


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A line of a summary."""

    text: Annotated[str, "the statement"]
    at: Annotated[str, "when it was said or done; empty where nothing tells"]
    refs: Annotated[list[str], "references that prove it"]


@dataclass(frozen=True, slots=True)
class CountedAnswer:
    """A file, a tag or a tool, and how often it came up."""

    name: Annotated[str, "what is counted"]
    times: Annotated[int, "how often it came up"]
    refs: Annotated[list[str], "references to where it came up"]


@dataclass(frozen=True, slots=True)
class SummaryParts:
    """What a session or a window came to, worked out by rules."""

    goal: Annotated[
        SummaryLine | None,
        "what it was for: what was asked first, its title where that says more, and what it turned to",
    ]
    asked: Annotated[SummaryLine | None, "the last one, where it is another"]
    accomplished: Annotated[list[SummaryLine], "pull requests, commits, what was reported, tests that passed"]
    decisions: Annotated[list[SummaryLine], "what was decided"]
    failed: Annotated[list[SummaryLine], "commands that still fail, and what was tried without success"]
    gotchas: Annotated[list[SummaryLine], "limits that came up, and failures that took several tries"]
    preferences: Annotated[list[SummaryLine], "what the person wants in general"]
    next: Annotated[list[SummaryLine], "what was left to be done"]
    questions: Annotated[list[SummaryLine], "what was asked and not answered"]
    key_files: Annotated[list[CountedAnswer], "files that were changed, the most often changed first"]
    tags: Annotated[list[CountedAnswer], "languages, parts of the repository, tools that found mistakes"]
    tools: Annotated[list[CountedAnswer], "tools that were called, the most often called first"]


@dataclass(frozen=True, slots=True)
class SessionSummaryAnswer:
    """A summary of a session or of one of its windows, or the prompt of a new session."""

    status: Annotated[
        str, "`summarized` (made now), `exists` (made before, of the same text) or `seeded` (a prompt was made)"
    ]
    session: Annotated[str, "its reference"]
    title: str | None
    window: Annotated[WindowAnswer | None, "the window that was summed up; null for the whole session"]
    windows: Annotated[list[WindowAnswer], "all windows of the session"]
    summary: Annotated[SummaryParts | None, "null for a seed"]
    claims: Annotated[list[SummaryLine], "of the configured summarizer, each with the evidence that it names"]
    summary_by: Annotated[str, "`rules` or `summarizer`"]
    summary_note: Annotated[str | None, "what became of asking the summarizer"]
    seed_prompt: Annotated[str | None, "what a new session begins with; null for a summary"]
    seed_windows: Annotated[list[str], "references of the windows in it, the latest first"]
    omitted: Annotated[int, "how many lines had no room in the prompt"]
    notes: list[str]


def windows_answer(found: Reader) -> WindowsAnswer:
    session = found.session
    return WindowsAnswer(session.ref, session.title, _windows(session.ref, found.windows), found.notes)


def window_answer(session: str, window: Window) -> WindowAnswer:
    """A window of the session that has this reference."""
    return taken_from(
        window,
        WindowAnswer,
        ref=ref_of(session, window.index),
        chunks=[str(Ref("chunk", chunk)) for chunk in window.chunks],
        started_at=instant(window.started_at),
        ended_at=instant(window.ended_at),
    )


def summarized_answer(found: Summarized) -> SessionSummaryAnswer:
    session, entry = found.session, found.entry
    return SessionSummaryAnswer(
        status=found.status,
        session=session.ref,
        title=session.title,
        window=window_answer(session.ref, found.window) if found.window else None,
        windows=_windows(session.ref, found.windows),
        summary=_parts(entry.summary),
        claims=_lines(entry.claims),
        summary_by=entry.by,
        summary_note=entry.note,
        seed_prompt=None,
        seed_windows=[],
        omitted=0,
        notes=list(found.notes),
    )


def seeded_answer(found: Seed) -> SessionSummaryAnswer:
    return SessionSummaryAnswer(
        status="seeded",
        session=found.session.ref,
        title=found.session.title,
        window=None,
        windows=_windows(found.session.ref, found.windows),
        summary=None,
        claims=[],
        summary_by="rules",
        summary_note=None,
        seed_prompt=found.text,
        seed_windows=[ref_of(found.session.ref, index) for index in found.picked],
        omitted=found.omitted,
        notes=list(found.notes),
    )


def _windows(session: str, windows: Iterable[Window]) -> list[WindowAnswer]:
    return [window_answer(session, window) for window in windows]


def _parts(found: Summary) -> SummaryParts:
    return taken_from(
        found,
        SummaryParts,
        goal=taken_from(found.goal, SummaryLine) if found.goal else None,
        asked=taken_from(found.asked, SummaryLine) if found.asked else None,
        **{name: _lines(getattr(found, name)) for name in LINES},
        **{name: [taken_from(one, CountedAnswer) for one in getattr(found, name)] for name in COUNTED},
    )


def _lines(said: Iterable[Said]) -> list[SummaryLine]:
    return [taken_from(one, SummaryLine) for one in said]
