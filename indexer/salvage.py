"""Takes the passages out of a damaged table that can still be trusted, so that only the rest is embedded again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

# Rows after which lance begins another file, so that a document may go on there.
_FULL_FILE = 1024 * 1024
_UNREADABLE = (OSError, ValueError, RuntimeError, KeyError)


def salvage(folder: Path, sound: Collection[str], schema: Any, versions: Mapping[str, str]) -> Any:
    """The rows of the wanted document versions in a table's sound files, as an Arrow table, for whole documents only.

    ``sound`` are the files below ``folder`` that are known to be as they were written. Each data file is read by
    itself, since what says how they belong together may be damaged; what was deleted is not among ``versions``.
    """
    import pyarrow as pa

    files = sorted(name for name in sound if name.startswith("data/") and name.endswith(".lance"))
    kept = [schema.empty_table()]
    torn: set[str] = set()
    for name in files:
        rows = _read(folder / name, schema)
        if rows is None:
            continue
        ids = rows["id"].to_pylist()
        if len(ids) >= _FULL_FILE:
            torn.add(ids[-1])
        current = zip(ids, rows["version"].to_pylist(), strict=True)
        kept.append(rows.filter(pa.array([versions.get(one) == version for one, version in current], pa.bool_())))
    return _whole(pa.concat_tables(kept), torn)


def _read(path: Path, schema: Any) -> Any:
    """The rows of one file; None for one that does not hold every column."""
    from lance.file import LanceFileReader

    try:
        rows = LanceFileReader(str(path)).read_all().to_table()
        return rows.select(schema.names).cast(schema)
    except _UNREADABLE:
        return None


def _whole(rows: Any, torn: Collection[str]) -> Any:
    """Each passage once, of documents that have all of theirs: a document that came back as it was is in two files."""
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
