"""The lines that open a session: who is awake where, and what the work goes on from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aicx.brief import fenced
from aicx.paths import NON_REPOSITORY
from aicx.resume.report import ResumeReport
from aicx.text import ago, plural, shorten
from aicx.values import regex

if TYPE_CHECKING:
    from aicx.work.place import Loaded

_UNPLAIN = regex(r"[^\w.+@~-]+")
_LINE = 200  # characters


def banner(agent: str, report: ResumeReport, active: Sequence[Loaded] = (), limit: int = _LINE) -> str:
    """``agent@repository · session #3 · awake``, what it resumes, the last progress, what is next, and the task.

    What was stated at the end of the last session comes before what is derived. ``limit`` is the longest line in
    characters; with 0 there is the first alone.
    """
    named = report.project if report.project not in (None, NON_REPOSITORY) else report.folder
    lines = [f"{_awake(agent, named)} · session #{report.session_number} · awake"]
    if not limit:
        return shorten(lines[0], _LINE)
    # Imported here: most briefs are in Markdown, and have no banner.
    from aicx.work.record import clean

    said = _stated(report) if report.left is not None else _derived(report)
    stated = [task for task in active if task.derived is None]
    if stated:
        from aicx.work.place import next_steps  # imported here: most never begin a task

        if (step := next(iter(next_steps(stated)), None)) is not None:
            said["Next"] = step.text
    lines += [f"{name}: {text}" for name, text in said.items() if text]
    if stated:
        more = f" and {plural(len(stated) - 1, 'other')}" if len(stated) > 1 else ""
        lines.append(f"Active task: {stated[0].record.title}{more}")
    return "\n".join(clean(line, min(limit, _LINE)) for line in lines)


def _derived(report: ResumeReport) -> dict[str, str]:
    told = None if report.is_guess else report.resumed or report.latest
    if told is None or (brief := told.brief) is None:
        return {}
    goal = brief.goal.text if brief.goal else told.facts.title or "the last session"
    return {
        "Resuming" if report.resumed else "Earlier here": goal,
        "Last progress": brief.progress.text if brief.progress else "",
        "Next": report.still_open.step if report.still_open else "",
    }


def _stated(report: ResumeReport) -> dict[str, str]:
    """Returns what was stated, by whom and when; where it says nothing, what the log of the same session has."""
    from aicx.work.left import by_of, goal_of, has_failed, next_of

    assert report.left is not None
    record = report.left.record
    derived = _derived(report)
    by = f"stated by {by_of(record)}, {ago(record.updated_at, report.now)}"
    name = "Failed" if has_failed(record) else "Last progress"
    room = _LINE - len(f"{name}:  ({by})")
    return {
        "Resuming": goal_of(record) or derived.get("Resuming", ""),
        name: f"{shorten(record.closing_note, room)} ({by})" if record.closing_note else "",
        "Next": next_of(record) or derived.get("Next", ""),
    }


def bare_banner(agent: str, folder: str) -> str:
    """The first line of a banner as far as it takes no look at anything: ``agent@folder · awake``."""
    return shorten(f"{_awake(agent, folder)} · awake", _LINE)


def opening(text: str) -> str:
    """A banner as it opens a session: its first line, and the others quoted, since they are from logs."""
    header, _, quoted = text.partition("\n")
    return "\n\n".join(filter(None, (header, quoted and fenced(quoted))))


def _awake(agent: str, place: str | None) -> str:
    return f"{_plain(agent)}@{_plain((place or '').rstrip('/').rsplit('/', 1)[-1])}"


def _plain(name: str) -> str:
    return _UNPLAIN.sub("_", name) or "_"
