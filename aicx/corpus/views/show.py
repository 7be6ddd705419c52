"""Gathers what is known of one chunk, of one session, or of the chunks that have to do with a file or a commit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from typing import Any

from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.query import Opened, open_catalog, steer, told
from aicx.corpus.catalog.session_names import short_reference
from aicx.corpus.catalog.summary import ignore_matcher
from aicx.corpus.files.read import read_chunk
from aicx.corpus.places.report import WorkFolder, session_places
from aicx.corpus.views.provenance import is_there, sources_of, verify_source
from aicx.corpus.views.references import SessionTarget, find_commit, find_target, parse_reference
from aicx.errors import CorpusDamaged, NotFound
from aicx.filters import Filters
from aicx.paths import Layout
from aicx.refs import Ref
from aicx.sources import reopen_command
from aicx.values import dataclass

_INTERNAL = ("messages", "folders", "places", "commits")
HEADING = b"\n### "  # what a message begins with; a chunk without one holds nothing


@dataclass(frozen=True, slots=True)
class ShownChunk:
    """A chunk as stored, with what is around it. Each source says whether it is there and, if asked, unchanged.

    ``altered``: its text is not what was stored.
    """

    id: str
    path: Path
    markdown: bytes
    fields: dict[str, Any]
    sources: list[dict[str, Any]]
    previous: str | None
    next: str | None
    ignored: bool
    altered: bool
    automated_why: str | None


@dataclass(frozen=True, slots=True)
class SessionChunk:
    """One chunk in the list of its session's; ``markdown`` without what it repeats, None unless asked for.

    ``altered``: its text is not what was stored; None where it was not read.
    """

    row: dict[str, Any]
    markdown: bytes | None = None
    states: tuple[str, ...] = ()
    altered: bool | None = None


@dataclass(frozen=True, slots=True)
class ShownSession:
    """A session from its chunks. ``reopen`` is the agent's own command for it, None where there is none."""

    agent: str
    session_id: str
    title: str | None
    lane: str
    projects: list[str]
    started_at: str
    completed_at: str
    parent: str | None
    parent_stored: bool
    children: list[str]
    reopen: str | None
    cwd: str | None
    log_is_there: bool
    automated_why: str | None  # the evidence that a program ran it
    parts: list[SessionChunk]
    places: list[WorkFolder] = field(default_factory=list)  # why it is filed where it is


@dataclass(frozen=True, slots=True)
class ShownList:
    """Chunks that have to do with a file or a commit, newest first; ``matched`` counts those beyond the limit too."""

    kind: str
    items: list[dict[str, Any]]
    matched: int


@dataclass(slots=True)
class Shown:
    """The answer, and how it was obtained."""

    what: ShownChunk | ShownSession | ShownList
    fallback_reason: str | None = None
    notes: list[str] = field(default_factory=list)


def show(layout: Layout, text: str, limit: int, *, full: bool = False, verify: bool = False) -> Shown:
    """Finds what ``text`` refers to.

    Raises NotFound with the nearest candidates, UnsafePath for a path that is not in the store.
    """
    reference = parse_reference(text, layout)
    if reference.kind in ("file", "map"):
        found = steer(layout, Filters(file=(reference.path,)), limit)
        return Shown(
            _listed(reference, found.items, found.matched), found.oracle_status["fallback_reason"], found.notes
        )
    with open_catalog(layout) as opened:
        return Shown(_look_up(layout, opened, reference, limit, full, verify), opened.fallback_reason, opened.notes)


def _look_up(
    layout: Layout, opened: Opened, reference: Ref, limit: int, full: bool, verify: bool
) -> ShownChunk | ShownSession | ShownList:
    if reference.kind == "commit":
        return _commit(layout, opened, reference, limit)
    target = find_target(reference, opened.catalog)
    if isinstance(target, SessionTarget):
        return _session(layout, opened, target, full, verify)
    return _chunk(layout, opened.catalog, target.path, verify)


def _listed(reference: Ref, items: list[dict[str, Any]], matched: int) -> ShownList:
    kind = "commit" if reference.kind == "commit" else "file"
    if not matched:
        what = "touched" if reference.kind != "commit" else "has to do with"
        hint = (
            "a part of a path is enough; try a shorter one"
            if reference.kind != "commit"
            else "only commits that a session began at, ran or named are known; `git log` knows the rest"
        )
        raise NotFound(f"no stored chunk {what} the {kind} {reference.path}", hint=hint)
    return ShownList(kind, items, matched)


def _commit(layout: Layout, opened: Opened, reference: Ref, limit: int) -> ShownList:
    rows = opened.catalog.rows("SELECT path FROM chunks ORDER BY started_at DESC, id DESC")
    hidden = ignore_matcher(layout)
    items = []
    matched = 0
    visible = (row["path"] for row in rows if not hidden(row["path"]))
    for mention in find_commit(layout, visible, reference.value, opened.notes.append):
        matched += 1
        if matched <= limit:
            public = {name: value for name, value in mention.fields.items() if name not in _INTERNAL}
            found = {"found_in": mention.found_in, "path": str(layout.home / mention.path), "altered": mention.altered}
            title = opened.catalog.session_title(public["agent"], public["session_id"])
            known = told(_session_row(opened.catalog, public["agent"], public["session_id"]), None)
            items.append(public | {"title": title, "chunk_title": public.get("title")} | known | found)
    return _listed(reference, items, matched)


