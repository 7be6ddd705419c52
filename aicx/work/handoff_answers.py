"""Handoffs as they are answered: what somebody stated, and what a session's log leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from aicx.text import instant
from aicx.values import dataclass
from aicx.work.attempts import sessions_of
from aicx.work.handoff import Handoff, goal_of, next_of
from aicx.work.left import goal_of as stated_goal
from aicx.work.record import WorkRecord
from aicx.work.session_facts import Ran, Said


@dataclass(frozen=True, slots=True)
class HandoffAnswer:
    """What a session leaves. A list holds what was stated first, then what its log says."""

    ref: Annotated[str, "`work:…` where somebody stated it, else the session that it is derived from"]
    origin: Annotated[str, "`stated` or `derived`"]
    session: Annotated[str | None, "reference of the session"]
    agent: Annotated[str | None, "whose session it was"]
    at: Annotated[str, "when the session ended"]
    branch: Annotated[str | None, "the branch that it was on"]
    compatible: Annotated[bool | None, "whether its branch is part of what is checked out; null where unknown"]
    offered: Annotated[bool, "whether it is the newest that fits here"]
    outcome: Annotated[str, "`resolved`, `failed` or `unresolved`"]
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
    """What somebody stated, as it is answered."""
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
    """What a session's log leaves, as it is answered."""
    facts = handoff.facts
    wanted = goal_of(facts)
    return HandoffAnswer(
        ref=handoff.session,
        origin="derived",
        session=handoff.session,
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
        starting_points=[point.path for point in handoff.starting_points],
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
    """What lines say, each once."""
    return list(dict.fromkeys(line.text for line in lines))


def proofs_of(found: WorkRecord | Handoff) -> dict[str, list[str]]:
    """The lines of a handoff as it is answered, each with the references that prove it, where there are any."""
    if isinstance(found, WorkRecord):
        return {item.text: list(item.evidence) for item in found.items if item.evidence}
    every = [*_lines(found), *([found.facts.reported] if found.facts.reported else [])]
    said = {line.text: list(line.refs) for line in every if line.refs}
    return said | {_test_line(run): [run.ref] for run in found.tests}
