"""The data of the reader: a window of a session's chunks as turns, and one chunk as it is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.files import Sidecar
from aicx.corpus.files.read import ALTERED, read_chunk
from aicx.corpus.ingest.render import speaker_of
from aicx.corpus.views.provenance import is_there, sources_of
from aicx.corpus.views.references import parse_reference
from aicx.corpus.views.show import ChunkFound, SessionFound, ShownPart, WholeChunk, show
from aicx.errors import AicxError, CorpusDamaged, NotFound, UsageError
from aicx.evidence import facts_in_text
from aicx.fields import taken_from
from aicx.paths import Layout
from aicx.refs import Ref
from aicx.servers.dashboard.responses import Detail, Outcome, ReadChunk, Speaker, Tool, Turn
from aicx.sources import every_agent, is_agent
from aicx.titles import is_to_client
from aicx.types import PROMPTS

# What a sidecar holds for aicx itself rather than for whoever asks.
_INTERNAL = ("messages", "folders", "places", "commits")
_SPOKEN = ("user", "assistant")


def detail(
    layout: Layout,
    session: str,
    *,
    agent: str | None = None,
    chunk: str | None = None,
    offset: int = 0,
    limit: int = 20,
) -> Detail:
    """A session, and ``limit`` of its chunks from ``offset`` on; with ``chunk``, from where that one is among them.

    ``session`` is an id or the beginning of one, ``agent`` says whose where two agents have the same.
    Raises NotFound with the nearest candidates.
    """
    shown, notes = _session(layout, session, agent)
    if chunk is not None:
        offset = _place(shown, chunk) // limit * limit
    return _window(layout, shown, notes, offset, limit)


def context(layout: Layout, chunk: str, around: int) -> Detail:
    """A chunk between its neighbours in its session, ``around`` on either side, in the form of `detail`."""
    found = _chunk(layout, chunk)
    shown, notes = _session(layout, str(found.sidecar["session_id"]), str(found.sidecar["agent"]))
    place = _place(shown, found.id)
    first = max(0, place - around)
    return _window(layout, shown, notes, first, place + around + 1 - first)


def whole_chunk(layout: Layout, *, id: str | None, path: str | None) -> WholeChunk:
    """One chunk as stored, by its id or by its path (absolute, or from `store/` on).

    Raises UsageError for neither or both, UnsafePath for a path that is not in the store, NotFound for what is not
    stored.
    """
    if (id is None) == (path is None):
        raise UsageError("which chunk?", hint="name it by id or by path, and not by both")
    chunk = _chunk(layout, id) if id is not None else _chunk_at(layout, str(path))
    public = {name: value for name, value in chunk.sidecar.items() if name not in _INTERNAL}
    return replace(chunk, sidecar=public)


def _session(layout: Layout, session: str, agent: str | None) -> tuple[SessionFound, list[str]]:
    if agent is not None and not is_agent(agent):
        raise UsageError(f"there is no agent {agent!r}", hint=f"one of {', '.join(every_agent())}")
    name = f"{agent}:{session}" if agent else session
    if not name.isprintable():
        raise NotFound("no session has control characters in its id")
    shown = show(layout, str(Ref("session", name)), 0)
    assert isinstance(shown.what, SessionFound)
    return shown.what, [*([shown.fallback_reason] if shown.fallback_reason else []), *shown.notes]


def _chunk(layout: Layout, id: str) -> WholeChunk:
    if not id.isprintable():
        raise NotFound("no chunk has control characters in its id")
    if parse_reference(id, layout).kind not in ("name", "chunk"):
        raise NotFound(f"{id!r} is not a chunk's id", hint="one looks like claude:SESSION:003; `path` takes paths")
    shown = show(layout, id, 0).what
    if not isinstance(shown, ChunkFound):
        raise NotFound(f"{id!r} is a session, not a chunk", hint="/api/detail shows sessions")
    return shown.chunk


def _chunk_at(layout: Layout, path: str) -> WholeChunk:
    reference = parse_reference(path, layout)
    known = False
    if reference.kind == "path":
        with open_catalog(layout) as opened:
            # Only what the catalogue knows is opened: a chunk's name alone makes no chunk.
            known = bool(opened.catalog.rows("SELECT 1 FROM chunks WHERE path=?", (reference.value,)))
    if not known:
        raise NotFound(f"no chunk is stored at {path!r}", hint="paths are as /api/browse and /api/search/* give them")
    shown = show(layout, path, 0).what
    assert isinstance(shown, ChunkFound)
    return shown.chunk


def _place(session: SessionFound, chunk: str) -> int:
    place = next((number for number, part in enumerate(session.chunks) if part.id == chunk), None)
    if place is None:
        name = session.head.session_id
        raise NotFound(f"session {name} has no chunk {chunk!r} to show", hint="leave out chunk for its beginning")
    return place


def _window(layout: Layout, shown: SessionFound, notes: list[str], offset: int, limit: int) -> Detail:
    parts = shown.chunks
    return Detail(
        session=shown.head,
        chunks=[
            _read(layout, parts, number) for number in range(min(offset, len(parts)), min(offset + limit, len(parts)))
        ],
        offset=offset,
        total=len(parts),
        notes=notes,
    )


def _read(layout: Layout, parts: Sequence[ShownPart], number: int) -> ReadChunk:
    """One chunk with its turns; what is wrong with it where it cannot be read or is not what its sidecar says."""
    part = parts[number]
    path = part.path.removeprefix(f"{layout.home}/")
    found = taken_from(
        part,
        ReadChunk,
        sources=[],
        previous=_neighbour(parts, number, -1),
        next=_neighbour(parts, number, 1),
        problem=None,
        altered=False,
        turns=[],
    )
    try:
        stored = read_chunk(layout, path)
    except AicxError as error:
        return replace(found, problem=f"{error.message}; `aicx doctor` says more")
    sidecar, markdown = stored.sidecar, stored.markdown
    sources = [source | {"is_there": is_there(source["path"])} for source in sources_of(sidecar.fields)]
    found = replace(found, sources=sources, altered=stored.altered)
    try:
        if stored.altered:  # its spans lead anywhere
            raise CorpusDamaged(f"this part was {ALTERED}")
        return replace(found, turns=turns_of(sidecar, markdown))
    except CorpusDamaged as error:
        as_it_is = _as_it_is(sidecar.fields["started_at"], markdown)
        return replace(found, problem=f"{error.message}; shown as it is", turns=[as_it_is])


def _neighbour(parts: Sequence[ShownPart], number: int, step: int) -> str | None:
    """The id of the chunk before or after, in the session's own log or in what was kept of a prompt history."""
    if not 0 <= number + step < len(parts):
        return None
    own, other = (parts[place].id for place in (number, number + step))
    return other if own.rpartition(":")[0] == other.rpartition(":")[0] else None


