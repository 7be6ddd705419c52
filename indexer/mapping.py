"""Writes the mapped copy of a table of vectors, which questions read without the table's library, and salvages from it.

It is a folder `mapped/VERSION` in the table's own: whatever deletes the table, or compares its bytes with their
checksums, takes it in. See `retrieval.mapped` for what reads it. Of a damaged table the passages that can still be
trusted are taken out, so that only the rest is embedded again.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from aicx.values import batches

FOLDER = "mapped"
FILES = ("about.json", "documents.sqlite", "places.npy", "scales.npy", "vectors.npy")
# A vector is kept as whole numbers up to this, and a scale: nearer to float16 than that is to the model's own numbers.
_HIGHEST = 32767
_ROWS_AT_ONCE = 8192
PLACE = ("ordinal", "part", "start", "stop")  # a row of `places.npy`


def map_table(table: Any, folder: Path) -> None:
    """Makes the copy of the table's newest version unless there is one, and deletes those of others.

    It appears under its name when it is whole. Where there is no room for it the table itself is asked.
    """
    table.checkout_latest()
    place = folder / FOLDER / str(table.version)
    if not place.exists():
        unmap(folder)
        made = place.with_name(f"{place.name}.new")
        try:
            made.mkdir(parents=True)
            _write(table, made)
            made.replace(place)
        except OSError:
            unmap(folder)
            return
    for other in place.parent.iterdir():
        if other != place:
            shutil.rmtree(other)


def unmap(folder: Path) -> None:
    """Deletes every copy, also one that was left half made."""
    if (folder / FOLDER).exists():
        shutil.rmtree(folder / FOLDER)


def _write(table: Any, place: Path) -> None:
    import numpy as np

    fields = [name for name in table.schema.names if name not in (*PLACE, "vector")]
    placed = table.search().select(["id", *PLACE]).with_row_id(True).to_arrow()
    names, inverse = np.unique(np.array(placed["id"].to_pylist(), dtype=object), return_inverse=True)
    places = np.column_stack([placed[name].to_numpy() for name in PLACE])
    order = np.lexsort((places[:, 0], inverse))
    np.save(place / "places.npy", places[order].astype(np.int32))
    firsts: Any = np.searchsorted(inverse[order], np.arange(len(names)))
    _write_documents(table.search().where("ordinal = 0").select(fields).to_arrow(), firsts.tolist(), place)
    size = table.schema.field("vector").type.list_size
    vectors = np.lib.format.open_memmap(place / "vectors.npy", mode="w+", dtype=np.int16, shape=(len(order), size))
    scales: Any = np.zeros(len(order), dtype=np.float32)
    numbers = placed["_rowid"].to_numpy()[order]
    in_table = np.argsort(numbers)  # a scan may give rows in any order
    for batch in table.search().select(["vector"]).with_row_id(True).to_batches(_ROWS_AT_ONCE):
        rows = batch["vector"].flatten().to_numpy(zero_copy_only=True).reshape(-1, size).astype(np.float32)
        highest = np.maximum(rows.max(axis=1, initial=0.0), np.abs(rows.min(axis=1, initial=0.0))) / _HIGHEST
        at = in_table[np.searchsorted(numbers, batch["_rowid"].to_numpy(), sorter=in_table)]
        rows /= np.where(highest > 0, highest, 1.0)[:, None]
        vectors[at] = np.rint(rows, out=rows)
        scales[at] = highest
    vectors.flush()
    np.save(place / "scales.npy", scales)
    made = {key.decode(): value.decode("utf-8", "replace") for key, value in (table.schema.metadata or {}).items()}
    pieces = table.stats()["fragment_stats"]["num_fragments"]
    about = {"columns": table.schema.names, "made": made, "pieces": pieces}
    (place / "about.json").write_text(json.dumps(about), "utf-8")


def _write_documents(rows: Any, firsts: list[int], place: Path) -> None:
    """The columns of each document, with the place of its first passage, in the order of ids."""
    by_id: dict[str, dict[str, Any]] = {}
    for row in rows.to_pylist():
        # As `held_versions` tells of it: one that two writers wrote is to be written anew.
        by_id[row["id"]] = row | {"version": "twice"} if row["id"] in by_id else row
    documents = [by_id[name] for name in sorted(by_id)]
    columns = ", ".join(f"`{name}`" for name in rows.column_names)
    marks = ", ".join("?" * len(rows.column_names))
    with closing(sqlite3.connect(place / "documents.sqlite")) as database, database:
        database.execute("PRAGMA journal_mode=OFF")
        database.execute(f"CREATE TABLE documents (place INTEGER PRIMARY KEY, first INTEGER, {columns}, UNIQUE (id))")
        database.executemany(
            f"INSERT INTO documents VALUES (?, ?, {marks})",
            ((number, first, *row.values()) for number, (first, row) in enumerate(zip(firsts, documents, strict=True))),
        )


# Rows after which LanceDB begins another piece, so that a document may go on there.
_FULL_PIECE = 1024 * 1024
_UNREADABLE = (OSError, ValueError, RuntimeError, KeyError)


def salvage(
    folder: Path, sound: Collection[str], table: Callable[[], Any], schema: Any, versions: Mapping[str, str]
) -> Any:
    """The passages of the wanted document versions, as an Arrow table, for whole documents only.

    ``sound`` are the files below the table's ``folder`` that are known to be as they were written. The mapped copy has
    everything where all of it is sound. Else the other files are deleted, and each piece of the table that can be read
    without them gives what it holds; ``table`` opens it, or gives None.
    """
    import pyarrow as pa

    for copy in (folder / FOLDER).glob("*"):
        if {f"{FOLDER}/{copy.name}/{name}" for name in FILES} <= set(sound):
            return _wanted(_copied(copy, schema), versions)
    for path in folder.rglob("*"):
        if path.is_file() and str(path.relative_to(folder)) not in sound:
            path.unlink()
    kept = [schema.empty_table()]
    torn: set[str] = set()
    for rows in _pieces(table, schema):
        if len(rows) >= _FULL_PIECE:
            torn.add(rows["id"][-1].as_py())
        kept.append(_wanted(rows, versions))
    return _whole(pa.concat_tables(kept), torn)


def _copied(copy: Path, schema: Any) -> Any:
    """The rows of a mapped copy."""
    import numpy as np
    import pyarrow as pa

    with closing(sqlite3.connect(f"{(copy / 'documents.sqlite').absolute().as_uri()}?mode=ro", uri=True)) as database:
        database.row_factory = sqlite3.Row
        documents = database.execute("SELECT * FROM documents ORDER BY place").fetchall()
    places = np.load(copy / "places.npy", allow_pickle=False)
    vectors = np.load(copy / "vectors.npy", allow_pickle=False) * np.load(copy / "scales.npy")[:, None]
    firsts = [document["first"] for document in documents]
    sizes = np.diff([*firsts, len(places)])
    arrays = []
    for field in schema:
        if field.name == "vector":
            values = pa.array(vectors.astype(field.type.value_type.to_pandas_dtype()).ravel())
            arrays.append(pa.FixedSizeListArray.from_arrays(values, field.type.list_size))
        elif field.name in PLACE:
            arrays.append(pa.array(places[:, PLACE.index(field.name)], field.type))
        else:
            values = pa.array([document[field.name] for document in documents], field.type)
            arrays.append(values.take(pa.array(np.repeat(np.arange(len(documents)), sizes))))
    return pa.table(arrays, schema=schema)


def _pieces(table: Callable[[], Any], schema: Any) -> Iterator[Any]:
    """The rows of each piece of a table that can be read."""
    import numpy as np
    import pyarrow as pa

    try:
        opened = table()
        numbers = [] if opened is None else opened.search().select(["_rowid"]).with_row_id(True).to_arrow()["_rowid"]
    except _UNREADABLE:
        return
    pieces = np.asarray(numbers, dtype=np.uint64) >> np.uint64(32)  # below is the row's place in its piece
    for piece in np.unique(pieces):
        offsets = np.flatnonzero(pieces == piece).tolist()
        parts = [*batches(offsets, _ROWS_AT_ONCE)]
        try:
            rows = pa.concat_tables([opened.take_offsets(part).to_arrow() for part in parts])
            yield rows.select(schema.names).cast(schema)
        except _UNREADABLE:
            continue


def _wanted(rows: Any, versions: Mapping[str, str]) -> Any:
    import pyarrow as pa

    current = zip(rows["id"].to_pylist(), rows["version"].to_pylist(), strict=True)
    return rows.filter(pa.array([versions.get(one) == version for one, version in current], pa.bool_()))


def _whole(rows: Any, torn: Collection[str]) -> Any:
    """The passages of documents that have all of theirs, each once."""
    import pyarrow as pa

    passages = list(zip(rows["id"].to_pylist(), rows["ordinal"].to_pylist(), strict=True))
    found: dict[str, set[int]] = {}
    for document, ordinal in passages:
        found.setdefault(document, set()).add(ordinal)
    whole = {one for one, ordinals in found.items() if len(ordinals) == max(ordinals) + 1} - set(torn)
    wanted = []
    for document, ordinal in passages:
        wanted.append(document in whole and ordinal in found[document])
        found[document].discard(ordinal)
    return rows.filter(pa.array(wanted, pa.bool_()))
