"""The proposal that an instruction's promotion leaves: a file with the patch, which waits for a person to apply it.

The event about it has the hash of the file. One that a hand changed is reported, and never written over.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

import orjson

from aicx.errors import CorpusDamaged
from aicx.memory.events import Standing
from aicx.memory.files import proposal_of
from aicx.memory.record import Record
from aicx.memory.review.patches import Plan, Target, find_block
from aicx.paths import Layout
from aicx.text import instant

SCHEMA = "aicx.review-proposal/1"
_STRANGE = (orjson.JSONDecodeError, LookupError, TypeError, ValueError)


def encode(plan: Plan, record: Record, by: str, now: datetime, ranked: Iterable[Target]) -> bytes:
    """Writes what a person is asked to apply, made ``by`` them for this revision of the record."""
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "ref": record.ref,
        "digest": record.digest,
        "by": by,
        "at": instant(now),
        **asdict(plan),
        "patch_digest": plan.patch_digest,
        "targets": [{"path": one.path, "usable": one.usable, "reasons": one.reasons} for one in ranked],
        "steps": steps_of(plan, record.ref),
    }
    return orjson.dumps(fields, option=orjson.OPT_INDENT_2) + b"\n"


def read_proposal(layout: Layout, record: Record, standing: Standing) -> Plan:
    """Reads what waits for a person to apply. Raises CorpusDamaged where its file is not as it was written."""
    path = layout.memory / proposal_of(record)
    if (body := read_file(layout, record)) is None:
        hint = f"make it again: aicx review promote {record.ref} --by NAME"
        raise CorpusDamaged(f"{path} is gone", hint=hint)
    try:
        if digest_of_file(body) != standing.proposal:
            raise ValueError("it is not as it was written")
        fields: dict[str, Any] = orjson.loads(body)
        plan = Plan(**{name: fields[name] for name in Plan.__slots__})
        return replace(plan, reasons=tuple(plan.reasons))
    except _STRANGE as error:
        hint = f"move it away; then make it again: aicx review promote {record.ref} --by NAME"
        raise CorpusDamaged(f"{path} was changed by another hand: {error}", hint=hint) from error


def read_file(layout: Layout, record: Record) -> bytes | None:
    """Returns the file as it is; None where there is none. Raises CorpusDamaged where it cannot be read."""
    path = layout.memory / proposal_of(record)
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CorpusDamaged(f"{path} cannot be read: {error.strerror}", hint="move it away") from error


def digest_of_file(body: bytes) -> str:
    return sha256(body).hexdigest()[:32]


def now_ready(plan: Plan, target: Target, record: Record) -> Plan:
    """``plan`` with what it is worth now: ``stale`` once its file is another than the one that it was made for."""
    if not target.usable:
        return replace(plan, readiness="blocked", reasons=target.reasons)
    if find_block(target.text or "", record).presence == "present":
        return replace(plan, readiness="safe", reasons=("present",))
    if target.sha256 != plan.sha256:
        return replace(plan, readiness="stale", reasons=("target_changed",))
    return plan


def steps_of(plan: Plan, ref: str) -> list[str]:
    """Lists what a person does by hand; nothing where there is nothing to apply."""
    if plan.readiness == "blocked":
        return []
    verify = f"aicx review verify-apply {ref}"
    if plan.readiness == "stale":
        return [f"aicx review promote {ref} --by NAME makes the patch anew for the file as it is"]
    if "present" in plan.reasons:
        return [verify]
    plain = "" if plan.context else " --unidiff-zero"
    return [
        f"read the patch: aicx review apply-prep {ref}",
        f"apply it at the top of the repository: aicx review apply-prep {ref} --patch | git apply{plain}",
        f"or put the block into {plan.target} by hand, with its markers",
        verify,
    ]
