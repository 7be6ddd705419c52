"""The steps of a review. Each is one event in the memory's log; none edits an instruction file or grants trust."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from aicx.errors import CorpusDamaged, UsageError
from aicx.memory.answers import HIDDEN
from aicx.memory.deciding import Decider, Desk, decide, unchanged
from aicx.memory.deciding import named as memory_named
from aicx.memory.events import Event, new_id
from aicx.memory.files import proposal_of
from aicx.memory.persons import is_person
from aicx.memory.policy_records import of_records, policy_in
from aicx.memory.proposing import clean
from aicx.memory.reading import Memory
from aicx.memory.record import Record
from aicx.memory.review.patches import (
    FILES,
    Plan,
    Target,
    digest_of_file,
    encode,
    make_plan,
    now_ready,
    rank_targets,
    read_file,
    read_proposal,
)
from aicx.memory.review.states import ReviewedRecord, Step, candidate_of, next_step, require
from aicx.memory.writing import RecordChanges, changing
from aicx.values import dataclass

_BY_ITSELF = "aicx review verify-apply"  # that a file has a block, a program sees
_EVENTS: dict[Literal["adopt", "approve"], str] = {"adopt": "review.adopted", "approve": "review.approved"}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A patch for an instruction file, and the files it was chosen from. ``waits``: a proposal is there."""

    plan: Plan
    ranked: tuple[Target, ...]
    waits: bool


def look(memory: Memory, ref: str) -> ReviewedRecord:
    """The record that ``ref`` means, where it is in its review. Raises NotFound, UsageError where several fit."""
    return _candidate(memory, memory.find(ref))


def take(desk: Desk, ref: str, step: Literal["adopt", "approve"], decider: Decider) -> Record:
    """Adopts what only a subagent said, or approves what is pending. Raises UsageError with the next step."""
    by = named(decider.by, step)
    with changing(desk.settings, desk.now, desk.notify) as change, _memory(desk) as memory:
        record = unchanged(memory, ref, decider)
        require(step, _candidate(memory, record))
        _say(change, record, _EVENTS[step], by)
        change.publish()
        return record


def reject(desk: Desk, ref: str, decider: Decider) -> Record:
    """Rejects what is not decided yet, through the memory's own decision."""
    with _memory(desk) as memory:
        shown = unchanged(memory, ref, decider)
        require("reject", _candidate(memory, shown))
    return decide(desk, shown.ref, "reject", replace(decider, shown=shown))


def promote(desk: Desk, ref: str, decider: Decider, target: str | None = None) -> tuple[Record, Prepared | None]:
    """Accepts an approved record into the memory; of one that reads like an instruction it makes a proposal alone.

    Raises UsageError with the next step, CorpusDamaged where a hand changed the proposal that is there.
    """
    by = named(decider.by, "promote")
    with _memory(desk) as memory:
        candidate = look(memory, decider.shown.ref if decider.shown else ref)
    require("promote", candidate)
    if candidate.surface == "memory":
        if target is not None:
            raise UsageError("it does not read like an instruction: it goes into the memory, not into a file")
        return decide(desk, ref, "accept", decider), None
    with changing(desk.settings, desk.now, desk.notify) as change, _memory(desk) as memory:
        record = unchanged(memory, ref, decider)
        candidate = _candidate(memory, record)
        require("promote", candidate)
        left = read_file(desk.settings.layout, record)
        if left is not None and digest_of_file(left) != candidate.standing.proposal:
            path = desk.settings.layout.memory / proposal_of(record)
            raise CorpusDamaged(f"{path} was changed by another hand, and is left as it is", hint="move it away")
        if left is not None and candidate.state == "manual-apply-pending":
            waiting = prepare(desk, candidate)
            if waiting.plan.readiness == "safe" and target in (None, waiting.plan.target):
                return record, waiting
            target = target or waiting.plan.target
        prepared = _planned(desk, candidate, target)
        plan = prepared.plan
        if plan.readiness != "safe":
            raise UsageError(
                f"{plan.target} cannot take it: {', '.join(plan.reasons)}",
                hint=f"aicx memory candidates apply-prep {record.ref} shows every file; --target FILE chooses another",
            )
        body = encode(plan, record, by, desk.now, prepared.ranked)
        change.attach(proposal_of(record), body)
        _say(change, record, "review.proposed", by, digest_of_file(body))
        change.publish()
        return record, replace(prepared, waits=True)


