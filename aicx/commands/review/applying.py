"""`aicx review apply-prep` and `verify-apply`: a patch for an instruction file, and whether the file has it."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.api.answers.review import APPLY_SCHEMA, ReviewApplyAnswer
from aicx.commands.memory.common import ByAnybody, RefArgument, open_desk
from aicx.commands.review.common import TargetOption, candidate_now, fields_of, patch_of, print_candidate, print_patch
from aicx.errors import UsageError
from aicx.review.deciding import prepare, verify
from aicx.review.states import next_step


@options.either("ref", "--ref")
def prepare_patch(
    ref: RefArgument,
    target: TargetOption = None,
    patch: Annotated[bool, typer.Option("--patch", help="Print the patch alone, as `git apply` takes it.")] = False,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
    """Show the patch of an instruction, and whether it can be applied: safe, blocked, or stale. Writes nothing.

    Before `promote` it is a preview for each file that is there; afterwards it is the proposal that waits for you.

    Example: aicx review apply-prep mem:3fa29c01
    Example: aicx review apply-prep mem:3fa29c01 --patch | git apply
    """
    desk = open_desk(repo)
    candidate = candidate_now(desk, ref)
    prepared = prepare(desk, candidate, target)
    plan = prepared.plan
    if patch:
        if not prepared.waits or plan.readiness != "safe" or "present" in plan.reasons:
            why = ", ".join(plan.reasons) or candidate.state
            raise UsageError(f"there is nothing to apply to {plan.target}: {why}", hint=next_step(candidate))
        console.out(plan.patch.removesuffix("\n"))
    elif json:
        applied = "present" in plan.reasons
        fields = ReviewApplyAnswer(fields_of(candidate), patch_of(prepared, candidate), applied)
        console.out_answer(APPLY_SCHEMA, fields)
    else:
        print_candidate(candidate)
        print_patch(prepared, candidate)


@options.either("ref", "--ref")
def verify_patch(ref: RefArgument, by: ByAnybody = "", repo: options.Repo = None, json: options.Json = False) -> None:
    """Look whether an instruction file has the block that was proposed, and close the candidate if it has.

    Exit code 1 where it has not: then nothing changes. Only the block with its markers and its exact words counts.

    Example: aicx review verify-apply mem:3fa29c01
    """
    desk = open_desk(repo)
    record, prepared = verify(desk, ref, by)
    now = candidate_now(desk, record.ref)
    applied = now.state == "manual-applied"
    if json:
        console.out_answer(APPLY_SCHEMA, ReviewApplyAnswer(fields_of(now), patch_of(prepared, now), applied))
    else:
        print_candidate(now)
        if not applied:
            print_patch(prepared, now)
            console.warn(f"{prepared.plan.target} does not have the block")
    if not applied:
        raise typer.Exit(1)
