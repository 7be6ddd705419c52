"""Brings the catalogue back from the corpus: all of it when it is gone or damaged, a batch after a kill."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from typing import TypeVar

from aicx.corpus.catalog import COMPLETE, DAMAGED, LACKS_SIGHTINGS, LACKS_TURNS, RULES, TITLE_RULES, Catalog
from aicx.corpus.catalog.chunks import put_chunk, put_sightings, remove_chunk
from aicx.corpus.catalog.fields import turn_of
from aicx.corpus.files import Sidecar
from aicx.corpus.files.read import load_markdown, load_sidecar, read_chunk, sidecar_path, walk_chunks
from aicx.errors import CorpusDamaged, NotFound, StoreUnwritable
from aicx.paths import Layout, parse_chunk_name, safe_session
from aicx.storage import derived, unwritable
from aicx.storage.journal import clear_staging, drop_unpublished, play_journal

Notify = Callable[[str], None]
Result = TypeVar("Result")

# What a sidecar with unexpected content can make of recording it.
_STRANGE = (OSError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
_REFUSALS = (
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN),
    *(sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL),
)
_UNSTORABLE = (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError, sqlite3.DataError)


def with_catalog(layout: Layout, notify: Notify, work: Callable[[Catalog], Result]) -> Result:
    """Runs ``work`` on the catalogue, after finishing whatever a killed run left.

    The caller holds the writer lock. A catalogue that turns out to be damaged is rebuilt, and the work done again: it
    is derived, and what was not committed is written again as it was. Raises StoreUnwritable when the disk refuses.
    """
    try:
        try:
            return _work(layout, notify, work)
        except DAMAGED as error:
            if _is_refusal(error):
                raise
            notify(f"{layout.catalog} is damaged ({error}); rebuilding it from the corpus")
            drop_catalog(layout)
            return _work(layout, notify, work)
    except sqlite3.OperationalError as error:
        if not _is_refusal(error):
            raise
        drop_unpublished(layout)
        raise StoreUnwritable(
            f"cannot write {layout.catalog}: {error}", hint="free some space, or check the disk and its permissions"
        ) from error


def _is_refusal(error: Exception) -> bool:
    """Whether the disk or another process refused, rather than the database being wrong in itself."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in _REFUSALS  # the upper bits say more of the same


def _work(layout: Layout, notify: Notify, work: Callable[[Catalog], Result]) -> Result:
    catalog = open_or_rebuild(layout, notify)
    try:
        recover(layout, catalog, notify)
        return work(catalog)
    finally:
        catalog.rollback()
        catalog.close()


def open_or_rebuild(layout: Layout, notify: Notify) -> Catalog:
    """The catalogue for writing. One that is missing while chunks exist, or damaged, is rebuilt from the sidecars."""
    drop_unpublished(layout)  # first, because on a full disk it makes room for what follows
    if not layout.catalog.exists():
        drop_catalog(layout)  # a write-ahead log without its database
    if layout.forgetting.exists() and (layout.staging / "journal").exists():
        # A killed `forget` had changed the files. The catalogue knows more of what went than its chunks' rows: titles
        # and folders learned from it. So it is made of what is left.
        with suppress(CorpusDamaged):  # which `recover` goes on to tell
            play_journal(layout)
        drop_catalog(layout)
    try:
        return _complete(layout, Catalog.open_for_writing(layout.catalog), notify)
    except CorpusDamaged as error:
        notify(f"{error.message}; rebuilding it from the corpus")
    drop_catalog(layout)
    return _complete(layout, Catalog.open_for_writing(layout.catalog), notify)


def _complete(layout: Layout, catalog: Catalog, notify: Notify) -> Catalog:
    try:
        if catalog.meta(COMPLETE) is None:
            rebuild(layout, catalog, notify)
            return catalog
        if catalog.meta(LACKS_SIGHTINGS) is not None:
            _fill_sightings(layout, catalog, notify)
        if catalog.meta(LACKS_TURNS) is not None:
            _fill_turns(layout, catalog)
    except BaseException:
        catalog.close()
        raise
    return catalog


def drop_catalog(layout: Layout) -> None:
    for suffix in ("", "-wal", "-shm", derived.SUFFIX):
        path = layout.catalog.with_name(layout.catalog.name + suffix)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(path, error) from error