def prepare(desk: Desk, candidate: ReviewedRecord, target: str | None = None) -> Prepared:
    """Says what is, or would be, done with an instruction file, and whether it still can be. Writes nothing.

    Raises UsageError for what goes into the memory, CorpusDamaged where the proposal is gone or changed by hand.
    """
    record = candidate.record
    if candidate.surface == "memory":
        raise UsageError(
            f"{record.ref} does not read like an instruction: it goes into the memory",
            hint=f"aicx memory candidates promote {record.ref} --by NAME",
        )
    if candidate.found.status in HIDDEN:
        raise UsageError(f"{record.ref} may not be shown", hint=next_step(candidate))
    if candidate.state != "manual-apply-pending":
        return _planned(desk, candidate, target)
    plan = read_proposal(desk.settings.layout, record, candidate.standing)
    ranked = _ranked(desk, record)
    now = next(one for one in ranked if one.path == plan.target)
    return Prepared(now_ready(plan, now, record), tuple(ranked), waits=True)


def verify(desk: Desk, ref: str, by: str) -> tuple[Record, Prepared]:
    """Closes an instruction that its file has now. What is not there yet stays open, and the plan says why."""
    with changing(desk.settings, desk.now, desk.notify) as change, _memory(desk) as memory:
        candidate = look(memory, ref)
        require("verify-apply", candidate)
        prepared = prepare(desk, candidate)
        if "present" in prepared.plan.reasons:
            _say(change, candidate.record, "review.applied", clean(by) or _BY_ITSELF)
            change.publish()
        return candidate.record, prepared


def named(by: str, step: Step) -> str:
    """The person who takes a step. Raises UsageError for none."""
    name = memory_named(by, step)
    if not is_person(name):
        raise UsageError(f"{step} needs the name of a person", hint=f"aicx memory candidates {step} REF --by NAME")
    return name


def _planned(desk: Desk, candidate: ReviewedRecord, target: str | None) -> Prepared:
    if target is not None and target not in FILES:
        raise UsageError(f"{target!r} is not an instruction file", hint=f"one of {', '.join(FILES)}")
    record = candidate.record
    ranked = _ranked(desk, record)
    plans = {one.path: make_plan(one, record) for one in ranked}
    best = next((one.path for one in ranked if plans[one.path].readiness == "safe"), ranked[0].path)
    return Prepared(plans[target or best], tuple(ranked), waits=False)


def _ranked(desk: Desk, record: Record) -> list[Target]:
    root = desk.scope.root
    if root is None or record.repository is None or record.repository != desk.scope.repository:
        raise UsageError(
            f"the repository of {record.ref} is not at hand",
            hint="--repo FOLDER names it; what holds everywhere can be accepted: aicx memory accept REF --by NAME",
        )
    return rank_targets(root, policy_in(desk.settings, desk.scope), record)


def _candidate(memory: Memory, record: Record) -> ReviewedRecord:
    (found,) = memory.assessed([record])
    return candidate_of(found, memory.decisions.get(record.id))


def _say(change: RecordChanges, record: Record, kind: str, by: str, code: str | None = None) -> None:
    change.note(Event(new_id(), change.now, by, kind, (record.id,), record.digest, code=code))


def _memory(desk: Desk) -> Memory:
    policy = of_records(policy_in(desk.settings, desk.scope), desk.settings, desk.scope)
    return Memory.open(desk.settings, desk.now, scope=desk.scope, policy=policy)
