"""Where a record is in its review: derived at each reading from what may be believed of it and the events about it.

The queue is the one of the page Memory: whatever is decided there or here is an event of the same log.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Literal, get_args

from aicx.errors import UsageError
from aicx.evidence.patterns import memory_rules
from aicx.memory.assess import Assessment
from aicx.memory.events import Standing
from aicx.memory.proposals import Proposal
from aicx.memory.reading import Memory
from aicx.memory.record import Record
from aicx.values import dataclass

State = Literal[
    "pending", "approved", "rejected", "blocked", "promoted", "manual-apply-pending", "manual-applied", "stale"
]
Step = Literal["adopt", "approve", "reject", "promote", "verify-apply"]
Surface = Literal["memory", "instructions"]
STATES: tuple[State, ...] = get_args(State)
# Those in which a person has something to do, in the order of a list.
OPEN: tuple[State, ...] = ("approved", "manual-apply-pending", "pending", "blocked")
# From which states a step goes on. Whatever is not here is an error that names the next step.
FROM: dict[Step, frozenset[State]] = {
    "adopt": frozenset({"blocked"}),
    "approve": frozenset({"pending"}),
    "reject": frozenset({"pending", "approved", "blocked", "manual-apply-pending", "stale"}),
    "promote": frozenset({"approved", "manual-apply-pending"}),
    "verify-apply": frozenset({"manual-apply-pending"}),
}
_INSTRUCTING = frozenset({"policy", "preference"})  # kinds that are instructions in whatever words
_QUESTION = re.compile(r"[^.!?]*\?")
_NOTHING = Standing()


@dataclass(frozen=True, slots=True)
class ReviewedRecord:
    """A record in the review, with what may be believed of it and what was decided about it."""

    found: Assessment
    standing: Standing
    state: State

    @property
    def record(self) -> Record:
        return self.found.record

    @property
    def surface(self) -> Surface:
        return surface_of(self.record)


def candidate_of(found: Assessment, standing: Standing | None) -> ReviewedRecord:
    standing = standing or _NOTHING
    return ReviewedRecord(found, standing, state_of(found, standing))


def state_of(found: Assessment, standing: Standing) -> State:
    """A step holds for exactly the text that it was taken for: an edit sets a record back to the beginning."""
    if standing.unsealed:  # what the log says of it proves nothing
        standing = _NOTHING
    record, status = found.record, found.status
    if status == "accepted":
        return "promoted"
    if any(reason.code == "rejected" for reason in found.reasons):
        return "rejected"
    if status in ("policy_blocked", "quarantined", "advisory"):
        return "blocked"
    if standing.applied == record.digest:
        return "manual-applied"
    if status != "candidate":
        return "stale"
    if "subagent" in (record.source.lane, record.source.origin) and standing.unblocked != record.digest:
        return "blocked"
    if standing.patched == record.digest:
        return "manual-apply-pending"
    return "approved" if standing.approved == record.digest else "pending"


def reads_like_instruction(text: str) -> bool:
    """Whether a text tells its readers what to do, rather than what is so."""
    return memory_rules().tells_readers.search(_QUESTION.sub("", text).strip()) is not None


def surface_of(one: Record | Proposal) -> Surface:
    """Says where promotion takes a record, or a proposal of one.

    What reads like an instruction becomes a patch for a person, never more.
    """
    instructs = one.kind in _INSTRUCTING or reads_like_instruction(one.statement)
    return "instructions" if instructs else "memory"


def require(step: Step, candidate: ReviewedRecord) -> None:
    """Raises UsageError, with the next step, where ``step`` does not go on from where the record is."""
    adoptable = step != "adopt" or candidate.found.status == "candidate"
    if candidate.state in FROM[step] and adoptable:
        return
    raise UsageError(
        f"{candidate.record.ref} is {candidate.state}{_why(candidate)}: there is nothing to {step.partition('-')[0]}",
        hint=next_step(candidate),
    )


def next_step(candidate: ReviewedRecord) -> str:
    """Says what a person can do next, as a command where there is one."""
    ref, status = candidate.record.ref, candidate.found.status
    match candidate.state:
        case "pending":
            return f"aicx memory candidates approve {ref} --by NAME, or aicx memory candidates reject {ref}"
        case "approved":
            return f"aicx memory candidates promote {ref} --by NAME"
        case "manual-apply-pending":
            steps = "aicx memory candidates"
            return f"{steps} apply-prep {ref} shows the patch; once it is applied: {steps} verify-apply {ref}"
        case "promoted":
            return f"it is agreed; aicx memory reject {ref} takes that back"
        case "rejected":
            return f"aicx memory accept {ref} --by NAME, if it is true after all"
        case "manual-applied":
            return "it is in the instruction file; edit that file"
        case "blocked":
            return {
                "candidate": f"aicx memory candidates adopt {ref} --by NAME",
                "quarantined": f"aicx memory decide release {ref} --by NAME",
                "advisory": "it repeats an instruction file; edit that file",
            }.get(status, "the memory policy keeps it out: .aicx/memory-policy.toml")
        case "stale":
            return {
                "superseded": f"another record took its place: aicx memory history {ref}",
                "archived": f"aicx memory decide restore {ref} --by NAME",
            }.get(status, f"aicx memory decide validate {ref} --result pass --by NAME --method TEXT, if it still holds")


def _why(candidate: ReviewedRecord) -> str:
    if candidate.state == "blocked" and candidate.found.status == "candidate":
        return ", because only a subagent said it"
    return ""


def read_queue(memory: Memory, states: Collection[State] = OPEN) -> tuple[list[ReviewedRecord], dict[str, int]]:
    """The records of the memory's scope in these states, what a person can finish first; how many each state has."""
    every = [candidate_of(found, memory.decisions.get(found.record.id)) for found in memory.assessed()]
    wanted = sorted((one for one in every if one.state in states), key=_place)
    return wanted, dict(sorted(Counter(one.state for one in every).items()))


def waits(found: Assessment) -> tuple[bool, int, float, str]:
    """Orders what waits: a person's words before a subagent's, what was said often before what was said once."""
    record = found.record
    return record.source.lane == "subagent", -record.sightings, -record.created_at.timestamp(), record.id


def waiting(memory: Memory, assessed: Iterable[Assessment]) -> list[ReviewedRecord]:
    """The candidates among ``assessed`` that nobody has decided about, in their order."""
    found = [one for one in assessed if one.status == "candidate"]
    every = [candidate_of(one, memory.decisions.get(one.record.id)) for one in sorted(found, key=waits)]
    return [one for one in every if one.state != "manual-applied"]


def _place(one: ReviewedRecord) -> tuple[int, tuple[bool, int, float, str]]:
    return OPEN.index(one.state) if one.state in OPEN else len(OPEN), waits(one.found)