def _as_it_is(at: str, markdown: bytes) -> Turn:
    text = markdown.decode("utf-8", "replace")
    return Turn("note", at, "as stored", text, tool=None, folded=False, part=None, echo=False)


def turns_of(sidecar: Sidecar, markdown: bytes) -> list[Turn]:
    """The turns of a chunk in order, without those it repeats from the chunk before.

    Raises CorpusDamaged when the sidecar does not fit the Markdown, which a person may have edited.
    """
    try:
        return [_turn(message, markdown) for message in sidecar.messages if not message.get("repeated")]
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise CorpusDamaged(f"the sidecar of {sidecar.id} does not fit it", hint="aicx doctor") from error


def _turn(message: dict[str, Any], markdown: bytes) -> Turn:
    low, high = message["span"]
    if not 0 <= low <= high <= len(markdown):
        raise ValueError("a span beyond the text")
    text = markdown[low:high].decode("utf-8", "replace")
    if message["role"] == "tool" and not message.get("tool"):  # stored before tool facts were kept
        message = {**message, "tool": facts_in_text(markdown, low, text)}
    role = _role(message)
    return Turn(
        role=role,
        at=message["at"],
        title=speaker_of(message),
        text=text,
        tool=_tool(message["tool"]) if role == "tool" else None,
        # Open is what people and agents said to each other; the rest opens on demand.
        folded=role not in _SPOKEN or bool(message.get("echo")) or (role == "user" and is_to_client(text)),
        part=message.get("part"),
        echo=bool(message.get("echo")),
    )


def _role(message: dict[str, Any]) -> Speaker:
    """Who speaks, as a reader would say: what an agent's client put into the log is a note in the margin."""
    role, origin = message["role"], message["origin"]
    if role == "user" and origin in PROMPTS:
        return "user"
    if (role, origin) == ("assistant", "agent"):
        return "assistant"
    return "tool" if role == "tool" else "reasoning" if role == "reasoning" else "note"


def _tool(facts: dict[str, Any]) -> Tool:
    outcome: Outcome = "call" if facts["phase"] == "call" else "failed" if facts.get("failed") else "result"
    return Tool(facts["name"], facts.get("call_id"), outcome)
