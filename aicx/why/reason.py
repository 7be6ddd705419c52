"""Why a commit was made, in the words of the session that made it: each line quoted, with its chunk."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from aicx.evidence.calls import answered_calls
from aicx.evidence.patterns import command_rules
from aicx.evidence.runs import Run, followed, latest_outcomes, runs_of
from aicx.evidence.sessions import SessionRow
from aicx.evidence.statements import conclusion, decisions, is_announcement, requests, telling
from aicx.evidence.texts import sentences, summary_line, words
from aicx.evidence.transcript import Step
from aicx.git.subjects import plain_subject
from aicx.refs import Ref
from aicx.text import shorten
from aicx.why.candidates import AFTER
from aicx.why.report import ReasonKind, ReasonLine, Wanted

_ASKED, _SAID = 280, 320
_MAX_ASKED, _MAX_WEIGHED, _MAX_DECIDED, _MAX_RUNS = 2, 2, 3, 2
# Of a long session's decisions, those that are compared with what the commit is about.
_MAX_LISTED = 24
_BOOKKEEPING = ("git ", "gh ", "glab ")
# Words with which one of several ways is named.
_WEIGHED = re.compile(
    r"\b(?:alternatives?|alternatively|trade-?offs?|versus|option [a-d1-4]\b|another option"
    r"|(?:either|whether) .{3,80} or |simpler than|the downside|pros and cons|as opposed to)",
    re.IGNORECASE,
)
# With these a sentence may also only say what happens; a word of choosing makes them a choice.
_REPLACED = re.compile(r"\b(?:instead of|rather than)\b", re.IGNORECASE)
_CHOSEN = re.compile(
    r"\b(?:should|could|would|better|best|prefer\w*|cleane\w+|simple\w+|safe\w+|let.?s|us(?:e|ing)|keep\w*|approach"
    r"|fix|only|ma(?:ke|king)|decided|chose|want)\b",
    re.IGNORECASE,
)
# The agent's last messages; the very last may only say that it pushes.
_LAST_MESSAGES = 6
_SENTENCE = 3  # words
# Two lines with this share of their words in common are one, said twice.
_ALIKE = 0.8


def read_reason(steps: Sequence[Step], wanted: Wanted, session: SessionRow) -> list[ReasonLine]:
    """What led to a commit in a session: requests, alternatives, decisions, failures, checks, and the agent's report.

    Of each kind those that have most to do with the commit's subject and files, in the order in which they were said.
    """
    before, about = _before(steps, wanted), _topic(wanted)
    steps = _since_commit(before, wanted)

    def line(kind: ReasonKind, text: str, step: Step) -> ReasonLine:
        return ReasonLine(kind, text, step.at, str(Ref("chunk", step.chunk)), session)

    found = [
        line("asked", summary_line(text, _ASKED), step)
        for text, step in _asked(steps, about) or _asked(before, about)[-1:]
    ]
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
    if last := _reported(steps):
        found.append(line("reported", summary_line(telling(last.text), _SAID), last))
    kept: dict[str, ReasonLine] = {}
    for item in found:
        if item.text:
            kept.setdefault(item.text, item)
    return list(kept.values())


def _before(steps: Sequence[Step], wanted: Wanted) -> list[Step]:
    """What a session says up to a commit."""
    end = max(wanted.times, default=None)
    return [step for step in steps if end is None or step.at <= end + AFTER]


def _since_commit(before: Sequence[Step], wanted: Wanted) -> Sequence[Step]:
    """The stretch of a session that a commit came from: after the commit before it where that has a request in it."""
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
        if step.role == "assistant" and (_WEIGHED.search(step.text) or _REPLACED.search(step.text))
        for said in sentences(step.text)
        if _names_ways(said.text) and not is_announcement(said.text)
    ]
    return _nearest(every, about, _MAX_WEIGHED)


def _names_ways(text: str) -> bool:
    """Whether a sentence names another way than the one that was taken."""
    return bool(_WEIGHED.search(text) or (_REPLACED.search(text) and _CHOSEN.search(text)))


def _reported(steps: Sequence[Step]) -> Step | None:
    """The last of the agent's messages that says more than what it does next."""
    said = [step for step in steps if step.role == "assistant"][-_LAST_MESSAGES:]
    return next((step for step in reversed(said) if _says_more(step.text)), conclusion(steps))


def _says_more(text: str) -> bool:
    """Whether a message says more than "Committed" and what comes next."""
    told = [said.text for said in sentences(telling(text)) if len(words(said.text)) >= _SENTENCE]
    return bool(summary_line(telling(text), _SAID)) and any(not is_announcement(one) for one in told)


def _failed(runs: Sequence[Run]) -> list[Run]:
    """The last checks and changes that failed on the way, each command once; that git refused tells of no change."""
    found: dict[str, Run] = {}
    for run in reversed(runs):
        if run.outcome == "failed" and run.kind != "other" and not run.line.startswith(_BOOKKEEPING):
            found.setdefault(run.line, run)
    return list(reversed(list(found.values())[:_MAX_RUNS]))


def _nearest(said: Sequence[tuple[str, Step]], about: Collection[str], limit: int) -> list[tuple[str, Step]]:
    """Those that share most words with what a commit is about, later ones first where that is equal; in order."""

    def shared(item: tuple[str, Step]) -> tuple[int, float]:
        return len(set(words(item[0])) & set(about)), item[1].at.timestamp()

    best: list[tuple[str, Step]] = []
    for item in sorted(said, key=shared, reverse=True):
        if len(best) == limit:
            break
        if not any(_alike(item[0], other) for other, _ in best):
            best.append(item)
    return sorted(best, key=lambda item: item[1].at)


def _alike(one: str, other: str) -> bool:
    mine, theirs = set(words(one)), set(words(other))
    return len(mine & theirs) >= _ALIKE * max(1, len(mine | theirs))
