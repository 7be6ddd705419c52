"""Answers metadata queries from the catalogue, or from the sidecars if it is missing.

Then what a run derives at its end: the chunks hidden by `.aicxignore`, and the small summary in `index.json`.
Last the folding of lists: what the runs of one prompt have in one is one item, the first, with the ids of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import orjson

from aicx.corpus.catalog import DAMAGED, Catalog
from aicx.corpus.catalog.filters import conditions
from aicx.corpus.files.read import load_sidecar, walk_chunks
from aicx.errors import CorpusDamaged, NotFound, PatternRefused, UsageError
from aicx.filters import Filters
from aicx.paths import Layout
from aicx.storage import replace_file
from aicx.values import dataclass

Item = TypeVar("Item")

# The chunks within a condition, beside what is known of their sessions.
FOUND = "(SELECT * FROM chunks WHERE {}) LEFT JOIN sessions USING (agent, session_id)"
# Of a session, for whoever lists it or its chunks. A chunk has a title of its own.
FACTS = "sessions.title AS session_title, automated_why, prompt_key"
# What a sidecar holds for aicx itself rather than for whoever asks.
_INTERNAL = (
    *("messages", "folders", "places", "commits", "session_title"),
    *("topic", "topic_from", "work", "work_from"),
)
_SCAN_NOTE = "the catalogue is missing or damaged, so every sidecar was read; `aicx store` brings it back"


@dataclass(frozen=True, slots=True)
class MetadataAnswer:
    """The answer to a metadata question: sidecars with their paths, and how they were found."""

    items: list[dict[str, Any]]
    matched: int
    notes: list[str]
    oracle_status: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Opened:
    """A catalogue to ask, and why it is not the one on disk when it is not."""

    catalog: Catalog
    fallback_reason: str | None
    notes: list[str]

    @property
    def said(self) -> list[str]:
        """All that an answer out of it has to say of it."""
        return [*([self.fallback_reason] if self.fallback_reason else []), *self.notes]


class CatalogDamaged(CorpusDamaged):
    """The catalogue turned out to be damaged while it was asked. Without it the same question can be answered."""


@contextmanager
def open_catalog(layout: Layout, *, without: bool = False) -> Iterator[Opened]:
    """The catalogue for questions. Never writes to the store: what is missing on disk is made in memory.

    ``without`` does not look at the one on disk. Raises NotFound when nothing has been stored yet, CatalogDamaged for
    damage that only shows when it is asked.
    """
    catalog = None if without else Catalog.open_for_reading(layout.catalog)
    if catalog is not None:
        try:
            if not ignore_is_current(layout, catalog):
                _hide_afresh(catalog, ignore_matcher(layout))
            yield Opened(catalog, None, [])
        except DAMAGED as error:
            raise CatalogDamaged(f"{layout.catalog} is damaged: {error}", hint="aicx doctor --fix") from error
        finally:
            catalog.close()
        return
    paths = list(walk_chunks(layout))
    if not paths:
        raise NotFound(f"nothing is stored in {layout.home} yet", hint="aicx store")
    # Imported here: a catalogue is there nearly always, and bringing one back needs the journal.
    from aicx.corpus.catalog.rebuild import index_chunks

    notes: list[str] = []
    catalog = Catalog.in_memory()
    try:
        index_chunks(layout, catalog, paths, notes.append)
        apply_ignore_file(layout, catalog)
        catalog.settle()
        yield Opened(catalog, _SCAN_NOTE, notes)
    finally:
        catalog.close()


def steer(layout: Layout, filters: Filters, limit: int) -> MetadataAnswer:
    """The newest chunks that the filters let through, at most ``limit``, each as its sidecar's fields plus ``path``."""
    try:
        return _steer(layout, filters, limit, without=False)
    except CatalogDamaged:
        return _steer(layout, filters, limit, without=True)


