"""The stages about what is kept beside the logs: the memory, open tasks, statements, and what is surely left open."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from aicx.resume.report import BriefedSession, Considered, Reason
from aicx.resume.state import ResumeState
from aicx.work.gone_on import GoneOn, left_open

if TYPE_CHECKING:
    from aicx.work.place import Loaded

_MAX_TASKS = 200  # of those that are open, the last written


def gone_on_from(resumed: BriefedSession | None, unmerged: Iterable[BriefedSession]) -> tuple[GoneOn, ...]:
    """The session that the work goes on from, after those that are left out as not merged here, with their briefs."""
    found = [*unmerged, *([resumed] if resumed else [])]
    return tuple(GoneOn(one.facts, one.brief, one.standing) for one in found if one.brief is not None)


def ask_memory(state: ResumeState) -> None:
    """Asks the memory for the task; nothing where nothing was ever remembered."""
    settings, query = state.settings, state.query
    if not settings.layout.memory.is_dir():
        return
    # Imported here: most have no memory, and every brief would pay for it.
    from aicx.memory.briefing import brief
    from aicx.memory.reading import Scope, find_scope

    scope = find_scope(settings, query.folder) if query.folder else Scope(state.place.scope.project)
    state.report.memory = found = brief(settings, scope, state.topic, query.now, query.limits.memory)
    for entry in (*found.agreed, *found.guidance):
        score = entry.score.final if entry.score else None
        facts = {"status": entry.status, "tier": entry.tier, "usage": entry.usage, "baseline": entry.baseline}
        state.considered.append(Considered(entry.ref, "memory", score, tuple(entry.reasons), None, facts))
    for left in found.excluded:
        why = next(iter(left.reasons), None)
        facts = {"status": left.status}
        state.considered.append(Considered(left.ref, "memory", None, tuple(left.reasons), why, facts))
    state.unavailable += (f"memory by {lane.lane}: {lane.note}" for lane in found.degraded)


def read_work(state: ResumeState) -> None:
    """Reads what is recorded of the work here; nothing where nothing ever was."""
    settings, query, look, report = state.settings, state.query, state.place.look, state.report
    if (place := state.work_place) is None:
        return
    # Imported here: most never begin a task.
    from aicx.work.compliance import previous_result, ran_since
    from aicx.work.left import left_about, left_here, usable_statements
    from aicx.work.place import looking
    from aicx.work.state import open_tasks

    session = None if report.resumed is None or (state.topic and state.is_unsure) else report.resumed.facts
    but = query.exclude_session
    found = open_tasks(settings, place, query.now, look, most=_MAX_TASKS)
    with looking(place, query.now, look) as present:
        stated: Iterable[Loaded]
        stated = usable_statements(settings, place, present, lambda: state.settled, query.now, but)
        stated = list(stated) if state.topic else stated  # without a topic one is enough; each may ask git
        left = left_here(stated, session)
        before = left_about(stated, state.topic, left) if state.topic else None
    ran = ran_since(settings, place, session, query.now, but)
    state.warnings += found.notes
    elsewhere = Reason.OTHER_BRANCH_UNMERGED
    state.considered += [
        *(Considered(one.record.ref, "task", None, (Reason.OPEN_TASK,)) for one in (*found.active, *found.waiting)),
        *(Considered(one.record.ref, "task", None, (Reason.OPEN_TASK,), elsewhere) for one in found.skipped),
        *(Considered(one.record.ref, "handoff", None, (Reason.STATED_LAST,)) for one in [left] if one),
        *(Considered(one.record.ref, "handoff", None, (Reason.MATCHES_TASK,)) for one in [before] if one),
        *(Considered(one.ref, "run", None, (Reason.RAN_SINCE,)) for one in ran),
    ]
    report.previous = previous_result(settings, place, but, state.catalog)
    report.tasks, report.left, report.left_before, report.ran = found, left, before, ran


def prove_open(state: ResumeState) -> None:
    """Proves what is open of the session that the work goes on from, as `next` says it."""
    report, place = state.report, state.place
    found = next(iter(gone_on_from(report.resumed, ())), None)
    if found is None:
        return
    # Imported here: most sessions leave nothing that git has to be asked about, or end without a statement.
    from aicx.work.gone_on import git_shows

    if report.left is not None:
        from aicx.work.left import counts_beside

        if not counts_beside(report.left, found):
            return
    shows = partial(git_shows, place.look.git, place.state) if place.look else lambda session, brief: ("", "")
    report.still_open = left_open(found, state.query.now, shows, state.settled)
