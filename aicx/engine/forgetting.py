"""Takes what is forgotten out of the indexes: once the corpus has lost it, also after a kill."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.rebuild import with_catalog
from aicx.corpus.forget.pending import Forgetting, end_forgetting, read_forgetting
from aicx.corpus.forget.run import forget, tidy
from aicx.engine.damage import table_folder
from aicx.engine.index_manifest import manifest_files, read_manifest, write_manifest
from aicx.engine.lexical_index import refresh_lexical
from aicx.engine.vector_place import TABLE, present_address, to_record
from aicx.errors import AicxError, CorpusDamaged, MissingExtra, NotFound
from aicx.paths import Layout
from aicx.storage.atomic import unwritable
from aicx.storage.checksums import changing, record_of, withdraw
from aicx.storage.lock import writer_lock

Say = Callable[[str], None]


def keep_vectors(settings: Settings, say: Say) -> frozenset[str]:
    """The names below ``index/`` that stay when something is forgotten: the vector index and the record of it.

    The caller holds the locks of both indexes. Raises an AicxError when an index at another address cannot be read:
    nothing must seem forgotten that is still there. One of the home's own that cannot be read does not stay.
    """
    from indexer.vector_table import Location, table_status

    layout = settings.layout
    address = present_address(settings)
    if address is None:
        return frozenset()
    try:
        if table_status(Location(address, TABLE)) is None:
            return frozenset()
    except (CorpusDamaged, MissingExtra) as error:
        if to_record(layout, address) is not None:
            raise
        say(_deleted(error))
        return frozenset()
    write_manifest(layout, "lexical", None)
    table = f"{TABLE}.lance"
    return frozenset({*(path.name for path in manifest_files(layout)), table, record_of(Path(table)).name})


def finish_forgetting(settings: Settings, say: Say) -> Forgetting | None:
    """Brings a `forget` to its end that is under way or was killed, all but its record; None when there is none.

    What it had not published is, its passages leave the vector index, the BM25 index is brought up to date and the
    catalogue is overwritten where it was deleted from. May be killed at any moment and run again.
    """
    layout = settings.layout
    begun = read_forgetting(layout)
    if begun is None:
        return None
    if begun.request is not None:
        with suppress(NotFound):  # published just before it was killed
            forget(settings, begun.request, say, partial(keep_vectors, settings, say))
    with (
        writer_lock(layout.locks, settings.lock_wait_seconds, say, name="vectors"),
        writer_lock(layout.locks, settings.lock_wait_seconds, say),
    ):
        begun = read_forgetting(layout)
        if begun is not None:
            with_catalog(layout, say, lambda catalog: _erase(settings, catalog, begun, say))
    if begun is not None:
        refresh_lexical(settings, say)
    return begun


def complete_forgetting(settings: Settings, say: Say) -> bool:
    """Whether there was a killed `forget`, which is finished now."""
    begun = finish_forgetting(settings, say)
    if begun is not None:
        end_forgetting(settings.layout)
    return begun is not None


def _erase(settings: Settings, catalog: Catalog, begun: Forgetting, say: Say) -> None:
    from indexer.vector_table import Location, erase_documents

    layout = settings.layout
    versions = {row["id"]: row["content_sha256"] for row in catalog.rows("SELECT id, content_sha256 FROM chunks")}
    rows = catalog.rows("SELECT id, path FROM chunks")
    rewritten = {row["id"] for row in rows if row["path"] in begun.plan.rewritten}
    left: dict[str, str] = {}

    def unwanted(held: Mapping[str, str]) -> list[str]:
        gone = {name for name in held if name not in versions or (name in rewritten and held[name] != versions[name])}
        left.update((name, version) for name, version in held.items() if name not in gone)
        return sorted(gone)

    address = present_address(settings)
    if address is not None:
        try:
            with changing(folder) if (folder := table_folder(address)) else nullcontext():
                erase_documents(Location(address, TABLE), unwanted)
        except (CorpusDamaged, MissingExtra) as error:
            if to_record(layout, address) is not None:
                raise
            say(_deleted(error))
            _delete_vectors(layout)
        else:
            _follow_rebuild(layout, catalog, left)
    tidy(layout, catalog, begun.plan, say)


def _follow_rebuild(layout: Layout, catalog: Catalog, held: Mapping[str, str]) -> None:
    """After a kill the catalogue may be another one, whose changes the index counts from now on.

    What the index lacks is made the newest change, so that `behind` counts just that.
    """
    made = read_manifest(layout).get("vectors", {})
    if made.get("catalog") == catalog.identity:
        return
    rows = catalog.rows("SELECT id, content_sha256 FROM chunks WHERE ignored=0")
    lacks = [(row["id"],) for row in rows if held.get(row["id"]) != row["content_sha256"]]
    catalog.begin()
    sequence = catalog.sequence
    statement = f"UPDATE chunks SET sequence={catalog.next_sequence} WHERE id=?"
    catalog.connection.executemany(statement, lacks)
    catalog.commit()
    write_manifest(layout, "vectors", made | {"catalog": catalog.identity, "sequence": sequence})


def _delete_vectors(layout: Layout) -> None:
    folder = layout.index_manifest.parent / f"{TABLE}.lance"
    write_manifest(layout, "vectors", None)
    withdraw(folder)
    with suppress(FileNotFoundError):
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise unwritable(folder, error) from error


def _deleted(error: AicxError) -> str:
    return f"the vector index is deleted whole, as it cannot be opened: {error.message} (next: aicx index)"
