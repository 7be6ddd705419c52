"""What is worth a line that a person reads; the rest is in the JSON alone."""

from __future__ import annotations

from datetime import timedelta

from aicx.evidence.patterns import request_rules
from aicx.evidence.statements import reports_something
from aicx.evidence.texts import words
from aicx.resume.select.considered import Reason
from aicx.resume.select.report import BriefedSession, EntryFile, ResumeReport

MAX_COMMITS, MAX_DECISIONS, MAX_FILES, MAX_OTHERS = 5, 5, 3, 3
# Sessions longer ago than this before the one that is gone on from say little of where the work stands.
_RECENT = timedelta(days=7)


def says_something(subject: str) -> bool:
    """Whether a commit's subject tells what it changed, as "fix lint" and "review feedback" do not."""
    return sum(word not in request_rules().procedural for word in words(subject)) > 1


def is_meant(file: EntryFile) -> bool:
    """Whether the task or git mean a file; the next session rarely looks at what else was edited or read before."""
    return file.reasons[:1] in ((Reason.NAMED_IN_TASK,), (Reason.CHANGED_NOW,), (Reason.IN_RECALLED,))


def is_worth_a_line(report: ResumeReport, item: BriefedSession) -> bool:
    """Whether another session broke off or reports something, and is recent or, with a task, about it."""
    fits = _is_about_task(item) if report.task.strip() else _is_recent(report, item)
    return fits and (item.ending == "broke off" or (item.outcome is not None and reports_something(item.outcome.text)))


def _is_recent(report: ResumeReport, item: BriefedSession) -> bool:
    """Whether a session is of the days before the one that is gone on from."""
    resumed = report.resumed
    return resumed is None or resumed.facts.completed_at - item.facts.completed_at <= _RECENT


def _is_about_task(item: BriefedSession) -> bool:
    return item.confidence == "high" or (item.confidence == "medium" and Reason.SAME_BRANCH in item.reasons)
