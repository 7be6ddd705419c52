"""The endpoints that read: each a path, words on what it is for, what it may be asked with, and who answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

from aicx.config import Settings
from aicx.corpus.catalog.sessions import SessionsPage, browse
from aicx.corpus.views.show import WholeChunk
from aicx.engine.search import Searcher, SearchQuery
from aicx.engine.search_answer import SearchAnswer
from aicx.engine.steer_answer import ranked_answer, steer_answer
from aicx.servers.dashboard import requests as asked
from aicx.servers.dashboard import responses as shapes
from aicx.servers.dashboard import searches
from aicx.servers.dashboard.memory import read_page
from aicx.servers.dashboard.overview import overview
from aicx.servers.dashboard.reader import context, detail, whole_chunk
from aicx.servers.dashboard.regenerate import Rebuilding
from aicx.servers.dashboard.searches import explain
from aicx.servers.dashboard.status import StatusReader
from aicx.servers.dashboard.timeline import (
    RepositoryTimeline,
    SessionTimeline,
    repository_timeline,
    session_timeline,
)
from aicx.servers.dashboard.work import read_work
from aicx.servers.dashboard.work_shapes import WorkPage
from aicx.servers.questions import Asked, FilteredQuestion, SessionsQuestion
from aicx.share.membership import find_membership
from aicx.share.wanted import list_chunks, passages_of_team
from aicx.values import dataclass
from aicx.why.answer import WhyAnswer


@dataclass(frozen=True, slots=True)
class EndpointContext:
    """The means of an endpoint: the thread's own searcher, and what the whole server shares."""

    settings: Settings
    searcher: Searcher
    now: datetime
    status: StatusReader
    rebuilding: Rebuilding


@dataclass(frozen=True, slots=True)
class Endpoint:
    """``answer`` takes the means and a value of ``asked``, and gives a ``shape``.

    ``searches`` says whether it asks the indexes, which may take a while, or only the catalogue and single files.
    """

    path: str
    summary: str
    asked: type
    shape: type
    answer: Callable[[EndpointContext, Any], Any]
    failures: tuple[int, ...] = (400, 500)
    searches: bool = False


def _status(means: EndpointContext, _: Asked) -> shapes.Status:
    return means.rebuilding.told(means.status.read(means.now))


def _overview(means: EndpointContext, wanted: FilteredQuestion) -> shapes.Overview:
    found = overview(means.settings.layout, wanted.filters(means.now))
    membership = find_membership(means.settings.layout)
    return replace(found, member=membership.member if membership else None)


def _browse(means: EndpointContext, wanted: SessionsQuestion) -> SessionsPage:
    return browse(means.settings.layout, wanted.filters(means.now), wanted.sort, wanted.limit, wanted.offset)


def _detail(means: EndpointContext, wanted: asked.SessionRequest) -> shapes.Detail:
    return detail(
        means.settings.layout,
        wanted.id,
        agent=wanted.agent,
        chunk=wanted.chunk,
        offset=wanted.offset,
        limit=wanted.limit,
    )


def _chunk(means: EndpointContext, wanted: asked.ChunkRequest) -> WholeChunk:
    return whole_chunk(means.settings.layout, id=wanted.id, path=wanted.path)


def _context(means: EndpointContext, wanted: asked.ContextRequest) -> shapes.Detail:
    return context(means.settings.layout, wanted.id, wanted.around)


def _semantic(means: EndpointContext, wanted: asked.SearchRequest) -> SearchAnswer:
    share = passages_of_team(means.settings, team=wanted.team)
    query = wanted.search_query(wanted.q, means.now, wanted.group, share=share)
    return searches.semantic(means.searcher, means.settings, query)


def _fuzzy(means: EndpointContext, wanted: asked.FuzzyRequest) -> shapes.Matches:
    query = SearchQuery(text=wanted.q, now=means.now, filters=wanted.filters(means.now))
    layout = means.settings.layout
    return searches.fuzzy(means.searcher, layout, query, wanted.limit, wanted.score, wanted.frame_kind)


def _cross(means: EndpointContext, wanted: asked.CrossRequest) -> shapes.Crossed:
    query = SearchQuery(text=wanted.q, now=means.now, filters=wanted.filters(means.now), mode=wanted.mode)
    return searches.cross(means.searcher, query, wanted.limit, wanted.each)


