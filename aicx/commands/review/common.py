"""Shared by the actions: a candidate and a patch as answers have them, and as a terminal shows them."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console
from aicx.commands.memory.common import opened, print_record
from aicx.fields import taken_from
from aicx.memory.answers import entry_of
from aicx.memory.deciding import Desk
from aicx.memory.review.answers import ReviewCandidate, ReviewPatch, ReviewTarget
from aicx.memory.review.deciding import Prepared, look
from aicx.memory.review.patches import steps_of
from aicx.memory.review.states import ReviewedRecord, next_step
from aicx.text import printable

TargetOption = Annotated[
    str | None, typer.Option("--target", metavar="FILE", help="CLAUDE.md, AGENTS.md or GEMINI.md; by default the best.")
]
_COLORS = {"pending": "yellow", "approved": "green", "blocked": "red", "manual-apply-pending": "cyan"}


def candidate_now(desk: Desk, ref: str) -> ReviewedRecord:
    """The candidate as it is now. Raises NotFound, UsageError where several fit."""
    with opened(desk) as memory:
        return look(memory, ref)


def fields_of(one: ReviewedRecord) -> ReviewCandidate:
    return ReviewCandidate(entry_of(one.found), one.state, one.surface, one.record.source.lane, next_step(one))


def patch_of(prepared: Prepared, one: ReviewedRecord) -> ReviewPatch:
    plan = prepared.plan
    targets = [
        ReviewTarget(one.path, one.usable, one.path == plan.target, list(one.reasons)) for one in prepared.ranked
    ]
    return taken_from(
        plan,
        ReviewPatch,
        target_digest=plan.sha256,
        line_ending=plan.line_end,
        steps=_steps(prepared, one),
        targets=targets,
        waits=prepared.waits,
    )


def print_candidate(one: ReviewedRecord) -> None:
    """A candidate in three or four lines: its state, what it says, and what comes next."""
    state = console.style(one.state, fg=_COLORS.get(one.state, "bright_black"), bold=True)
    where = " · reads like an instruction" if one.surface == "instructions" else ""
    console.out(f"{state}{where}")
    print_record(one.found)
    console.out(console.style(f"  next: {next_step(one)}", fg="bright_black"))


def print_patch(prepared: Prepared, one: ReviewedRecord) -> None:
    """A patch with what may be done with it."""
    plan = prepared.plan
    color = {"safe": "green", "stale": "yellow"}.get(plan.readiness, "red")
    why = f": {', '.join(plan.reasons)}" if plan.reasons else ""
    console.out(f"{plan.target}  {plan.operation}  {console.style(plan.readiness, fg=color, bold=True)}{why}")
    for line in (plan.patch or plan.block).splitlines():
        console.out(f"  {printable(line)}")  # it shows lines of a file that anybody may have written
    for step in _steps(prepared, one):
        console.notify(f"- {step}")


def _steps(prepared: Prepared, one: ReviewedRecord) -> list[str]:
    """Lists what a person does by hand; of a preview, what comes before that."""
    return steps_of(prepared.plan, one.record.ref) if prepared.waits else [next_step(one)]
