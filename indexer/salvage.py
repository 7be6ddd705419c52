"""Takes the passages out of a damaged table that can still be trusted, so that only the rest is embedded again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from indexer.mapping import FILES, FOLDER, PLACE

# Rows after which LanceDB begins another piece, so that a document may go on there.
_FULL_PIECE = 1024 * 1024
_ROWS_AT_ONCE = 8192
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
        parts = [offsets[start : start + _ROWS_AT_ONCE] for start in range(0, len(offsets), _ROWS_AT_ONCE)]
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
