"""Files what is stored by today's evidence: what a person decides about a repository takes effect at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.rebuild import with_catalog
from aicx.corpus.catalog.summary import ignore_matcher
from aicx.corpus.files.tombstones import Tombstones, read_tombstones
from aicx.corpus.files.writer import drop_empty_folders
from aicx.corpus.ingest.filing import Filing, file_again
from aicx.corpus.ingest.publishing import Publisher
from aicx.corpus.places.places import FolderDecisions, load_decisions, save_decisions
from aicx.corpus.places.siblings import FolderHistory
from aicx.corpus.places.stored import find_histories, open_places, withdraw_filed, write_claims
from aicx.paths import Layout
from aicx.storage.lock import writer_lock


def decide(
    settings: Settings, change: Callable[[FolderDecisions, Catalog], FolderDecisions], notify: Callable[[str], None]
) -> Filing:
    """Records the decisions that ``change`` makes of those in force, and moves the chunks that they concern.

    The decision is on disk first: after a kill the next `store` moves the rest. Raises what ``change`` raises, before
    anything is written, and StoreLocked or StoreUnwritable.
    """
    layout = settings.layout

    def work(catalog: Catalog) -> Filing:
        ignore_matcher(layout)  # a bad line in it stops this before it does anything
        before = load_decisions(layout.projects)
        decisions = change(before, catalog)
        if decisions != before:
            save_decisions(layout.projects, decisions)
        return file_stored(settings, catalog, decisions)

    with writer_lock(layout.locks, settings.lock_wait_seconds, notify):
        return with_catalog(layout, notify, work)


def file_stored(settings: Settings, catalog: Catalog, decisions: FolderDecisions) -> Filing:
    """Moves every stored chunk to where the evidence and ``decisions`` put it, and records why; commits.

    The caller holds the writer lock. A kill leaves the rest to the next `store`.
    """
    layout = settings.layout
    publisher = Publisher(layout, catalog, [])
    catalog.begin()
    withdraw_filed(catalog)
    tombstones = read_tombstones(layout.tombstones)
    filing = settle(layout, catalog, settings.user_home, decisions, tombstones, publisher, {})
    publisher.publish_last(catch_up=False)
    drop_empty_folders(layout, filing.left)
    return filing


def settle(
    layout: Layout,
    catalog: Catalog,
    user_home: Path,
    decisions: FolderDecisions,
    tombstones: Tombstones,
    publisher: Publisher,
    read: Mapping[str, FolderHistory],
) -> Filing:
    """Moves every stored chunk to where the evidence and ``decisions`` put it, and records why, until nothing is left.

    Only what the catalogue holds counts, as for everything that asks later: a second look finds nothing to move. The
    histories in common are recorded there too, and ``read`` adds the traces of logs that were just read to them. What
    is to be moved has to be on disk; inside the caller's transaction.
    """
    places = open_places(catalog, user_home, decisions)
    siblings = find_histories(places, catalog, read)
    filing = file_again(layout, catalog, places, publisher.writer, tombstones, publisher.publish_and_begin)
    write_claims(places, catalog, siblings, decisions)
    return filing
