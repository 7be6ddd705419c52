"""`aicx.memory-*/1`: records with what may be believed of them, in one shape wherever they are shown.

What is kept apart or blocked is named, and its text is in no answer. The name of a record and of its file are made of
its words: of what a policy excludes, the reference alone is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from aicx.fields import taken_from
from aicx.memory.anchors import AnchorState
from aicx.memory.assess import Assessment
from aicx.memory.record import Anchor, Record
from aicx.text import instant
from aicx.values import dataclass

ENTRY_SCHEMA = "aicx.memory-entry/1"
GET_SCHEMA = "aicx.memory-get/1"
LIST_SCHEMA = "aicx.memory-list/1"
HISTORY_SCHEMA = "aicx.memory-history/1"
STATS_SCHEMA = "aicx.memory-stats/1"
SEAL_SCHEMA = "aicx.memory-seal/1"
VERIFY_SCHEMA = "aicx.memory-verify/1"
HIDDEN = frozenset({"policy_blocked", "quarantined"})


@dataclass(frozen=True, slots=True)
class MemoryScore:
    """How well a record matches a question, by lane; 1 is all that was asked."""

    lexical: Annotated[float | None, "by words, from 0 to 1; null where that lane did not answer"]
    dense: Annotated[float | None, "by meaning, from 0 (as near as chance) to 1; null where that lane did not answer"]
    fused: Annotated[float, "both as one, from 0 to 1"]
    decay: Annotated[float, "the factor for its age, from 0.3 to 1.5; being shown does not change it"]
    final: Annotated[float, "what the order is by"]


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A record, or a statement of an instruction file.

    ``reasons`` are codes of the closed list in docs/memory.md, the deciding one first; ``because`` repeats the ``code``
    of those that are about something, such as the ``anchor`` that changed, and names it.
    ``source`` has ``class``, ``at`` and ``lane``; ``path``, ``sha256``, ``agent`` and ``session`` where they are known.
    """

    ref: Annotated[str, "its reference, such as `mem:3fa29c01d5e2` or `live:claude:CLAUDE.md#L3`"]
    name: Annotated[str | None, "the name that it was given"]
    kind: Annotated[str, "`policy`, `procedure`, `fact`, `decision`, `preference`, `failure` and others; or `chunk`"]
    topic: Annotated[str, "what it is about"]
    statement: Annotated[str | None, "what it says; null where that may not be shown"]
    status: Annotated[
        str, "`accepted`, `candidate`, `advisory`, `superseded`, `stale`, `policy_blocked`, `quarantined` or `archived`"
    ]
    freshness: Annotated[str, "`fresh` up to 7 days, `recent` up to 30, `old` up to 90, else `aged`"]
    tier: Annotated[int, "its authority from 0 to 10; the lower, the stronger"]
    usage: Annotated[str, "`instruction`, `guidance` or `evidence`"]
    baseline: Annotated[bool, "whether it is agreed: accepted, and without an unresolved conflict"]
    reasons: Annotated[list[str], "codes, the deciding one first"]
    because: Annotated[list[dict[str, Any]], "the reasons that are about something, with what that is"]
    superseded_by: Annotated[str | None, "the record that took its place"]
    source: Annotated[dict[str, Any], "where it is from"]
    evidence: Annotated[list[str], "references that it rests on"]
    score: Annotated[MemoryScore | None, "how well it matches; null where nothing was asked"]
    repository: Annotated[str | None, "whose it is; null for one that holds everywhere"]
    rev: Annotated[int, "its revision, from 1"]
    pinned: Annotated[bool, "whether a person pinned it"]
    sightings: Annotated[int, "how often it was stated"]


