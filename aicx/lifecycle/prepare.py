"""The start of a session: banner, brief, tasks and contract, and how the last one kept to its own."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from aicx.config import Settings
from aicx.errors import CorpusDamaged, StoreLocked, StoreUnwritable, plainly
from aicx.git.state import Git, GitProbe
from aicx.lifecycle.identity import Asker
from aicx.paths import Layout, safe_session
from aicx.resume import ResumeQuery
from aicx.resume.brief.banner import banner
from aicx.resume.report import ResumeReport
from aicx.resume.run import resume
from aicx.resume.stated import gone_on_from
from aicx.sources import RUN
from aicx.values import dataclass
from aicx.work.attempts import attempt_of, begin
from aicx.work.compliance import Result
from aicx.work.place import WorkPlace, find_place
from aicx.work.record import Attempt, WorkRecord
from aicx.work.state import OpenTasks, open_tasks

# Sessions whose start was seen; one that is older than all of these is taken for a new one.
_MAX_STARTED = 1000


def is_first_start(layout: Layout, agent: str, session: str | None, most: int = _MAX_STARTED) -> bool:
    """Whether this is the first start of a session that is seen, which it then was; True where it has no name.

    ``most`` sessions are remembered.
    """
    if session is None:
        return True
    mark = _mark(layout, agent, session)
    started = mark.parent
    started.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        return False
    known = os.listdir(started)
    if len(known) > most:
        oldest = sorted(known, key=lambda name: (started / name).stat().st_mtime)
        for name in oldest[: most // 2]:
            with suppress(FileNotFoundError):
                (started / name).unlink()
    return True


def was_started(layout: Layout, agent: str, session: str | None) -> bool:
    """Whether a start of the session was seen before; nothing is written."""
    return session is not None and _mark(layout, agent, session).exists()


def _mark(layout: Layout, agent: str, session: str) -> Path:
    return layout.agents / "started" / f"{safe_session(agent)}-{safe_session(session)}"


@dataclass(frozen=True, slots=True)
class PreparedStart:
    """The start of a session. ``already_shown`` is whether it had its banner before.

    ``attempt`` is the record of it, None where nothing was to be written or could be; ``notes`` say then why.
    """

    asker: Asker
    number: int
    banner: str
    already_shown: bool
    report: ResumeReport
    tasks: OpenTasks
    previous: Result | None
    attempt: WorkRecord | None
    notes: tuple[str, ...] = ()


def prepare(
    settings: Settings,
    folder: Path,
    asker: Asker,
    now: datetime,
    *,
    task: str = "",
    record: bool = True,
    outside: bool = True,
    source: str = "prepare",
    name: str | None = None,
) -> PreparedStart:
    """Everything a session needs at its start in ``folder``. With ``record`` it is written down that it began.

    ``name`` is what the banner calls the agent, by default as it is called in the corpus.

    Without ``outside`` no command of others is asked.
    A session that is prepared twice stays one attempt: the contract of the first time counts.
    Raises UsageError and NotFound for a folder that is none. Where nothing can be recorded, that is noted.
    """
    place = find_place(settings, folder)
    with GitProbe(Git(folder.absolute())) as look:
        own = (asker.session,) if asker.session else ()
        query = ResumeQuery(now=now, task=task, folder=folder, agent=asker.agent, exclude_session=own, outside=outside)
        report = resume(settings, query, look)
        found = () if report.is_guess else gone_on_from(report.resumed, report.unmerged)
        tasks = open_tasks(settings, place, now, look, gone_on=lambda: (found, ()), begun=report.tasks)
        notes: list[str] = []
        first = True
        attempt: WorkRecord | None = None
        if record:
            try:
                first = is_first_start(settings.layout, asker.agent, asker.session)
                attempt = _attempt(settings, place, asker, report, now, look, source)
            except (StoreLocked, StoreUnwritable, CorpusDamaged, OSError) as error:
                notes.append(f"that the session began is not recorded: {plainly(error)}")
        return PreparedStart(
            asker=asker,
            number=report.session_number,
            banner=banner(name or asker.agent, report, tasks.active),
            already_shown=not first,
            report=report,
            tasks=tasks,
            previous=report.previous,
            attempt=attempt,
            notes=tuple(notes),
        )


def _attempt(
    settings: Settings, place: WorkPlace, asker: Asker, report: ResumeReport, now: datetime, look: GitProbe, source: str
) -> WorkRecord:
    known = attempt_of(settings, place, asker.agent, asker.session) if asker.session is not None else None
    if known is not None:
        return known
    # A program that `aicx run` starts without a goal reads no contract, and can neither keep nor break one.
    contract = None if asker.agent == RUN and not report.task else report.contract
    attempt = Attempt(asker.agent, asker.session, contract)
    return begin(settings, place, report.task, attempt, now, source=source, look=look, project=report.project)
