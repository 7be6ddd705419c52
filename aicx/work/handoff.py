"""A handoff: what a session leaves to the next one, by its log or by what somebody stated, and how it is answered.

A snapshot that is never changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from aicx.evidence.fixes import repeats
from aicx.evidence.texts import words
from aicx.shell import simple_commands
from aicx.telling import count_telling
from aicx.text import instant, shorten
from aicx.titles import shorten_title
from aicx.values import dataclass
from aicx.work.attempts import sessions_of
from aicx.work.left import goal_of as stated_goal
from aicx.work.record import WorkRecord
from aicx.work.session_facts import Ran, Said, SessionFacts

Outcome = Literal["resolved", "failed", "unresolved"]

_MAX_POINTS = 5
MAX_GOAL = 400
# Where a goal is made of several parts, how much of each is told.
_ASKED, _THEN = 200, (140, 110)
_LATER = " / then: "
# A last request in fewer telling words leans on what came before it.
_TELLING = 3
# A title of which so much was asked in the same words is made of that.
_SAID = 0.7
_JOINT = " — "


@dataclass(frozen=True, slots=True)
class Handoff:
    """The handoff of a session. ``tests`` are the last runs of those commands that passed, or that still fail.

    ``starting_points`` are files to begin at, from the repository's root.
    """

    facts: SessionFacts
    outcome: Outcome
    starting_points: tuple[str, ...]
    tests: tuple[Ran, ...]

    @property
    def done(self) -> tuple[Said, ...]:
        """The results, in the session's own words, and what others can see of them.

        That code was formatted, linted or built tells nobody what works; tests are told apart.
        """
        facts = self.facts
        said = (facts.reported,) if facts.reported is not None and self.outcome == "resolved" else ()
        return (*said, *facts.pull_requests)


def hands_on(facts: SessionFacts) -> bool:
    """Whether a session leaves anything: one that reported nothing, or that a program started, only where it changed
    something.
    """
    changed = facts.edited or facts.commits or facts.pull_requests
    reported = not facts.automated and facts.wanted and facts.reported
    return facts.lane != "subagent" and bool(changed or reported)


def handoff_of(facts: SessionFacts) -> Handoff:
    """The handoff of a session."""
    # What a session saw fail that changed nothing is no failure of its own.
    failed = bool(facts.failing and (facts.edited or facts.commits))
    outcome: Outcome = "failed" if failed else "resolved" if facts.state == "completed" else "unresolved"
    latest: dict[str, Ran] = {}
    for run in facts.tests:
        latest.pop(run.command, None)
        latest[run.command] = run
    broken = {ref for line in facts.failing for ref in line.refs}
    told = [run for run in reversed(latest.values()) if run.passed or (run.passed is False and run.ref in broken)]
    return Handoff(facts, outcome, _starting_points(facts), tuple(_widest(told)))


def _widest(runs: Sequence[Ran]) -> list[Ran]:
    """The runs without those that passed of tests that another one, told before, had among its own."""
    found: list[Ran] = []
    for run in runs:
        parts = simple_commands(run.command)
        wider = (part for other in found if other.passed for part in simple_commands(other.command))
        if not (run.passed and parts and any(repeats(part, parts[-1]) for part in wider)):
            found.append(run)
    return found


def _starting_points(facts: SessionFacts) -> tuple[str, ...]:
    """Where the open failures are, then what was edited, the last first. Nothing begins at a file that is gone."""
    touched = {*facts.opened, *facts.edited}
    failing = [one.file for one in reversed(facts.failures) if facts.still_fails(one) and one.file in touched]
    points = dict.fromkeys([*filter(None, failing), *reversed(facts.edited)])
    gone = tuple(f"{path.rstrip('/')}/" for path in facts.deleted)
    return tuple(path for path in points if not f"{path}/".startswith(gone))[:_MAX_POINTS]


def goal_of(facts: SessionFacts) -> Said | None:
    """Returns the purpose of a session: what was asked first, its title where that says more, what it turned to, and
    what was asked last.
    """
    asked = facts.goal or facts.asked
    if asked is None:
        return None
    name, _, work = (facts.title or "").rstrip("…").partition(_JOINT)
    # What was done completes it where others can see it; else a title ends in the agent's own words.
    if not (facts.commits or facts.pull_requests):
        work = ""
    elif not work and facts.commits:
        work = facts.commits[-1].text  # the first one: the later ones correct it
    then = _then(facts, asked)
    text = shorten(asked.text, _ASKED) if work or then else asked.text
    if facts.automated and work:
        name = work  # what a program is given to do, and its title, may be the same for each of its runs
    if name and not _is_said(name, " ".join(one.text for one in (asked, *then))):
        text = f"{name} (asked: {shorten(asked.text, _ASKED)})"
    elif work:
        text = f"{text}{_JOINT}{work}"
    later = [shorten(one.text, _THEN[len(then) - 1]) for one in then]
    told = _LATER.join((shorten(text, MAX_GOAL - len(_LATER.join(("", *later)))), *later))
    last = then[-1] if then else asked
    return Said(told, last.at, tuple(dict.fromkeys(ref for one in (asked, *then) for ref in one.refs)))


def _then(facts: SessionFacts, asked: Said) -> list[Said]:
    """The requests after the first that a goal is told with: what the session turned to, and what was asked last."""
    found = [facts.turned_to] if facts.turned_to else []
    last, before = facts.asked, found[-1] if found else asked
    if last is None or last.at <= before.at or (facts.unanswered is not None and last.at == facts.unanswered.at):
        return found  # what was not answered comes next
    known = f"{asked.text} {before.text}"
    about, _, text = last.text.rpartition(_LATER)
    text = text if about and _is_said(about, known) else last.text
    is_new = count_telling(text) >= _TELLING and not _is_said(text, known)
    return [*found, Said(text, last.at, last.refs)] if is_new else found


def next_of(facts: SessionFacts) -> tuple[Said, ...]:
    """Returns what is left to do: a request that the session did not come to answer, and what it says of it itself."""
    return (facts.unanswered, *facts.next) if facts.unanswered else facts.next


def failed_of(facts: SessionFacts) -> tuple[Said, ...]:
    """Returns what failed: first what fails still, then what was given up, the latest first."""
    return (*facts.failing, *facts.given_up)


def _is_said(name: str, asked: str) -> bool:
    """Whether a title is made of what was asked. Titles have a short form in place of each address."""
    of_name = words(name)
    said = {*words(asked), *words(shorten_title(asked))}
    return sum(word in said for word in of_name) >= _SAID * len(of_name)


@dataclass(frozen=True, slots=True)
class HandoffAnswer:
    """The handoff of a session, as it is answered. A list holds what was stated first, then what its log says."""

    ref: Annotated[str, "`work:…` where somebody stated it, else the session that it is derived from"]
    origin: Annotated[str, "`stated` or `derived`"]
    session: Annotated[str | None, "reference of the session"]
    agent: Annotated[str | None, "whose session it was"]
    at: Annotated[str, "when the session ended"]
    branch: Annotated[str | None, "the branch that it was on"]
    compatible: Annotated[bool | None, "whether its branch is part of what is checked out; null where unknown"]
    offered: Annotated[bool, "whether it is the newest that fits here"]
    outcome: Annotated[str, "`resolved`, `failed`, or `unresolved` where no log says how it ended"]
    goal: Annotated[str, "what was wanted; empty where that was not said"]
    summary: Annotated[str, "what was stated of its end, else what was said last"]
    done: Annotated[list[str], "what was reached and proved"]
    failing: Annotated[list[str], "what failed and did not pass since"]
    next: list[str]
    questions: Annotated[list[str], "asked and not answered"]
    decisions: Annotated[list[str], "what was decided"]
    starting_points: Annotated[list[str], "files, from the repository's root"]
    commits: Annotated[list[str], "commits made"]
    tests: Annotated[list[str], "tests that were run last, and how they ended"]
    refs: Annotated[list[str], "references that prove it"]
    claims: Annotated[list[str], "what the configured summarizer made of it; empty where the text is by rules alone"]


_OUTCOMES = {"success": "resolved", "failure": "failed"}


def stated_answer(record: WorkRecord, compatible: bool | None = None, *, offered: bool = False) -> HandoffAnswer:
    """Returns what somebody stated, as it is answered."""
    attempt = record.attempt
    return HandoffAnswer(
        ref=record.ref,
        origin="stated",
        session=next(iter(sessions_of(record)), None),
        agent=attempt.agent if attempt else None,
        at=instant(record.updated_at, "seconds"),
        branch=record.git_context.branch if record.git_context else None,
        compatible=compatible,
        offered=offered,
        outcome=_OUTCOMES.get(attempt.outcome or "", "unresolved") if attempt else "unresolved",
        goal=stated_goal(record),
        summary=record.closing_note,
        done=record.texts("verified"),
        failing=record.texts("failing"),
        next=record.texts("next_steps"),
        questions=record.texts("questions"),
        decisions=record.texts("decisions"),
        starting_points=record.texts("starting_points"),
        commits=record.texts("commits"),
        tests=record.texts("tests"),
        refs=list(dict.fromkeys([*record.sources, *(ref for item in record.items for ref in item.evidence)])),
        claims=record.texts("claims"),
    )


def derived_answer(handoff: Handoff, compatible: bool | None = None, *, offered: bool = False) -> HandoffAnswer:
    """Returns what a session's log leaves, as it is answered."""
    facts = handoff.facts
    wanted = goal_of(facts)
    return HandoffAnswer(
        ref=handoff.facts.ref,
        origin="derived",
        session=handoff.facts.ref,
        agent=facts.agent,
        at=facts.ended_at,
        branch=facts.branch,
        compatible=compatible,
        offered=offered,
        outcome=handoff.outcome,
        goal=wanted.text if wanted else "",
        summary=facts.reported.text if facts.reported else "",
        done=texts([line for line in handoff.done if line is not facts.reported]),  # which is the summary
        failing=texts(facts.failing),
        next=texts(next_of(facts)),
        questions=texts(facts.questions),
        decisions=texts(facts.decisions),
        starting_points=list(handoff.starting_points),
        commits=texts(facts.commits),
        tests=list(map(_test_line, handoff.tests)),
        refs=list(dict.fromkeys(ref for line in _lines(handoff) for ref in line.refs)),
        claims=[],
    )


def _lines(handoff: Handoff) -> list[Said]:
    facts = handoff.facts
    return [*handoff.done, *facts.failing, *next_of(facts), *facts.questions, *facts.decisions, *facts.commits]


def _test_line(run: Ran) -> str:
    return f"`{run.command}` {'passed' if run.passed else 'failed'}"


def texts(lines: Sequence[Said]) -> list[str]:
    """Returns what lines say, each once."""
    return list(dict.fromkeys(line.text for line in lines))


def proofs_of(found: WorkRecord | Handoff) -> dict[str, list[str]]:
    """The lines of a handoff as it is answered, each with the references that prove it, where there are any."""
    if isinstance(found, WorkRecord):
        return {item.text: list(item.evidence) for item in found.items if item.evidence}
    every = [*_lines(found), *([found.facts.reported] if found.facts.reported else [])]
    said = {line.text: list(line.refs) for line in every if line.refs}
    return said | {_test_line(run): [run.ref] for run in found.tests}
