"""The state of both indexes, and what the manifest tells of the vector index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.engine.embedder_choice import Choice, default_choice, recorded_choice
from aicx.engine.index_answer import IndexAnswer, VectorIndex, WordIndex
from aicx.engine.index_manifest import chunks_behind, documents_behind, folder_size, lexical_freshness, read_manifest
from aicx.engine.vector_files import FIX, recorded_address, require_sound_vectors, table_folder, table_of
from aicx.errors import NotFound
from aicx.panics import panics_as_damage
from aicx.values import dataclass
from retrieval.mapped import open_copy

if TYPE_CHECKING:
    from indexer.vector_table import TableStatus


@dataclass(frozen=True, slots=True)
class VectorState:
    """The state of the index: what it was made with, what it holds, and how many chunks it is behind.

    ``size`` is in bytes; None for an index that does not lie in a local folder.
    """

    choice: Choice
    uri: str
    table: TableStatus
    behind: int
    size: int | None = None


def vector_state(settings: Settings) -> VectorState:
    """The state of the vector index. Raises NotFound when there is none."""
    made = manifest_entry(settings)
    address = recorded_address(settings, made)
    with panics_as_damage("the vector index", FIX):
        require_sound_vectors(settings)
        table = held_table(address, table_of(made))
    if table is None:
        raise NotFound("the vector index is gone", hint="aicx index")
    with open_catalog(settings.layout) as opened:
        behind = chunks_behind(made, opened.catalog)
        if behind is None:  # the catalogue was made anew
            behind = documents_behind(table.versions, opened.catalog)
    size = folder_size_of(address, made) if "://" not in address else None
    return VectorState(recorded_choice(made), address, table, behind, size)


def held_table(address: str, table: str) -> TableStatus | None:
    """Returns a table's status, or None where there is none: from its mapped copy if it has one, without LanceDB."""
    from indexer.vector_table import Location, status_of, table_status

    folder = table_folder(address, table)
    copy = open_copy(folder) if folder else None
    if copy is None:
        return table_status(Location(address, table))
    return status_of(copy.metadata, copy.count(), copy.versions(), copy.dimensions)


def folder_size_of(address: str, made: Mapping[str, Any]) -> int:
    """Bytes of the local table that a manifest tells of."""
    folder = table_folder(address, table_of(made)) if made else None
    return folder_size(folder) if folder else 0


def lexical_state(settings: Settings) -> WordIndex:
    """The state of the BM25 index. Raises NotFound when nothing is stored yet."""
    with open_catalog(settings.layout) as opened:
        found = lexical_freshness(settings.layout, opened.catalog)
    return WordIndex(*found, folder_size(settings.layout.lexical_index))


def made_with(settings: Settings) -> Choice:
    """Returns the choice that the vector index is embedded with; the default for this corpus where there is none.

    For an index of a former release that is the packaged model: its own needs torch to be made again.
    """
    made = read_manifest(settings.layout).get("vectors", {})
    if "embedder" in made:
        return recorded_choice(made).renewed
    with open_catalog(settings.layout) as opened:
        [row] = opened.catalog.rows("SELECT count(*) AS chunks FROM chunks WHERE ignored=0")
    return default_choice(row["chunks"])


def manifest_entry(settings: Settings) -> dict[str, Any]:
    """Returns the manifest's entry of the vector index. Raises NotFound where there is none."""
    made = read_manifest(settings.layout).get("vectors", {})
    if not {"embedder", "uri"} <= made.keys():
        raise NotFound("there is no vector index", hint="aicx index")
    return made


def index_answer(words: WordIndex, meaning: VectorState | None) -> IndexAnswer:
    if meaning is None:
        return IndexAnswer(words, False, None)
    table = meaning.table
    vectors = VectorIndex(
        embedder=meaning.choice.kind,
        model=table.model,
        uri=meaning.uri,
        passages=table.rows,
        chunks=len(table.versions),
        behind=meaning.behind,
        dimensions=table.dimensions,
        bytes=meaning.size,
    )
    return IndexAnswer(words, True, vectors)
