"""`aicx memory candidates queue`, `show`, and the steps that a person takes with a candidate."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal

from aicx import console, options
from aicx.commands.memory.common import (
    By,
    ByAnybody,
    RefArgument,
    Rev,
    Why,
    Yes,
    confirm,
    open_desk,
    opened,
    print_record,
    print_whole,
)
from aicx.errors import CorpusDamaged, UsageError
from aicx.fields import taken_from
from aicx.memory.answers import HIDDEN, entry_of, whole_of
from aicx.memory.deciding import UNNAMED, Decider, Desk
from aicx.memory.events import events_of
from aicx.memory.files import read_log
from aicx.memory.review import deciding
from aicx.memory.review.answers import (
    APPLY_SCHEMA,
    LIST_SCHEMA,
    SHOW_SCHEMA,
    STEP_SCHEMA,
    ReviewApplyAnswer,
    ReviewCandidate,
    ReviewEvent,
    ReviewListAnswer,
    ReviewPatch,
    ReviewShowAnswer,
    ReviewStepAnswer,
    ReviewTarget,
    surfaces_of,
)
from aicx.memory.review.deciding import Prepared, look, prepare, verify
from aicx.memory.review.patches import read_proposal, steps_of
from aicx.memory.review.states import OPEN, STATES, ReviewedRecord, next_step, read_queue, require
from aicx.questions import Option
from aicx.text import instant, printable

TargetOption = Annotated[
    str | None, Option("--target", metavar="FILE", help="CLAUDE.md, AGENTS.md or GEMINI.md; by default the best.")
]
_COLORS = {"pending": "yellow", "approved": "green", "blocked": "red", "manual-apply-pending": "cyan"}
ReviewState = StrEnum("ReviewState", {name.replace("-", "_"): name for name in STATES})  # type: ignore[misc]


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


def list_queue(
    state: Annotated[
        list[ReviewState] | None,
        Option("--state", metavar="STATE", help="Only these states, several times; by default what is open."),
    ] = None,
    limit: options.Limit = 20,
    repo: options.Repo = None,
) -> options.Answered:
    """List what waits for a person: approved first, then patches to apply, what is pending, and what is blocked.

    It is the queue of the dashboard's page Memory. What was decided is listed by its state: promoted, rejected,
    manual-applied, stale.

    Example: aicx memory candidates queue
    Example: aicx memory candidates queue --state promoted --json
    """
    desk = open_desk(repo)
    with opened(desk) as memory:
        queue, counts = read_queue(memory, [name for name in STATES if name in state] if state else OPEN)
    notes = _broken(desk, queue)
    shown = [fields_of(one) for one in queue[:limit]]
    yield LIST_SCHEMA, ReviewListAnswer(shown, len(queue), counts, desk.scope.repository, notes)
    for one in queue[:limit]:
        print_candidate(one)
    for note in notes:
        console.warn(note)
    if not queue:
        console.notify("Nothing waits for you. `aicx memory candidates build` looks at what the work suggests to keep.")
    elif len(queue) > limit:
        console.notify(f"{len(queue) - limit:,} more; --limit {len(queue)} shows all.")
    if rest := {name: count for name, count in counts.items() if name not in OPEN and not state}:
        console.notify(f"Decided: {', '.join(f'{count:,} {name}' for name, count in rest.items())}.")


def _broken(desk: Desk, queue: Sequence[ReviewedRecord]) -> list[str]:
    """The proposals that wait and whose files are not as they were written."""
    notes = []
    for one in queue:
        if one.state == "manual-apply-pending":
            try:
                read_proposal(desk.settings.layout, one.record, one.standing)
            except CorpusDamaged as error:
                notes.append(f"{error.message}; {error.hint}")
    return notes


@options.either("ref", "--ref")
def show(ref: RefArgument, repo: options.Repo = None) -> options.Answered:
    """Show a candidate with its evidence, what was decided about it, and where it would be shown now.

    `querySurfacing` asks recall, a brief on its statement, the start of a session and the instruction files.

    Example: aicx memory candidates show mem:3fa29c01
    Example: aicx memory candidates show mem:3fa29c01 --json
    """
    desk = open_desk(repo)
    one = candidate_now(desk, ref)
    hidden = one.found.status in HIDDEN
    surfaces = [] if hidden else surfaces_of(desk, one)
    log = read_log(desk.settings.layout.memory)
    events = [ReviewEvent(instant(event.at), event.by, event.type) for event in events_of(log, one.record.id)]
    with opened(desk) as memory:
        whole = whole_of(one.found, memory.context([one.record]).anchors)
    notes = [f"{len(log.damaged)} lines of the event log cannot be read"] if log.damaged else []
    yield (
        SHOW_SCHEMA,
        ReviewShowAnswer(fields_of(one), whole.details, whole.claims, whole.anchors, surfaces, events, notes),
    )
    where = ", reads like an instruction" if one.surface == "instructions" else ""
    console.out(f"{console.style(one.state, bold=True)}{where}")
    print_whole(desk, one.found)
    console.out("shown by:")
    rows = [
        (f"  {found.surface}", f"as {found.shown_as}" if found.shown_as else f"not ({', '.join(found.reasons)})")
        for found in surfaces
    ]
    console.out_table(rows, (16,))
    for event in events:
        console.out(f"  {console.when(event.at)}  {event.type} by {event.by}")
    console.say_zone()
    console.notify(f"next: {next_step(one)}")


@options.either("ref", "--ref")
def adopt(ref: RefArgument, by: By = UNNAMED, rev: Rev = None, repo: options.Repo = None) -> options.Answered:
    """Take over what only a subagent said, so that it can be reviewed like everything else.

    It makes nothing agreed: the candidate is pending afterwards.

    Example: aicx memory candidates adopt mem:3fa29c01 --by "Ada Lovelace"
    Example: aicx memory candidates adopt mem:3fa29c01 --by "Ada Lovelace" --json
    """
    yield from _take(ref, "adopt", by, rev, repo)


@options.either("ref", "--ref")
def approve(ref: RefArgument, by: By = UNNAMED, rev: Rev = None, repo: options.Repo = None) -> options.Answered:
    """Say that a candidate is worth keeping as it is worded. `promote` takes it on; an edit takes the approval away.

    Example: aicx memory candidates approve mem:3fa29c01 --by "Ada Lovelace"
    Example: aicx memory candidates approve mem:3fa29c01 --by "Ada Lovelace" --json
    """
    yield from _take(ref, "approve", by, rev, repo)


@options.either("ref", "--ref")
def reject(
    ref: RefArgument, by: ByAnybody = UNNAMED, why: Why = None, rev: Rev = None, repo: options.Repo = None
) -> options.Answered:
    """Say that a candidate is not worth keeping. It is not proposed again; the same as `aicx memory reject`.

    Example: aicx memory candidates reject mem:3fa29c01 --by Ada --why "it was a guess"
    Example: aicx memory candidates reject mem:3fa29c01 --by Ada --why "it was a guess" --json
    """
    desk = open_desk(repo)
    record = deciding.reject(desk, ref, Decider(by, why, rev=rev))
    yield from _answer(desk, record.ref, None)


@options.either("ref", "--ref")
def promote(
    ref: RefArgument,
    by: By = UNNAMED,
    why: Why = None,
    yes: Yes = False,
    target: TargetOption = None,
    rev: Rev = None,
    repo: options.Repo = None,
) -> options.Answered:
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
    confirm(desk, [candidate.record], f"{asked} as {by}?", yes=yes)
    record, prepared = deciding.promote(desk, ref, Decider(by, why, candidate.record, rev), target)
    yield from _answer(desk, record.ref, prepared)


def _take(ref: str, step: Literal["adopt", "approve"], by: str, rev: int | None, repo: str | None) -> options.Answered:
    desk = open_desk(repo)
    record = deciding.take(desk, ref, step, Decider(by, rev=rev))
    yield from _answer(desk, record.ref, None)


def _answer(desk: Desk, ref: str, prepared: deciding.Prepared | None) -> options.Answered:
    now = candidate_now(desk, ref)
    yield STEP_SCHEMA, ReviewStepAnswer(fields_of(now), patch_of(prepared, now) if prepared else None, [])
    print_candidate(now)
    if prepared is not None:
        print_patch(prepared, now)


@options.either("ref", "--ref")
def prepare_patch(
    ref: RefArgument,
    target: TargetOption = None,
    patch: Annotated[bool, Option("--patch", help="Print the patch alone, as `git apply` takes it.")] = False,
    repo: options.Repo = None,
) -> options.Answered:
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
        return
    applied = "present" in plan.reasons
    yield APPLY_SCHEMA, ReviewApplyAnswer(fields_of(candidate), patch_of(prepared, candidate), applied)
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
        raise options.Ended(1)
