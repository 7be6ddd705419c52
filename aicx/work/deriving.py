"""Reads one stored session and works out its facts, by rules alone."""

from __future__ import annotations

from collections.abc import Sequence

from aicx.evidence.calls import answered_calls
from aicx.evidence.commits import OtherRepositories
from aicx.evidence.fixes import topic_of
from aicx.evidence.given_up import given_up
from aicx.evidence.runs import Outcome, followed, ran_by
from aicx.evidence.session_brief import brief_of
from aicx.evidence.transcript import Statement, Step
from aicx.fields import taken_from
from aicx.refs import Ref
from aicx.text import instant
from aicx.types import PROMPTS
from aicx.work.failure_runs import failures_of
from aicx.work.observing import observe
from aicx.work.session_facts import MAX_COMMANDS, MAX_FILES, Ran, Said, SessionFacts, SessionPart

_PASSED: dict[Outcome, bool] = {"ok": True, "failed": False}


def derive(part: SessionPart, steps: Sequence[Step], elsewhere: OtherRepositories) -> SessionFacts | None:
    """The facts of a session from its messages; None where there are none.

    ``elsewhere`` has the roots of the repository that they are told of.
    """
    if not steps:
        return None
    roots = elsewhere.roots
    calls = followed(answered_calls(steps))
    each = ran_by(calls, roots, steps)
    runs = [run for run in each if run is not None]
    brief = brief_of(steps, roots, part.folder, elsewhere, runs=runs)
    seen = observe(steps, roots, part.folder)
    typed = [step.at for step in steps if step.role == "user" and step.origin in PROMPTS]
    tests = [
        Ran(run.parts[-1].text, _PASSED.get(run.outcome), instant(run.at, "seconds"), str(Ref("chunk", run.chunk)))
        for run in runs
        if run.kind == "check" and topic_of(run.parts[-1]) == "test"
    ]
    return taken_from(
        part,
        SessionFacts,
        started_at=instant(min(step.at for step in steps), "seconds"),
        ended_at=instant(max(step.at for step in steps), "seconds"),
        goal=_said(brief.goal) if brief.goal else None,
        asked=_said(brief.asked) if brief.asked else None,
        turned_to=_said(brief.turned_to) if brief.turned_to else None,
        unanswered=_said(brief.unanswered) if brief.unanswered else None,
        progress=_said(brief.progress) if brief.progress else None,
        reported=_said(brief.reported) if brief.reported else None,
        commits=tuple(map(_said, brief.commits)),
        pull_requests=tuple(map(_said, brief.pull_requests)),
        failing=tuple(map(_said, brief.broken)),
        given_up=tuple(map(_said, given_up(steps, calls, runs))),
        next=tuple(map(_said, brief.ahead)),
        questions=tuple(map(_said, brief.questions)),
        decisions=tuple(map(_said, brief.decisions)),
        opened=seen.opened[:MAX_FILES],
        edited=seen.edited[:MAX_FILES],
        deleted=seen.deleted[:MAX_FILES],
        commands=seen.commands[-MAX_COMMANDS:],
        tests=tuple(tests[-MAX_COMMANDS:]),
        orientation=seen.orientation[:MAX_COMMANDS],
        failures=tuple(failures_of(calls, each, roots, part.folder, typed, seen.deleted)),
        finalized=seen.finalized,
        state=brief.state,
        state_reason=brief.state_reason,
    )


def _said(line: Statement) -> Said:
    return Said(line.text, instant(line.at, "seconds"), line.refs)
