"""The state of the corpus: size, freshness of the indexes, logs about to be deleted, redactions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import Opened, open_catalog
from aicx.corpus.catalog.watermarks import fingerprints
from aicx.corpus.doctor.inputs import current_writer, discover_logs
from aicx.corpus.doctor.retention import Retention, retention
from aicx.corpus.files.read import load_sidecar
from aicx.engine.index_answer import WordIndex
from aicx.engine.vector_state import VectorState, index_answer, lexical_state, vector_state
from aicx.errors import AicxError, CorpusDamaged, NotFound
from aicx.fields import taken_from
from aicx.paths import Layout
from aicx.servers.dashboard.responses import Alarm, Indexes, Outlook, Redactions, Stats, Status

# The agents' logs are listed at most so often: it takes longer than all the rest, and the clean-ups go by days.
_OUTLOOK_HOLDS = timedelta(seconds=60)
_NOTHING = Stats(chunks=0, sessions=0, projects=0, agents=0, messages=0, bytes=0, first=None, last=None)


class StatusReader:
    """Asked again and again: what takes time to find out is remembered for as long as it cannot have changed.

    Several threads may ask. Two that find out the same thing at once do it twice, and either may be remembered.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._outlook: tuple[datetime, list[Outlook]] | None = None
        self._held: dict[str, tuple[object, Any]] = {}
        self._redacted: dict[str, tuple[str, dict[str, int]]] = {}

    def read(self, now: datetime) -> Status:
        """Everything that is to be said of the corpus."""
        layout = self._settings.layout
        rebuilding = current_writer(layout) is not None
        try:
            with open_catalog(layout) as opened:
                stats, indexes, redactions, assumptions = self._of_corpus(opened)
                outlook = self._retention(opened.catalog, now)
        except NotFound as error:
            stats, redactions, assumptions = _NOTHING, Redactions(0, {}), [error.message]
            indexes = Indexes(WordIndex(exists=False, behind=None, size=0), None)
            outlook = self._retention(None, now)
        return Status(
            mode="server",
            rebuilding=rebuilding,
            generated_at=now.isoformat(timespec="seconds"),
            build_count=0,
            store_root=str(layout.home),
            stats=stats,
            index=indexes,
            retention=outlook,
            redactions=redactions,
            assumptions=assumptions,
            last_error=None,
        )

    def _of_corpus(self, opened: Opened) -> tuple[Stats, Indexes, Redactions, list[str]]:
        """Counts the corpus, and names in sentences what these figures assume."""
        catalog = opened.catalog
        stats, hidden = self._hold("numbers", opened, lambda: _numbers(catalog))
        redacted = self._hold("redacted", opened, lambda: self._redactions(catalog))
        assumptions = opened.said
        index, problem = self._hold("index", opened, lambda: _index(self._settings))
        if problem:
            assumptions.append(problem)
        if hidden:
            assumptions.append(f"not counted: {hidden:,} chunk{'s' if hidden > 1 else ''} that .aicxignore hides")
        if not self._settings.redact_secrets:
            assumptions.append("secrets are stored as they are: config.toml says redact_secrets = false")
        return stats, index, redacted, assumptions

    def _hold(self, name: str, opened: Opened, find: Callable[[], Any]) -> Any:
        """Returns what ``find`` finds, once for each state of the corpus and its indexes."""
        if opened.fallback_reason:
            return find()  # a catalogue made in memory has no state that would mean anything to the next one
        catalog, layout = opened.catalog, self._settings.layout
        state = (catalog.identity, catalog.sequence, _seen(layout.ignore_file), _seen(layout.index_manifest))
        held = self._held.get(name)
        if held is None or held[0] != state:
            held = self._held[name] = (state, find())
        return held[1]

    def _redactions(self, catalog: Catalog) -> Redactions:
        """Counts what was redacted, by kind. Only sidecars say that, so those that are new are read."""
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
        return Redactions(counts.total(), dict(counts.most_common()))

    def _retention(self, catalog: Catalog | None, now: datetime) -> list[Outlook]:
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


def status_of(settings: Settings, now: datetime) -> Status:
    """The status, asked once."""
    return StatusReader(settings).read(now)


def _numbers(catalog: Catalog) -> tuple[Stats, int]:
    """How much there is, and how many chunks are hidden."""
    (row,) = catalog.rows(
        "SELECT count(*) AS chunks, coalesce(sum(messages), 0) AS messages, coalesce(sum(size), 0) AS bytes,"
        " count(DISTINCT agent || ':' || session_id) AS sessions, count(DISTINCT project) AS projects,"
        " count(DISTINCT agent) AS agents, min(started_at) AS first, max(completed_at) AS last,"
        " (SELECT count(*) FROM chunks WHERE ignored=1) AS ignored FROM chunks WHERE ignored=0"
    )
    numbers = dict(row)
    hidden = numbers.pop("ignored")
    return Stats(**numbers), hidden


def _index(settings: Settings) -> tuple[Indexes, str | None]:
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
    return Indexes(found.lexical, found.vectors), problem


def _redacted(layout: Layout, path: str) -> dict[str, int]:
    try:
        found = load_sidecar(layout, path).fields["redactions"]
    except (NotFound, CorpusDamaged):
        return {}  # `doctor` names it
    return (
        {str(kind): count for kind, count in found.items() if isinstance(count, int)} if isinstance(found, dict) else {}
    )


def _outlook(found: Retention) -> Outlook:
    warned = found.unstored_soon or found.policy.problem
    alarm: Alarm | None = "critical" if found.unstored_urgent else "warning" if warned else None
    return taken_from(found, Outlook, says=found.policy.says, alarm=alarm, problem=found.policy.problem)


def _seen(path: Path) -> tuple[int, int, int] | None:
    """Changes when another file takes a path's place."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