def rebuild(layout: Layout, catalog: Catalog, notify: Notify) -> int:
    """Records every chunk of the store; returns how many. A damaged sidecar is named and passed over."""
    paths = list(walk_chunks(layout))
    if paths:
        notify(f"rebuilding the catalogue from {len(paths)} chunks")
    catalog.begin()
    count = index_chunks(layout, catalog, paths, notify)
    # Last, so that a rebuild that was killed is done again and no reader takes a part for the whole.
    catalog.set_meta(COMPLETE, "yes")
    catalog.set_meta(TITLE_RULES, RULES)
    catalog.commit()
    return count


def _fill_sightings(layout: Layout, catalog: Catalog, notify: Notify) -> None:
    """Records what the stored chunks show of commits. What one lacks is left out; `doctor` names damaged ones."""
    rows = catalog.rows("SELECT rowid, path FROM chunks")
    notify(f"looking for commits in {len(rows)} stored chunks, once")
    catalog.begin()
    for row in rows:
        with suppress(CorpusDamaged, NotFound, *_STRANGE):
            stored = read_chunk(layout, row["path"])
            put_sightings(catalog, row["rowid"], stored.sidecar.fields, stored.markdown)
    catalog.connection.execute("DELETE FROM meta WHERE name=?", (LACKS_SIGHTINGS,))
    catalog.commit()


def _fill_turns(layout: Layout, catalog: Catalog) -> None:
    """Records how each stored chunk goes on with a turn; of what cannot be read, its sidecar is asked in time."""
    rows = catalog.rows("SELECT rowid, path FROM chunks WHERE turn IS NULL")
    catalog.begin()
    for row in rows:
        with suppress(CorpusDamaged, NotFound, *_STRANGE):
            turn = turn_of(load_sidecar(layout, row["path"]).fields)
            catalog.connection.execute("UPDATE chunks SET turn=? WHERE rowid=?", (turn, row["rowid"]))
    catalog.connection.execute("DELETE FROM meta WHERE name=?", (LACKS_TURNS,))
    catalog.commit()


def recover(layout: Layout, catalog: Catalog, notify: Notify) -> None:
    """Finishes what a killed run had begun to publish, and clears what it had only staged."""
    try:
        journal = play_journal(layout)
    except CorpusDamaged as error:
        # What it named and was not placed yet comes from the logs again: their watermarks were not set.
        notify(f"{error.message}; leaving it out")
        clear_staging(layout)
        return
    if journal.placed or journal.removals:
        notify(f"finishing an interrupted run ({len(journal.placed) + len(journal.removals)} files)")
        catalog.begin()
        for path in journal.removals:
            for row in catalog.rows("SELECT id FROM chunks WHERE path=?", (path,)):
                remove_chunk(catalog, row["id"])
        placed = journal.placed - {layout.tombstones.name}
        chunks = {path.removesuffix(".meta.json").removesuffix(".md") + ".md" for path in placed}
        index_chunks(layout, catalog, sorted(chunks), notify)
        catalog.commit()
    clear_staging(layout)


def index_chunks(layout: Layout, catalog: Catalog, paths: Iterable[str], notify: Notify) -> int:
    """Records the named chunks from their sidecars, inside the caller's transaction; returns how many.

    What a sidecar holds costs at most its own chunk: nothing of one that is left out stays behind.
    """
    count = 0
    for path in paths:
        catalog.connection.execute("SAVEPOINT adopted")
        try:
            sidecar = load_sidecar(layout, path)
            _check_name(path, sidecar)
            markdown = load_markdown(layout, path)
            digest = sha256(layout.inside(sidecar_path(path)).read_bytes()).hexdigest()
            put_chunk(catalog, dict(sidecar.fields), path, digest, markdown)
        except (CorpusDamaged, NotFound) as error:
            catalog.connection.execute("ROLLBACK TO adopted")
            notify(f"left out: {error.message}")
        except (*_STRANGE, *_UNSTORABLE) as error:
            catalog.connection.execute("ROLLBACK TO adopted")
            notify(f"left out: {path}: {type(error).__name__}: {error}")
        else:
            count += 1
        catalog.connection.execute("RELEASE adopted")
    return count


def _check_name(path: str, sidecar: Sidecar) -> None:
    """A sidecar that was put beside another chunk must not take that one's place."""
    stream = f"~{sidecar.stream}" if sidecar.stream else ""
    named = parse_chunk_name(path.rpartition("/")[2])
    if named is None or named[1:] != (sidecar.agent, f"{safe_session(sidecar.session_id)}{stream}", sidecar.number):
        raise CorpusDamaged(f"{sidecar_path(path)} is the sidecar of {sidecar.id}")
