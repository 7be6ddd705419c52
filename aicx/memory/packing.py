"""A record as a list: making one from named fields would take most of the time."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from aicx.memory.reasons import Reason
from aicx.memory.record import Adoption, Anchor, Hold, Record, Source, Validation, Validity


def pack(record: Record) -> list[Any]:
    source, validity, adoption, hold = record.source, record.validity, record.adoption, record.hold
    return [
        *(record.id, record.repository, record.kind, record.topic, record.statement),
        [source.origin, source.lane, source.agent, source.session, source.path, source.sha256],
        record.created_at,
        *(record.rev, record.name, record.details, record.tags, record.claims, record.evidence),
        [[one.path, one.sha256, one.first, one.last, one.commit] for one in record.anchors],
        [validity.until, validity.ttl, validity.requires_validation],
        *(record.supersedes, record.environment_negative, record.sightings, record.updated_at),
        [adoption.state, adoption.by, adoption.at, adoption.why],
        hold and [hold.reason, hold.by, hold.at],
        *(record.pinned, record.retention, record.last_event),
        [[one.at, one.by, one.method, one.result, one.evidence] for one in record.validation],
        [[flaw.code, flaw.data] for flaw in record.flaws],
        *(record.by_hand, record.digest, record.extra, record.host),
    ]


def unpack(path: str, row: list[Any]) -> Record:
    name, repository, kind, topic, statement, source, created, rev, called, details, tags, claims, evidence = row[:13]
    anchors, validity, supersedes, negative, sightings, updated, adoption, hold, pinned, retention, last = row[13:24]
    validation, flaws, by_hand, digest, extra, host = row[24:]
    return Record(
        name,
        repository,
        kind,
        topic,
        statement,
        Source(*source),
        datetime.fromisoformat(created),
        rev,
        called,
        tuple(details),
        tuple(tags),
        claims,
        tuple(evidence),
        tuple([Anchor(*one) for one in anchors]) if anchors else (),
        Validity(_at(validity[0]), validity[1], validity[2]),
        tuple(supersedes),
        negative,
        sightings,
        _at(updated),
        Adoption(adoption[0], adoption[1], _at(adoption[2]), adoption[3]),
        Hold(hold[0], hold[1], datetime.fromisoformat(hold[2])) if hold else None,
        pinned,
        retention,
        last,
        tuple([_validation(*one) for one in validation]),
        path,
        tuple([Reason(code, data) for code, data in flaws]),
        by_hand,
        digest,
        extra,
        host,
    )


def _validation(at: str, by: str, method: str, result: Any, evidence: list[str]) -> Validation:
    return Validation(datetime.fromisoformat(at), by, method, result, tuple(evidence))


def _at(value: str | None) -> datetime | None:
    return None if value is None else datetime.fromisoformat(value)
