"""`aicx.show/1`: one chunk, one session, or the chunks that have to do with a file or a commit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Annotated, Any, Literal

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.names import short_reference
from aicx.corpus.catalog.query import Opened, ignore_matcher, open_catalog, steer, told
from aicx.corpus.files.read import read_chunk
from aicx.corpus.places.report import WorkFolder, session_places
from aicx.corpus.views.provenance import is_there, sources_of, verify_source
from aicx.corpus.views.references import find_commit, find_target, parse_reference
from aicx.errors import CorpusDamaged, NotFound
from aicx.fields import INLINE, INTERNAL, OPTIONAL
from aicx.filters import Filters
from aicx.paths import Layout
from aicx.refs import Ref
from aicx.sources import reopen_command
from aicx.values import dataclass

SCHEMA = "aicx.show/1"
_INTERNAL = ("messages", "folders", "places", "commits")
HEADING = b"\n### "  # what a message begins with; a chunk without one holds nothing


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
    body: bytes = field(metadata=INTERNAL)  # its text as it is on disk


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
    places: Annotated[list[WorkFolder], "why it is filed there"]
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
    body: bytes | None = field(default=None, metadata=INTERNAL)  # without what it repeats, with `--full`


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


Shown = ChunkFound | SessionFound | ListFound


def show(layout: Layout, text: str, limit: int, *, full: bool = False, verify: bool = False) -> ShowAnswer:
    """Finds what ``text`` refers to.

    Raises NotFound with the nearest candidates, UnsafePath for a path that is not in the store.
    """
    reference = parse_reference(text, layout)
    if reference.kind in ("file", "map"):
        found = steer(layout, Filters(file=(reference.path,)), limit)
        listed = _listed(reference, found.items, found.matched)
        return ShowAnswer(text, listed, found.oracle_status["fallback_reason"], found.notes)
    with open_catalog(layout) as opened:
        what = _look_up(layout, opened, reference, limit, full, verify)
        return ShowAnswer(text, what, opened.fallback_reason, opened.notes)


def _look_up(layout: Layout, opened: Opened, reference: Ref, limit: int, full: bool, verify: bool) -> Shown:
    if reference.kind == "commit":
        return _commit(layout, opened, reference, limit)
    target = find_target(reference, opened.catalog)
    if isinstance(target, str):
        return ChunkFound("chunk", _chunk(layout, opened.catalog, target, verify))
    return _session(layout, opened, *target, full, verify)


def _listed(reference: Ref, items: list[dict[str, Any]], matched: int) -> ListFound:
    kind = "commit" if reference.kind == "commit" else "file"
    if not matched:
        what = "touched" if reference.kind != "commit" else "has to do with"
        hint = (
            "a part of a path is enough; try a shorter one"
            if reference.kind != "commit"
            else "only commits that a session began at, ran or named are known; `git log` knows the rest"
        )
        raise NotFound(f"no stored chunk {what} the {kind} {reference.path}", hint=hint)
    return ListFound(kind, matched, items)


def _commit(layout: Layout, opened: Opened, reference: Ref, limit: int) -> ListFound:
    rows = opened.catalog.rows("SELECT path FROM chunks ORDER BY started_at DESC, id DESC")
    hidden = ignore_matcher(layout)
    items = []
    matched = 0
    visible = (row["path"] for row in rows if not hidden(row["path"]))
    for path, fields, found_in, altered in find_commit(layout, visible, reference.value, opened.notes.append):
        matched += 1
        if matched <= limit:
            public = {name: value for name, value in fields.items() if name not in _INTERNAL}
            found = {"found_in": found_in, "path": str(layout.home / path), "altered": altered}
            title = opened.catalog.session_title(public["agent"], public["session_id"])
            known = told(_session_row(opened.catalog, public["agent"], public["session_id"]), None)
            items.append(public | {"title": title, "chunk_title": public.get("title")} | known | found)
    return _listed(reference, items, matched)


# --- one chunk


def _chunk(layout: Layout, catalog: Catalog, path: str, verify: bool) -> WholeChunk:
    stored = read_chunk(layout, path)
    sidecar = stored.sidecar
    rows = catalog.rows(
        "SELECT id, number FROM chunks WHERE agent=? AND session_id=? AND stream=? AND number!=? ORDER BY number",
        (sidecar.agent, sidecar.session_id, sidecar.stream, sidecar.number),
    )
    why = _session_row(catalog, sidecar.agent, sidecar.session_id)["automated_why"]
    return WholeChunk(
        id=sidecar.id,
        path=str(layout.home / path),
        markdown=stored.markdown.decode("utf-8", "replace"),
        sidecar=dict(sidecar.fields),
        sources=[_source(source, verify) for source in sources_of(sidecar.fields)],
        previous=next((row["id"] for row in reversed(rows) if row["number"] < sidecar.number), None),
        next=next((row["id"] for row in rows if row["number"] > sidecar.number), None),
        ignored=ignore_matcher(layout)(path),
        altered=stored.altered,
        automated=why is not None,
        automated_why=why,
        body=stored.markdown,
    )


def _source(source: dict[str, Any], verify: bool) -> dict[str, Any]:
    found = source | {"is_there": is_there(source["path"])}
    return found | {"state": verify_source(source)} if verify else found


# --- one session


def _session(layout: Layout, opened: Opened, agent: str, session_id: str, full: bool, verify: bool) -> SessionFound:
    catalog = opened.catalog
    found = catalog.rows(
        "SELECT id, agent, session_id, number, stream, path, project, date, kind, started_at, completed_at, messages,"
        " tokens, title, lane, parent_session, cwd, source_path FROM chunks WHERE agent=? AND session_id=?"
        " ORDER BY stream, number",
        (agent, session_id),
    )
    hidden = ignore_matcher(layout)
    rows = [dict(row) for row in found if not hidden(row["path"])]
    if not rows:
        raise NotFound(f".aicxignore hides every chunk of session {session_id}", hint=str(layout.ignore_file))
    if len(rows) < len(found):
        opened.notes.append(f".aicxignore hides {len(found) - len(rows)} of the session's {len(found)} chunks")
    parent = next((row["parent_session"] for row in rows if row["parent_session"]), None)
    lane = "subagent" if any(row["lane"] == "subagent" for row in rows) else "primary"
    stored = "SELECT 1 FROM chunks WHERE agent=? AND session_id=? LIMIT 1"
    why = _session_row(catalog, agent, session_id)["automated_why"]
    head = SessionHead(
        found="session",
        agent=agent,
        session_id=session_id,
        title=catalog.session_title(agent, session_id),
        lane=lane,
        projects=list(dict.fromkeys(row["project"] for row in rows)),
        started_at=min(row["started_at"] for row in rows),
        completed_at=max(row["completed_at"] for row in rows),
        parent_session=parent,
        parent_stored=parent is not None and bool(catalog.rows(stored, (agent, parent))),
        children=_children(catalog, agent, session_id),
        reopen=reopen_command(agent, session_id, lane, parent),
        cwd=next((row["cwd"] for row in rows if row["cwd"]), None),
        log_is_there=any(is_there(row["source_path"]) for row in rows if row["source_path"] and not row["stream"]),
        automated=why is not None,
        automated_why=why,
        places=session_places(catalog, agent, session_id),
    )
    return SessionFound(head, [_part(layout, catalog, row, full, verify, opened.notes.append) for row in rows])


def _part(
    layout: Layout, catalog: Catalog, row: dict[str, Any], full: bool, verify: bool, notify: Callable[[str], None]
) -> ShownPart:
    public = {
        "id": row["id"],
        "ref": short_reference(row["id"], row["agent"], row["session_id"], catalog),
        "number": row["number"],
        "path": str(layout.home / row["path"]),
        **{name: row[name] for name in ("project", "date", "kind", "started_at", "completed_at", "messages", "tokens")},
    }
    if not (full or verify):
        return ShownPart(**public)
    try:
        stored = read_chunk(layout, row["path"])
    except (NotFound, CorpusDamaged) as error:
        notify(f"{error.message}; `aicx doctor` says more")
        return ShownPart(**public)
    fields = stored.sidecar.fields
    body = None
    if full:
        # The spans of an altered chunk lead anywhere: it is given whole.
        body = stored.markdown if stored.altered else without_repetition(stored.markdown, fields.get("messages"))
    return ShownPart(
        **public,
        markdown=body.decode("utf-8", "replace") if body is not None else None,
        altered=stored.altered,
        source_states=[verify_source(source) for source in sources_of(fields)] or None if verify else None,
        body=body,
    )


def without_repetition(markdown: bytes, messages: Any) -> bytes:
    """A chunk without the messages it shares with the chunk before, which open it."""
    spans = messages if isinstance(messages, list) else []
    repeated = [message["span"] for message in spans if message.get("repeated")]
    first = markdown.find(HEADING)
    # Between the end of a message's text and the next heading there is nothing but the end of a fence.
    own = markdown.find(HEADING, repeated[-1][1]) if repeated else -1
    return markdown[:first] + markdown[own:] if 0 <= first < own else markdown


def _session_row(catalog: Catalog, agent: str, session_id: str) -> dict[str, Any]:
    """Reads from the catalogue who ran a session."""
    rows = catalog.rows("SELECT automated_why FROM sessions WHERE agent=? AND session_id=?", (agent, session_id))
    return {"session_id": session_id, "automated_why": rows[0]["automated_why"] if rows else None}


def _children(catalog: Catalog, agent: str, session_id: str) -> list[str]:
    rows = catalog.rows(
        "SELECT session_id FROM chunks WHERE agent=? AND parent_session=? GROUP BY session_id ORDER BY min(started_at)",
        (agent, session_id),
    )
    return [row["session_id"] for row in rows]
