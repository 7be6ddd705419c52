"""The answers about windows and summaries, made from what was found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from aicx.api.answers.session_summary import CountedAnswer, SessionSummaryAnswer, SummaryLine, SummaryParts
from aicx.api.answers.session_windows import WindowAnswer, WindowsAnswer
from aicx.api.fields import taken_from
from aicx.refs import Ref
from aicx.sessions.summarize import Reader, Summarized
from aicx.sessions.summary import COUNTED, LINES, Summary
from aicx.sessions.windows import Window, ref_of
from aicx.text import instant
from aicx.work.session_facts import Said

if TYPE_CHECKING:  # it takes the search
    from aicx.sessions.seed import Seed


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
