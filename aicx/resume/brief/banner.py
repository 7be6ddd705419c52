"""The lines that open a session: who is awake where, and what the work goes on from."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from aicx.paths import NON_REPOSITORY
from aicx.resume.select.report import ResumeReport
from aicx.text import plural, shorten

if TYPE_CHECKING:
    from aicx.work.loading import Loaded
    from aicx.work.record import WorkRecord

_UNPLAIN = re.compile(r"[^\w.+@~-]+")
_LINE = 200  # characters


def banner(
    agent: str,
    report: ResumeReport,
    active: Sequence[Loaded] = (),
    left: WorkRecord | None = None,
    limit: int = _LINE,
) -> str:
    """``agent@repository · session #3 · awake``, what it resumes, the last progress, what is next, and the task.

    ``left`` is a handoff that was stated after the session that the work goes on from, and comes before what is
    derived. ``limit`` is the longest line in characters; with 0 there is the first alone.
    """
    named = report.project if report.project not in (None, NON_REPOSITORY) else report.folder
    lines = [f"{_awake(agent, named)} · session #{report.session_number} · awake"]
    if not limit:
        return shorten(lines[0], _LINE)
    # Imported here: most briefs are in Markdown, and have no banner.
    from aicx.work.next_step import next_steps
    from aicx.work.record import clean

    brief = report.resumed.brief if report.resumed and not report.is_guess else None
    if left is not None:
        lines += [f"Resuming: {left.goal}"] if left.goal else []
        lines += [f"Last progress: {left.closing_note}"] if left.closing_note else []
    elif report.resumed is not None and brief is not None:
        lines.append(f"Resuming: {brief.goal.text if brief.goal else report.resumed.facts.title or 'the last session'}")
        lines += [f"Last progress: {brief.progress.text}"] if brief.progress else []
    stated = [task for task in active if task.derived is None]
    step = next(iter(next_steps(stated)), None)
    if step is not None:
        ahead: str | None = step.text
    elif left is not None:
        ahead = next(iter(left.texts("next_steps")), None)
    else:
        said = brief.next_step_at(report.now) if brief else None
        ahead = said.text if said else None
    lines += [f"Next: {ahead}"] if ahead else []
    if stated:
        more = f" and {plural(len(stated) - 1, 'other')}" if len(stated) > 1 else ""
        lines.append(f"Active task: {stated[0].record.title}{more}")
    return "\n".join(clean(line, min(limit, _LINE)) for line in lines)


def bare_banner(agent: str, folder: str) -> str:
    """The first line of a banner as far as it takes no look at anything: ``agent@folder · awake``."""
    return shorten(f"{_awake(agent, folder)} · awake", _LINE)


def _awake(agent: str, place: str | None) -> str:
    return f"{_plain(agent)}@{_plain((place or '').rstrip('/').rsplit('/', 1)[-1])}"


def _plain(name: str) -> str:
    return _UNPLAIN.sub("_", name) or "_"
