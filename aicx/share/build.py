"""Shares chosen projects all at once: read, redact, cut, embed and write, then one commit and the seals.

Each stage takes a table and gives one, and needs nothing but what is handed to it, so that one process can do them one
after another, and workers of a cluster side by side (`aicx.share.cluster`). Both give the same rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import compress
from pathlib import Path
from typing import Any
from uuid import uuid4

import orjson

from aicx.config import Settings, load_settings
from aicx.corpus.views import to_document
from aicx.engine.embedder_choice import Choice, embedder_settings, model_of, prepare_embedder
from aicx.engine.vector_state import made_with
from aicx.errors import AicxError
from aicx.share.membership import Membership
from aicx.share.push import OnProgress, Pushed, PushPlan, Session, push, seal_of
from aicx.share.rows import ChunkRow, session_rows, stored_text
from aicx.share.seals import digest_of, write_seals
from aicx.share.tables import FAILURES, Database, committed, reading, to_text
from aicx.values import dataclass
from indexer.passages import cut
from retrieval.embedders import Embedder, open_embedder

# Chunks that are read, embedded and written together: some 100 MB of memory, a file of 25 MB, and what is done again
# where a worker is killed.
_UNIT = 512
# Columns beside those of the table, between two stages: what is to be embedded, and once for each session what its
# seal has to say.
_PASSAGES, _TOLD = "passages", "told"

# Embedders that every machine can have, beside the one that its own index is made with.
_PACKAGED = (Choice("minilm"), Choice("static"))

Notify = Callable[[str], None]
Told = Mapping[str, Any]
# Sessions that are made together: of each the key, the new generation and the chunks.
Unit = Sequence[tuple[str, str, Sequence[ChunkRow]]]


@dataclass(frozen=True, slots=True)
class Recipe:
    """The recipe of a build for its stages, wherever they run. Without a choice of an embedder there are no vectors."""

    corpus: Path
    membership: Membership
    schema: Any
    choice: Choice | None
    opened: Callable[[Path, Choice], Embedder]

    def embedder(self) -> Embedder | None:
        """Opens the embedder, on the machine where this is called."""
        return self.opened(self.corpus, self.choice) if self.choice else None


# Makes the rows of some units and commits them once; calls the last argument with the number of chunks done. Returns a
# version of the table that has all rows, and what is told of each session's.
Engine = Callable[[Database, Recipe, Sequence[Unit], Callable[[int], None]], tuple[int, Sequence[Told]]]


def find_choice(settings: Settings, database: Database, notify: Notify) -> Choice | None:
    """The embedder of a share's vectors, of those that can be had here; None where it is none of them."""
    for choice in dict.fromkeys((made_with(settings), *_PACKAGED)):
        if prepare_embedder(settings, choice, notify).fingerprint == database.model.fingerprint:
            return choice
    return None


def build(
    settings: Settings,
    membership: Membership,
    database: Database,
    plan: PushPlan,
    choice: Choice | None,
    now: datetime,
    engine: Engine,
    on_progress: OnProgress = lambda done, total, at: None,
) -> Pushed:
    """Sends what is planned as `push` does, but all rows in one commit and all seals in one after it.

    Killed before that, no reader has seen anything of it, and the next push or build begins again.
    """
    recipe = Recipe(settings.layout.home.absolute(), membership, database.chunks.schema, choice, open_here)

    def send(sessions: Sequence[Session], pushed: Pushed) -> None:
        named = {uuid4().hex: session for session in sessions}
        total, done = sum(len(session.chunks) for session in sessions), 0

        def advance(chunks: int) -> None:
            nonlocal done
            done += chunks
            on_progress(done, total, "share")

        version, every = engine(database, recipe, list(units_of(named, _UNIT)), advance)
        told = {one["generation"]: one for one in every}
        seals = [
            seal_of(membership, session, name, told[name]["rows"], told[name]["digest"], version, now)
            for name, session in named.items()
            if name in told
        ]
        with reading(database.uri):
            committed(lambda: write_seals(database, seals))
        pushed.sessions += len(seals)
        for one in told.values():
            pushed.chunks += one["rows"]
            pushed.vectors += one["rows"] if choice else 0
            pushed.size += one["bytes"]
            pushed.redacted += one["redacted"]
            pushed.unreadable += one["unreadable"]
        lost = [session.key for name, session in named.items() if name not in told]
        pushed.unreadable += [f"{key}: none of its chunks can be read" for key in lost]

    return push(settings, membership, database, plan, now, on_progress, send)


def in_process(
    database: Database, recipe: Recipe, units: Sequence[Unit], advance: Callable[[int], None]
) -> tuple[int, Sequence[Told]]:
    """The engine of one process: one unit after another, in one commit."""
    import pyarrow as pa

    embedder = recipe.embedder()
    told: list[Told] = []
    failed: list[BaseException] = []

    def batches() -> Iterator[Any]:
        try:
            for unit in units:
                rows, of_sessions = without_told(embedded(embedder, passages(embedder, read(recipe, unit))))
                told.extend(of_sessions)
                yield from rows.to_batches()
                advance(sum(len(chunks) for _, _, chunks in unit))
        except BaseException as error:
            failed.append(error)  # through LanceDB only its text comes back
            raise

    with reading(database.uri):
        try:
            database.chunks.add(pa.RecordBatchReader.from_batches(recipe.schema, batches()))
        except FAILURES:
            if failed:
                raise failed[0] from None
            raise
        return int(database.chunks.version), told