def _steer(layout: Layout, filters: Filters, limit: int, *, without: bool) -> MetadataAnswer:
    with open_catalog(layout, without=without) as opened:
        catalog = opened.catalog
        where, values, notes = conditions(filters, catalog)
        # Folding takes all of them; where there is nothing to fold, the newest are enough.
        folds = not filters.automated and bool(
            catalog.rows("SELECT 1 FROM sessions WHERE automated_why IS NOT NULL LIMIT 1")
        )
        rows = catalog.rows(
            f"SELECT path, session_id, {FACTS} FROM {FOUND.format(where)} ORDER BY started_at DESC, id DESC LIMIT ?",
            [*values, -1 if folds else limit],
        )
        shown = fold_runs(rows, lambda row: str(row["session_id"]), run_key if folds else lambda row: None, limit)
        matched = catalog.rows(f"SELECT count(*) AS n FROM chunks WHERE {where}", values)[0]["n"]
        indexed = catalog.rows("SELECT count(*) AS n FROM chunks")[0]["n"]
        items, missing = _load(layout, shown)
        status = {
            "source_layer": "layer_1_canonical_corpus",
            "backend": "canonical_corpus" if opened.fallback_reason else "steer_metadata",
            "index_kind": "none" if opened.fallback_reason else "metadata_steer",
            "fallback_reason": opened.fallback_reason,
            "store_root": str(layout.home),
            "indexed_count": 0 if opened.fallback_reason else indexed,
            "scanned_count": indexed if opened.fallback_reason else 0,
            "candidate_count": matched,
            "source_paths_verified": not missing,
            "stale_or_unknown": bool(missing),
        }
        return MetadataAnswer(items, matched, [*opened.notes, *notes, *missing], status)


def _hide_afresh(catalog: Catalog, hidden: Callable[[str], bool]) -> None:
    """Makes every question see the `.aicxignore` of now, which was edited since the catalogue's marks were set.

    A temporary view takes the table's place for this connection; nothing is written.
    """
    catalog.connection.create_function("hidden", 1, lambda path: int(hidden(path)), deterministic=True)
    names = [row["name"] for row in catalog.rows("SELECT name FROM pragma_table_info('chunks')")]
    columns = ", ".join("hidden(path) AS ignored" if name == "ignored" else name for name in names)
    catalog.connection.execute(f"CREATE TEMP VIEW chunks AS SELECT {columns} FROM main.chunks")
    # What a session is called must not come from what is hidden now.
    catalog.connection.execute("CREATE TEMP TABLE sessions AS SELECT * FROM main.sessions LIMIT 0")
    for column in ("base", "prompt_key"):
        catalog.connection.execute(f"CREATE INDEX temp.now_by_{column} ON sessions ({column})")
    from aicx.corpus.catalog.session_facts import settle_all  # imported here: an intact catalogue needs none

    settle_all(catalog.connection)


def _load(layout: Layout, found: list[tuple[Any, list[str]]]) -> tuple[list[dict[str, Any]], list[str]]:
    items = []
    missing = []
    for row, sessions in found:
        path = row["path"]
        try:
            fields = load_sidecar(layout, path).fields
            if not layout.inside(path).exists():
                raise NotFound(f"{path} does not exist")
        except (NotFound, CorpusDamaged) as error:
            missing.append(f"{error.message}; `aicx doctor` says more")
            continue
        known = {**told(row, sessions), "prompt_key": row["prompt_key"]}
        items.append(steer_item(fields, layout.home / path, row["session_title"], known))
    return items, missing


def steer_item(
    fields: Mapping[str, Any], path: Path, session_title: str | None, known: Mapping[str, Any]
) -> dict[str, Any]:
    """A chunk as it is listed: the fields of its sidecar that are for whoever asks, and where it is.

    ``title`` is that of its session; ``known`` is what the catalogue says beside the sidecar.
    """
    public = {name: value for name, value in fields.items() if name not in _INTERNAL}
    if "model" in public:
        public["agent_model"] = public["model"]
    titles = {"title": session_title, "chunk_title": fields.get("title")}
    return {**public, **titles, **known, "path": str(path)}


def run_key(row: Any) -> str | None:
    """Returns the key that the runs of one prompt share; None for a session that no program ran."""
    return row["prompt_key"] if row["automated_why"] else None


def fold_runs(
    items: Iterable[Item],
    session_of: Callable[[Item], str],
    key_of: Callable[[Item], str | None],
    limit: int | None = None,
) -> list[tuple[Item, list[str]]]:
    """The first ``limit`` items without those of further runs of a prompt, each with the sessions it speaks for.

    ``items`` are in their order, so that the first of a prompt's runs is the best or the newest. Further items of the
    run that is shown stay.
    """
    folded: list[tuple[Item, list[str]]] = []
    runs: dict[str, list[str]] = {}
    for item in items:
        key, session = key_of(item), session_of(item)
        sessions = [session] if key is None else runs.setdefault(key, [])
        if session not in sessions:
            sessions.append(session)
        if session == sessions[0] and (limit is None or len(folded) < limit):
            folded.append((item, sessions))
    return folded


