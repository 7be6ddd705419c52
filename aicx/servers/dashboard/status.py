"""The state of the corpus: size, freshness of the indexes, logs about to be deleted, redactions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from aicx.api.answers import to_fields
from aicx.api.answers.index import index_answer
from aicx.config import Settings
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.query import Opened, open_catalog
from aicx.corpus.catalog.watermarks import fingerprints
from aicx.corpus.doctor.inputs import current_writer, discover_logs
from aicx.corpus.doctor.retention import Retention, retention
from aicx.corpus.files.read import load_sidecar
from aicx.engine.vector_index import LexicalState, VectorState, lexical_state, vector_state
from aicx.errors import AicxError, CorpusDamaged, NotFound
from aicx.paths import Layout

# The agents' logs are listed at most so often: it takes longer than all the rest, and the clean-ups go by days.
_OUTLOOK_HOLDS = timedelta(seconds=60)
_NOTHING = {
    "chunks": 0,
    "sessions": 0,
    "projects": 0,
    "agents": 0,
    "messages": 0,
    "bytes": 0,
    "first": None,
    "last": None,
}


class Status:
    """Asked again and again: what takes time to find out is remembered for as long as it cannot have changed.

    Several threads may ask. Two that find out the same thing at once do it twice, and either may be remembered.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._outlook: tuple[datetime, list[dict[str, Any]]] | None = None
        self._held: dict[str, tuple[object, Any]] = {}
        self._redacted: dict[str, tuple[str, dict[str, int]]] = {}

    def fields(self, now: datetime) -> dict[str, Any]:
        """Everything that the status says of the corpus."""
        layout = self._settings.layout
        found: dict[str, Any] = {
            "mode": "server",
            "rebuilding": current_writer(layout) is not None,
            "generated_at": now.isoformat(timespec="seconds"),
            "build_count": 0,
            "store_root": str(layout.home),
            "last_error": None,
        }
        try:
            with open_catalog(layout) as opened:
                found |= self._of_corpus(opened, now)
        except NotFound as error:
            found |= {
                "stats": dict(_NOTHING),
                "index": {"lexical": asdict(LexicalState(False, None, 0)), "dense": None},
                "retention": self._retention(None, now),
                "redactions": {"total": 0, "by_kind": {}},
                "assumptions": [error.message],
            }
        return found

    def _of_corpus(self, opened: Opened, now: datetime) -> dict[str, Any]:
        catalog = opened.catalog
        numbers = self._hold("numbers", opened, lambda: _numbers(catalog))
        redacted = self._hold("redacted", opened, lambda: self._redactions(catalog))
        assumptions = [*([opened.fallback_reason] if opened.fallback_reason else []), *opened.notes]
        index, problem = self._hold("index", opened, lambda: _index(self._settings))
        if problem:
            assumptions.append(problem)
        if hidden := numbers["ignored"]:
            assumptions.append(f"not counted: {hidden:,} chunk{'s' if hidden > 1 else ''} that .aicxignore hides")
        if not self._settings.redact_secrets:
            assumptions.append("secrets are stored as they are: config.toml says redact_secrets = false")
        return {
            "stats": {name: numbers[name] for name in _NOTHING},
            "index": index,
            "retention": self._retention(catalog, now),
            "redactions": redacted,
            "assumptions": assumptions,
        }

    def _hold(self, name: str, opened: Opened, find: Callable[[], Any]) -> Any:
        """What ``find`` finds, once for each state of the corpus and its indexes."""
        if opened.fallback_reason:
            return find()  # a catalogue made in memory has no state that would mean anything to the next one
        catalog, layout = opened.catalog, self._settings.layout
        state = (catalog.identity, catalog.sequence, _seen(layout.ignore_file), _seen(layout.index_manifest))
        held = self._held.get(name)
        if held is None or held[0] != state:
            held = self._held[name] = (state, find())
        return held[1]

    def _redactions(self, catalog: Catalog) -> dict[str, Any]:
        """What was redacted, by kind. Only sidecars say that, so those that are new are read."""
        rows = catalog.rows("SELECT id, path, sidecar_sha256 FROM chunks WHERE ignored=0 AND redactions>0")
        known = self._redacted
        now = {
            row["id"]: held
            if (held := known.get(row["id"])) and held[0] == row["sidecar_sha256"]
            else (row["sidecar_sha256"], _redacted(self._settings.layout, row["path"]))
            for row in rows
        }
        self._redacted = now
        counts: Counter[str] = Counter()
        for _, kinds in now.values():
            counts.update(kinds)
        return {"total": counts.total(), "by_kind": dict(counts.most_common())}

    def _retention(self, catalog: Catalog | None, now: datetime) -> list[dict[str, Any]]:
        held = self._outlook
        if held is None or not timedelta(0) <= now - held[0] < _OUTLOOK_HOLDS:
            logs, _ = discover_logs(self._settings.homes)
            known = fingerprints(catalog) if catalog else {}
            held = (now, [_outlook(found) for found in retention(self._settings.homes, logs, known, now)])
            self._outlook = held
        return held[1]

    def stored_anew(self) -> None:
        """Forgets what a run of `store` changes without a trace in the catalogue: which logs are stored."""
        self._outlook = None


def status_of(settings: Settings, now: datetime) -> dict[str, Any]:
    """The status, asked once."""
    return Status(settings).fields(now)


def _numbers(catalog: Catalog) -> dict[str, Any]:
    return dict(
        catalog.rows(
            "SELECT count(*) AS chunks, coalesce(sum(messages), 0) AS messages, coalesce(sum(size), 0) AS bytes,"
            " count(DISTINCT agent || ':' || session_id) AS sessions, count(DISTINCT project) AS projects,"
            " count(DISTINCT agent) AS agents, min(started_at) AS first, max(completed_at) AS last,"
            " (SELECT count(*) FROM chunks WHERE ignored=1) AS ignored FROM chunks WHERE ignored=0"
        )[0]
    )


def _index(settings: Settings) -> tuple[dict[str, Any], str | None]:
    """The state of both indexes, and why that of the vector index is not known where there is one."""
    words = lexical_state(settings)
    meaning: VectorState | None = None
    problem = None
    try:
        meaning = vector_state(settings)
    except NotFound:
        pass  # there is none, which is nothing out of the ordinary
    except AicxError as error:
        problem = f"the vector index was not looked at: {error.message}"
    found = index_answer(words, meaning)
    dense = to_fields(found.vectors) if found.vectors else None
    return {"lexical": to_fields(found.lexical), "dense": dense}, problem


def _redacted(layout: Layout, path: str) -> dict[str, int]:
    try:
        found = load_sidecar(layout, path).fields["redactions"]
    except (NotFound, CorpusDamaged):
        return {}  # `doctor` names it
    return (
        {str(kind): count for kind, count in found.items() if isinstance(count, int)} if isinstance(found, dict) else {}
    )


def _outlook(found: Retention) -> dict[str, Any]:
    alarm = "critical" if found.unstored_urgent else "warning" if found.unstored_soon or found.policy.problem else None
    return {
        "agent": found.agent,
        "says": found.policy.says,
        "logs": found.logs,
        "due_soon": found.due_soon,
        "unstored_soon": found.unstored_soon,
        "unstored_urgent": found.unstored_urgent,
        "alarm": alarm,
        "problem": found.policy.problem,
    }


def _seen(path: Path) -> tuple[int, int, int] | None:
    """Changes when another file takes a path's place."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
