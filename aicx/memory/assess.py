"""Derives what may be believed of a record: a pure function of the record, the decisions, the repository and the clock.

Nothing stores what comes out. Where the sidecar and the events differ, the one that trusts less counts: a damaged or
forged file can take trust away, and never give any.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import datetime, timedelta
from typing import Literal

from aicx.memory.anchors import AnchorState, claim_marks, normal
from aicx.memory.events import Standing
from aicx.memory.persons import is_model
from aicx.memory.record import Anchor, Reason, Record
from aicx.values import dataclass

Status = Literal[
    "accepted", "candidate", "advisory", "superseded", "stale", "policy_blocked", "quarantined", "archived"
]
Freshness = Literal["fresh", "recent", "old", "aged"]
Usage = Literal["instruction", "guidance", "evidence"]

# Days that a claim that something cannot be done here is believed without another look, and a required validation.
ENVIRONMENT_DAYS = 14
VALIDATION_DAYS = 30
_FRESHNESS: tuple[tuple[timedelta, Freshness], ...] = (
    (timedelta(days=7), "fresh"),
    (timedelta(days=30), "recent"),
    (timedelta(days=90), "old"),
)

# Tiers of authority: the lower, the stronger. Never from a score. 1 is what the person says now.
PINNED_POLICY, REPOSITORY, LIVE_FILE, PASSING_EVAL, INSTRUCTION, FACT, DECISION, TRACE, CANDIDATE, EXTERNAL = (
    *(0, 2, 3, 4, 5, 6, 7, 8, 9, 10),
)

_NOTHING = Standing()
# Made once: most records have no other reason.
_ADOPTED, _PINNED, _NOT_ADOPTED = Reason("adopted"), Reason("pinned"), Reason("candidate_not_adopted")


# The authority and the reference of the strongest accepted record that claims a value; the stronger is the less.
Rival = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Context:
    """Everything beside the record that decides its status. Made once for many records by `aicx.memory.reading`.

    ``anchors`` is what each anchor is now, ``blocked`` what the policy keeps from being shown, by id, ``says`` the
    repository's own values by claim key, ``rivals`` claim -> value -> the strongest accepted record for it, by their
    marks. ``events_lost`` says whether the log has lines that cannot be read.
    """

    now: datetime
    standing: Mapping[str, Standing] = field(default_factory=dict)
    anchors: Mapping[Anchor, AnchorState] = field(default_factory=dict)
    blocked: Mapping[str, Reason] = field(default_factory=dict)
    says: Mapping[str, frozenset[str]] = field(default_factory=dict)
    rivals: Mapping[str, Mapping[str, Rival]] = field(default_factory=dict)
    events_lost: bool = False


@dataclass(frozen=True, slots=True)
class Assessment:
    """How far a record may be believed at one moment. ``reasons`` begin with the one that decides the status."""

    record: Record
    status: Status
    reasons: tuple[Reason, ...]
    freshness: Freshness
    tier: int
    usage: Usage
    baseline: bool


def assess(record: Record, context: Context) -> Assessment:
    """Decides what may be believed of ``record`` now."""
    standing = context.standing.get(record.id, _NOTHING)
    status, reasons = _status(record, standing, context)
    if status == "quarantined":  # the files and claims of what is not shown are words of it
        reasons = [reason if reason.code == "malformed" else Reason(reason.code) for reason in reasons]
    tier = _tier(record, standing, status)
    baseline = status == "accepted"
    if baseline:
        reasons = [_ADOPTED, *([_PINNED] if standing.pinned else []), *reasons]
        if rival := _rival(record, tier, standing, context):
            reasons.insert(0, Reason("conflict", {"with": rival}))
            baseline = False
    usage: Usage = "evidence"
    if status == "accepted" and (record.kind == "policy" or (record.kind == "procedure" and _passes(standing))):
        usage = "instruction"
    freshness = freshness_of(_since(record, standing, context.now))
    return Assessment(record, status, tuple(reasons), freshness, tier, usage, baseline)


def find_rivals(records: Iterable[Record], context: Context) -> dict[str, dict[str, Rival]]:
    """For each claim, by its mark, every value that an accepted record has for it, and the strongest of those records.

    One that a person accepted and whose files or event cannot be read any more is still a rival: losing a record must
    not decide a conflict for another.
    """
    found: dict[str, dict[str, Rival]] = {}
    for record in records:
        standing = context.standing.get(record.id, _NOTHING)
        if not record.claims and not standing.claims:
            continue
        status = _status(record, standing, context)[0]
        # What a policy hides is still agreed: a file of the repository must not decide a conflict by hiding one side.
        hidden = status == "policy_blocked" and not standing.erased and is_adopted(record, standing)
        if status == "accepted" or hidden:
            marks = claim_marks(record.topic, record.claims)
        elif _is_lost(record, standing):
            marks = dict(standing.claims)
        elif context.events_lost and record.adoption.state == "adopted" and standing.adopted is None:
            marks = claim_marks(record.topic, record.claims)
        else:
            continue
        rival = (_tier(record, standing, "accepted"), record.ref)
        for key, value in marks.items():
            values = found.setdefault(key, {})
            best = values.get(value)
            values[value] = rival if best is None else min(best, rival)
    return {place: values for place, values in found.items() if len(values) > 1}


def _is_lost(record: Record, standing: Standing) -> bool:
    """Whether a person accepted it, no person decided otherwise since, and its files or events say something else."""
    if standing.unsealed or (standing.contested and standing.superseded_by is None):
        return bool(standing.claims)
    put_away = standing.held or standing.archived or standing.superseded_by is not None
    return standing.adopted is not None and standing.adopted != record.digest and not put_away


def is_adopted(record: Record, standing: Standing) -> bool:
    """Whether a person accepted exactly this revision, the sidecar does not say less, and no decision is missing."""
    return (
        not standing.unsealed
        and standing.adopted is not None
        and standing.adopted == record.digest
        and record.adoption.state == "adopted"
        and record.last_event == standing.last
    )


def _status(record: Record, standing: Standing, context: Context) -> tuple[Status, list[Reason]]:
    """The first of the conditions that holds decides; all that hold are given as reasons, in their order."""
    blocked = context.blocked.get(record.id)
    if standing.erased:
        blocked = Reason("erased")
    if blocked is not None:
        return "policy_blocked", [blocked]
    found: list[tuple[Status, Reason]] = [("quarantined", flaw) for flaw in _flaws(record, standing)]
    if standing.held or record.hold is not None:
        found.append(("quarantined", Reason("quarantined_manual")))
    if standing.rejected == record.digest or record.adoption.state == "rejected":
        found.append(("archived", Reason("rejected")))
    if standing.archived or record.retention == "archived":
        found.append(("archived", Reason("archived")))
    if standing.superseded_by is not None:
        found.append(("superseded", Reason("superseded", {"by": f"mem:{standing.superseded_by}"})))
    stale, kept = _stale(record, standing, context)
    found += [("stale", reason) for reason in stale]
    if record.source.origin == "instruction_file":
        found.append(("advisory", Reason("advisory_source")))
    elif not is_adopted(record, standing):
        found += [("candidate", reason) for reason in _not_adopted(record, standing)]
    return (found[0][0] if found else "accepted"), [*(reason for _, reason in found), *kept]


def _flaws(record: Record, standing: Standing) -> Iterable[Reason]:
    """Findings in its files; a person who released exactly this revision has looked at those that can be looked at."""
    if standing.released is not None and standing.released == record.digest and not standing.unsealed:
        return (flaw for flaw in record.flaws if flaw.code == "malformed")
    return record.flaws


def _not_adopted(record: Record, standing: Standing) -> list[Reason]:
    reasons = []
    if record.source.lane == "subagent" or record.source.origin == "subagent":
        reasons.append(Reason("subagent_unadopted"))
    if standing.adopted is not None and standing.adopted != record.digest:
        reasons.append(Reason("revision_not_adopted"))
    elif standing.unsealed or record.adoption.state == "adopted" or record.last_event != standing.last:
        reasons.append(Reason("adoption_unproven"))
    return [_NOT_ADOPTED, *reasons]


_ANCHOR_REASONS = {
    "changed": "anchor_changed",
    "missing": "anchor_missing",
    "moved": "anchor_moved",
    "unreadable": "unreadable",
    "unchecked": "anchor_unchecked",
}


def _stale(record: Record, standing: Standing, context: Context) -> tuple[list[Reason], list[Reason]]:
    """Finds what makes it stale, and what only has to be said."""
    stale: list[Reason] = []
    kept: list[Reason] = []
    for anchor in record.anchors:
        now = context.anchors.get(anchor)
        if now is not None and now.state == "current":
            continue
        if now is not None and now.state == "relocated":
            kept.append(Reason("anchor_relocated", {"anchor": str(anchor), "first": now.first, "last": now.last}))
            continue
        code = _ANCHOR_REASONS["unchecked" if now is None else now.state]
        stale.append(Reason(code, {"anchor": str(anchor), **({"to": now.path} if now and now.path else {})}))
    validity = record.validity
    if validity.until is not None and validity.until < context.now:
        stale.append(Reason("expired", {"until": validity.until.isoformat()}))
    if validity.ttl is not None and _since(record, standing, context.now) > timedelta(seconds=validity.ttl):
        stale.append(Reason("ttl_expired"))
    stale += _validation(record, standing, context.now)
    if standing.doubted_by is not None:
        kept.append(Reason("validation_doubted", {"by": standing.doubted_by}))
    if record.claims and context.says:
        for key, value in record.claims.items():
            said = context.says.get(key)
            if said is not None and normal(value) not in said:
                reason = Reason("contradicts_repo", {"key": key})
                # What the repository contains now gives way to a pinned policy alone, and even then it is said.
                (kept if record.kind == "policy" and standing.pinned else stale).append(reason)
    return stale, kept


def _validation(record: Record, standing: Standing, now: datetime) -> list[Reason]:
    at = standing.validated_at
    cached = next((one for one in reversed(record.validation) if not is_model(one.by)), None)
    if standing.validated == "fail":
        return [Reason("validation_failed", {"by": standing.validated_by})]
    if cached is not None and cached.result == "fail" and (at is None or cached.at > at):
        return [Reason("validation_failed", {"by": cached.by})]
    if record.validity.requires_validation:
        passed = standing.passed_at
        if passed is None or now - passed > timedelta(days=VALIDATION_DAYS) or passed > now:
            return [Reason("validation_required")]
    if record.environment_negative and _since(record, standing, now) > timedelta(days=ENVIRONMENT_DAYS):
        return [Reason("validation_required")]
    return []


def _since(record: Record, standing: Standing, now: datetime) -> timedelta:
    """How long ago it was stated or last confirmed. A time in the future confirms nothing."""
    times = [at for at in (record.created_at, standing.adopted_at, standing.passed_at) if at and at <= now]
    return now - max(times) if times else timedelta.max


def _passes(standing: Standing) -> bool:
    return standing.validated == "pass"


def _tier(record: Record, standing: Standing, status: Status) -> int:
    if status in ("quarantined", "policy_blocked"):
        return EXTERNAL
    if status != "accepted":  # a record that says it repeats an instruction file is not that file
        return EXTERNAL if record.source.origin == "import" else CANDIDATE
    match record.kind:
        case "policy":
            return PINNED_POLICY if standing.pinned else INSTRUCTION
        case "procedure":
            return INSTRUCTION if _passes(standing) else FACT
        case "eval":
            return PASSING_EVAL if _passes(standing) else FACT
        case "decision":
            return DECISION
        case "reflection":
            return CANDIDATE
        case _:
            return FACT


def _rival(record: Record, tier: int, standing: Standing, context: Context) -> str | None:
    """The record that keeps this one out of the baseline: one that says otherwise and is not weaker, or one that a
    person accepted in its place while it was pinned."""
    waiting = [new for new in standing.replaced_by if _is_standing(new, context)]
    if waiting:
        return f"mem:{min(waiting)}"
    for old in record.supersedes:
        other = context.standing.get(old)
        if other is not None and record.id in other.replaced_by and other.superseded_by is None:
            return f"mem:{old}"
    if record.claims and context.rivals:
        for key, value in claim_marks(record.topic, record.claims).items():
            values = context.rivals.get(key, {})
            others = [rival for said, rival in values.items() if said != value and rival[0] <= tier]
            if others:
                return min(others)[1]
    return None


def _is_standing(name: str, context: Context) -> bool:
    found = context.standing.get(name)
    return found is not None and (found.adopted is not None or found.unsealed)


def freshness_of(age: timedelta) -> Freshness:
    """The label of an age; it changes no trust."""
    return next((name for limit, name in _FRESHNESS if age <= limit), "aged")