def _why(means: EndpointContext, wanted: asked.WhyRequest) -> WhyAnswer:
    return explain(means.settings, wanted.target, wanted.project, wanted.limit, means.now, team=wanted.team)


def _session_timeline(means: EndpointContext, wanted: asked.SessionTimelineRequest) -> SessionTimeline:
    return session_timeline(means.settings, wanted.agent, wanted.id)


def _repository_timeline(means: EndpointContext, wanted: asked.RepositoryTimelineRequest) -> RepositoryTimeline:
    return repository_timeline(means.settings, wanted.project)


def _memory(means: EndpointContext, wanted: asked.MemoryRequest) -> shapes.MemoryPage:
    return read_page(means.settings, wanted, means.now)


def _work(means: EndpointContext, wanted: asked.WorkRequest) -> WorkPage:
    return read_work(means.settings, wanted, means.now)


def _steer(means: EndpointContext, wanted: asked.SteerRequest) -> shapes.Steered:
    settings = means.settings
    if query := wanted.steer_query(wanted.q, means.now, share=passages_of_team(settings, team=wanted.team)):
        return searches.steered(ranked_answer(means.searcher.search(query)))
    found = list_chunks(settings, wanted.filters(means.now), wanted.limit, team=wanted.team)
    return searches.steered(steer_answer(found))


ENDPOINTS = (
    Endpoint("/api/status", "How the corpus is doing.", Asked, shapes.Status, _status),
    Endpoint(
        "/api/overview",
        "How much there is of which project, agent and kind, and from when.",
        FilteredQuestion,
        shapes.Overview,
        _overview,
    ),
    Endpoint("/api/browse", "List sessions.", SessionsQuestion, SessionsPage, _browse, (400, 404, 500)),
    Endpoint("/api/detail", "Read a session.", asked.SessionRequest, shapes.Detail, _detail, (400, 404, 500)),
    Endpoint(
        "/api/chunk",
        "One chunk as stored.",
        asked.ChunkRequest,
        WholeChunk,
        _chunk,
        (400, 403, 404, 500),
    ),
    Endpoint(
        "/api/context",
        "A chunk between its neighbours.",
        asked.ContextRequest,
        shapes.Detail,
        _context,
        (400, 404, 500),
    ),
    Endpoint(
        "/api/search/semantic",
        "Search as `aicx search` does: by words, and by meaning where there is a vector index.",
        asked.SearchRequest,
        SearchAnswer,
        _semantic,
        (400, 404, 500),
        searches=True,
    ),
    Endpoint(
        "/api/search/fuzzy",
        "Search by words alone, with scores.",
        asked.FuzzyRequest,
        shapes.Matches,
        _fuzzy,
        (400, 404, 500),
        searches=True,
    ),
    Endpoint(
        "/api/search/cross",
        "Search, project by project.",
        asked.CrossRequest,
        shapes.Crossed,
        _cross,
        (400, 404, 500),
        searches=True,
    ),
    Endpoint(
        "/api/search/steer",
        "List chunks by what is known of them, and by what they are about.",
        asked.SteerRequest,
        shapes.Steered,
        _steer,
        (400, 404, 500),
        searches=True,
    ),
    Endpoint(
        "/api/why",
        "The sessions that made a commit, a file or a line, and what they say of the reason.",
        asked.WhyRequest,
        WhyAnswer,
        _why,
        (400, 404, 500),
        searches=True,
    ),
    Endpoint(
        "/api/timeline/session",
        "What happened when in a session: prompts, edits, failures and commits.",
        asked.SessionTimelineRequest,
        SessionTimeline,
        _session_timeline,
        (400, 404, 500),
    ),
    Endpoint(
        "/api/timeline/repository",
        "The sessions of a repository by branch, with its merges, releases and latest commits.",
        asked.RepositoryTimelineRequest,
        RepositoryTimeline,
        _repository_timeline,
        (400, 404, 500),
    ),
    Endpoint(
        "/api/memory",
        "What is agreed, what waits for a person, what is in conflict, and what went stale.",
        asked.MemoryRequest,
        shapes.MemoryPage,
        _memory,
        searches=True,
    ),
    Endpoint(
        "/api/work",
        "What is open in a repository, what its sessions left, its failures with their fixes, and contracts.",
        asked.WorkRequest,
        WorkPage,
        _work,
        searches=True,
    ),
)
