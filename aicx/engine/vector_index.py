"""The opt-in half of the engine: making the vector index and deleting it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.views import NUMBER_COLUMNS, TEXT_COLUMNS, load_document
from aicx.engine.embedder_choice import (
    Choice,
    Notify,
    announcement,
    calibrate_noise,
    model_of,
    prepare_embedder,
    recorded_choice,
    to_manifest,
)
from aicx.engine.index_manifest import chunks_behind, read_manifest, write_manifest
from aicx.engine.vector_files import (
    TABLES,
    InAnotherHome,
    chosen_address,
    present_address,
    recorded_address,
    table_folder,
    table_of,
    to_record,
)
from aicx.engine.vector_state import folder_size_of, manifest_entry
from aicx.errors import CorpusDamaged, NotFound, UsageError
from aicx.panics import panics_as_damage
from aicx.paths import Layout
from aicx.storage.derived import changing, find_damage, is_recorded, sound_files, withdraw
from aicx.storage.lock import writer_lock
from aicx.types import Document
from aicx.values import dataclass
from retrieval.embedders import Embedder
from retrieval.mapped import MappedTable, open_copy

if TYPE_CHECKING:
    from indexer.vectors import ReportsProgress, Synced, Upkeep, VectorIndexWriter


# Columns with few values get an index of their own.
_KEYWORDS = ("agent", "kind", "project", "lane")
_ANEW = "aicx index --rebuild"


def build_vectors(
    settings: Settings,
    choice: Choice,
    *,
    rebuild: bool,
    on_progress: Callable[[ReportsProgress], None],
    notify: Notify,
    download: bool = False,
    full: bool = False,
    upkeep: Upkeep | None = None,
    windows: tuple[int, int, int] | None = None,
) -> Synced:
    """Embeds what the vector index lacks and drops what is gone. May be killed at any moment and run again.

    An index of another model or with other windows is made in another place, and the present one answers until it is
    whole. A damaged index is made again from its sound parts, and only the rest is embedded; ``full`` looks for damage
    in every byte. ``windows``, as `model_of` takes them, are for measuring.

    ``download`` lets sentence-transformers fetch a model that is not on this machine; nothing else goes out.

    Raises MissingExtra when the optional parts are not installed, UsageError when the index was made with another
    model and ``rebuild`` does not say to start over.
    """
    layout = settings.layout
    with (
        writer_lock(layout.locks, settings.lock_wait_seconds, notify, name="vectors"),
        open_catalog(layout) as opened,
    ):
        catalog = opened.catalog
        before = read_manifest(layout).get("vectors", {})
        if "embedder" in before and recorded_choice(before) != choice and not rebuild:
            if recorded_choice(before).renewed != choice:
                raise UsageError(
                    f"the vector index was made with {recorded_choice(before)}, not with {choice}",
                    hint="aicx index --rebuild makes it anew; without --embedder and --model it goes on as it is",
                )
            notify(f"the vector index was made with the {choice} model of a former release; embedding it again")
            rebuild = True
        corpus = _Corpus.of(layout, catalog)
        address = chosen_address(settings)
        serving = before if present_address(settings) is not None else {}
        if rebuild or not serving or chunks_behind(serving, catalog):
            from indexer.vector_table import import_ahead

            import_ahead()
        embedder = prepare_embedder(settings, choice, notify, download=download, full=full)
        table = _table(embedder, address, serving, upkeep, notify, windows, rebuild=rebuild)
        _announce(choice, table, corpus, folder_size_of(address, serving), notify)
        made = _record(layout, catalog, choice, address, table)

        recorded = bool(serving)

        def begun(progress: ReportsProgress) -> None:
            nonlocal recorded
            # Where nothing answers yet, what is there of the new index does, also for whoever comes after a kill.
            if progress.done and not recorded:
                write_manifest(layout, "vectors", made | {"sequence": 0})
                recorded = True
            on_progress(progress)

        synced = _sync(table, address, corpus, begun, notify, full=full)
        write_manifest(layout, "vectors", _record(layout, catalog, choice, address, table, corpus.sequence))
        _drop_tables(address, set(TABLES) - {table.name})
        return synced


@dataclass(frozen=True, slots=True)
class _Corpus:
    """The chunks that belong into the index: their versions, and how they are read."""

    versions: Mapping[str, str]
    fetch: Callable[[Sequence[str]], Iterator[Document]]
    sequence: int

    @classmethod
    def of(cls, layout: Layout, catalog: Catalog) -> _Corpus:
        sequence = catalog.sequence
        rows = catalog.rows("SELECT id, content_sha256 FROM chunks WHERE ignored=0 ORDER BY id")
        versions = {row["id"]: row["content_sha256"] for row in rows}

        def fetch(ids: Sequence[str]) -> Iterator[Document]:
            for chunk_id in ids:
                path = catalog.path_of(chunk_id)
                document = load_document(layout, path) if path else None
                if document is not None:
                    yield replace(document, version=versions[chunk_id])

        return cls(versions, fetch, sequence)


@dataclass(slots=True)
class _Table:
    """The index's table while it is made. ``anew``: beside the one that answers, if there is one."""

    name: str
    embedder: Embedder
    index: VectorIndexWriter
    anew: bool
    near: float | None
    make_before: object


