"""Keeps the BM25 index current with the corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.ingest.workers import map_in_order
from aicx.corpus.views import FIELDS, NUMBER_COLUMNS, TEXT_COLUMNS, load_document
from aicx.engine.index_manifest import (
    LEXICAL_VERSION,
    belongs,
    is_current,
    mend_manifest,
    read_manifest,
    write_manifest,
)
from aicx.errors import AicxError, CorpusDamaged, NotFound
from aicx.panics import panics_as_damage
from aicx.paths import Layout
from aicx.storage.derived import changing, find_damage, is_recorded, is_untouched, renew
from aicx.storage.lock import writer_lock
from aicx.values import batches
from retrieval.analysis import analyze

if TYPE_CHECKING:
    from indexer.lexical import AnalyzedDocument

Notify = Callable[[str], None]
OnProgress = Callable[[int, int, str], None]

# Chunks analysed at a time by one worker, and from how many on workers are worth starting.
_BATCH = 64
_WORTH_WORKERS = 1500


def refresh_in_background(settings: Settings) -> None:
    """`refresh_lexical` beside a long `store`, for what it has published so far. What fails here is done at its end."""
    with suppress(AicxError):
        refresh_lexical(replace(settings, workers=1, lock_wait_seconds=0.0), lambda _: None)


def refresh_lexical(
    settings: Settings, notify: Notify, on_progress: OnProgress = lambda done, total, at: None, *, full: bool = False
) -> int:
    """Brings the BM25 index up to date with the catalogue; returns how many documents were written.

    ``tell`` hears how many documents are done, of how many, and what it is at.

    Built anew when it is missing, damaged, or made by another version or for another catalogue. ``full`` compares it
    with its checksums also where size and times of its files are as they were.
    """
    layout = settings.layout
    mend_manifest(layout)
    catalog = Catalog.open_for_reading(layout.catalog)
    if catalog is None:
        return 0
    try:
        current = is_current(read_manifest(layout).get("lexical", {}), catalog)
        if current and is_untouched(layout.lexical_index) and not _damage(layout, full=full):
            return 0
        with writer_lock(layout.locks, settings.lock_wait_seconds, notify, name="lexical"):
            return _update(settings, catalog, notify, on_progress, full=full)
    finally:
        catalog.close()


def _update(settings: Settings, catalog: Catalog, notify: Notify, on_progress: OnProgress, *, full: bool) -> int:
    layout = settings.layout
    state = read_manifest(layout).get("lexical", {})
    if belongs(state, catalog):
        renew(layout.lexical_index)
        damage = _damage(layout, full=full)
        try:
            if not damage and is_current(state, catalog):
                return 0
            if not damage:
                return _write(settings, catalog, on_progress, since=int(state["sequence"]))
        except CorpusDamaged as error:
            damage = error.message
        notify(f"{damage}; building it anew")
    if state:
        # From here on there is no index until the new one is whole, also for whoever comes after a kill.
        write_manifest(layout, "lexical", None)
    return _write(settings, catalog, on_progress, since=None)


def _write(settings: Settings, catalog: Catalog, on_progress: OnProgress, since: int | None) -> int:
    """Takes in what changed since that change of the catalogue; None makes a new index of everything."""
    from indexer.lexical import LexicalSchema, LexicalWriter

    layout = settings.layout
    sequence = catalog.sequence
    schema = LexicalSchema(FIELDS, TEXT_COLUMNS, NUMBER_COLUMNS)
    changed, gone = catalog.changes_since(since or 0)
    paths = [path for chunk_id in changed if (path := catalog.path_of(chunk_id))]
    tasks = [(layout, some) for some in batches(paths, _BATCH)]
    workers = settings.workers if len(paths) >= _WORTH_WORKERS else 1
    analyzed = map_in_order(_analyze_chunks, tasks, workers)
    with changing(layout.lexical_index), panics_as_damage("the lexical index", "aicx store"):
        writer = LexicalWriter(layout.lexical_index, schema, fresh=since is None)
        count = writer.update(_told(analyzed, len(paths), on_progress), gone)
    built = {"version": LEXICAL_VERSION, "catalog": catalog.identity, "sequence": sequence}
    write_manifest(layout, "lexical", built)
    return count


def _told(batches: Iterable[list[AnalyzedDocument]], total: int, on_progress: OnProgress) -> Iterator[AnalyzedDocument]:
    done = 0
    for batch in batches:
        on_progress(done, total, "search index")
        yield from batch
        done += len(batch)


def _damage(layout: Layout, *, full: bool) -> str | None:
    """Why the index cannot be used; None when it can."""
    from retrieval.lexical import LexicalSearcher

    if not is_recorded(layout.lexical_index):
        return "the lexical index has no checksums yet"
    if reason := find_damage(layout.lexical_index, full=full):
        return f"the lexical index is damaged: {reason}"
    try:
        with panics_as_damage("the lexical index", "aicx store"):
            LexicalSearcher(layout.lexical_index)
    except (CorpusDamaged, NotFound) as error:
        return error.message
    return None


def _analyze_chunks(task: tuple[Layout, Sequence[str]]) -> list[AnalyzedDocument]:
    """Chunks ready for the index; runs in a worker."""
    from indexer.lexical import analyze_document

    layout, paths = task
    loaded = (load_document(layout, path) for path in paths)
    return [analyze_document(document, _terms) for document in loaded if document is not None]


def _terms(text: str) -> tuple[list[str], list[str]]:
    found = analyze(text)
    return found.words, found.names