# --- one chunk


def _chunk(layout: Layout, catalog: Catalog, path: str, verify: bool) -> ShownChunk:
    stored = read_chunk(layout, path)
    sidecar = stored.sidecar
    rows = catalog.rows(
        "SELECT id, number FROM chunks WHERE agent=? AND session_id=? AND stream=? AND number!=? ORDER BY number",
        (sidecar.agent, sidecar.session_id, sidecar.stream, sidecar.number),
    )
    return ShownChunk(
        id=sidecar.id,
        path=layout.home / path,
        markdown=stored.markdown,
        fields=dict(sidecar.fields),
        sources=[_source(source, verify) for source in sources_of(sidecar.fields)],
        previous=next((row["id"] for row in reversed(rows) if row["number"] < sidecar.number), None),
        next=next((row["id"] for row in rows if row["number"] > sidecar.number), None),
        ignored=ignore_matcher(layout)(path),
        altered=stored.altered,
        automated_why=_session_row(catalog, sidecar.agent, sidecar.session_id)["automated_why"],
    )


def _source(source: dict[str, Any], verify: bool) -> dict[str, Any]:
    found = source | {"is_there": is_there(source["path"])}
    return found | {"state": verify_source(source)} if verify else found


# --- one session


def _session(layout: Layout, opened: Opened, target: SessionTarget, full: bool, verify: bool) -> ShownSession:
    catalog = opened.catalog
    found = catalog.rows(
        "SELECT id, agent, session_id, number, stream, path, project, date, kind, started_at, completed_at, messages,"
        " tokens, title, lane, parent_session, cwd, source_path FROM chunks WHERE agent=? AND session_id=?"
        " ORDER BY stream, number",
        (target.agent, target.session_id),
    )
    hidden = ignore_matcher(layout)
    rows = [dict(row) for row in found if not hidden(row["path"])]
    if not rows:
        raise NotFound(f".aicxignore hides every chunk of session {target.session_id}", hint=str(layout.ignore_file))
    if len(rows) < len(found):
        opened.notes.append(f".aicxignore hides {len(found) - len(rows)} of the session's {len(found)} chunks")
    parent = next((row["parent_session"] for row in rows if row["parent_session"]), None)
    lane = "subagent" if any(row["lane"] == "subagent" for row in rows) else "primary"
    stored = "SELECT 1 FROM chunks WHERE agent=? AND session_id=? LIMIT 1"
    return ShownSession(
        agent=target.agent,
        session_id=target.session_id,
        title=catalog.session_title(target.agent, target.session_id),
        lane=lane,
        projects=list(dict.fromkeys(row["project"] for row in rows)),
        started_at=min(row["started_at"] for row in rows),
        completed_at=max(row["completed_at"] for row in rows),
        parent=parent,
        parent_stored=parent is not None and bool(catalog.rows(stored, (target.agent, parent))),
        children=_children(catalog, target),
        reopen=reopen_command(target.agent, target.session_id, lane, parent),
        cwd=next((row["cwd"] for row in rows if row["cwd"]), None),
        log_is_there=any(is_there(row["source_path"]) for row in rows if row["source_path"] and not row["stream"]),
        automated_why=_session_row(catalog, target.agent, target.session_id)["automated_why"],
        parts=[_part(layout, catalog, row, full, verify, opened.notes.append) for row in rows],
        places=session_places(catalog, target.agent, target.session_id),
    )


def _part(
    layout: Layout, catalog: Catalog, row: dict[str, Any], full: bool, verify: bool, notify: Callable[[str], None]
) -> SessionChunk:
    public = {
        "id": row["id"],
        "ref": short_reference(row["id"], row["agent"], row["session_id"], catalog),
        "number": row["number"],
        "path": str(layout.home / row["path"]),
        **{name: row[name] for name in ("project", "date", "kind", "started_at", "completed_at", "messages", "tokens")},
    }
    if not (full or verify):
        return SessionChunk(public)
    try:
        stored = read_chunk(layout, row["path"])
    except (NotFound, CorpusDamaged) as error:
        notify(f"{error.message}; `aicx doctor` says more")
        return SessionChunk(public)
    fields = stored.sidecar.fields
    markdown = None
    if full:
        # The spans of an altered chunk lead anywhere: it is given whole.
        markdown = stored.markdown if stored.altered else without_repetition(stored.markdown, fields.get("messages"))
    states = tuple(verify_source(source) for source in sources_of(fields)) if verify else ()
    return SessionChunk(public, markdown, states, stored.altered)


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


def _children(catalog: Catalog, target: SessionTarget) -> list[str]:
    rows = catalog.rows(
        "SELECT session_id FROM chunks WHERE agent=? AND parent_session=? GROUP BY session_id ORDER BY min(started_at)",
        (target.agent, target.session_id),
    )
    return [row["session_id"] for row in rows]
