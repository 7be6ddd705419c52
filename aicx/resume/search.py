"""Searches the history for a task: in its repository and in related ones."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from aicx.engine.index_manifest import stale_indexes
from aicx.engine.search import Hit, Mode, Searcher, SearchQuery, SearchReport
from aicx.errors import AicxError, UsageError
from aicx.evidence.sessions import RepositoryScope, related_projects
from aicx.filters import Filters
from aicx.resume.report import Passage
from aicx.resume.state import ResumeState

# Sessions beyond these share a few words with the task; each costs a read and an excerpt.
_POOL = 10
_RELATED_POOL = 3
# Every related repository is a search of its own.
_MAX_RELATED = 3
_STATUS = ("backend", "rankers", "fallback_reason", "freshness", "stale_or_unknown", "indexed_count", "candidate_count")
# Of the commits that the task names; a brief has little room.
_NAMED, _MAX_NAMED = ("by", "commit", "at"), 2


class Found(NamedTuple):
    """The hits of a search, how they were obtained, and what has to be said about them."""

    passages: list[Passage]
    status: Mapping[str, Any]
    notes: list[str]


def recall(state: ResumeState) -> list[Passage]:
    """The passages for the topic: of this repository, and of those that have to do with it."""
    scope = state.place.scope
    related = related_projects(state.catalog, scope.project) if scope.project else {}
    related = {name: why for name, why in related.items() if name not in scope.also}
    with Searcher(state.settings) as searcher:
        found = _recall_own(searcher, state, scope) if state.sessions else Found([], {}, [])
        others = _recall_related(searcher, state, related)
    state.report.search = found.status
    state.warnings += found.notes
    state.unavailable += others.notes
    return [*found.passages, *others.passages]


def _recall_own(searcher: Searcher, state: ResumeState, scope: RepositoryScope) -> Found:
    # Where no repository is known, sessions are filed by the folders they worked in.
    name = scope.project or next(iter(scope.folders), None)
    if name is None:
        return Found([], {}, [])
    report = _ask(searcher, state, (name, *scope.also), _POOL, state.query.mode, state.query.folder)
    if report is None:
        return Found([], {}, [f"nothing to look for in the task {state.topic[:60]!r}: only stop words or symbols"])
    passages = [passage for hit in report.hits if (passage := _passage(hit, scope)) is not None]
    status = {name: report.oracle_status[name] for name in _STATUS if name in report.oracle_status}
    status["history"] = [{key: named[key] for key in _NAMED} for named in report.oracle_status["history"][:_MAX_NAMED]]
    return Found(passages, status, _search_notes(report))


def _recall_related(searcher: Searcher, state: ResumeState, projects: Mapping[str, str]) -> Found:
    """The best passages of related repositories, each labelled with how it is related. By words alone."""
    passages: list[Passage] = []
    notes: list[str] = []
    order = ("same_session", "same_name", "same_owner")
    for project in sorted(projects, key=lambda name: (order.index(projects[name]), name))[:_MAX_RELATED]:
        try:
            report = _ask(searcher, state, (project,), _RELATED_POOL, "lexical")
        except AicxError as error:
            notes.append(f"related repositories were not searched: {error.message}")
            break
        if report is not None:
            scope, relation = RepositoryScope(project), projects[project]
            passages += (passage for hit in report.hits if (passage := _passage(hit, scope, relation)) is not None)
    return Found(passages, {}, notes)


def _ask(
    searcher: Searcher, state: ResumeState, projects: tuple[str, ...], limit: int, mode: Mode, place: Path | None = None
) -> SearchReport | None:
    """The search's answer; None for a task in which there is nothing to look for."""
    asked = state.query
    query = SearchQuery(
        text=state.topic,
        now=asked.now,
        filters=Filters(projects, since=asked.since, until=asked.now, exclude_session=asked.exclude_session),
        mode=mode,
        group="session",
        limit=limit,
        decay=asked.decay,
        place=place,
        lift_dates=False,  # a date in a task is what it is about, not when it was talked about
    )
    try:
        return searcher.search(query)
    except UsageError:
        return None


def _passage(hit: Hit, scope: RepositoryScope, relation: str | None = None) -> Passage | None:
    """A hit as choosing needs it; None for one that the filter let through by a part of a name."""
    sidecar = hit.sidecar
    if not scope.holds(sidecar.project, sidecar.get("cwd")):
        return None
    by_meaning = hit.tier == "nearest" and "dense" in hit.votes
    return Passage(
        chunk=sidecar.id,
        path=hit.path,
        agent=sidecar.agent,
        session_id=sidecar.session_id,
        project=sidecar.project,
        cwd=sidecar.get("cwd"),
        parent=sidecar.get("parent_session"),
        lane=sidecar.get("lane") or "primary",
        started_at=sidecar.started_at,
        completed_at=datetime.fromisoformat(sidecar.fields["completed_at"]),
        score=hit.score,
        tier="meaning" if by_meaning else hit.tier,
        title=sidecar.get("session_title") or sidecar.get("topic") or sidecar.get("title"),
        lines=tuple(line.text for line in hit.lines),
        coverage=hit.terms_found / hit.terms_asked if hit.terms_asked else 0.0,
        files=tuple(sidecar.get("files") or ()),
        relation=relation,
        altered=hit.altered,
        raised=hit.history_factor,
        automated_why=hit.automated_why,
    )


def _search_notes(report: SearchReport) -> list[str]:
    status = report.oracle_status
    notes = [status["fallback_reason"]] if status["fallback_reason"] else []
    return [*notes, *stale_indexes(status["freshness"]), *report.notes]
