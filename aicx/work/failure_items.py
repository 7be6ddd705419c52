"""Failures as every door shows them: the classes of `aicx.api.answers.failures`, made from patterns."""

from __future__ import annotations

from aicx.api.answers.failures import FailureItem, ResolutionItem, TryItem
from aicx.api.fields import taken_from
from aicx.work.failures import Pattern

_SHOWN_SESSIONS = 20


def item_of(pattern: Pattern) -> FailureItem:
    return taken_from(
        pattern.last,
        FailureItem,
        id=pattern.id,
        status=pattern.status,
        occurrences=pattern.occurrences,
        sessions=list(pattern.sessions[:_SHOWN_SESSIONS]),
        first_at=pattern.first_at,
        last_ref=pattern.last.ref,
        resolutions=[taken_from(one, ResolutionItem, by=taken_from(one.by, TryItem)) for one in pattern.resolutions],
        attempts=[taken_from(one, TryItem) for one in pattern.attempts],
    )
