"""What a session's plan, or the summary of its full context, leaves to be done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

import orjson

from aicx.evidence.patterns import statement_rules
from aicx.evidence.reporting import turns_of
from aicx.evidence.statements import COMPACTION, STATEMENT_LENGTH, MessageStatement, left_open, reports, requests
from aicx.evidence.texts import sentences
from aicx.evidence.transcript import Step
from aicx.text import shorten

# After so many remarks of the agent a plan that it no longer touched says little of what is left.
_LATEST_REMARKS = 25
_PLAN_LINE = re.compile(r"^- \[(\w+)\] (.+)$", re.MULTILINE)
_PLAN_JSON = re.compile(r"^todos: (\[.*\])\s*$", re.MULTILINE | re.DOTALL)
_OPEN_STATES = frozenset({"pending", "in_progress", "todo", "open", "not_started"})
_TASK_FIELD = re.compile(r"^(taskId|subject|status): (.+)$", re.MULTILINE)


def open_plan(steps: Sequence[Step], committed: Sequence[datetime] = ()) -> list[MessageStatement]:
    """The items of the last plan that are not ticked off; none where the session has gone past it since.

    It has where it ``committed`` something after it kept the plan last, or ended its turn with a report that leaves
    nothing open: few plans are ticked off to the end.
    """
    tasks: dict[str, tuple[str, str, Step]] = {}
    plan: list[MessageStatement] = []
    last = 0
    for number, step in enumerate(steps):
        if step.phase != "call" or step.tool is None:
            continue
        if step.tool in ("TaskCreate", "TaskUpdate"):
            _take_task(step, tasks)
            plan = [MessageStatement(text, at) for text, state, at in tasks.values() if state in _OPEN_STATES]
            last = number
        elif (items := _plan_items(step)) is not None:
            plan = [
                MessageStatement(shorten(text, STATEMENT_LENGTH), step)
                for state, text in items
                if state in _OPEN_STATES
            ]
            last = number
    if not plan or _is_past(steps[last + 1 :]) or any(at >= steps[last].at for at in committed):
        return []
    ended = [turn.words for turn in turns_of(steps[last + 1 :]) if reports(turn.words)]
    return [] if ended and not any(left_open(ended[-1])) else plan


def pending(steps: Sequence[Step]) -> list[MessageStatement]:
    """What the last summary of a session that outgrew its context names as still to be done.

    Nothing where the session has gone past it since.
    """
    last = next((number for number in reversed(range(len(steps))) if steps[number].origin == COMPACTION), None)
    if last is None or _is_past(steps[last + 1 :]) or any(map(reports, steps[last + 1 :])):
        return []
    return left_open(steps[last])[0]


def summarized_request(steps: Sequence[Step]) -> MessageStatement | None:
    """What was wanted, as the summary says with which a session begins that goes on from a full context."""
    first = next((step for step in steps if step.origin == COMPACTION or requests([step])), None)
    if first is None or first.origin != COMPACTION:
        return None
    wanted = statement_rules().wanted_headings
    said = next((said.text for said in sentences(first.text) if said.heading and wanted.search(said.heading)), None)
    return MessageStatement(said, first) if said else None


def _is_past(steps: Sequence[Step]) -> bool:
    """Whether what followed a plan shows that it is no longer kept: another request was answered, or much was said.

    Few plans are ticked off to the end.
    """
    asked = next((number for number, step in enumerate(steps) if requests([step])), len(steps))
    answered = any(step.role == "assistant" for step in steps[asked:])
    return answered or sum(step.role == "assistant" for step in steps) > _LATEST_REMARKS


def _plan_items(step: Step) -> list[tuple[str, str]] | None:
    """(state, text) of each item of a plan; None where a call holds none."""
    if step.tool == "update_plan":
        return _PLAN_LINE.findall(step.text)
    if not (found := _PLAN_JSON.search(step.text)):
        return None
    try:
        items = orjson.loads(found[1])
    except orjson.JSONDecodeError:
        return None  # shortened when it was stored
    return [
        (str(item.get("status")), str(item.get("content") or item.get("description") or ""))
        for item in items
        if isinstance(item, dict)
    ]


def _take_task(step: Step, tasks: dict[str, tuple[str, str, Step]]) -> None:
    fields = dict(_TASK_FIELD.findall(step.text))
    if step.tool == "TaskCreate" and "subject" in fields:
        # The client numbers tasks from 1 in the order of their creation.
        tasks[str(len(tasks) + 1)] = (shorten(fields["subject"], STATEMENT_LENGTH), "pending", step)
    elif (known := tasks.get(fields.get("taskId", ""))) and "status" in fields:
        tasks[fields["taskId"]] = (known[0], fields["status"], step)
