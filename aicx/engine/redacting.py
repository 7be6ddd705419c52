"""Applies the redaction rules of today to the corpus, and makes the indexes follow."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import nullcontext

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.forget.redact_again import Redaction, finish, redact_again
from aicx.engine.damage import table_folder
from aicx.engine.index_manifest import read_manifest, write_manifest
from aicx.engine.lexical_index import refresh_lexical
from aicx.storage.checksums import changing, withdraw
from aicx.storage.lock import writer_lock

Say = Callable[[str], None]


def redact_store(settings: Settings, tell: Callable[[int, int], None], say: Say) -> Redaction:
    """Redacts everything stored; what an earlier call left undone is finished. ``tell`` hears of sessions.

    Raises StoreLocked or StoreUnwritable, and an AicxError when an index cannot be reached: then the same call goes on.
    """
    report = redact_again(settings, tell, say)
    if settings.layout.redacting.exists():
        _erase_vectors(settings, say, report)
        _rebuild_lexical(settings, say)
        finish(settings, say)
    return report


def _erase_vectors(settings: Settings, say: Say, report: Redaction) -> None:
    """Takes the passages of every chunk that changed out of the vector index; `aicx index` embeds the new ones."""
    layout = settings.layout
    made = read_manifest(layout).get("vectors", {})
    if not made:
        return
    from aicx.engine.vector_index import drop_vectors
    from aicx.engine.vector_place import TABLE, present_address
    from indexer.vector_table import Location, erase_documents

    with open_catalog(layout) as opened:
        # Numbers of another catalogue say nothing of what changed.
        known = made.get("catalog") == opened.catalog.identity
        changed, gone = opened.catalog.changes_since(int(made.get("sequence") or 0))
    if not known:
        drop_vectors(settings, say)
        report.notes.append("the vector index was of another catalogue and is deleted; `aicx index` makes a new one")
        return
    with writer_lock(layout.locks, settings.lock_wait_seconds, say, name="vectors"):
        address = present_address(settings)
        if address is None:
            return
        with changing(folder) if (folder := table_folder(address)) else nullcontext():
            erase_documents(Location(address, TABLE), lambda held: [*changed, *gone])
    if changed:
        report.notes.append("changed chunks are searched by their words alone until `aicx index` has run")


def _rebuild_lexical(settings: Settings, say: Say) -> None:
    """Builds the BM25 index anew: one that only replaces documents keeps their words until it is merged."""
    layout = settings.layout
    with writer_lock(layout.locks, settings.lock_wait_seconds, say, name="lexical"):
        write_manifest(layout, "lexical", None)
        withdraw(layout.lexical_index)
        shutil.rmtree(layout.lexical_index, ignore_errors=True)
    refresh_lexical(settings, say)
