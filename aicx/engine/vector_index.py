"""The opt-in half of the engine: the model, the vector index, and asking it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aicx.config import Settings
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.views.documents import NUMBER_COLUMNS, TEXT_COLUMNS, load_document
from aicx.engine.damage import (
    FIX,
    recorded_table,
    require_sound_vectors,
    table_folder,
)
from aicx.engine.embedder_choice import (
    Choice,
    Notify,
    announcement,
    default_choice,
    embedder_settings,
    prepare_embedder,
    recorded_choice,
    to_manifest,
)
from aicx.engine.index_manifest import chunks_behind, folder_size, lexical_freshness, read_manifest, write_manifest
from aicx.engine.vector_place import TABLE, chosen_address, present_address, recorded_address, to_record
from aicx.errors import NotFound, UsageError
from aicx.panics import panics_as_damage
from aicx.storage.checksums import changing, find_damage, sound_files, withdraw
from aicx.storage.lock import writer_lock
from aicx.types import Candidate, Document
from retrieval.conditions import Condition
from retrieval.embedders import Embedder, open_embedder

if TYPE_CHECKING:
    from indexer.vector_table import Model, TableStatus
    from indexer.vectors import Progress, Synced, Upkeep

# Columns with few values get an index of their own.
_KEYWORDS = ("agent", "kind", "project", "lane")
# Tool output costs five times the embedding and finds nothing more: docs/decisions/static-embedder.md.
_MIN_WEIGHT = 0.5
_ANEW = "aicx index --rebuild"


@dataclass(frozen=True, slots=True)
class VectorState:
    """What the index was made with, what it holds, and how many chunks it is behind (None when that is unknown).

    ``size`` is in bytes; None for an index that does not lie in a local folder.
    """

    choice: Choice
    uri: str
    table: TableStatus
    behind: int | None
    size: int | None = None


def build_vectors(
    settings: Settings,
    choice: Choice,
    *,
    rebuild: bool,
    on_progress: Callable[[Progress], None],
    notify: Notify,
    download: bool = False,
    full: bool = False,
    upkeep: Upkeep | None = None,
) -> Synced:
    """Embeds what the vector index lacks and drops what is gone. May be killed at any moment and run again.

    A damaged index is made again from its sound parts, and only the rest is embedded; ``full`` looks for damage in
    every byte.

    ``download`` lets sentence-transformers fetch a model that is not on this machine; nothing else goes out.

    Raises MissingExtra when the optional parts are not installed, UsageError when the index was made with another
    model and ``rebuild`` does not say to start over.
    """
    from indexer.estimate import SAMPLE_DOCUMENTS, estimate_cost
    from indexer.vector_table import Columns, Location
    from indexer.vectors import VectorIndex

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
        embedder = prepare_embedder(settings, choice, notify, download=download, full=full)
        model = model_of(embedder)
        address = chosen_address(settings)
        index = VectorIndex(Location(address, TABLE), Columns(TEXT_COLUMNS, NUMBER_COLUMNS, _KEYWORDS), model, upkeep)
        folder = table_folder(address)
        sequence = catalog.sequence
        rows = catalog.rows("SELECT id, content_sha256 FROM chunks WHERE ignored=0 ORDER BY id")
        versions = {row["id"]: row["content_sha256"] for row in rows}

        def fetch(ids: Sequence[str]) -> Iterator[Document]:
            for chunk_id in ids:
                path = catalog.path_of(chunk_id)
                document = load_document(layout, path) if path else None
                if document is not None:
                    yield replace(document, version=versions[chunk_id])

        # An endpoint is not asked for the sake of an estimate: it may allow few requests a minute.
        if versions and choice.kind != "http" and (rebuild or present_address(settings) is None):
            names = list(versions)
            sample = list(fetch(names[:: -(-len(names) // SAMPLE_DOCUMENTS)]))
            for line in announcement(choice, len(names), estimate_cost(sample, len(names), model)) if sample else ():
                notify(line)

        damage = find_damage(folder, full=full) if folder else None
        sound = sound_files(folder) if folder and damage else set()
        made: dict[str, Any] = {
            "catalog": catalog.identity,
            "sequence": sequence,
            **to_manifest(choice),
            "uri": to_record(layout, address),
            "make": index.make,
        }

        def begun(progress: Progress) -> None:
            # Once the new table is there it answers with what it has, also for whoever comes after a kill.
            if progress.done == 0 and (rebuild or present_address(settings) is None):
                write_manifest(layout, "vectors", made | {"sequence": 0})
            on_progress(progress)

        with changing(folder) if folder else nullcontext(), panics_as_damage("the vector index", _ANEW):
            if folder is not None and not rebuild and damage:
                notify(f"the vector index is damaged: {damage}; embedding again what is lost")
                kept = index.begin_again(folder, sound if before.get("make") == index.make else (), versions)
                notify(f"{kept} of {len(versions)} chunks are kept")
            synced = index.sync(versions, fetch, rebuild=rebuild, progress=begun)
            written = synced.added + synced.changed
            if before.get("near") is None or before.get("embedder") != choice.kind or written > len(versions) // 10:
                before = {"near": calibrate_noise(address, embedder)}
        write_manifest(layout, "vectors", made | {"near": before["near"]})
        return synced


def model_of(embedder: Embedder) -> Model:
    """An embedder as an index is made with it: what counts little, tool output, is not embedded."""
    from indexer.vector_table import Model

    return Model(
        embedder.name,
        embedder.fingerprint,
        embedder.dimensions,
        embedder.max_tokens,
        embedder.embed,
        embedder.count_tokens,
        _MIN_WEIGHT,
    )


def calibrate_noise(uri: str, embedder: Embedder) -> float | None:
    """How near the nearest passages come to unrelated questions: the 95th percentile of their scores.

    What a ranker by meaning finds is always nearest to something. An answer that no word speaks for has to be nearer
    than this to be one. None for an index without passages.
    """
    from importlib.resources import files
    from statistics import quantiles

    from retrieval.dense import DenseSearcher, Unusable

    text = files("aicx").joinpath("data/unrelated.txt").read_text("utf-8")
    try:
        searcher = DenseSearcher(uri, TABLE, embedder)
        # Embedded together: an endpoint may allow few requests a minute.
        vectors = embedder.embed(_lines(text))
        scores = [found[0].score for vector in vectors if (found := searcher.search_near(vector, [], 1))]
    except Unusable:
        return None
    return round(quantiles(scores, n=20)[-1], 4) if len(scores) > 1 else None


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def vector_state(settings: Settings) -> VectorState:
    """The state of the vector index. Raises NotFound when there is none."""
    from indexer.vector_table import Location, table_status

    made = _made(settings)
    address = recorded_address(settings, made)
    with panics_as_damage("the vector index", FIX):
        require_sound_vectors(settings)
        table = table_status(Location(address, TABLE))
    if table is None:
        raise NotFound("the vector index is gone", hint="aicx index")
    with open_catalog(settings.layout) as opened:
        behind = chunks_behind(made, opened.catalog)
    size = folder_size(Path(address, f"{TABLE}.lance")) if "://" not in address else None
    return VectorState(recorded_choice(made), address, table, behind, size)


@dataclass(frozen=True, slots=True)
class LexicalState:
    """Whether the BM25 index is there, how many chunks it is behind (None when that is unknown), its size in bytes."""

    exists: bool
    behind: int | None
    size: int


def lexical_state(settings: Settings) -> LexicalState:
    """The state of the BM25 index. Raises NotFound when nothing is stored yet."""
    with open_catalog(settings.layout) as opened:
        found = lexical_freshness(settings.layout, opened.catalog)
    return LexicalState(found.exists, found.behind, folder_size(settings.layout.lexical_index))


def drop_vectors(settings: Settings, notify: Notify) -> None:
    """Deletes the vector index; the corpus and the BM25 index stay."""
    from indexer.vector_table import Location, drop_table

    with writer_lock(settings.layout.locks, settings.lock_wait_seconds, notify, name="vectors"):
        made = _made(settings)
        # Gone already, or never this home's own: all that is left is to forget that there was one.
        with suppress(NotFound):
            drop_table(Location(recorded_address(settings, made), TABLE))
        if folder := recorded_table(settings):
            withdraw(folder)
        write_manifest(settings.layout, "vectors", None)


class OpenVectors:
    """The vector index and its model, open. ``near`` is how near chance comes, see `_calibrated`."""

    def __init__(self, settings: Settings) -> None:
        from retrieval.dense import DenseSearcher

        self._made = _made(settings)
        choice = recorded_choice(self._made)
        embedder = open_embedder(choice.kind, embedder_settings(settings, choice))
        self._embedder = embedder
        self._searcher = DenseSearcher(recorded_address(settings, self._made), TABLE, embedder)
        self.near: float | None = self._made.get("near")

    def search(self, text: str, where: Sequence[Condition], limit: int, *, only_known: bool = False) -> list[Candidate]:
        """The documents nearest in meaning. Raises an AicxError with the next step when the index cannot answer.

        ``only_known`` leaves out words that the model only knows in pieces: pieces of nonsense are near to hashes.
        """
        return self._searcher.search(self._embedder.known_words(text) if only_known else text, where, limit)

    def start_of(self, candidate: Candidate) -> tuple[int, int]:
        """Where a candidate's best passage begins: which of the document's parts, and the character there."""
        places = self._searcher.places([candidate])
        place = places.get((candidate.id, candidate.passage))
        return place.start if place else (0, 0)

    def behind(self, catalog: Catalog) -> int | None:
        """How many chunks the index lacks or still has; None when that is unknown."""
        return chunks_behind(self._made, catalog)


def made_with(settings: Settings) -> Choice:
    """What the present vector index is to be embedded with; the default for this corpus where there is none.

    For an index of a former release that is the packaged model: its own needs torch to be made again.
    """
    made = read_manifest(settings.layout).get("vectors", {})
    if "embedder" in made:
        return recorded_choice(made).renewed
    with open_catalog(settings.layout) as opened:
        [row] = opened.catalog.rows("SELECT count(*) AS chunks FROM chunks WHERE ignored=0")
    return default_choice(row["chunks"])


def _made(settings: Settings) -> dict[str, Any]:
    made = read_manifest(settings.layout).get("vectors", {})
    if not {"embedder", "uri"} <= made.keys():
        raise NotFound("there is no vector index", hint="aicx index")
    return made
