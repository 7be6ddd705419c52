"""The stages that ask a share what other members did here. It answers while the corpus is searched."""

from __future__ import annotations

from dataclasses import replace

from aicx.paths import NON_REPOSITORY
from aicx.resume.select.ranking import MAIN_NAMES
from aicx.resume.select.report import Considered, Reason
from aicx.resume.state import ResumeState

_OF_TIE = {"task": Reason.MATCHES_TASK, "files": Reason.SHARES_FILES, "branch": Reason.SAME_BRANCH}


def ask_team(state: ResumeState) -> None:
    query, place = state.query, state.place
    if query.team is None:
        return
    from aicx.share.rows import shared_name  # imported here, as below: most are part of no share
    from aicx.share.sessions import AboutPlace

    folder = place.folder and shared_name(NON_REPOSITORY, place.folder)
    projects = place.scope.projects or tuple(filter(None, [folder]))
    about = AboutPlace.now(
        projects,
        query.now,
        branch=branch if (branch := query.branch or place.state.branch) not in MAIN_NAMES else None,
        files=[path for path in place.state.changed if not path.endswith("/")],
        text=state.topic,
        but=query.exclude_session,
        limit=query.limits.team,
    )
    query.team.ask(replace(about, since=max(about.since, query.since)) if about.since and query.since else about)


def hear_team(state: ResumeState) -> None:
    if state.query.team is None:
        return
    state.report.team, notes = state.query.team.answer()
    state.warnings += notes
    for one in state.report.team:
        reasons = (Reason.SHARED_BY_MEMBER, *(_OF_TIE[tie] for tie in one.ties if tie in _OF_TIE))
        state.considered.append(Considered(one.ref, "session", None, reasons, None, {"member": one.member}))