def told(row: Any, sessions: Iterable[str] | None) -> dict[str, Any]:
    """Returns the fields on who ran an item's session, and for how many runs it speaks (None: itself alone)."""
    ids = list(sessions or [row["session_id"]])
    return {
        "automated": row["automated_why"] is not None,
        "automated_why": row["automated_why"],
        "runs": len(ids),
        "run_ids": ids if len(ids) > 1 else [],
    }


SUMMARY_SCHEMA = "aicx.summary/1"
_IGNORE_DIGEST = "ignore_sha256"


def apply_ignore_file(layout: Layout, catalog: Catalog) -> None:
    """Marks the chunks that `.aicxignore` hides, inside the caller's transaction."""
    digest = ignore_digest(layout)
    hidden = ignore_matcher(layout)
    if digest == catalog.meta(_IGNORE_DIGEST) and digest == "":
        return
    rows = catalog.rows("SELECT rowid, path, ignored, agent, session_id FROM chunks")
    changed = [(ignored, row) for row in rows if (ignored := int(hidden(row["path"]))) != row["ignored"]]
    for _, row in changed:
        catalog.unsettle(row["agent"], row["session_id"])
    catalog.connection.executemany(
        "UPDATE chunks SET ignored=?, sequence=? WHERE rowid=?",
        [(ignored, catalog.next_sequence, row["rowid"]) for ignored, row in changed],
    )
    catalog.set_meta(_IGNORE_DIGEST, digest)


def ignore_is_current(layout: Layout, catalog: Catalog) -> bool:
    """Whether the catalogue's marks are from the `.aicxignore` of now."""
    return ignore_digest(layout) == (catalog.meta(_IGNORE_DIGEST) or "")


def ignore_digest(layout: Layout) -> str:
    try:
        return sha256(layout.ignore_file.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def ignore_matcher(layout: Layout) -> Callable[[str], bool]:
    """Says of a path relative to the home whether `.aicxignore` hides it (gitignore grammar)."""
    try:
        lines = layout.ignore_file.read_text("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return lambda path: False
    from aicx.regex import ignoring

    for number, line in enumerate(lines, 1):
        try:
            ignoring([line])
        except PatternRefused as error:
            raise UsageError(
                f"{layout.ignore_file}, line {number} {error.message}",
                hint="mend the line, or remove it; nothing else is lost",
            ) from error
    return ignoring(lines)


def write_summary(layout: Layout, catalog: Catalog) -> None:
    """Writes `index.json` when it would say something new."""
    body = orjson.dumps(summarise(catalog), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    if not layout.summary.is_file() or layout.summary.read_bytes() != body:
        replace_file(layout.summary, body)


def summarise(catalog: Catalog) -> dict[str, Any]:
    """Projects, their agents and dates, and the totals, from the chunks that are not ignored."""
    rows = catalog.rows(
        "SELECT project, agent, group_concat(DISTINCT replace(date, '-', '')) AS dates, count(*) AS chunks,"
        " count(DISTINCT session_id) AS sessions, sum(messages) AS entries, max(completed_at) AS last_updated"
        " FROM chunks WHERE ignored=0 GROUP BY project, agent ORDER BY project, agent"
    )
    projects: dict[str, Any] = {}
    totals = {"projects": 0, "sessions": 0, "chunks": 0, "entries": 0}
    for row in rows:
        project = projects.setdefault(row["project"], {"agents": {}})
        project["agents"][row["agent"]] = {
            "dates": sorted(row["dates"].split(",")),
            "sessions": row["sessions"],
            "chunks": row["chunks"],
            "total_entries": row["entries"],
            "last_updated": row["last_updated"],
        }
        totals["chunks"] += row["chunks"]
        totals["entries"] += row["entries"]
    totals["projects"] = len(projects)
    # A session that worked in two repositories is one session.
    sessions = "SELECT count(*) AS n FROM (SELECT DISTINCT agent, session_id FROM chunks WHERE ignored=0)"
    totals["sessions"] = catalog.rows(sessions)[0]["n"]
    last = max((row["last_updated"] for row in rows), default=None)
    return {"schema": SUMMARY_SCHEMA, "projects": projects, "totals": totals, "last_updated": last}
