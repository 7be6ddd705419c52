"""Keeps a LanceDB table of passages and their vectors in step with the documents it is given.

Each commit holds whole documents, so whoever reads sees every document as it was or as it is, never twice and never in
part, and a run that is killed has lost at most its last batch. What the table was made with is in its own metadata.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from aicx.errors import AicxError, UsageError
from aicx.types import Document
from aicx.values import dataclass
from indexer.mapping import map_table, salvage, unmap
from indexer.passages import EmbeddedPassage, cut
from indexer.vector_table import (
    RESERVED,
    VECTOR_TYPE,
    Columns,
    EmbeddingModel,
    IndexKind,
    Location,
    Standing,
    check_same_make,
    connect,
    create_anew,
    create_table,
    delete_documents,
    held_versions,
    index_column,
    is_absent,
    is_service,
    local_folder,
    open_table,
    optimize,
    sql_list,
    standing,
    table_schema,
)

Fetch = Callable[[Sequence[str]], Iterable[Document]]

# More pieces than this and reading slows down, so they are merged; more old versions, and their files take room.
# `optimize` sees to both, and rewrites the table, so it is not called after every run.
_MAX_FRAGMENTS = _MAX_VERSIONS = 24
# Windows whose vectors are kept in case they come again: some 40 MB.
_MAX_KNOWN = 40_000


@dataclass(frozen=True, slots=True)
class Upkeep:
    """How a table is written and when it is tidied. Defaults come from measurements: docs/decisions/vector-index.md.

    ``documents_at_once`` are cut and embedded together: enough for batches of like length, little enough for a lively
    progress bar. A commit is made when ``commit_passages`` or ``commit_seconds`` is reached: a killed run loses no more
    than this, and each commit is a few files.
    """

    index_rows: int = 12_000  # below, reading every vector is as fast as an index, and exact
    mapped_rows: int = 400_000  # in a local folder up to so many are copied for reading, instead of an index
    grace: timedelta = timedelta(minutes=30)  # for how long what a reader may still be reading is kept
    documents_at_once: int = 64
    commit_passages: int = 8192
    commit_seconds: float = 20.0


@dataclass(frozen=True, slots=True)
class ReportsProgress:
    done: int
    total: int
    passages: int
    seconds: float

    @property
    def rate(self) -> float:
        """Passages a second so far."""
        return self.passages / self.seconds if self.seconds > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Synced:
    """The outcome of one run, in documents, and how many passages it embedded."""

    added: int
    changed: int
    removed: int
    unchanged: int
    passages: int
    seconds: float


class VectorIndexWriter:
    """One table and what it is filled with. One writer at a time: the caller holds a lock."""

    def __init__(
        self, location: Location, columns: Columns, model: EmbeddingModel, upkeep: Upkeep | None = None
    ) -> None:
        taken = sorted({*columns.texts, *columns.numbers} & set(RESERVED))
        if taken:
            raise UsageError(f"The columns {', '.join(taken)} belong to the index itself.")
        self._location = location
        self._columns = columns
        self._model = model
        self._upkeep = upkeep or Upkeep()
        self._schema = table_schema(columns, model)

    @cached_property
    def _database(self) -> Any:
        return connect(self._location)

    def sync(
        self,
        versions: Mapping[str, str],
        fetch: Fetch,
        *,
        rebuild: bool = False,
        held: Mapping[str, str] | None = None,
        progress: Callable[[ReportsProgress], None] = lambda _: None,
    ) -> Synced:
        """Makes the table hold exactly the documents in ``versions``, embedding only those whose version changed.

        ``fetch`` gives the documents for some ids; one it does not give is treated as gone. A table made by another
        model or chunker raises ``OtherModel``, unless ``rebuild`` says to start over. ``held`` are the versions in a
        table that is known to be of this make: where they are known it is opened when the first batch is embedded, as
        a new one is made then. LanceDB takes a second to import, and see `import_ahead`.
        """
        started = time.monotonic()
        table = cache(lambda: self._opened(rebuild=rebuild))
        if rebuild or is_absent(self._location):
            held = {}
        elif held is None:
            held = held_versions(table(), self._location)
        stale = [document_id for document_id, version in versions.items() if held.get(document_id) != version]
        gone = [document_id for document_id in held if document_id not in versions]
        if gone:
            delete_documents(table(), gone)
        writer = _Writer(table, self._schema, self._model, self._upkeep, held.keys() - set(gone))
        missing: list[str] = []
        progress(ReportsProgress(0, len(stale), 0, 0.0))
        for first in range(0, len(stale), self._upkeep.documents_at_once):
            ids = stale[first : first + self._upkeep.documents_at_once]
            # By id, so that one given twice is not written twice and one not asked for not at all.
            found = {document.id: document for document in fetch(ids) if document.id in ids}
            missing += [document_id for document_id in ids if document_id not in found]
            writer.take(list(found.values()))
            table()  # before it is said that something is done
            progress(ReportsProgress(first + len(ids), len(stale), writer.passages, time.monotonic() - started))
        writer.commit()
        delete_documents(table(), [document_id for document_id in missing if document_id in held])
        self._tidy(table(), changed=bool(gone or stale))
        changed = sum(document_id in held for document_id in writer.written)
        return Synced(
            added=len(writer.written) - changed,
            changed=changed,
            removed=len(gone) + sum(document_id in held for document_id in missing),
            unchanged=len(versions) - len(stale),
            passages=writer.passages,
            seconds=time.monotonic() - started,
        )

    def standing(self) -> Standing:
        """Looks at the place where the table is to be. ``CorpusDamaged`` where it cannot be read."""
        table = self._present()
        return "absent" if table is None else standing(table, self._schema)

    def has_made(self, columns: Collection[str], metadata: Mapping[bytes, bytes]) -> bool:
        """Whether a table with these columns and this metadata is of this model and this way of cutting."""
        return set(columns) == set(self._schema.names) and metadata == self._schema.metadata

    @property
    def make(self) -> str:
        """Returns a key shared by tables of this model and this way of cutting, and no others."""
        metadata = sorted((self._schema.metadata or {}).items())
        return sha256(repr((metadata, str(self._schema))).encode()).hexdigest()

    def begin_again(self, folder: Path, sound: Collection[str], versions: Mapping[str, str]) -> int:
        """Replaces a damaged table in a local folder by what its sound files hold of ``versions``; returns how many
        documents that is."""
        rows = salvage(folder, sound, self._present, self._schema, versions)
        create_anew(self._database, self._location, self._schema).add(rows)
        return len(set(rows["id"].to_pylist()))

    def _present(self) -> Any:
        return open_table(self._location, self._database)

    def _opened(self, *, rebuild: bool) -> Any:
        table = None if rebuild else self._present()
        if table is None:
            return create_table(self._database, self._location, self._schema, overwrite=rebuild)
        check_same_make(table, self._schema, self._location, self._model)
        return table

    def _tidy(self, table: Any, *, changed: bool) -> None:
        """Pieces merged and old versions removed when there are many of either, and indexes where there are enough
        rows that are not mapped."""
        if is_service(self._location.uri):
            # A service merges and removes by itself, and its client may lack the rest.
            with suppress(NotImplementedError):
                if table.count_rows() >= self._upkeep.index_rows:
                    self._index(table)
            return
        if changed and self._is_untidy(table):
            optimize(table, self._upkeep.grace)
        rows, folder = table.count_rows(), local_folder(self._location)
        mapped = folder is not None and 0 < rows <= self._upkeep.mapped_rows
        if rows >= self._upkeep.index_rows and not mapped:
            self._index(table)
        if folder is not None and mapped:
            map_table(table, folder)
        elif folder is not None:
            unmap(folder)

    def _is_untidy(self, table: Any) -> bool:
        last = datetime.now(UTC) - self._upkeep.grace
        old = [version for version in table.list_versions() if version["timestamp"].astimezone(UTC) < last]
        return len(old) > _MAX_VERSIONS or table.stats()["fragment_stats"]["num_fragments"] > _MAX_FRAGMENTS

    def _index(self, table: Any) -> None:
        indexes = {column: index for index in table.list_indices() for column in index.columns}
        wanted: list[tuple[str, IndexKind]] = [(column, "Bitmap") for column in self._columns.keywords]
        wanted += [(column, "BTree") for column in ("id", *self._columns.numbers)]
        for column, kind in (*wanted, ("vector", "IvfFlat")):
            if column not in indexes:
                index_column(table, column, kind)
        # Rows an index has not taken in yet are read one by one, which is fine while they are few.
        behind = max((index.num_unindexed_rows for index in indexes.values()), default=0)
        if behind > self._upkeep.index_rows // 10:
            optimize(table, self._upkeep.grace)


class _Writer:
    """Cuts and embeds documents, and commits whole ones now and then."""

    def __init__(
        self, table: Callable[[], Any], schema: Any, model: EmbeddingModel, upkeep: Upkeep, held: Set[str]
    ) -> None:
        self._table = table
        self._upkeep = upkeep
        self._schema = schema
        self._model = model
        self._held = held
        self._waiting: list[tuple[list[Document], Any]] = []
        self._known: dict[str, Any] = {}
        self._committed_at = time.monotonic()
        self.passages = 0
        self.written: list[str] = []

    def take(self, documents: Sequence[Document]) -> None:
        """Embeds ``documents``, and commits when enough or enough time has come together."""
        model = self._model
        cuts = [
            cut(document, model.windows, model.token_ends, least_weight=model.least_weight) for document in documents
        ]
        texts = [passage.text for passages in cuts for passage in passages]
        if not texts:
            return
        vectors = self._embedded(texts)
        self._waiting.append((list(documents), self._rows(documents, cuts, vectors)))
        waiting = sum(rows.num_rows for _, rows in self._waiting)
        if (
            waiting >= self._upkeep.commit_passages
            or time.monotonic() - self._committed_at >= self._upkeep.commit_seconds
        ):
            self.commit()

    def _embedded(self, texts: Sequence[str]) -> Any:
        """A vector for each text. What is repeated, as much of a conversation is, goes through the model once."""
        import numpy as np

        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        vectors = self._model.embed(new) if new else np.empty((0, self._model.dimensions))
        if vectors.shape != (len(new), self._model.dimensions):
            raise AicxError(
                f"{self._model.name} gave vectors of the shape {vectors.shape} for {len(new)} texts, "
                f"where {self._model.dimensions} dimensions were announced.",
                hint="Set the embedder's dimensions to what its model gives.",
            )
        self.passages += len(new)
        self._known.update(zip(new, vectors.astype(VECTOR_TYPE), strict=True))
        found = np.stack([self._known[text] for text in texts])
        for text in list(self._known)[: max(0, len(self._known) - _MAX_KNOWN)]:
            del self._known[text]
        return found

    def commit(self) -> None:
        """Writes what waits. Of documents the table knew, the old passages go and the new ones come in one commit."""
        import pyarrow as pa

        documents = [document for some, _ in self._waiting for document in some]
        if documents:
            rows = pa.concat_tables([rows for _, rows in self._waiting])
            replaced = [document.id for document in documents if document.id in self._held]
            if replaced:
                (
                    self._table()
                    .merge_insert(["id", "ordinal"])
                    .when_matched_update_all()
                    .when_not_matched_insert_all()
                    .when_not_matched_by_source_delete(f"id IN ({sql_list(replaced)})")
                    .execute(rows)
                )
            else:
                self._table().add(rows)
        self.written += [document.id for document in documents]
        self._waiting = []
        self._committed_at = time.monotonic()

    def _rows(self, documents: Sequence[Document], cuts: Sequence[Sequence[EmbeddedPassage]], vectors: Any) -> Any:
        import pyarrow as pa

        pairs = [
            (document, passage) for document, passages in zip(documents, cuts, strict=True) for passage in passages
        ]
        fixed = {
            "id": [document.id for document, _ in pairs],
            "version": [document.version for document, _ in pairs],
            "ordinal": [passage.ordinal for _, passage in pairs],
            "part": [passage.part for _, passage in pairs],
            "start": [passage.start for _, passage in pairs],
            "stop": [passage.stop for _, passage in pairs],
            "draw": [draw_of(document.id) for document, _ in pairs],
        }
        arrays = []
        for field in self._schema:
            if field.name == "vector":
                values = pa.array(vectors.astype(VECTOR_TYPE).ravel())
                arrays.append(pa.FixedSizeListArray.from_arrays(values, self._model.dimensions))
            elif field.name in fixed:
                arrays.append(pa.array(fixed[field.name], field.type))
            else:
                arrays.append(pa.array([document.columns.get(field.name) for document, _ in pairs], field.type))
        return pa.table(arrays, schema=self._schema)


def draw_of(document_id: str) -> int:
    """A document's number in a lottery, from 0 to 2^31 - 1: always the same, and unlike its neighbours'."""
    return int.from_bytes(sha256(document_id.encode()).digest()[:4], "big") >> 1
