"""Keeps the BM25 index current with the corpus, and says how far behind it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.documents import FIELDS, NUMBER_COLUMNS, TEXT_COLUMNS, load_document
from aicx.corpus.lock import writer_lock
from aicx.corpus.workers import map_in_order
from aicx.corpus.writer import write_file
from aicx.errors import CorpusDamaged
from aicx.paths import Layout
from retrieval.analysis import analyze

if TYPE_CHECKING:
    from indexer.lexical import AnalyzedDocument

Say = Callable[[str], None]

# Chunks analysed at a time by one worker, and from how many on workers are worth starting.
_BATCH = 64
_WORTH_WORKERS = 1500

# What a hit in each field of the BM25 index is worth. What people and agents said counts in full; reasoning and tool
# output, of which there is much more, count less; a whole identifier counts on top of its words.
LEXICAL_WEIGHTS = {
    "header": 0.5,
    "said": 1.0,
    "thought": 0.7,
    "tool": 0.3,
    "header_names": 0.5,
    "said_names": 0.5,
    "thought_names": 0.3,
    "tool_names": 0.3,
}
# Raised when analysis, fields or weights' fields change: an index made otherwise is built anew.
LEXICAL_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Freshness:
    """How an index stands to the corpus. ``behind`` counts chunks it lacks or still has; None when that is unknown."""

    exists: bool
    behind: int | None


def refresh_lexical(settings: Settings, say: Say) -> int:
    """Brings the BM25 index up to date with the catalogue; returns how many documents were written.

    Built anew when it is missing, damaged, or made by another version or for another catalogue.
    """
    layout = settings.layout
    catalog = Catalog.open_for_reading(layout.catalog)
    if catalog is None:
        return 0
    try:
        if _is_current(_read_manifest(layout).get("lexical", {}), catalog) and layout.lexical_index.exists():
            return 0
        with writer_lock(layout.locks, settings.lock_wait_seconds, say, name="lexical"):
            return _update(settings, catalog, say)
    finally:
        catalog.close()


def _update(settings: Settings, catalog: Catalog, say: Say) -> int:
    from indexer.lexical import LexicalSchema, LexicalWriter

    layout = settings.layout
    state = _read_manifest(layout).get("lexical", {})
    schema = LexicalSchema(FIELDS, TEXT_COLUMNS, NUMBER_COLUMNS)
    since = int(state["sequence"]) if layout.lexical_index.exists() and _belongs(state, catalog) else 0
    sequence = catalog.sequence
    try:
        writer = LexicalWriter(layout.lexical_index, schema, fresh=since == 0)
    except CorpusDamaged as error:
        say(f"{error.message}; building it anew")
        since = 0
        writer = LexicalWriter(layout.lexical_index, schema, fresh=True)
    changed, gone = catalog.changes_since(since)
    paths = [path for chunk_id in changed if (path := catalog.path_of(chunk_id))]
    tasks = [(layout, paths[start : start + _BATCH]) for start in range(0, len(paths), _BATCH)]
    workers = settings.workers if len(paths) >= _WORTH_WORKERS else 1
    batches = map_in_order(_analyze_chunks, tasks, workers)
    count = writer.update((document for batch in batches for document in batch), gone)
    built = {"version": LEXICAL_VERSION, "catalog": catalog.identity, "sequence": sequence}
    _write_manifest(layout, "lexical", built)
    return count


def _analyze_chunks(task: tuple[Layout, Sequence[str]]) -> list[AnalyzedDocument]:
    """Chunks ready for the index; runs in a worker."""
    from indexer.lexical import analyze_document

    layout, paths = task
    loaded = (load_document(layout, path) for path in paths)
    return [analyze_document(document, _terms) for document in loaded if document is not None]


def _terms(text: str) -> tuple[list[str], list[str]]:
    found = analyze(text)
    return found.words, found.names


def lexical_freshness(layout: Layout, catalog: Catalog) -> Freshness:
    """Whether the BM25 index is there, and how many chunks it is behind."""
    state = _read_manifest(layout).get("lexical", {})
    if not (layout.lexical_index / "meta.json").exists():
        return Freshness(False, None)
    if not _belongs(state, catalog):
        return Freshness(True, None)
    changed, gone = catalog.changes_since(int(state["sequence"]))
    return Freshness(True, len(changed) + len(gone))


def _belongs(state: dict[str, Any], catalog: Catalog) -> bool:
    return state.get("version") == LEXICAL_VERSION and state.get("catalog") == catalog.identity


def _is_current(state: dict[str, Any], catalog: Catalog) -> bool:
    return _belongs(state, catalog) and state.get("sequence") == catalog.sequence


def _read_manifest(layout: Layout) -> dict[str, Any]:
    try:
        manifest = orjson.loads(layout.index_manifest.read_bytes())
    except (FileNotFoundError, orjson.JSONDecodeError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def _write_manifest(layout: Layout, name: str, state: dict[str, Any]) -> None:
    manifest = _read_manifest(layout) | {"schema": "aicx.indexes/1", name: state}
    write_file(layout.index_manifest, orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
