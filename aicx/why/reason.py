"""Why a commit was made, in the words of the session that made it: each line quoted, with its chunk."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from aicx.evidence.calls import answered_calls
from aicx.evidence.patterns import command_rules
from aicx.evidence.runs import Run, followed, latest_outcomes, runs_of
from aicx.evidence.statements import conclusion, decisions, requests, telling
from aicx.evidence.texts import sentences, summary_line, words
from aicx.evidence.transcript import Step
from aicx.git.listed import plain_subject
from aicx.refs import Ref
from aicx.resume.select.sessions import SessionRow
from aicx.text import shorten
from aicx.why.candidates import AFTER
from aicx.why.report import ReasonKind, ReasonLine, Wanted

_ASKED, _SAID = 280, 320
_MAX_ASKED, _MAX_WEIGHED, _MAX_DECIDED, _MAX_RUNS = 2, 2, 3, 2
# Of a long session's decisions, those that are compared with what the commit is about.
_MAX_LISTED = 24
# Words with which one of several ways is named.
_WEIGHED = re.compile(
    r"\b(?:instead of|rather than|alternatives?|alternatively|trade-?offs?|versus|option [a-d1-4]\b|another option"
    r"|(?:either|whether) .{3,80} or |simpler than|the downside|pros and cons|as opposed to)",
    re.IGNORECASE,
)


def read_reason(steps: Sequence[Step], wanted: Wanted, session: SessionRow) -> list[ReasonLine]:
    """What led to a commit in a session: requests, alternatives, decisions, failures, checks, and the agent's report.

    Of each kind those that have most to do with the commit's subject and files, in the order in which they were said.
    """
    steps = _until(steps, wanted)
    about = _topic(wanted)

    def line(kind: ReasonKind, text: str, step: Step) -> ReasonLine:
        return ReasonLine(kind, text, step.at, str(Ref("chunk", step.chunk)), session)

    found = [line("asked", summary_line(text, _ASKED), step) for text, step in _asked(steps, about)]
    found += (line("weighed", text, step) for text, step in _weighed(steps, about))
    settled = [(said.text, said.step) for said in decisions(steps, _MAX_LISTED)]
    found += (line("decided", text, step) for text, step in _nearest(settled, about, _MAX_DECIDED))
    runs = runs_of(followed(answered_calls(steps)))
    for run in _failed(runs):
        text = f"`{run.line}` failed{f': {run.telling}' if run.telling else ''}"
        found.append(ReasonLine("failed", text, run.at, str(Ref("chunk", run.chunk)), session))
    checks = (run for run, _ in latest_outcomes([run for run in runs if run.kind == "check"]) if run.outcome == "ok")
    for run, _ in zip(checks, range(_MAX_RUNS), strict=False):
        found.append(ReasonLine("passed", f"`{run.line}` passed", run.at, str(Ref("chunk", run.chunk)), session))
    if last := conclusion(steps):
        found.append(line("reported", summary_line(telling(last.text), _SAID), last))
    kept: dict[str, ReasonLine] = {}
    for item in found:
        if item.text:
            kept.setdefault(item.text, item)
    return list(kept.values())


def _until(steps: Sequence[Step], wanted: Wanted) -> list[Step]:
    """The stretch of a session that a commit came from: after the commit before it where that has a request in it."""
    end = max(wanted.times, default=None)
    before = [step for step in steps if end is None or step.at <= end + AFTER]
    commits = [place for place, step in enumerate(before) if step.phase == "result" and _is_of_another(step, wanted)]
    after = before[commits[-1] + 1 :] if commits else before
    return after if requests(after) and conclusion(after) else before


def _is_of_another(step: Step, wanted: Wanted) -> bool:
    """Whether git printed a commit there that is another than the wanted one, which may have had another hash."""
    printed = command_rules().commit.findall(step.text) if step.text.startswith("[") or "\n[" in step.text else []
    return bool(printed) and not any(
        plain_subject(subject) in wanted.subjects or any(known.startswith(name) for known in wanted.hashes)
        for name, subject in printed
    )


def _topic(wanted: Wanted) -> frozenset[str]:
    """The words that a commit is about: of its subject, and of its files' names."""
    names = " ".join(re.sub(r"[/._-]", " ", path.rpartition("/")[2]) for path in wanted.change.files)
    return frozenset(word for word in words(f"{wanted.change.subject} {names}") if len(word) > 2)


def _asked(steps: Sequence[Step], about: frozenset[str]) -> list[tuple[str, Step]]:
    every = [(weight.text, step) for weight, step in requests(steps) if weight.level > 1]
    return _nearest(every, about, _MAX_ASKED)


def _weighed(steps: Sequence[Step], about: frozenset[str]) -> list[tuple[str, Step]]:
    every = [
        (shorten(said.text, _SAID), step)
        for step in steps
        if step.role == "assistant" and _WEIGHED.search(step.text)
        for said in sentences(step.text)
        if _WEIGHED.search(said.text)
    ]
    return _nearest(every, about, _MAX_WEIGHED)


def _failed(runs: Sequence[Run]) -> list[Run]:
    """The last checks and changes that failed on the way, each command once."""
    found: dict[str, Run] = {}
    for run in reversed(runs):
        if run.outcome == "failed" and run.kind != "other":
            found.setdefault(run.line, run)
    return list(reversed(list(found.values())[:_MAX_RUNS]))


def _nearest(said: Sequence[tuple[str, Step]], about: Collection[str], limit: int) -> list[tuple[str, Step]]:
    """Those that share most words with what a commit is about, later ones first where that is equal; in order."""

    def shared(item: tuple[str, Step]) -> tuple[int, float]:
        return len(set(words(item[0])) & set(about)), item[1].at.timestamp()

    best = sorted(said, key=shared, reverse=True)[:limit]
    return sorted(best, key=lambda item: item[1].at)
