"""A task's pack for the hook of an agent: its summary as context, its digest as metadata.

A hook has little time, so the pack is made from what is known already of the last sessions. Those that were not read
yet, the repository map and the memory are left out. So is the whole pack where it took too long, or there is no task.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from aicx.config import Settings
from aicx.errors import AicxError
from aicx.packs.answers import PackNote
from aicx.packs.making import make
from aicx.packs.query import PackLimits, PackQuery, Scope

# Of the 1.7 s that `aicx hook` has for everything; beyond it the pack is left out.
SECONDS = 0.8
BUDGET = 600  # tokens
LIMITS = PackLimits(looked_at=200)
_WAIT = 8  # the part of the time that another process that puts an object may cost
Output = Mapping[str, Any]


def hook_output(
    settings: Settings,
    folder: Path,
    now: datetime,
    *,
    task: str | None = None,
    scope: Scope = "auto",
    budget: int | None = None,
    seconds: float = SECONDS,
    notes: Sequence[PackNote] = (),
) -> Output | None:
    """``{"hookSpecificOutput": {hookEventName, additionalContext, metadata: {task_continuity_artifact}}}``.

    None where there is no task, where the time is over, and for whatever else keeps a pack from being made: a session
    begins without it. The clock of the pack is the beginning of the hour, so that sessions that begin soon after each
    other with nothing changed have the same pack.
    """
    began = time.monotonic()
    settings = replace(settings, lock_wait_seconds=min(settings.lock_wait_seconds, seconds / _WAIT))
    hour = now.replace(minute=0, second=0, microsecond=0)
    try:
        query = PackQuery(folder, hour, task, scope=scope, limits=LIMITS, notes=notes, known_only=True)
        answer = make(settings, "task", query, budget=budget or BUDGET)
    except AicxError:
        return None
    if time.monotonic() - began > seconds:
        return None
    return {
        "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": answer.summary.text,
            "metadata": {"task_continuity_artifact": answer.artifact},
        }
    }
