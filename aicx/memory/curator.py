"""The curator: proposes what to do about records that nobody looks after, and does it when told to.

It can only take trust away or put a record where a person brings it back from. Whatever needs a judgement is proposed
to a person. What it dealt with rests, so that it says nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from aicx.memory.assess import Assessment
from aicx.memory.checks import duplicates
from aicx.memory.deciding import Desk
from aicx.memory.events import Event, new_id
from aicx.memory.files import read_log
from aicx.memory.reading import Memory
from aicx.memory.record import PREFIX, Reason, Record, Validation
from aicx.memory.writing import RecordChanges, changing
from aicx.values import dataclass

SCHEMA = "aicx.memory-curate/1"
Why = Literal["stale_proposal", "needs_person", "pinned"]
Action = Literal[
    "demote_stale", "archive", "deprecate", "revalidate", "skip_pinned", "review_quarantined", "resolve_conflict"
]


@dataclass(frozen=True, slots=True)
class CurateProposal:
    """One proposal about a record. It holds no text of it."""

    ref: Annotated[str, "of the record"]
    action: Annotated[Action, "what to do about it, as in [memory.md](memory.md#keeping-it-in-order)"]
    status: Annotated[str, "what may be believed of it now"]
    pinned: Annotated[bool, "whether it is pinned"]
    rev: Annotated[int, "its revision"]
    reasons: Annotated[list[str], "codes of the closed list"]
    because: Annotated[list[dict[str, Any]], "the `code` of those that are about something, with it"]
    others: Annotated[list[str], "references of other records that it is about"]
    would: Annotated[str | None, "what is not done because it is pinned, or null"]
    needs_person: Annotated[bool, "whether only a person can do it"]
    result: Annotated[Literal["applied", "skipped"] | None, "what came of it; null where nothing was to be applied"]
    why: Annotated[Why | None, "why it was skipped; `stale_proposal`: the record changed since"]


@dataclass(frozen=True, slots=True)
class CurateAnswer:
    """The proposals, by reference."""

    dry_run: bool
    status: Annotated[Literal["ok", "partial"], "`partial` where a record changed while the proposals were applied"]
    proposals: Annotated[list[CurateProposal], "what is proposed"]
    counts: Annotated[dict[str, int], "action → number of proposals"]
    applied: Annotated[int, "number of proposals that were applied"]
    skipped: Annotated[int, "number of proposals that were not, though all were to be; `why` says of each why"]
    resting: Annotated[int, "records that rest, because the curator dealt with them in the last 30 days"]
    repository: Annotated[str | None, "whose records were looked at, beside those that hold everywhere; null for all"]


BY = "curator"
# Days. What nothing would ever make stale is looked at again after the first; what is stale, superseded or waits for a
# decision that long is put away after the second.
STALE_AFTER, ARCHIVE_AFTER = 90, 90
WAITING_AFTER, SUPERSEDED_AFTER, VALIDATED_AFTER = 30, 30, 30
REST = 30
# What is agreed, rather than observed, does not wear out; but somebody should look at it after a year.
_AGREED, AGREED_AFTER = frozenset({"policy", "preference", "decision"}), 365
_Upkeep = tuple[Action, tuple[Reason, ...], tuple[str, ...]]  # what, why, and what else it is about
_DONE_BY_PROGRAM = frozenset({"demote_stale", "archive", "deprecate"})


@dataclass(frozen=True, slots=True)
class PlannedUpkeep:
    """One proposal about ``record`` as it was when it was made. ``would`` is what a pin keeps from being done.

    ``result`` and ``why`` say what came of it, where it was to be applied.
    """

    action: Action
    found: Assessment
    reasons: tuple[Reason, ...]
    others: tuple[str, ...] = ()  # references
    would: Action | None = None
    result: Literal["applied", "skipped"] | None = None
    why: Why | None = None

    @property
    def record(self) -> Record:
        return self.found.record

    @property
    def needs_person(self) -> bool:
        return self.action not in _DONE_BY_PROGRAM

    @property
    def key(self) -> tuple[str, ...]:
        """Says what was proposed about which state of the record; another key is another proposal."""
        record = self.record
        return self.action, record.id, record.digest, str(record.rev), str(record.last_event), self.found.status


def plan(memory: Memory, *, everywhere: bool = False) -> tuple[list[PlannedUpkeep], int]:
    """Plans what the curator proposes now, and counts records that rest because it dealt with them lately."""
    assessed = memory.assessed(memory.records(everywhere=everywhere))
    resting = _resting(memory)
    same = duplicates(assessed)
    met: set[frozenset[str]] = set()
    contested = {ref for found in assessed for rival in _rivals(found) for ref in (found.record.ref, rival)}
    made: list[PlannedUpkeep] = []
    rests = 0
    for found in sorted(assessed, key=lambda one: one.record.id):
        proposals = list(_propose(found, same.get(found.record.id), memory, met))
        if found.record.ref in contested:  # putting one aside would decide for the other
            proposals = [one for one in proposals if one.needs_person]
        if proposals and resting.get(found.record.id) == found.record.digest:
            rests += 1
        else:
            made += proposals
    return made, rests


def apply(desk: Desk, proposals: Sequence[PlannedUpkeep], *, everywhere: bool = False) -> list[PlannedUpkeep]:
    """Does what can be done of ``proposals``, all or none, and returns them with their results.

    What changed since they were made is left alone.
    """
    with changing(desk.settings, desk.now, desk.notify) as change:
        with Memory.open(desk.settings, desk.now, scope=desk.scope) as memory:
            now = {one.key: one for one in plan(memory, everywhere=everywhere)[0]}
        outcomes = [_apply(change, one, now.get(one.key)) for one in proposals]
        if outcomes:
            change.publish()
    return outcomes


def _apply(change: RecordChanges, wanted: PlannedUpkeep, now: PlannedUpkeep | None) -> PlannedUpkeep:
    if now is None:
        return replace(wanted, result="skipped", why="stale_proposal")
    if now.needs_person:
        _tell(change, "curator.skipped", now, now.record)
        return replace(wanted, result="skipped", why="pinned" if now.action == "skip_pinned" else "needs_person")
    record = now.record
    if now.action == "demote_stale":
        looked = Validation(change.now, BY, f"nobody confirmed it for {STALE_AFTER} days", "fail")
        new = replace(record, validation=(*record.validation, looked))
        written = change.put(new, "validated", BY, before=record.digest, code="fail")
    else:
        written = change.put(replace(record, retention="archived"), "archived", BY, code=now.reasons[0].code)
    _tell(change, "curator.applied", now, written)
    return replace(wanted, result="applied")


def _tell(change: RecordChanges, kind: str, planned: PlannedUpkeep, record: Record) -> None:
    refs = (record.id, *(other.removeprefix(PREFIX) for other in planned.others))
    change.note(Event(new_id(), change.now, BY, kind, refs, record.digest, code=planned.action))


def _propose(
    found: Assessment, same: Record | None, memory: Memory, met: set[frozenset[str]]
) -> Iterator[PlannedUpkeep]:
    record, status = found.record, found.status
    if status in ("policy_blocked", "archived", "advisory"):
        return
    if status == "quarantined":
        yield PlannedUpkeep("review_quarantined", found, found.reasons)
        return
    for rival in _rivals(found):
        # One decision settles both.
        pair = frozenset({record.ref, rival})
        if pair not in met:
            met.add(pair)
            yield PlannedUpkeep("resolve_conflict", found, (Reason("conflict"),), (rival,))
    upkeep = _upkeep(found, same, memory)
    if upkeep is None:
        return
    action, reasons, others = upkeep
    if record.pinned and action in _DONE_BY_PROGRAM:
        yield PlannedUpkeep("skip_pinned", found, reasons, others, would=action)
    else:
        yield PlannedUpkeep(action, found, reasons, others)


def _rivals(found: Assessment) -> list[str]:
    return [str(reason.data["with"]) for reason in found.reasons if reason.code == "conflict"]


def _upkeep(found: Assessment, same: Record | None, memory: Memory) -> _Upkeep | None:
    """Proposes what should be done about a record, if anything."""
    record = found.record
    idle = memory.now - max(record.updated_at or record.created_at, _confirmed(found, memory))
    match found.status:
        case "accepted":
            return _look_again(found, idle, memory)
        case "superseded":
            long = idle >= timedelta(days=SUPERSEDED_AFTER)
            return ("deprecate", _because(found), ()) if long else None
        case "candidate" if same is not None:
            return "deprecate", (Reason("duplicate", {"of": same.ref}),), (same.ref,)
        case "candidate" if idle < timedelta(days=WAITING_AFTER):
            return None
    return "archive" if idle >= timedelta(days=ARCHIVE_AFTER) else "revalidate", _because(found), ()


def _look_again(found: Assessment, idle: timedelta, memory: Memory) -> _Upkeep | None:
    """Proposes to look at what is believed, and was not looked at for long."""
    standing = memory.decisions.get(found.record.id)
    if doubts := tuple(one for one in found.reasons if one.code == "validation_doubted"):
        return "revalidate", doubts, ()
    reasons = (Reason("validation_required"),)
    if standing is not None and standing.passed_at is not None:
        old = memory.now - standing.passed_at >= timedelta(days=VALIDATED_AFTER)
        return ("revalidate", reasons, ()) if old else None
    if found.record.kind in _AGREED:
        return ("revalidate", reasons, ()) if idle >= timedelta(days=AGREED_AFTER) else None
    if not _is_bounded(found.record) and idle >= timedelta(days=STALE_AFTER):
        return "demote_stale", reasons, ()
    return None


def _is_bounded(record: Record) -> bool:
    """Whether something makes it stale by itself one day."""
    validity = record.validity
    return bool(record.anchors or validity.until or validity.ttl or validity.requires_validation) or (
        record.environment_negative
    )


def _confirmed(found: Assessment, memory: Memory) -> datetime:
    """When it was stated, accepted or validated last, as far as that is not in the future."""
    record, standing = found.record, memory.decisions.get(found.record.id)
    times = [record.created_at, *([standing.adopted_at, standing.passed_at] if standing is not None else [])]
    return max((at for at in times if at is not None and at <= memory.now), default=record.created_at)


def _because(found: Assessment) -> tuple[Reason, ...]:
    return tuple(reason for reason in found.reasons if reason.code not in ("adopted", "pinned"))


def _resting(memory: Memory) -> dict[str, str | None]:
    """Id → digest of the records about which the curator had the last word, and lately."""
    log = read_log(memory.settings.layout.memory)
    last: dict[str, Event] = {}
    for event in log.events:
        if not event.refs or event.type.startswith("manifest."):
            continue
        last[event.refs[0]] = event
        if event.type.startswith("memory."):
            for other in event.refs[1:]:
                last[other] = event
    since = memory.now - timedelta(days=REST)
    return {
        name: event.digest for name, event in last.items() if event.type.startswith("curator.") and event.at > since
    }
