"""The share as a holder of people's text: what `forget` takes out of the corpus leaves the share too."""

from __future__ import annotations

from datetime import UTC, datetime

from aicx.config import Settings
from aicx.engine.holders import Holder, Notify
from aicx.share.membership import find_membership
from aicx.text import plural


class _Share(Holder):
    name = "share"
    noun = "session"
    own = frozenset({"share.json", "share-lease.json", "share"})

    def refresh(self, settings: Settings, notify: Notify) -> None:
        membership = find_membership(settings.layout)
        if membership is None:
            return
        from aicx.share.leaving import follow_forget  # imported here: most homes are part of no share

        taken, failed = follow_forget(settings, membership, datetime.now(UTC))
        if failed is not None:
            notify(f"the share was not reached, and may still have what is forgotten: {failed}")
            notify("the next aicx share push takes it out")
        elif taken:
            notify(f"{plural(taken, 'session')} taken out of the share")


HOLDER = _Share()
