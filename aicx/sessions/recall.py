"""Which sessions, windows or chunks answer a question: the search of `aicx search`, told by session or by window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.files.read import read_chunk
from aicx.engine.search import Hit, Searcher, SearchQuery, search
from aicx.errors import NotFound
from aicx.evidence.texts import words
from aicx.filters import Filters
from aicx.refs import Ref
from aicx.sessions.answers import FoundSession, SessionSearchAnswer
from aicx.sessions.stored import load_stored
from aicx.sessions.view import Viewer
from aicx.sessions.windows import Window, WindowAnswer, read_windows, ref_of, texts_of_windows, window_answer
from aicx.values import dataclass
from aicx.work.facts_index import facts_so_far

SCHEMA = "aicx.session_recall/1"
Granularity = Literal["session", "window", "chunk"]
DEFAULT_LIMIT = 5
# Chunks that are ranked for each answer: a window is as good as its chunks together.
_CHUNKS_EACH, _MIN_CHUNKS = 8, 40
# What each further chunk of a window adds, as a share of the one before: several good chunks beat one lucky one.
_FURTHER = 0.3
_MAX_QUOTED, _MAX_CHUNKS = 3, 5
_STATUS = ("backend", "rankers", "fallback_reason", "freshness", "stale_or_unknown", "candidate_count")


@dataclass(frozen=True, slots=True)
class RecalledWindow:
    """A window that holds answers."""

    window: Annotated[WindowAnswer, "the window"]
    score: Annotated[float, "of its chunks together"]
    chunks: Annotated[tuple[str, ...], "references of its chunks that answer, best first"]


@dataclass(frozen=True, slots=True)
class SessionMatch:
    """An answer."""

    ref: Annotated[str, "of the session, the window or the chunk, as was asked for"]
    session: Annotated[str, "reference of its session"]
    score: Annotated[float, "compares it with the other answers to this question"]
    tier: Annotated[str, "how much of the question it has, as in `aicx search`"]
    title: Annotated[str | None, "of the session"]
    project: str
    started_at: Annotated[str, "when its best chunk begins"]
    lines: Annotated[tuple[str, ...], "what fits the question"]
    windows: Annotated[tuple[RecalledWindow, ...], "the windows that it is in, or that are in it, each with its chunks"]


@dataclass(frozen=True, slots=True)
class SessionRecallAnswer:
    """Sessions, windows or chunks that answer a question, best first."""

    status: Annotated[str, "`ok` or `no_matches`"]
    granularity: Annotated[Granularity, "`session`, `window` or `chunk`", str]
    matches: Annotated[tuple[SessionMatch, ...], "the sessions, the best first"]
    method: Annotated[
        Mapping[str, Any],
        "how they were found: `backend`, `rankers`, and `fallback_reason` where something answered in another's place",
    ]
    missing_words: Annotated[tuple[str, ...], "words of the question that occur nowhere"]
    notes: tuple[str, ...]


def recall(
    settings: Settings,
    question: str,
    granularity: Granularity,
    now: datetime,
    *,
    limit: int = DEFAULT_LIMIT,
    filters: Filters | None = None,
    place: Path | None = None,
) -> SessionRecallAnswer:
    """The ``limit`` sessions, windows or chunks that answer best.

    Raises UsageError for a question that leaves nothing to look for, NotFound where nothing is stored.
    """
    query = SearchQuery(question, now, filters or Filters(), place=place)
    with Searcher(settings) as searcher:
        ranked = searcher.search(replace(query, limit=max(_MIN_CHUNKS, limit * _CHUNKS_EACH)))
        places = _Places(settings, frozenset(words(question)))
        if granularity == "session":
            report = searcher.search(replace(query, group="session", limit=limit))
            matches = [_session(hit, ranked.hits, places) for hit in report.hits]
        elif granularity == "window":
            report, matches = ranked, _windows(ranked.hits, places)[:limit]
        else:
            report, matches = ranked, [_chunk(hit, places) for hit in ranked.hits[:limit]]
    method = {name: report.oracle_status[name] for name in _STATUS if name in report.oracle_status}
    notes = (*report.notes, *places.notes)
    status = "ok" if matches else "no_matches"
    return SessionRecallAnswer(status, granularity, tuple(matches), method, tuple(report.missing_words), notes)


@dataclass(slots=True)
class _Places:
    """In which windows chunks are, read once for each session."""

    settings: Settings
    question: frozenset[str]  # its words
    notes: list[str] = field(default_factory=list)
    _known: dict[tuple[str, str], tuple[Window, ...]] = field(default_factory=dict)

    def window(self, hit: Hit) -> Window | None:
        """The window that a chunk is in; None where its session is no longer stored.

        Of a chunk in which a compaction falls, the one with more of the question's words.
        """
        key = (hit.sidecar.agent, hit.sidecar.session_id)
        if key not in self._known:
            self._known[key] = self._read(*key)
        windows = [window for window in self._known[key] if hit.sidecar.id in window.chunks]
        if len(windows) < 2 or hit.altered:
            return windows[0] if windows else None
        texts = texts_of_windows(windows, read_chunk(self.settings.layout, hit.path))
        shared = [len(self.question & frozenset(words(text))) for text in texts]
        return windows[shared.index(max(shared))]

    def _read(self, agent: str, session: str) -> tuple[Window, ...]:
        layout = self.settings.layout
        try:
            with open_catalog(layout) as opened:
                paths = load_stored(opened.catalog, agent, session).paths
        except NotFound:  # only prompts of it are known
            return ()
        windows, notes = read_windows(layout, paths)
        self.notes += notes
        return windows


def _session_of(hit: Hit) -> str:
    return str(Ref.of_session(hit.sidecar.agent, hit.sidecar.session_id))


def _match(ref: str, score: float, hit: Hit, windows: Sequence[RecalledWindow]) -> SessionMatch:
    fields = hit.sidecar.fields
    lines = tuple(line.text for line in hit.lines[:_MAX_QUOTED])
    title = hit.title or fields.get("title")
    return SessionMatch(
        ref, _session_of(hit), round(score, 4), hit.tier, title, hit.sidecar.project, fields["started_at"], lines,
        tuple(windows),
    )  # fmt: skip


def _chunk(hit: Hit, places: _Places) -> SessionMatch:
    return _match(str(Ref("chunk", hit.sidecar.id)), hit.score, hit, _found([hit], places))


def _windows(hits: Sequence[Hit], places: _Places) -> list[SessionMatch]:
    groups: dict[str, list[Hit]] = {}
    for hit in hits:
        window = places.window(hit)
        if window is not None:
            groups.setdefault(ref_of(_session_of(hit), window.index), []).append(hit)
    found = [(_found(group, places)[0], group[0]) for group in groups.values()]
    found.sort(key=lambda pair: (-pair[0].score, pair[0].window.ref))
    return [_match(window.window.ref, window.score, best, [window]) for window, best in found]


def _session(hit: Hit, ranked: Sequence[Hit], places: _Places) -> SessionMatch:
    """A session with the windows that its best chunks are in."""
    session = _session_of(hit)
    own = [one for one in ranked if _session_of(one) == session]
    known = {one.sidecar.id for one in own}
    return _match(session, hit.score, hit, _found(own if hit.sidecar.id in known else [hit, *own], places))


def _found(hits: Sequence[Hit], places: _Places) -> list[RecalledWindow]:
    """The windows of hits of one session, best first."""
    groups: dict[int, tuple[Window, list[Hit]]] = {}
    for hit in hits:
        window = places.window(hit)
        if window is not None:
            groups.setdefault(window.index, (window, []))[1].append(hit)
    found = [
        RecalledWindow(
            window_answer(_session_of(group[0]), window),
            round(_together([hit.score for hit in group]), 4),
            tuple(str(Ref("chunk", hit.sidecar.id)) for hit in group[:_MAX_CHUNKS]),
        )
        for window, group in groups.values()
    ]
    return sorted(found, key=lambda one: (-one.score, one.window.index))


def _together(scores: Sequence[float]) -> float:
    return sum(score * _FURTHER**number for number, score in enumerate(sorted(scores, reverse=True)))


def find_sessions(settings: Settings, query: SearchQuery, viewer: Viewer) -> SessionSearchAnswer:
    """The sessions that answer, the best first. ``query`` is grouped by session. Raises UsageError, NotFound."""
    report = search(settings, query)
    items = []
    for hit in report.hits:
        fields = hit.sidecar.fields
        key = (str(fields["agent"]), str(fields["session_id"]))
        known, _ = facts_so_far(settings.layout, viewer.catalog, "agent=? AND session_id=?", list(key))
        items.append(
            FoundSession(
                score=hit.score,
                chunk=hit.ref,
                node=viewer.node(key),
                goal=next((facts.goal.text for facts in known if facts.goal), None),
                lines=[line.text for line in hit.lines],
            )
        )
    return SessionSearchAnswer(
        query=query.text,
        results=len(items),
        matched=report.matched,
        items=items,
        rankers=list(report.oracle_status["rankers"]),
        evidence=report.evidence,
        notes=[*report.notes, *viewer.notes()],
    )
