"""Takes what is forgotten out of everything derived: once the corpus has lost it, also after a kill."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.rebuild import with_catalog
from aicx.corpus.forget.redact_again import Redaction, finish, redact_again
from aicx.corpus.forget.run import Forgetting, end_forgetting, forget, read_forgetting
from aicx.corpus.ingest.publishing import remove_unfinished
from aicx.engine.holders import Notify, load_holders
from aicx.errors import NotFound
from aicx.storage import UNFINISHED, clear_unfinished
from aicx.storage.lock import writer_lock


def settle_interrupted(settings: Settings, notify: Notify) -> None:
    """Clears or finishes what any killed writer left: a half-written file may hold what is to be forgotten."""
    for holder in load_holders():
        holder.settle(settings, notify)
    remove_unfinished(settings.layout)


def finish_forgetting(settings: Settings, notify: Notify) -> Forgetting | None:
    """Brings a `forget` to its end that is under way or was killed, all but its record; None when there is none.

    What it had not published is, and every holder follows: passages leave the vector index, the catalogue is
    overwritten where it was deleted from, the BM25 index is made again. May be killed at any moment and run again.
    """
    layout = settings.layout
    clear_unfinished(layout.locks.glob(f".{layout.forgetting.name}.*{UNFINISHED}"))  # which may hold a pattern
    begun = read_forgetting(layout)
    if begun is None:
        return None
    if begun.request is not None:
        with suppress(NotFound):  # published just before it was killed
            forget(settings, begun.request, notify, load_holders())
    with (
        writer_lock(layout.locks, settings.lock_wait_seconds, notify, name="vectors"),
        writer_lock(layout.locks, settings.lock_wait_seconds, notify),
    ):
        begun = read_forgetting(layout)
        if begun is not None:
            with_catalog(layout, notify, lambda catalog: _follow(settings, catalog, begun, notify))
    if begun is not None:
        for holder in reversed(load_holders()):
            holder.refresh(settings, notify)
    return begun


def complete_forgetting(settings: Settings, notify: Notify) -> bool:
    """Whether there was a killed `forget`, which is finished now."""
    begun = finish_forgetting(settings, notify)
    if begun is not None:
        end_forgetting(settings.layout)
    return begun is not None


def _follow(settings: Settings, catalog: Catalog, begun: Forgetting, notify: Notify) -> None:
    for holder in reversed(load_holders()):
        holder.follow(settings, catalog, begun, notify)


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
