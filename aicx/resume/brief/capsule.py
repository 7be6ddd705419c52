"""Keeps the brief that a session began with: beside its contract, and as an object that nothing changes."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from datetime import datetime

from aicx.cas.writing import Origin, put
from aicx.config import Settings
from aicx.resume.brief.output import json_brief
from aicx.resume.select.report import ResumeReport
from aicx.work.attempts import write_capsule
from aicx.work.record import WorkRecord

TAG = "resume-capsule"
_TOKENS = 4000
_SESSION = re.compile(r"(?<=session:)[a-z-]+:[\w.-]+")


def keep_capsule(
    settings: Settings, report: ResumeReport, attempt: WorkRecord, now: datetime, notify: Callable[[str], None]
) -> str:
    """Stores the brief of an attempt as JSON, in a file beside the attempt's own too, and returns its digest.

    What it quotes is known, so that `forget` takes it along. Raises StoreLocked, StoreUnwritable, UsageError for what
    was forgotten.
    """
    body = json_brief(settings, report, _TOKENS, attempt=attempt.ref).text
    write_capsule(settings, attempt, body, now, notify)
    others = [report.resumed, *report.others]
    sessions = {f"{item.facts.agent}:{item.facts.session_id}" for item in others if item is not None}
    sessions |= {f"{item.facts['agent']}:{item.facts['session_id']}" for item in report.recalled}
    sessions |= set(_SESSION.findall(body.decode()))
    projects = (report.project,) if report.project else ()
    origin = Origin("text", (TAG, attempt.ref), tuple(sorted(sessions)), projects)
    return put(settings, io.BytesIO(body), origin, now, notify).entry.digest