def _table(
    embedder: Embedder,
    address: str,
    serving: Mapping[str, Any],
    upkeep: Upkeep | None,
    notify: Notify,
    windows: tuple[int, int, int] | None,
    *,
    rebuild: bool,
) -> _Table:
    """The table that is to be made, or to be brought up to date."""
    from indexer.vector_table import Columns, Location
    from indexer.vectors import VectorIndexWriter

    columns = Columns(TEXT_COLUMNS, NUMBER_COLUMNS, _KEYWORDS)
    name = table_of(serving)
    index = VectorIndexWriter(Location(address, name), columns, model_of(embedder, windows), upkeep)
    beside = bool(serving) and (rebuild or (_mapped(index, table_folder(address, name)) is None and _is_former(index)))
    if beside:
        name = next(table for table in TABLES if table != name)
        index = VectorIndexWriter(Location(address, name), columns, model_of(embedder, windows), upkeep)
        if not rebuild:
            notify("the vector index has the passages of a former release; it answers until the new one is whole")
    anew = not serving or beside
    return _Table(name, embedder, index, anew, None if anew else serving.get("near"), serving.get("make"))


def _mapped(index: VectorIndexWriter, folder: Path | None) -> MappedTable | None:
    """The mapped copy of a table of this make; None where there is none.

    Where nothing is to be done it says so without LanceDB, whose import takes longer than all the rest.
    """
    copy = open_copy(folder) if folder else None
    return copy if copy and index.has_made(copy.columns, copy.metadata) else None


def _is_former(index: VectorIndexWriter) -> bool:
    try:
        return index.standing() == "former"
    except CorpusDamaged:
        return False


def _sync(
    table: _Table,
    address: str,
    corpus: _Corpus,
    progress: Callable[[ReportsProgress], None],
    notify: Notify,
    *,
    full: bool,
) -> Synced:
    """Brings the table up to date, and says how near chance comes there."""
    from indexer.vectors import Synced

    index, versions = table.index, corpus.versions
    folder = table_folder(address, table.name)
    damage = find_damage(folder, full=full) if folder and not table.anew else None
    copy = _mapped(index, folder) if folder and not table.anew and damage is None and is_recorded(folder) else None
    held = copy.versions() if copy else None
    if held == versions and table.near is not None:
        return Synced(added=0, changed=0, removed=0, unchanged=len(versions), passages=0, seconds=0.0)
    sound = sound_files(folder) if folder and damage else set()
    with changing(folder) if folder else nullcontext(), panics_as_damage("the vector index", _ANEW):
        if folder is not None and damage:
            notify(f"the vector index is damaged: {damage}; embedding again what is lost")
            kept = index.begin_again(folder, sound if table.make_before == index.make else (), versions)
            notify(f"{kept} of {len(versions)} chunks are kept")
        again = table.anew and not _goes_on(index)
        synced = index.sync(versions, corpus.fetch, rebuild=again, held=held, progress=progress)
        if table.near is None or synced.added + synced.changed > len(versions) // 10:
            table.near = calibrate_noise(address, table.embedder, table.name)
    return synced


def _goes_on(index: VectorIndexWriter) -> bool:
    """Whether nothing is in the way: no table, or one that a killed run left and this one can continue."""
    try:
        return index.standing() in ("absent", "same")
    except CorpusDamaged:
        return False


def _record(
    layout: Layout, catalog: Catalog, choice: Choice, address: str, table: _Table, sequence: int = 0
) -> dict[str, Any]:
    """The manifest's entry for the index."""
    return {
        "catalog": catalog.identity,
        "sequence": sequence,
        **to_manifest(choice),
        "uri": to_record(layout, address),
        "table": table.name,
        "make": table.index.make,
        "near": table.near,
    }


def _announce(choice: Choice, table: _Table, corpus: _Corpus, present: int, notify: Notify) -> None:
    """Says what an index that is made anew will cost, measured on a few chunks, beside what there is."""
    from indexer.estimate import SAMPLE_DOCUMENTS, estimate_cost

    total = len(corpus.versions)
    # An endpoint is not asked for the sake of an estimate: it may allow few requests a minute.
    if not table.anew or not total or choice.kind == "http":
        return
    sample = list(corpus.fetch(list(corpus.versions)[:: -(-total // SAMPLE_DOCUMENTS)]))
    if sample:
        cost = estimate_cost(sample, total, model_of(table.embedder))
        for line in announcement(choice, total, cost, present, table.embedder.gpu):
            notify(line)


def drop_vectors(settings: Settings, notify: Notify) -> None:
    """Deletes the vector index; the corpus and the BM25 index stay."""
    layout = settings.layout
    with writer_lock(layout.locks, settings.lock_wait_seconds, notify, name="vectors"):
        made = manifest_entry(settings)
        # Gone already, or never this home's own: all that is left is to forget that there was one.
        with suppress(InAnotherHome):
            _drop_tables(recorded_address(settings, made), TABLES)
        write_manifest(layout, "vectors", None)


def _drop_tables(address: str, tables: Iterable[str]) -> None:
    from indexer.vector_table import Location, drop_table

    for table in tables:
        with suppress(NotFound):
            drop_table(Location(address, table))
        if folder := table_folder(address, table):
            withdraw(folder)
