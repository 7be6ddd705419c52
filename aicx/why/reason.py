"""Why a commit was made, in the words of the session that made it: each line quoted, with its chunk."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from aicx.evidence.calls import answered_calls
from aicx.evidence.patterns import command_rules
from aicx.evidence.runs import CommandRun, followed, latest_outcomes, runs_of
from aicx.evidence.sessions import SessionRow
from aicx.evidence.statements import conclusion, decisions, own_choices, requests
from aicx.evidence.transcript import Step
from aicx.git.subjects import plain_subject
from aicx.refs import Ref
from aicx.why.asked import asked, requests_of
from aicx.why.candidates import AFTER
from aicx.why.report import CommitQuery, ReasonKind, ReasonLine
from aicx.why.said import causes, reports_of, weighed
from aicx.why.topic import Fit, Said, for_requests, message_of
from aicx.why.traces import edits_of

_MAX_FOUND, _MAX_WEIGHED, _MAX_DECIDED, _MAX_RUNS = 2, 2, 3, 2
# Of a long session's decisions, those that are compared with what the commit is about.
_MAX_LISTED = 24
_SAID = ("found", "weighed")
_BOOKKEEPING = ("git ", "gh ", "glab ")
# The last line of a build that says where, not what.
_NAMES_NOTHING = re.compile(r"\[build failed\]|^\S+: : #")
# A check that runs tests says more of a change than one that formats it.
_TESTS = re.compile(r"test|spec\b|e2e|jest", re.IGNORECASE)


def read_reason(
    steps: Sequence[Step], wanted: CommitQuery, session: SessionRow, made_at: datetime | None = None
) -> list[ReasonLine]:
    """What led to a commit in a session: requests, causes found, alternatives, decisions, failures, checks, a report.

    Of what the session says only what has to do with the commit's message: it is often about other commits too.
    ``made_at`` is when the session first made the commit, where it did. Where it did not, what it
    says belongs to the commit up to its last edit of the commit's files: what comes later may be about anything.
    """
    end = made_at or max(wanted.times, default=None)
    edited, message = edits_of(_before(steps, end), wanted, session.cwd), message_of(wanted)
    worked = max((at for times in edited for at in times), default=None)
    end = made_at or worked or end
    before = _before(steps, end)
    since = _commit_before(before, wanted, end) if end else None
    stretch = [step for step in before if since is None or step.at > since]
    # Of a stretch in which nothing was asked, or nothing answered, the rest says more.
    steps = stretch if requests(stretch) and conclusion(stretch) else before

    def line(kind: ReasonKind, text: str, step: Step) -> ReasonLine:
        return ReasonLine(kind, text, step.at, str(Ref("chunk", step.chunk)), session)

    wishes = requests_of(before)
    found = [line("asked", text, step) for text, step in asked(wishes, since, edited, for_requests(message, wanted))]
    settled = [(said.text, said.step) for said in decisions(steps, _MAX_LISTED)]
    chosen = [(said.text, said.step) for said in own_choices(steps, _MAX_LISTED)]
    said: list[tuple[ReasonKind, list[Said], int]] = [
        ("found", causes(steps), _MAX_FOUND),
        ("weighed", [*weighed(steps), *chosen], _MAX_WEIGHED),
        ("decided", settled, _MAX_DECIDED),
    ]
    lines, several = [wish.line for wish in wishes], since is not None
    fit = Fit(message, lines, (text for _, every, _ in said for text, _ in every), several=several)
    for kind, every, most in said:
        found += (line(kind, text, step) for text, step in fit.best(every, most))
    runs = runs_of(followed(answered_calls(steps)))
    for run in _failed(runs):
        text = f"`{run.line}` failed{f': {run.telling}' if run.telling else ''}"
        found.append(ReasonLine("failed", text, run.at, str(Ref("chunk", run.chunk)), session))
    for run in _passed(runs):
        found.append(ReasonLine("passed", f"`{run.line}` passed", run.at, str(Ref("chunk", run.chunk)), session))
    # What was said of this commit; the session's last words are often of another.
    told = reports_of(steps, worked)
    of_it = Fit(message, lines, (text for text, _ in told), several=several).best(told, 1)
    found += (line("reported", text, step) for text, step in of_it)
    kept: list[ReasonLine] = []
    for item in found:
        if item.text and not any(_repeats(item, other) for other in kept):
            kept.append(item)
    return kept


def _repeats(line: ReasonLine, other: ReasonLine) -> bool:
    """Whether a line says again what another says; a decision is often an alternative with the sentence before it."""
    return line.text in other.text or (line.kind == "decided" and other.kind in _SAID and other.text in line.text)


def _before(steps: Sequence[Step], end: datetime | None) -> list[Step]:
    """What a session says up to a commit, and after it up to the next request."""
    if end is None:
        return list(steps)
    until = next((step.at for _, step in requests(steps) if end < step.at <= end + AFTER), end + AFTER)
    return [step for step in steps if step.at <= end or step.at < until]


def _commit_before(before: Sequence[Step], wanted: CommitQuery, end: datetime) -> datetime | None:
    """When git last printed another commit before that one."""
    results = (step for step in reversed(before) if step.phase == "result" and step.at < end)
    return next((step.at for step in results if _is_of_another(step, wanted)), None)


def _is_of_another(step: Step, wanted: CommitQuery) -> bool:
    """Whether git printed a commit there that is another than the wanted one, which may have had another hash."""
    printed = command_rules().commit.findall(step.text) if step.text.startswith("[") or "\n[" in step.text else []
    return bool(printed) and not any(
        plain_subject(subject) in wanted.subjects or any(known.startswith(name) for known in wanted.hashes)
        for name, subject in printed
    )


def _failed(runs: Sequence[CommandRun]) -> list[CommandRun]:
    """The last checks and changes that failed on the way, each command once; no refusal of git and no bare "failed"."""
    found: dict[str, CommandRun] = {}
    for run in reversed(runs):
        if _NAMES_NOTHING.search(run.telling) or run.line.startswith(_BOOKKEEPING):
            continue
        if run.outcome == "failed" and run.kind != "other":
            found.setdefault(run.line, run)
    return list(reversed(list(found.values())[:_MAX_RUNS]))


def _passed(runs: Sequence[CommandRun]) -> list[CommandRun]:
    """The checks that passed in the end, tests first."""
    checks = [run for run, _ in latest_outcomes([run for run in runs if run.kind == "check"]) if run.outcome == "ok"]
    return sorted(checks, key=lambda run: not _TESTS.search(run.line))[:_MAX_RUNS]
