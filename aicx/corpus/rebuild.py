"""Brings the catalogue back from the corpus: all of it when it is gone or damaged, a batch after a kill."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256

from aicx.corpus.catalog import Catalog
from aicx.corpus.read import load_sidecar, sidecar_path, walk_chunks
from aicx.corpus.writer import clear_staging, play_journal
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import Layout

# Set by the first rebuild that ran to its end, so that one that was killed is done again.
_COMPLETE = "complete"

Say = Callable[[str], None]


def open_or_rebuild(layout: Layout, say: Say) -> Catalog:
    """The catalogue for writing. One that is missing while chunks exist, or damaged, is rebuilt from the sidecars."""
    if not layout.catalog.exists():
        drop_catalog(layout)  # a write-ahead log without its database
    try:
        catalog = Catalog.open_for_writing(layout.catalog)
    except CorpusDamaged as error:
        say(f"{error.message}; rebuilding it from the corpus")
        drop_catalog(layout)
        catalog = Catalog.open_for_writing(layout.catalog)
    if catalog.meta(_COMPLETE) is None:
        rebuild(layout, catalog, say)
    return catalog


def drop_catalog(layout: Layout) -> None:
    for suffix in ("", "-wal", "-shm"):
        layout.catalog.with_name(layout.catalog.name + suffix).unlink(missing_ok=True)


def rebuild(layout: Layout, catalog: Catalog, say: Say) -> int:
    """Records every chunk of the store; returns how many. A damaged sidecar is named and passed over."""
    paths = list(walk_chunks(layout))
    if paths:
        say(f"rebuilding the catalogue from {len(paths)} chunks")
    catalog.begin()
    count = adopt(layout, catalog, paths, say)
    catalog.set_meta(_COMPLETE, "yes")
    catalog.commit()
    return count


def recover(layout: Layout, catalog: Catalog, say: Say) -> None:
    """Finishes what a killed run had begun to publish, and clears what it had only staged."""
    placed = play_journal(layout)
    if placed:
        say(f"finishing an interrupted run ({len(placed)} files)")
        catalog.begin()
        chunks = {path.removesuffix(".meta.json").removesuffix(".md") + ".md" for path in placed}
        adopt(layout, catalog, sorted(chunks), say)
        catalog.commit()
    clear_staging(layout)


def adopt(layout: Layout, catalog: Catalog, paths: Iterable[str], say: Say) -> int:
    """Records the named chunks from their sidecars, inside the caller's transaction; returns how many."""
    count = 0
    for path in paths:
        try:
            sidecar = load_sidecar(layout, path)
            size = layout.chunk(path).stat().st_size
            digest = sha256(layout.chunk(sidecar_path(path)).read_bytes()).hexdigest()
            catalog.put_chunk(dict(sidecar.fields), path, digest, size)
        except (CorpusDamaged, NotFound) as error:
            say(f"left out: {error.message}")
        except (OSError, KeyError, TypeError, ValueError) as error:
            say(f"left out: {path}: {error}")
        else:
            count += 1
    return count