@dataclass(frozen=True, slots=True)
class EntryAnswer:
    """The answer of a command that made or changed a record."""

    entry: Annotated[MemoryEntry, "the record as it is now"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class MemoryAnchor:
    """An anchor of a record. ``state`` is current, relocated, changed, missing, moved, unreadable or unchecked.

    ``now`` has the ``lines`` or the ``path`` where they differ.
    """

    path: Annotated[str, "the file, from the repository's folder"]
    lines: Annotated[list[int] | None, "the first and the last line, null for the whole file"]
    state: Annotated[str, "`current`, `relocated`, `changed`, `missing`, `moved`, `unreadable` or `unchecked`"]
    now: Annotated[dict[str, Any] | None, "the `lines` or the `path` that it has now, where they differ"]


@dataclass(frozen=True, slots=True)
class ChangedLine:
    sign: Annotated[Literal["-", "+", " "], "`-`: as it was; `+`: as it is; blank: as it is, where git has no before"]
    number: Annotated[int, "of the line, in the file as it was or is"]
    text: Annotated[str, "the line, without secrets"]


@dataclass(frozen=True, slots=True)
class GetAnswer:
    """One record whole."""

    entry: Annotated[MemoryEntry, "the record"]
    details: Annotated[list[str], "further lines"]
    tags: Annotated[list[str], "its tags"]
    claims: Annotated[dict[str, str], "what it says in a form that can be compared: key → value"]
    anchors: Annotated[list[MemoryAnchor], "what it rests on in its repository"]
    validity: Annotated[dict[str, Any], "`until`, `ttl` in seconds, `requires_validation`"]
    validation: Annotated[
        list[dict[str, Any]], "who looked whether it holds: `at`, `by`, `method`, `result`, `evidence`"
    ]
    supersedes: Annotated[list[str], "records that it replaces"]
    environment_negative: Annotated[bool, "whether it says that something cannot be done here"]
    adoption: Annotated[dict[str, Any], "what its sidecar says was decided: `state`, `by`, `at`, `why`"]
    hold: Annotated[dict[str, Any] | None, "why it is kept apart: `reason`, `by`, `at`; or null"]
    path: Annotated[str | None, "its Markdown, from the corpus's folder; null where a policy excludes it"]


@dataclass(frozen=True, slots=True)
class Pagination:
    total: Annotated[int, "number of records that fit"]
    offset: int
    limit: Annotated[int, "number of records asked for"]
    has_more: Annotated[bool, "whether there are more"]


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """Records that fit; ``suppressed`` counts by status what is only listed when its status is asked for."""

    entries: Annotated[list[MemoryEntry], "the records, what is agreed first"]
    pagination: Annotated[Pagination, "which of them"]
    suppressed: Annotated[dict[str, int], "status → number of records that are only listed when it is asked for"]
    repository: Annotated[str | None, "whose records they are, beside those that hold everywhere"]


@dataclass(frozen=True, slots=True)
class MemoryEvent:
    """One thing that happened to a record. It holds no text of it."""

    id: Annotated[str, "of the event"]
    at: str
    by: Annotated[str, "who did it"]
    type: Annotated[str, "such as `memory.accepted`"]
    refs: Annotated[list[str], "ids of the records, the one it is about first"]
    code: Annotated[str | None, "a result, or the code of a reason; or null"]


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """Every event about a record, oldest first, and who stands behind it now."""

    ref: Annotated[str, "of the record"]
    events: Annotated[list[MemoryEvent], "oldest first"]
    damaged_lines: Annotated[list[int], "numbers of the log's lines that cannot be read"]


@dataclass(frozen=True, slots=True)
class StatsAnswer:
    """Counts of all records of the scope."""

    records: Annotated[int, "number of records"]
    baseline: Annotated[int, "number of those that are agreed"]
    by_status: Annotated[dict[str, int], "status → number"]
    by_kind: Annotated[dict[str, int], "kind → number"]
    by_reason: Annotated[dict[str, int], "reason → number"]
    by_repository: Annotated[dict[str, int], "repository → number"]
    events: Annotated[int, "number of events"]
    damaged_lines: Annotated[list[int], "numbers of the log's lines that cannot be read"]
    repository: Annotated[str | None, "whose records they are, beside those that hold everywhere"]


@dataclass(frozen=True, slots=True)
class SealAnswer:
    """The answer of `seal`: a person took the decisions as the log has them."""

    refs: Annotated[list[str], "the records whose decisions count again; empty where every decision was sealed"]
    left_out: Annotated[list[str], "records that cannot be shown, so that nobody can decide about them"]


@dataclass(frozen=True, slots=True)
class VerifiedDecision:
    ref: Annotated[str, "of the record"]
    by: Annotated[str, "the name that was typed, which is a claim"]
    at: str
    proof: Annotated[str, "`signed`, `unsigned`, `unknown_key`, `invalid`"]
    signer: Annotated[str | None, "who has the key, by the allowed signers or GPG; or null"]
    sealed: Annotated[bool, "whether the events about the record are those that this home wrote"]
    git_name: Annotated[bool, "whether the name is `user.name` in your own git settings"]


@dataclass(frozen=True, slots=True)
class VerifyAnswer:
    """Who accepted what, and what proves it."""

    ok: Annotated[bool, "no signature is of another decision, and every event was written by this home"]
    decisions: Annotated[list[VerifiedDecision], "the last acceptance of each record that is accepted"]


def entry_of(found: Assessment, score: MemoryScore | None = None) -> MemoryEntry:
    """A record in the shape that every answer has it in."""
    record = found.record
    shown = found.status not in HIDDEN
    return taken_from(
        record,
        MemoryEntry,
        name=record.name if found.status != "policy_blocked" else None,
        topic=record.topic if shown else "",
        statement=record.statement if shown else None,
        status=found.status,
        freshness=found.freshness,
        tier=found.tier,
        usage=found.usage,
        baseline=found.baseline,
        reasons=list(dict.fromkeys(reason.code for reason in found.reasons)),
        because=[{"code": reason.code, **reason.data} for reason in found.reasons if reason.data],
        superseded_by=next((one.data["by"] for one in found.reasons if one.code == "superseded"), None),
        source=source_of(record, shown=shown),
        evidence=list(record.evidence) if shown else [],
        score=score,
    )


def source_of(record: Record, *, shown: bool) -> dict[str, Any]:
    source = record.source
    known = {
        "path": source.path if shown else None,
        "sha256": source.sha256,
        "agent": source.agent,
        "session": source.session,
    }
    return {
        "class": source.origin,
        "at": instant(record.created_at),
        "lane": source.lane,
        **{name: value for name, value in known.items() if value is not None},
    }


def whole_of(found: Assessment, anchors: Mapping[Anchor, AnchorState]) -> GetAnswer:
    """One record with everything that is known of it."""
    record = found.record
    shown = found.status not in HIDDEN
    adoption, hold, validity = record.adoption, record.hold, record.validity
    return GetAnswer(
        entry_of(found),
        details=list(record.details) if shown else [],
        tags=list(record.tags) if shown else [],
        claims=dict(record.claims) if shown else {},
        anchors=[_anchor(anchor, anchors.get(anchor)) for anchor in record.anchors] if shown else [],
        validity={
            "until": validity.until and instant(validity.until),
            "ttl": validity.ttl,
            "requires_validation": validity.requires_validation or record.environment_negative,
        },
        validation=[
            {"at": instant(one.at), "by": one.by, "method": one.method, "result": one.result, "evidence": one.evidence}
            for one in (record.validation if shown else ())
        ],
        supersedes=[f"mem:{name}" for name in record.supersedes],
        environment_negative=record.environment_negative,
        adoption={
            "state": adoption.state,
            "by": adoption.by,
            "at": adoption.at and instant(adoption.at),
            "why": adoption.why if shown else None,
        },
        hold={"reason": hold.reason if shown else None, "by": hold.by, "at": instant(hold.at)} if hold else None,
        path=f"memory/{record.path}" if found.status != "policy_blocked" else None,
    )


def _anchor(anchor: Anchor, now: AnchorState | None) -> MemoryAnchor:
    lines = [anchor.first, anchor.last] if anchor.first is not None and anchor.last is not None else None
    elsewhere: dict[str, Any] = {}
    if now is not None and now.first is not None:
        elsewhere["lines"] = [now.first, now.last]
    if now is not None and now.path is not None:
        elsewhere["path"] = now.path
    return MemoryAnchor(anchor.path, lines, now.state if now else "unchecked", elsewhere or None)
