"""The answers about windows and summaries, made from what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from aicx.sessions.summarize import Summarized, SummaryReader
from aicx.sessions.summary import Summary
from aicx.sessions.windows import WindowAnswer, WindowsAnswer, ref_of, window_answer, windows_of
from aicx.values import dataclass
from aicx.work.session_facts import Said

if TYPE_CHECKING:  # it takes the search
    from aicx.sessions.seed import Seed

SCHEMA = "aicx.session_summary/1"


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
    summary: Annotated[Summary | None, "null for a seed"]
    claims: Annotated[tuple[Said, ...], "of the configured summarizer, each with the evidence that it names"]
    summary_by: Annotated[str, "`rules` or `summarizer`"]
    summary_note: Annotated[str | None, "what became of asking the summarizer"]
    seed_prompt: Annotated[str | None, "what a new session begins with; null for a summary"]
    seed_windows: Annotated[list[str], "references of the windows in it, the latest first"]
    omitted: Annotated[int, "how many lines had no room in the prompt"]
    notes: list[str]


def windows_answer(found: SummaryReader) -> WindowsAnswer:
    session = found.session
    return WindowsAnswer(session.ref, session.title, windows_of(session.ref, found.windows), found.notes)


def summarized_answer(found: Summarized) -> SessionSummaryAnswer:
    session, entry = found.session, found.entry
    return SessionSummaryAnswer(
        status=found.status,
        session=session.ref,
        title=session.title,
        window=window_answer(session.ref, found.window) if found.window else None,
        windows=windows_of(session.ref, found.windows),
        summary=entry.summary,
        claims=entry.claims,
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
        windows=windows_of(found.session.ref, found.windows),
        summary=None,
        claims=(),
        summary_by="rules",
        summary_note=None,
        seed_prompt=found.text,
        seed_windows=[ref_of(found.session.ref, index) for index in found.picked],
        omitted=found.omitted,
        notes=list(found.notes),
    )
