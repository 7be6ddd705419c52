"""Records as answers show them. What is kept apart or blocked is named, and its text is in no answer.

The name of a record and of its file are made of its words: of what a policy excludes, the reference alone is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aicx.memory.anchors import Found
from aicx.memory.answers import GetAnswer, MemoryAnchor, MemoryEntry, MemoryScore
from aicx.memory.assess import Assessment
from aicx.memory.record import Anchor, Record
from aicx.text import instant

HIDDEN = frozenset({"policy_blocked", "quarantined"})


def entry_of(found: Assessment, score: MemoryScore | None = None) -> MemoryEntry:
    """A record in the shape that every answer has it in."""
    record = found.record
    shown = found.status not in HIDDEN
    return MemoryEntry(
        ref=record.ref,
        name=record.name if found.status != "policy_blocked" else None,
        kind=record.kind,
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
        repository=record.repository,
        rev=record.rev,
        pinned=record.pinned,
        sightings=record.sightings,
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


def whole_of(found: Assessment, anchors: Mapping[Anchor, Found]) -> GetAnswer:
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


def _anchor(anchor: Anchor, now: Found | None) -> MemoryAnchor:
    lines = [anchor.first, anchor.last] if anchor.first is not None and anchor.last is not None else None
    elsewhere: dict[str, Any] = {}
    if now is not None and now.first is not None:
        elsewhere["lines"] = [now.first, now.last]
    if now is not None and now.path is not None:
        elsewhere["path"] = now.path
    return MemoryAnchor(anchor.path, lines, now.state if now else "unchecked", elsewhere or None)
