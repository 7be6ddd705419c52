"""The endpoints that read: each a function with its path, words on what it is for, and what it may be asked with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, get_type_hints

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
from aicx.servers.dashboard.timeline import RepositoryTimeline, SessionTimeline, repository_timeline, session_timeline
from aicx.servers.dashboard.work import read_work
from aicx.servers.dashboard.work_shapes import WorkPage
from aicx.servers.questions import Asked, FilteredQuestion, SessionsQuestion
from aicx.share import list_chunks, passages_of_team
from aicx.share.membership import find_membership
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
    """``answer`` takes the means and a value of ``asked``, and gives a ``shape``; its docstring is the ``summary``.

    ``searches`` says whether it asks the indexes, which may take a while, or only the catalogue and single files.
    """

    path: str
    summary: str
    asked: type
    shape: type
    answer: Callable[[EndpointContext, Any], Any]
    failures: tuple[int, ...]
    searches: bool


ENDPOINTS: list[Endpoint] = []


def _reads(path: str, *, failures: tuple[int, ...] = (400, 404, 500), searches: bool = False) -> Callable[[Any], Any]:
    """Makes an endpoint of the function below it: what it takes and gives is said by its annotations."""

    def add(answer: Callable[[EndpointContext, Any], Any]) -> Callable[[EndpointContext, Any], Any]:
        _, asked, shape = get_type_hints(answer).values()
        ENDPOINTS.append(Endpoint(path, answer.__doc__ or "", asked, shape, answer, failures, searches))
        return answer

    return add


@_reads("/api/status", failures=(400, 500))
def _status(means: EndpointContext, _: Asked) -> shapes.Status:
    """How the corpus is doing."""
    return means.rebuilding.told(means.status.read(means.now))


@_reads("/api/overview", failures=(400, 500))
def _overview(means: EndpointContext, wanted: FilteredQuestion) -> shapes.Overview:
    """How much there is of which project, agent and kind, and from when."""
    found = overview(means.settings.layout, wanted.filters(means.now))
    membership = find_membership(means.settings.layout)
    return replace(found, member=membership.member if membership else None)


@_reads("/api/browse")
def _browse(means: EndpointContext, wanted: SessionsQuestion) -> SessionsPage:
    """List sessions."""
    return browse(means.settings.layout, wanted.filters(means.now), wanted.sort, wanted.limit, wanted.offset)


@_reads("/api/detail")
def _detail(means: EndpointContext, wanted: asked.SessionRequest) -> shapes.Detail:
    """Read a session."""
    return detail(
        means.settings.layout,
        wanted.id,
        agent=wanted.agent,
        chunk=wanted.chunk,
        offset=wanted.offset,
        limit=wanted.limit,
    )


@_reads("/api/chunk", failures=(400, 403, 404, 500))
def _chunk(means: EndpointContext, wanted: asked.ChunkRequest) -> WholeChunk:
    """One chunk as stored."""
    return whole_chunk(means.settings.layout, id=wanted.id, path=wanted.path)


@_reads("/api/context")
def _context(means: EndpointContext, wanted: asked.ContextRequest) -> shapes.Detail:
    """A chunk between its neighbours."""
    return context(means.settings.layout, wanted.id, wanted.around)


@_reads("/api/search/semantic", searches=True)
def _semantic(means: EndpointContext, wanted: asked.SearchRequest) -> SearchAnswer:
    """Search as `aicx search` does: by words, and by meaning where there is a vector index."""
    share = passages_of_team(means.settings, team=wanted.team)
    query = wanted.search_query(wanted.q, means.now, wanted.group, share=share)
    return searches.semantic(means.searcher, means.settings, query)


@_reads("/api/search/fuzzy", searches=True)
def _fuzzy(means: EndpointContext, wanted: asked.FuzzyRequest) -> shapes.Matches:
    """Search by words alone, with scores."""
    query = SearchQuery(text=wanted.q, now=means.now, filters=wanted.filters(means.now))
    layout = means.settings.layout
    return searches.fuzzy(means.searcher, layout, query, wanted.limit, wanted.score, wanted.frame_kind)


@_reads("/api/search/cross", searches=True)
def _cross(means: EndpointContext, wanted: asked.CrossRequest) -> shapes.Crossed:
    """Search, project by project."""
    query = SearchQuery(text=wanted.q, now=means.now, filters=wanted.filters(means.now), mode=wanted.mode)
    return searches.cross(means.searcher, query, wanted.limit, wanted.each)


@_reads("/api/search/steer", searches=True)
def _steer(means: EndpointContext, wanted: asked.SteerRequest) -> shapes.Steered:
    """List chunks by what is known of them, and by what they are about."""
    settings = means.settings
    if query := wanted.steer_query(wanted.q, means.now, share=passages_of_team(settings, team=wanted.team)):
        return searches.steered(ranked_answer(means.searcher.search(query)))
    found = list_chunks(settings, wanted.filters(means.now), wanted.limit, team=wanted.team)
    return searches.steered(steer_answer(found))


@_reads("/api/why", searches=True)
def _why(means: EndpointContext, wanted: asked.WhyRequest) -> WhyAnswer:
    """The sessions that made a commit, a file or a line, and what they say of the reason."""
    return explain(means.settings, wanted.target, wanted.project, wanted.limit, means.now, team=wanted.team)


@_reads("/api/timeline/session")
def _session_timeline(means: EndpointContext, wanted: asked.SessionTimelineRequest) -> SessionTimeline:
    """What happened when in a session: prompts, edits, failures and commits."""
    return session_timeline(means.settings, wanted.agent, wanted.id)


@_reads("/api/timeline/repository")
def _repository_timeline(means: EndpointContext, wanted: asked.RepositoryTimelineRequest) -> RepositoryTimeline:
    """The sessions of a repository by branch, with its merges, releases and latest commits."""
    return repository_timeline(means.settings, wanted.project)


@_reads("/api/memory", failures=(400, 500), searches=True)
def _memory(means: EndpointContext, wanted: asked.MemoryRequest) -> shapes.MemoryPage:
    """What is agreed, what waits for a person, what is in conflict, and what went stale."""
    return read_page(means.settings, wanted, means.now)


@_reads("/api/work", failures=(400, 500), searches=True)
def _work(means: EndpointContext, wanted: asked.WorkRequest) -> WorkPage:
    """What is open in a repository, what its sessions left, its failures with their fixes, and contracts."""
    return read_work(means.settings, wanted, means.now)
