"""Steps of a review that a person takes: adopt, approve, reject, promote."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from aicx import console, options
from aicx.commands.memory.common import By, ByAnybody, RefArgument, Rev, Why, Yes, confirm, open_desk
from aicx.commands.review.common import TargetOption, candidate_now, fields_of, patch_of, print_candidate, print_patch
from aicx.errors import UsageError
from aicx.memory.deciding import UNNAMED, Decider, Desk
from aicx.memory.review import deciding
from aicx.memory.review.answers import APPLY_SCHEMA, STEP_SCHEMA, ReviewApplyAnswer, ReviewStepAnswer
from aicx.memory.review.deciding import prepare, verify
from aicx.memory.review.states import next_step, require


@options.either("ref", "--ref")
def adopt(
    ref: RefArgument,
    by: By = UNNAMED,
    rev: Rev = None,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
    """Take over what only a subagent said, so that it can be reviewed like everything else.

    It makes nothing agreed: the candidate is pending afterwards.

    Example: aicx memory candidates adopt mem:3fa29c01 --by "Ada Lovelace"
    Example: aicx memory candidates adopt mem:3fa29c01 --by "Ada Lovelace" --json
    """
    _take(ref, "adopt", by, rev, repo, json=json)


@options.either("ref", "--ref")
def approve(
    ref: RefArgument,
    by: By = UNNAMED,
    rev: Rev = None,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
    """Say that a candidate is worth keeping as it is worded. `promote` takes it on; an edit takes the approval away.

    Example: aicx memory candidates approve mem:3fa29c01 --by "Ada Lovelace"
    Example: aicx memory candidates approve mem:3fa29c01 --by "Ada Lovelace" --json
    """
    _take(ref, "approve", by, rev, repo, json=json)


@options.either("ref", "--ref")
def reject(
    ref: RefArgument,
    by: ByAnybody = UNNAMED,
    why: Why = None,
    rev: Rev = None,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
    """Say that a candidate is not worth keeping. It is not proposed again; the same as `aicx memory reject`.

    Example: aicx memory candidates reject mem:3fa29c01 --by Ada --why "it was a guess"
    Example: aicx memory candidates reject mem:3fa29c01 --by Ada --why "it was a guess" --json
    """
    desk = open_desk(repo)
    record = deciding.reject(desk, ref, Decider(by, why, rev=rev))
    _answer(desk, record.ref, None, json=json)


@options.either("ref", "--ref")
def promote(
    ref: RefArgument,
    by: By = UNNAMED,
    why: Why = None,
    yes: Yes = False,
    target: TargetOption = None,
    rev: Rev = None,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
    """Take an approved candidate into the memory, or make a patch of it where it reads like an instruction.

    The first is the decision of `aicx memory accept`: from a terminal the record and its evidence are shown and you are
    asked, in a script it takes --yes. The second writes a proposal and nothing else; apply its patch yourself, then
    `aicx memory candidates verify-apply`. Promoting again makes the patch anew once its file has changed.

    Example: aicx memory candidates promote mem:3fa29c01 --by "Ada Lovelace"
    Example: aicx memory candidates promote mem:88c1d2e0 --by Ada --target AGENTS.md --yes
    """
    deciding.named(by, "promote")
    desk = open_desk(repo)
    candidate = candidate_now(desk, ref)
    require("promote", candidate)
    asked = "Accept this" if candidate.surface == "memory" else "Make a patch of this for an instruction file"
    confirm(desk, [candidate.record], f"{asked} as {by}?", yes=yes, json=json)
    record, prepared = deciding.promote(desk, ref, Decider(by, why, candidate.record, rev), target)
    _answer(desk, record.ref, prepared, json=json)


def _take(
    ref: str, step: Literal["adopt", "approve"], by: str, rev: int | None, repo: str | None, *, json: bool
) -> None:
    desk = open_desk(repo)
    record = deciding.take(desk, ref, step, Decider(by, rev=rev))
    _answer(desk, record.ref, None, json=json)


def _answer(desk: Desk, ref: str, prepared: deciding.Prepared | None, *, json: bool) -> None:
    now = candidate_now(desk, ref)
    if json:
        patch = patch_of(prepared, now) if prepared else None
        console.out_answer(STEP_SCHEMA, ReviewStepAnswer(fields_of(now), patch, []))
        return
    print_candidate(now)
    if prepared is not None:
        print_patch(prepared, now)


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

    Example: aicx memory candidates apply-prep mem:3fa29c01
    Example: aicx memory candidates apply-prep mem:3fa29c01 --patch | git apply
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

    Example: aicx memory candidates verify-apply mem:3fa29c01
    Example: aicx memory candidates verify-apply mem:3fa29c01 --json
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
