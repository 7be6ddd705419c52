"""The manifest of the indexes: the state they were built from, and how far they are behind, as numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson

from aicx.corpus.catalog import Catalog
from aicx.paths import Layout
from aicx.storage import replace_file
from aicx.storage.lock import writer_lock
from aicx.text import plural

# Raised when analysis, fields or weights' fields change: an index made otherwise is built anew.
LEXICAL_VERSION = "3"
# Another writer has the manifest for as long as it takes to write one small file.
_MANIFEST_WAIT_SECONDS = 30.0


def lexical_freshness(layout: Layout, catalog: Catalog) -> tuple[bool, int | None]:
    """Whether the BM25 index is there, and how many chunks it lacks or still has; None when that is unknown."""
    state = read_manifest(layout).get("lexical", {})
    if not state or not (layout.lexical_index / "meta.json").exists():
        return False, None
    return True, chunks_behind(state, catalog) if belongs(state, catalog) else None


def folder_size(folder: Path) -> int:
    """Bytes of all files below a folder; 0 when there is none."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def chunks_behind(state: dict[str, Any], catalog: Catalog) -> int | None:
    """How many chunks an index with this state lacks or still has; None when it was built for another catalogue."""
    sequence = state.get("sequence")
    if state.get("catalog") != catalog.identity or not isinstance(sequence, int):
        return None
    if sequence == catalog.sequence:
        return 0
    counts = (f"(SELECT count(*) FROM {table} WHERE sequence>{sequence})" for table in ("chunks", "removed"))
    return int(catalog.rows(f"SELECT {'+'.join(counts)} AS behind")[0]["behind"])


def documents_behind(held: Mapping[str, str], catalog: Catalog) -> int:
    """How many chunks an index with these versions of chunks lacks or still has."""
    rows = catalog.rows("SELECT id, content_sha256 FROM chunks WHERE ignored=0")
    versions: dict[str, str] = {row["id"]: row["content_sha256"] for row in rows}
    lacks = [name for name, version in versions.items() if held.get(name) != version]
    return len(lacks) + len(held.keys() - versions.keys())


def belongs(state: dict[str, Any], catalog: Catalog) -> bool:
    return of_this_version(state) and state.get("catalog") == catalog.identity


def of_this_version(state: dict[str, Any]) -> bool:
    return state.get("version") == LEXICAL_VERSION


def is_current(state: dict[str, Any], catalog: Catalog) -> bool:
    return belongs(state, catalog) and state.get("sequence") == catalog.sequence


def read_manifest(layout: Layout) -> dict[str, dict[str, Any]]:
    """Reads how each index was built, by its name; from the manifest's copy where it is damaged itself."""
    for path in manifest_files(layout):
        states = _states(path)
        if states is not None:
            return states
    return {}


def manifest_damage(layout: Layout) -> str | None:
    """Describes damage of the manifest or its copy; None where both can be read, and where neither is there."""
    paths = manifest_files(layout)
    bad = [path.name for path in paths if path.exists() and _states(path) is None]
    missing = [path.name for path in paths if not path.exists()]
    if bad:
        return f"{' and '.join(bad)} is not as it was written"
    return f"{missing[0]} is missing" if len(missing) == 1 else None


def mend_manifest(layout: Layout) -> None:
    """Writes the manifest and its copy again from the one that can be read."""
    if manifest_damage(layout):
        states = read_manifest(layout)
        write_manifest(layout, "lexical", states.get("lexical"))


def manifest_files(layout: Layout) -> tuple[Path, Path]:
    """The manifest of the indexes and its copy."""
    return layout.index_manifest, layout.index_manifest.with_name("manifest.copy.json")


def _states(path: Path) -> dict[str, dict[str, Any]] | None:
    try:
        return _decoded(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None


@lru_cache(maxsize=4)  # every question looks at it several times
def _decoded(body: bytes) -> dict[str, dict[str, Any]] | None:
    manifest = orjson.loads(body)
    if not isinstance(manifest, dict):
        return None
    states = {name: state for name, state in manifest.items() if isinstance(state, dict)}
    # One without a checksum is from an earlier version.
    return states if manifest.get("sha256") in (None, _digest(states)) else None


def _digest(states: dict[str, dict[str, Any]]) -> str:
    return sha256(orjson.dumps(states, option=orjson.OPT_SORT_KEYS)).hexdigest()


def write_manifest(layout: Layout, name: str, state: dict[str, Any] | None) -> None:
    """Records what the index called ``name`` was built from; None says that it is gone.

    What is recorded of other indexes stays, though each has a lock of its own and they may be written at once.
    """
    with writer_lock(layout.locks, _MANIFEST_WAIT_SECONDS, lambda _: None, name="manifest"):
        states = {key: value for key, value in (read_manifest(layout) | {name: state}).items() if value is not None}
        manifest = {"schema": "aicx.indexes/1", **states, "sha256": _digest(states)}
        body = orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
        for path in reversed(manifest_files(layout)):  # what was chosen for the vectors cannot be found out again
            replace_file(path, body)


def stale_indexes(freshness: Mapping[str, Mapping[str, int | None]]) -> list[str]:
    """A sentence for each index that is behind or may be, with the command that brings it up to date.

    ``freshness`` is that of ``oracle_status``: by retriever, how many chunks it is ``behind``; None where that is not
    known.
    """
    said = []
    for name, index in freshness.items():
        command = "aicx index" if name == "dense" else "aicx store"
        if index["behind"] is None:
            said.append(f"the {name} index may not be up to date: it was made for another catalogue; next: {command}")
        elif index["behind"]:
            said.append(f"the {name} index is {plural(index['behind'], 'chunk')} behind; next: {command}")
    return said


def index_state(*, exists: bool, behind: int | None) -> str:
    """The state of one index, in a few words."""
    if not exists:
        return "none"
    if behind is None:
        return "made for another catalogue"
    return f"{plural(behind, 'chunk')} behind" if behind else "up to date"
