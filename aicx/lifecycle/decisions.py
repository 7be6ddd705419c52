"""Decisions that a session states with a reason become proposed records of the memory; a person decides on them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from aicx.config import Settings
from aicx.errors import AicxError
from aicx.lifecycle.identity import NOBODY, Asker
from aicx.memory.proposing import Draft, propose
from aicx.memory.reading import find_scope
from aicx.memory.record import Source

_REASON = re.compile(
    r"\b(?:because|since|so that|in order to|due to|as it|as they|otherwise|to avoid|to keep)\b", re.IGNORECASE
)


def propose_decisions(
    settings: Settings,
    folder: Path,
    asker: Asker,
    decisions: Sequence[str],
    evidence: Sequence[str],
    now: datetime,
    notify: Callable[[str], None],
) -> tuple[list[str], list[str]]:
    """The references of the records that those decisions became that give a reason, and notes on those that did not."""
    reasoned = [text for text in decisions if _REASON.search(text)]
    without = [
        f"not proposed to the memory, because it gives no reason: {text}" for text in decisions if text not in reasoned
    ]
    if not reasoned:
        return [], without
    source = Source("human" if asker.agent == NOBODY else "assistant", agent=asker.agent, session=asker.session)
    try:
        scope = find_scope(settings, folder)
        drafts = [
            Draft(text, "decision", source=source, repository=scope.repository, evidence=evidence, by=asker.agent)
            for text in reasoned
        ]
        return [made.record.ref for made in propose(settings, scope, drafts, now, notify)], without
    except AicxError as error:  # the end of the session is kept all the same
        return [], [*without, f"decisions were not proposed: {error.message}"]
