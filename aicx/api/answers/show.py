"""`aicx.show/1`: one chunk, one session, or the chunks that have to do with a file or a commit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from aicx.api.answers import INLINE, OPTIONAL

if TYPE_CHECKING:
    from aicx.corpus.views.show import Part, Shown, ShownChunk, ShownSession

SCHEMA = "aicx.show/1"


@dataclass(frozen=True, slots=True)
class WholeChunk:
    """A chunk as stored. ``sources`` are the logs it came from; ``altered``: its Markdown was changed since."""

    id: str
    path: str
    markdown: str
    sidecar: dict[str, Any]
    sources: list[dict[str, Any]]
    previous: str | None
    next: str | None
    ignored: bool
    altered: bool


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """A folder of a session, and why it is filed under that repository, or under none (null)."""

    folder: str
    repository: str | None
    source: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class SessionHead:
    """A session without its chunks. ``reopen`` is the agent's own command for it, null where there is none."""

    found: Literal["session"]
    agent: str
    session_id: str
    title: str | None
    lane: str
    projects: list[str]
    cwd: str | None
    started_at: str
    completed_at: str
    parent_session: str | None
    parent_stored: bool
    children: list[str]
    reopen: str | None
    log_is_there: bool
    places: list[SessionPlace]


@dataclass(frozen=True, slots=True)
class ChunkFound:
    found: Literal["chunk"]
    chunk: WholeChunk = field(metadata=INLINE)


@dataclass(frozen=True, slots=True)
class SessionPart:
    """A chunk in the list of its session's, with its text and the state of its sources where they were asked for."""

    id: str
    ref: str
    number: int
    path: str
    project: str
    date: str
    kind: str
    started_at: str
    completed_at: str
    messages: int
    tokens: int | None
    markdown: str | None = field(default=None, metadata=OPTIONAL)
    altered: bool | None = field(default=None, metadata=OPTIONAL)
    source_states: list[str] | None = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, slots=True)
class SessionFound:
    head: SessionHead = field(metadata=INLINE)
    chunks: list[SessionPart]


@dataclass(frozen=True, slots=True)
class ListFound:
    """The chunks that have to do with a file or a commit, newest first; ``matched`` counts those beyond the limit."""

    found: str
    matched: int
    items: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ShowAnswer:
    """What a reference leads to."""

    ref: str
    what: ChunkFound | SessionFound | ListFound = field(metadata=INLINE)
    fallback_reason: str | None
    notes: list[str]


def show_answer(shown: Shown, ref: str) -> ShowAnswer:
    from aicx.corpus.views.show import ShownChunk, ShownList, ShownSession

    what: ChunkFound | SessionFound | ListFound
    match shown.what:
        case ShownChunk() as chunk:
            what = ChunkFound("chunk", whole_chunk(chunk))
        case ShownSession() as session:
            what = SessionFound(session_head(session), [_part(part) for part in session.parts])
        case ShownList() as listed:
            what = ListFound(listed.kind, listed.matched, listed.items)
    return ShowAnswer(ref, what, shown.fallback_reason, shown.notes)


def whole_chunk(chunk: ShownChunk) -> WholeChunk:
    return WholeChunk(
        id=chunk.id,
        path=str(chunk.path),
        markdown=chunk.markdown.decode("utf-8", "replace"),
        sidecar=chunk.fields,
        sources=chunk.sources,
        previous=chunk.previous,
        next=chunk.next,
        ignored=chunk.ignored,
        altered=chunk.altered,
    )


def session_head(session: ShownSession) -> SessionHead:
    return SessionHead(
        found="session",
        agent=session.agent,
        session_id=session.session_id,
        title=session.title,
        lane=session.lane,
        projects=session.projects,
        cwd=session.cwd,
        started_at=session.started_at,
        completed_at=session.completed_at,
        parent_session=session.parent,
        parent_stored=session.parent_stored,
        children=session.children,
        reopen=session.reopen,
        log_is_there=session.log_is_there,
        places=[SessionPlace(one.folder, one.repository, one.source, one.reason) for one in session.places],
    )


def _part(part: Part) -> SessionPart:
    markdown = part.markdown.decode("utf-8", "replace") if part.markdown is not None else None
    return SessionPart(**part.row, markdown=markdown, altered=part.altered, source_states=list(part.states) or None)
