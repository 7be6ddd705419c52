"""What to do next, from the tasks that are open: what somebody said, else what a task leaves undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from aicx.work.loading import Loaded
from aicx.work.record import Section

# Where a task says nothing of its next action: the first thing of these, and what is to be done about it.
UNDONE: tuple[tuple[Section, str], ...] = (
    ("next_steps", "{}"),
    ("failing", "Fix what fails: {}"),
    ("blocked", "Get past what blocks it: {}"),
    ("questions", "Answer: {}"),
    ("unverified", "Verify: {}"),
    ("uncertainties", "Find out: {}"),
)


class NextStep(NamedTuple):
    """The next step of one task, and the field of the task that says so."""

    text: str
    field: str
    task: Loaded


def next_steps(active: Sequence[Loaded]) -> list[NextStep]:
    """The next step of each task, in their order; none of a derived one whose session left nothing that is sure."""
    return [step for task in active if (step := _next_step(task))]


def _next_step(task: Loaded) -> NextStep | None:
    record = task.record
    if record.next_action or task.derived:
        return NextStep(record.next_action, "next_action", task) if record.next_action else None
    for section, sentence in UNDONE:
        if items := record.of(section):
            return NextStep(sentence.format(items[0].text), section, task)
    return NextStep(record.goal, "goal", task)