def read(recipe: Recipe, unit: Unit) -> Any:
    """First stage: the rows of a unit, read and redacted in one, so that only what is shared is handed on."""
    import pyarrow as pa

    settings = load_settings(corpus=recipe.corpus)
    if not settings.layout.catalog.is_file():
        raise AicxError(
            f"the corpus {recipe.corpus} is not on this machine", hint="every worker has to reach its files"
        )
    rows: list[dict[str, Any]] = []
    for key, generation, chunks in unit:
        found = session_rows(settings, recipe.membership, key, generation, chunks, {})
        if found.rows:
            told = {"generation": generation, "rows": len(found.rows), "digest": digest_of(found.rows)}
            told |= {"redacted": found.redacted, "unreadable": found.unreadable}
            told["bytes"] = sum(len(row["text"].encode()) for row in found.rows)
            rows += [{**row, _TOLD: None} for row in found.rows]
            rows[-1][_TOLD] = to_text(told)
    return pa.Table.from_pylist(rows, schema=recipe.schema.append(pa.field(_TOLD, pa.string())))


def passages(embedder: Embedder | None, table: Any) -> Any:
    """Second stage: what of each row is embedded, as an index of one's own cuts it, and where that is in the text."""
    import pyarrow as pa

    if embedder is None or not table.num_rows:
        return table
    model = model_of(embedder)
    texts: list[list[str]] = []
    spans: list[str] = []
    for sidecar, text in zip(table["sidecar"].to_pylist(), table["text"].to_pylist(), strict=True):
        shared = stored_text(sidecar, text)
        document = to_document(shared.sidecar, shared.markdown)
        found = cut(document, model.windows, model.token_ends, least_weight=model.least_weight)
        texts.append([one.text for one in found])
        spans.append(to_text([[one.part, one.start, one.stop] for one in found]))
    place = table.schema.get_field_index("spans")
    table = table.set_column(place, "spans", pa.array(spans, pa.string()))
    return table.append_column(_PASSAGES, pa.array(texts, pa.list_(pa.string())))


def embedded(embedder: Embedder | None, table: Any) -> Any:
    """Third stage: the vectors of each row's passages. What is repeated in a unit goes through the model once."""
    if embedder is None or not table.num_rows:
        return table
    import numpy as np
    import pyarrow as pa

    column = table[_PASSAGES].combine_chunks()
    counts = np.array([len(texts) for texts in column], dtype=np.int64)
    texts = column.flatten().to_pylist()
    known = list(dict.fromkeys(texts))
    vectors = model_of(embedder).embed(known).astype(np.float16)
    place_of = {text: place for place, text in enumerate(known)}
    flat = vectors[[place_of[text] for text in texts]]
    told = flat.any(axis=1)  # as in `rows.OwnVectors`
    spans = [
        to_text(list(compress(orjson.loads(text), there))) if there.any() else None
        for text, there in zip(table["spans"].to_pylist(), np.split(told, np.cumsum(counts)[:-1]), strict=True)
    ]
    counts = np.bincount(np.repeat(np.arange(len(counts)), counts)[told], minlength=len(counts))
    values = pa.FixedSizeListArray.from_arrays(pa.array(flat[told].ravel()), embedder.dimensions)
    offsets = pa.array(np.append(0, np.cumsum(counts)), pa.int32(), mask=np.append(counts == 0, False))
    table = table.set_column(table.schema.get_field_index("spans"), "spans", pa.array(spans, pa.string()))
    place = table.schema.get_field_index("vectors")
    return table.set_column(place, "vectors", pa.ListArray.from_arrays(offsets, values)).drop_columns([_PASSAGES])


def without_told(table: Any) -> tuple[Any, list[Told]]:
    """The rows as the share has them, and what is told of their sessions."""
    told = [orjson.loads(one) for one in table[_TOLD].to_pylist() if one is not None]
    return table.drop_columns([_TOLD]), told


def units_of(named: Mapping[str, Session], size: int) -> Iterator[Unit]:
    """Sessions by generation, put together to units of about so many chunks."""
    waiting: list[tuple[str, str, Sequence[ChunkRow]]] = []
    chunks = 0
    for generation, session in named.items():
        waiting.append((session.key, generation, session.chunks))
        chunks += len(session.chunks)
        if chunks >= size:
            yield waiting
            waiting, chunks = [], 0
    if waiting:
        yield waiting


def open_here(corpus: Path, choice: Choice) -> Embedder:
    """Opens an embedder where a stage runs. A key of an endpoint comes from the environment there."""
    return open_embedder(choice.kind, embedder_settings(load_settings(corpus=corpus), choice))
