"""`aicx.show/1`: one chunk, one session, or the chunks that have to do with a file or a commit."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any, Literal

from aicx.fields import INLINE, OPTIONAL, taken_from
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.corpus.views.show import SessionChunk, Shown, ShownChunk, ShownSession

SCHEMA = "aicx.show/1"


@dataclass(frozen=True, slots=True)
class WholeChunk:
    """A chunk as stored."""

    id: str
    path: str
    markdown: Annotated[str, "its text"]
    sidecar: Annotated[dict[str, Any], "the [sidecar](on-disk-format.md) as it is"]
    sources: list[dict[str, Any]]
    previous: str | None
    next: str | None
    ignored: Annotated[bool, "whether `.aicxignore` hides it"]
    altered: Annotated[bool, "whether its Markdown was altered after it was stored; the exit code is then 7"]
    automated: bool
    automated_why: str | None


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """A folder of a session, and why it is filed under that repository, or under none (null)."""

    folder: Annotated[str, "working folder"]
    repository: Annotated[str | None, "null where it belongs to none"]
    source: Annotated[str | None, "as `repo_source` in [sidecars](on-disk-format.md), or null"]
    reason: Annotated[str, "in a sentence"]


@dataclass(frozen=True, slots=True)
class SessionHead:
    """A session without its chunks."""

    found: Annotated[Literal["session"], "what the reference means"]
    agent: str
    session_id: str
    title: str | None
    lane: str
    projects: Annotated[list[str], "the repositories it is filed under"]
    cwd: Annotated[str | None, "the first working folder"]
    started_at: str
    completed_at: str
    parent_session: str | None
    parent_stored: Annotated[bool, "whether that is stored"]
    children: Annotated[list[str], "ids of its subagents' sessions"]
    reopen: str | None
    log_is_there: Annotated[bool, "whether the agent still has its log"]
    places: Annotated[list[SessionPlace], "why it is filed there"]
    automated: bool
    automated_why: str | None


@dataclass(frozen=True, slots=True)
class ChunkFound:
    found: Annotated[Literal["chunk"], "what the reference means"]
    chunk: WholeChunk = field(metadata=INLINE)


@dataclass(frozen=True, slots=True)
class ListedChunk:
    """A chunk in the list of its session's."""

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


@dataclass(frozen=True, slots=True)
class ShownPart(ListedChunk):
    """A chunk in the list of its session's."""

    markdown: Annotated[str | None, "its text, with `--full`"] = field(default=None, metadata=OPTIONAL)
    altered: bool | None = field(default=None, metadata=OPTIONAL)
    source_states: Annotated[list[str] | None, "of its logs, with `--verify`"] = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, slots=True)
class SessionFound:
    head: SessionHead = field(metadata=INLINE)
    chunks: Annotated[list[ShownPart], "its chunks, oldest first"]


@dataclass(frozen=True, slots=True)
class ListFound:
    """The chunks that have to do with a file or a commit."""

    found: Annotated[str, "`file` or `commit`"]
    matched: int
    items: Annotated[
        list[dict[str, Any]],
        "as in [`steer`](#steer-aicxsteer1), newest first; for a commit each with `found_in` and `altered`",
    ]
    lines: Annotated[
        list[str] | None, "of a place in a map that no stored session touched: the file, from there on"
    ] = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, slots=True)
class ShowAnswer:
    """The session or chunk that a reference leads to."""

    ref: Annotated[str, "as asked"]
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
    return taken_from(
        chunk,
        WholeChunk,
        path=str(chunk.path),
        markdown=chunk.markdown.decode("utf-8", "replace"),
        sidecar=chunk.fields,
        automated=chunk.automated_why is not None,
    )


def session_head(session: ShownSession) -> SessionHead:
    return taken_from(
        session,
        SessionHead,
        found="session",
        parent_session=session.parent,
        places=[taken_from(one, SessionPlace) for one in session.places],
        automated=session.automated_why is not None,
    )


def _part(part: SessionChunk) -> ShownPart:
    markdown = part.markdown.decode("utf-8", "replace") if part.markdown is not None else None
    return ShownPart(**part.row, markdown=markdown, altered=part.altered, source_states=list(part.states) or None)
