"""The record of a `forget` in progress, from which a later process finishes it after a kill.

It holds ids, paths and counts, never what was said, titles among it. The request itself, which may be a pattern, is in
it only as long as everything that it matches is still stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any

import orjson

from aicx.corpus.files.sidecar import FORGOTTEN
from aicx.corpus.files.tombstones import read_tombstones
from aicx.corpus.forget.blanking import Targets
from aicx.corpus.forget.holding import Affected, ForgetPlan, ForgetRequest, TextHolder, plan_forget
from aicx.errors import NotFound
from aicx.paths import Layout
from aicx.storage.atomic import replace_file, unwritable
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class Forgetting:
    """A call of `forget` that was begun; of ``plan`` only what is counted and shown.

    ``request`` is there until the files are published; ``digest`` is of it.
    """

    digest: str
    request: ForgetRequest | None
    plan: ForgetPlan


def record_forgetting(layout: Layout, request: ForgetRequest, plan: ForgetPlan, *, published: bool) -> None:
    """Records it durably: from here on it is to be done, and once it is published, the indexes are to follow."""
    fields: dict[str, Any] = {
        "schema": "aicx.forgetting/1",
        "digest": _digest(request),
        "request": None if published else asdict(request),
        "removed": plan.removed,
        "rewritten": list(plan.rewritten),
        "references": plan.references,
        "sessions": [asdict(replace(affected, title=FORGOTTEN)) for affected in plan.affected.values()],
        "counts": {name: getattr(plan, name) for name in ("blanked", "shortened", "named")},
    }
    replace_file(layout.forgetting, orjson.dumps(fields))


def read_forgetting(layout: Layout) -> Forgetting | None:
    """The call that is under way or was killed; None when there is none. One that cannot be read counts as empty."""
    try:
        fields = orjson.loads(layout.forgetting.read_bytes())
        plan = ForgetPlan(
            removed=list(fields["removed"]),
            rewritten=dict.fromkeys(fields["rewritten"], Targets()),
            references=list(fields["references"]),
            affected={(row["agent"], row["session_id"]): Affected(**row) for row in fields["sessions"]},
            **fields["counts"],
        )
        request = fields["request"]
        return Forgetting(str(fields["digest"]), ForgetRequest(**request) if request else None, plan)
    except FileNotFoundError:
        return None
    except (orjson.JSONDecodeError, LookupError, TypeError):
        return Forgetting("", None, ForgetPlan())


def plan_or_finished(
    layout: Layout, request: ForgetRequest, earlier: Forgetting | None, holders: Sequence[TextHolder]
) -> ForgetPlan:
    """Plans the changes that ``request`` asks for; where none are left, those of ``earlier``, the same call killed.

    Raises as `plan_forget` does, but not for what was forgotten before: asking for that again changes nothing.
    """
    same = earlier if earlier is not None and earlier.digest == _digest(request) else None
    try:
        plan = plan_forget(layout, request, holders)
    except NotFound:
        if same is not None:
            return same.plan
        if _forgotten_before(layout, request):
            return ForgetPlan(before=True)
        raise
    return same.plan if same is not None and plan.empty else plan


def _forgotten_before(layout: Layout, request: ForgetRequest) -> bool:
    known = read_tombstones(layout.tombstones)
    if request.session is not None:
        names = (name for agent, session in known.sessions for name in (session, f"{agent}:{session}"))
        return bool(request.session) and any(name.startswith(request.session) for name in names)
    return request.project is not None and request.project.rstrip("/") in known.projects


def end_forgetting(layout: Layout) -> None:
    try:
        layout.forgetting.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(layout.forgetting, error) from error


def _digest(request: ForgetRequest) -> str:
    return sha256(orjson.dumps(request)).hexdigest()
