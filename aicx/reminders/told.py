"""`aicx.reminders/1`: what sessions were told unasked, whether they used it, and how it is forgotten."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from typing import Annotated

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.forget.holding import Erasure
from aicx.engine.holders import Holder
from aicx.errors import NotFound
from aicx.evidence import Step, read_steps
from aicx.refs import Ref, session_in
from aicx.regex import searching
from aicx.reminders.ledger import Said, drop, read
from aicx.sources.tools import changes_files
from aicx.text import instant
from aicx.values import dataclass

SCHEMA = "aicx.reminders/1"


@dataclass(frozen=True, slots=True)
class Reminder:
    """One line that a session was told."""

    at: Annotated[str, "when it was told"]
    session: Annotated[str, "reference of the session that was told"]
    lane: Annotated[str, "`prompt`, `command` or `edit`"]
    kind: Annotated[str, "`asked`, `tried`, `decided`, `broken` or `rule`"]
    ref: Annotated[str, "what was told, as `aicx show` opens it"]
    project: Annotated[str, "the repository"]
    used: Annotated[
        bool | None,
        "whether the session then named the reference or its session, or changed a file that had mended the failure;"
        " None where no later message of it is stored",
    ]


@dataclass(frozen=True, slots=True)
class RemindersAnswer:
    """The reminders that sessions were given unasked."""

    items: Annotated[list[Reminder], "the last first"]
    said: Annotated[int, "how many were told in all"]
    by_lane: Annotated[Mapping[str, int], "by lane, how many"]
    used: Annotated[int, "how many of them were used"]
    unused: Annotated[int, "how many were not, although what the session did afterwards is stored"]
    unknown: Annotated[int, "how many of which nothing later is stored"]


def told(settings: Settings, limit: int) -> RemindersAnswer:
    """Every reminder, the last ``limit`` of them one by one."""
    every = read(os.fspath(settings.layout.agents))
    try:
        with open_catalog(settings.layout) as opened:
            steps: dict[tuple[str, str], list[Step]] = {}
            found = [_reminder(one, _used(settings, opened.catalog, one, steps)) for one in every]
    except NotFound:
        found = [_reminder(one, None) for one in every]
    uses = Counter(one.used for one in found)
    lanes = dict(sorted(Counter(one.lane for one in every).items()))
    return RemindersAnswer(found[:limit], len(found), lanes, uses[True], uses[False], uses[None])


def _reminder(one: Said, used: bool | None) -> Reminder:
    session = str(Ref.of_session(one.agent, one.session))
    return Reminder(one.at, session, one.lane, one.kind, one.ref, one.project, used)


def _used(
    settings: Settings, catalog: Catalog, one: Said, read_before: dict[tuple[str, str], list[Step]]
) -> bool | None:
    key = (one.agent, one.session)
    if key not in read_before:
        rows = catalog.rows(
            "SELECT path FROM chunks WHERE agent=? AND session_id=? AND stream='' AND ignored=0 ORDER BY number", key
        )
        read_before[key] = read_steps(settings.layout, [row["path"] for row in rows])[0]
    later = [step for step in read_before[key] if instant(step.at, "seconds") >= one.at]
    if not later:
        return None
    return any(_uses(step, one) for step in later)


def _uses(step: Step, one: Said) -> bool:
    """Whether the agent names what was told or its session, or changes a file that had mended the failure."""
    if step.role != "assistant" and step.phase != "call":
        return False
    if step.phase == "call" and one.kind == "broken" and changes_files(step.tool, step.text):
        return any(path.endswith(file) for path in step.files for file in one.files.splitlines())
    named = session_in(one.ref)
    return one.ref in step.text or (named is not None and named[1] in f"{step.text} {step.command}")


class _Reminders(Holder):
    name = "reminders"
    noun = "reminder"

    def erase(self, erasure: Erasure) -> None:
        plan = erasure.plan
        gone = plan.origins
        matches = searching(plan.pattern) if plan.pattern is not None else None

        def is_forgotten(said: Said) -> bool:
            sessions = (said.agent, said.session), session_in(said.ref)
            if any(session is not None and ":".join(session) in gone for session in sessions):
                return True
            return said.project in plan.projects or (matches is not None and any(map(matches, said)))

        drop(os.fspath(erasure.settings.layout.agents), is_forgotten)


HOLDER = _Reminders()
