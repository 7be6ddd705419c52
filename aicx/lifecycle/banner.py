"""The lines that open a session: who is awake where, and what the work goes on from. Once a session."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress

from aicx.config import Settings
from aicx.evidence.sessions import MAX_SESSIONS, Scope, count_sessions
from aicx.paths import NON_REPOSITORY, Layout, safe_session
from aicx.resume.select.report import ResumeReport
from aicx.text import plural, shorten
from aicx.work.loading import Loaded
from aicx.work.next_step import next_steps
from aicx.work.record import WorkRecord

_UNPLAIN = re.compile(r"[^\w.+@~-]+")
_LINE = 200  # characters
# Sessions whose start was seen; one that is older than all of these is taken for a new one.
_MAX_STARTED = 1000


def banner(
    agent: str, report: ResumeReport, number: int, active: Sequence[Loaded] = (), left: WorkRecord | None = None
) -> str:
    """``agent@repository · session #3 · awake``, what it resumes, the last progress, what is next, and the task.

    ``left`` is a handoff that was stated after the session that the work goes on from. It comes before what is derived.
    """
    named = report.project if report.project not in (None, NON_REPOSITORY) else report.folder
    name = _plain((named or "").rstrip("/").rsplit("/", 1)[-1])
    lines = [f"{_plain(agent)}@{name} · session #{number} · awake"]
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
        ahead = brief.ahead[0].text if brief and brief.ahead else None
    lines += [f"Next: {ahead}"] if ahead else []
    if stated:
        more = f" and {plural(len(stated) - 1, 'other')}" if len(stated) > 1 else ""
        lines.append(f"Active task: {stated[0].record.title}{more}")
    return "\n".join(shorten(line, _LINE) for line in lines)


def session_number(settings: Settings, report: ResumeReport, session: str | None) -> int:
    """The number of a new session among those of the repository that are stored; from 1."""
    from aicx.corpus.catalog.query import open_catalog  # imported here: most repositories have fewer sessions

    if report.session_count < MAX_SESSIONS - 1:
        return report.session_count + 1
    # The report looks at the newest ones alone.
    scope = Scope(report.project, (report.folder,) if report.folder else ())
    with open_catalog(settings.layout) as opened:
        return count_sessions(opened.catalog, scope, report.now, but=session) + 1


def is_first_start(layout: Layout, agent: str, session: str | None, most: int = _MAX_STARTED) -> bool:
    """Whether this is the first start of a session that is seen, which it then was; True where it has no name.

    ``most`` sessions are remembered.
    """
    if session is None:
        return True
    started = layout.agents / "started"
    started.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        os.close(os.open(started / f"{agent}-{safe_session(session)}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    known = os.listdir(started)
    if len(known) > most:
        oldest = sorted(known, key=lambda name: (started / name).stat().st_mtime)
        for name in oldest[: most // 2]:
            with suppress(FileNotFoundError):
                (started / name).unlink()
    return True


def _plain(name: str) -> str:
    return _UNPLAIN.sub("_", name) or "_"
