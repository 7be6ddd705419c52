"""Attempts of a repository: begun with a contract, ended with an outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from aicx.config import Settings
from aicx.git.state import GitProbe
from aicx.refs import Ref
from aicx.storage.event_lines import new_id
from aicx.work.attempt import Attempt, Outcome, Stated
from aicx.work.contract import Contract
from aicx.work.files import ATTEMPTS, read_all
from aicx.work.place import WorkPlace, looking, project_of, saved
from aicx.work.record import MAX_GOAL, MAX_TEXT, Status, WorkRecord, clean, title_of
from aicx.work.writing import changing

Notify = Callable[[str], None]
_ID = 12  # hexadecimal digits
_ENDS: dict[Outcome, Status] = {"success": "resolved", "failure": "abandoned"}


def begin(
    settings: Settings,
    place: WorkPlace,
    goal: str,
    attempt: Attempt,
    now: datetime,
    *,
    source: str,
    look: GitProbe | None = None,
    notify: Notify = lambda _: None,
) -> WorkRecord:
    """Records that a session began; what its contract says is what it is measured by."""
    project = project_of(settings, place)
    goal = clean(goal, MAX_GOAL) or "go on where work stopped"
    with looking(place, now, look) as present, changing(settings, now, source, notify) as change:
        record = WorkRecord(
            id=new_id()[:_ID],
            kind="attempt",
            title=title_of(goal),
            goal=goal,
            repo_id=place.repo_id,
            worktree_id=place.worktree_id,
            created_at=now,
            updated_at=now,
            project=project,
            git_context=saved(present.context),
            sources=(session_ref(attempt),) if attempt.session else (),
            attempt=attempt,
        )
        record = change.put(record, "started")
        change.publish()
        return record


def end(
    settings: Settings,
    record: WorkRecord,
    outcome: Outcome,
    summary: str,
    stated: Stated,
    now: datetime,
    *,
    source: str,
    exit_code: int | None = None,
    notify: Notify = lambda _: None,
) -> WorkRecord:
    """Records how an attempt ended. One that ended before keeps what was said then, and gets what is new."""
    assert record.attempt is not None
    with changing(settings, now, source, notify) as change:
        known = next((one for one in attempts_in(settings, (record.repo_id,)) if one.id == record.id), record)
        assert known.attempt is not None
        attempt = replace(
            known.attempt,
            outcome=outcome,
            summary=clean(summary, MAX_TEXT) or known.attempt.summary,
            stated=_joined(known.attempt.stated, stated),
            exit_code=exit_code if exit_code is not None else known.attempt.exit_code,
        )
        ended = change.put(replace(known, attempt=attempt, status=_ENDS[outcome]), "closed", ("outcome",))
        change.publish()
        return ended


def attempts_in(settings: Settings, folders: tuple[str, ...]) -> list[WorkRecord]:
    """The attempts of a repository, the last written first."""
    return [one for one in read_all(settings.layout, folders, (ATTEMPTS,)).records if one.attempt is not None]


def attempt_of(found: list[WorkRecord], worktree: str, agent: str, session: str | None) -> WorkRecord | None:
    """The attempt of a session; without its id the last one of the agent in this working folder that has not ended."""
    if session is not None:
        return next((one for one in found if one.attempt and one.attempt.session == session), None)
    return next(
        (
            one
            for one in found
            if one.worktree_id == worktree and one.attempt and (one.attempt.agent, one.attempt.outcome) == (agent, None)
        ),
        None,
    )


def session_ref(attempt: Attempt) -> str:
    return str(Ref.of_session(attempt.agent, attempt.session or ""))


def contract_of(record: WorkRecord | None) -> Contract | None:
    return record.attempt.contract if record is not None and record.attempt is not None else None


def _joined(known: Stated, new: Stated) -> Stated:
    return Stated(*(tuple(dict.fromkeys((*getattr(known, name), *getattr(new, name)))) for name in Stated.__slots__))
