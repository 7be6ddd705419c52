"""Applies the redaction rules of today to the corpus, and makes everything derived from it follow."""

from __future__ import annotations

from collections.abc import Callable

from aicx.config import Settings
from aicx.corpus.forget.redact_again import Redaction, finish, redact_again
from aicx.engine.holders import Notify, load_holders


def redact_store(settings: Settings, on_progress: Callable[[int, int], None], notify: Notify) -> Redaction:
    """Redacts everything stored; what an earlier call left undone is finished. ``tell`` hears of sessions.

    Raises StoreLocked or StoreUnwritable, and an AicxError when an index cannot be reached: then the same call goes on.
    """
    holders = load_holders()
    report = redact_again(settings, on_progress, notify, holders)
    for holder in holders:
        holder.redact_own(settings, notify, report)
    if settings.layout.redacting.exists():
        for holder in reversed(holders):
            holder.redact(settings, notify, report)
        finish(settings, notify)
    return report
