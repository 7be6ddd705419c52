"""The dashboard as one HTML file that works offline: the page that the server serves, with what it shows inside."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from aicx.config import Settings
from aicx.corpus.catalog.filters import conditions
from aicx.corpus.catalog.overview import list_chunk_paths
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.catalog.sessions import browse
from aicx.errors import NotFound
from aicx.fields import to_fields
from aicx.filters import Filters
from aicx.pages import bundle, load_files, policy_source
from aicx.paths import Layout
from aicx.servers.dashboard.overview import overview
from aicx.servers.dashboard.reader import detail
from aicx.servers.dashboard.status import status_of
from aicx.storage import replacing

# Bytes of data in the file. A browser opens so much in about a second, and is ready to search in a few more.
CAP = 20_000_000
SCHEMA = "aicx.page/1"
_NUMBERS = (
    "count(*) AS chunks, count(DISTINCT agent || ':' || session_id) AS sessions, count(DISTINCT project) AS projects,"
    " coalesce(sum(messages), 0) AS messages, coalesce(sum(size), 0) AS bytes, min(started_at) AS first,"
    " max(completed_at) AS last, coalesce(sum(redactions), 0) AS redactions"
)
# How many are read at a time.
_SESSIONS, _CHUNKS = 100, 50
_ENTRY = "offline.js"
# Near its beginning, so that a file that is to be replaced can be told from somebody's own.
MARK = b'<meta name="generator" content="aicx dashboard">'
_PRELOAD = re.compile(r'^<link rel="modulepreload" .*\n', re.MULTILINE)


def write_page(
    settings: Settings, path: Path, now: datetime, filters: Filters, cap: int = CAP
) -> tuple[int, int, int, int]:
    """Writes the page with the newest sessions that the filters let through, about ``cap`` bytes of them at most.

    Returns the file's bytes, how many sessions and chunks are in it, and how many chunks had no room.

    The file is put in place whole, readable by its owner alone. Raises NotFound when there is nothing to put into it.
    """
    layout = settings.layout
    allowed = {str(layout.home / relative) for relative in list_chunk_paths(layout, filters)}
    if not allowed:
        raise NotFound("no stored chunk is within these filters", hint="aicx status --projects lists the projects")
    sessions = _newest(layout, filters, allowed, cap)
    chunks = sum(len(entry["chunks"]) for entry in sessions)
    data = {
        "schema": SCHEMA,
        "about": _about(now, chunks, len(allowed)),
        "status": _status(settings, now, filters),
        "overview": to_fields(overview(layout, filters)),
        "sessions": sessions,
    }
    page = bundled_page(_json(data))
    with replacing(path) as stream:
        stream.write(page)
    return len(page), len(sessions), chunks, len(allowed) - chunks


def _about(now: datetime, chunks: int, there: int) -> str:
    what = f"the newest {chunks:,} of {there:,} parts" if chunks < there else f"{there:,} parts"
    return f"A copy made on {now.day} {now:%B %Y}: {what}. Searched here by plain words."


def _status(settings: Settings, now: datetime, filters: Filters) -> dict[str, Any]:
    """Returns the overview's status of the store.

    A choice of sessions may be for others: nothing of the rest is told then.
    """
    if filters == Filters():
        return to_fields(replace(status_of(settings, now), mode="file"))
    with open_catalog(settings.layout) as opened:
        where, values, _ = conditions(filters, opened.catalog)
        stats = dict(opened.catalog.rows(f"SELECT {_NUMBERS} FROM chunks WHERE {where}", values)[0])
    return {
        "mode": "file",
        "rebuilding": False,
        "stats": stats,
        "index": None,
        "retention": [],
        "redactions": {"total": stats.pop("redactions"), "by_kind": None},
        "assumptions": [],
        "last_error": None,
    }


def _newest(layout: Layout, filters: Filters, allowed: set[str], room: int) -> list[dict[str, Any]]:
    """Sessions with their chunks, newest first. Where the room ends within a session, its newest chunks are in."""
    sessions = []
    for listed in _listed(layout, filters):
        chunks: list[dict[str, Any]] = []
        without = 0
        fields: dict[str, Any] = {}
        for window in _backwards(layout, listed):
            fields = window["session"] | {"branch": listed["branch"]}
            for chunk in reversed(window["chunks"]):
                if chunk["path"] not in allowed:
                    continue
                room -= len(_json(chunk))
                if room >= 0:
                    chunks.append(chunk)
                else:
                    without += 1
        if chunks:
            sessions.append({"session": fields, "chunks": chunks[::-1], "left_out": without})
        if room < 0:
            break
    _forget_the_rest(sessions)
    return sessions


def _forget_the_rest(sessions: list[dict[str, Any]]) -> None:
    """Takes out the names of sessions, chunks and projects that are not among these: others may read the file."""
    there = {(entry["session"]["agent"], entry["session"]["session_id"]) for entry in sessions}
    for entry in sessions:
        session, chunks = entry["session"], entry["chunks"]
        agent, parent = session["agent"], session["parent_session"]
        session["children"] = [child for child in session["children"] if (agent, child) in there]
        if parent is not None and (agent, parent) not in there:
            session |= {"parent_session": None, "parent_stored": False}
            if parent in (session["reopen"] or ""):
                session["reopen"] = None  # a subagent's session is resumed as its parent
        projects = {chunk["project"] for chunk in chunks}
        session["projects"] = [project for project in session["projects"] if project in projects]
        ids = {chunk["id"] for chunk in chunks}
        for chunk in chunks:
            chunk |= {side: chunk[side] if chunk[side] in ids else None for side in ("previous", "next")}


def _listed(layout: Layout, filters: Filters) -> Iterator[dict[str, Any]]:
    offset = 0
    while items := browse(layout, replace(filters, automated=True), "newest", _SESSIONS, offset).items:
        yield from map(to_fields, items)
        offset += len(items)


def _backwards(layout: Layout, listed: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """A session window by window, the last one first."""
    for start in reversed(range(0, listed["chunks"], _CHUNKS)):
        yield to_fields(detail(layout, listed["session_id"], agent=listed["agent"], offset=start, limit=_CHUNKS))


def _json(value: Any) -> bytes:
    """JSON that cannot end the element it stands in."""
    return orjson.dumps(value).replace(b"<", b"\\u003c")


def bundled_page(data: bytes) -> bytes:
    """The page with ``data`` in it: JSON that holds no ``<``."""
    files = {name: body.decode("utf-8") for name, body in load_files("dashboard").items()}
    script, style = bundle(files, _ENTRY), files["style.css"]
    policy = (
        f"default-src 'none'; script-src {policy_source(script)}; style-src {policy_source(style)}; img-src data:;"
        " base-uri 'none'; form-action 'none'"
    )
    icon = b64encode(files["icon.svg"].encode()).decode()
    html = _PRELOAD.sub("", files["index.html"])
    for found, put in (
        (
            '<meta charset="utf-8">',
            f'<meta charset="utf-8">\n{MARK.decode()}\n<meta http-equiv="Content-Security-Policy" content="{policy}">',
        ),
        ('href="/assets/icon.svg"', f'href="data:image/svg+xml;base64,{icon}"'),
        ('<link rel="stylesheet" href="/assets/style.css">', f"<style>{style}</style>"),
        ('<script type="module" src="/assets/main.js" blocking="render"></script>\n', ""),
    ):
        assert html.count(found) == 1, f"index.html has not exactly one {found}"
        html = html.replace(found, put)
    before, _, after = html.partition("</body>")
    opening = f'{before}<script id="data" type="application/json">'
    return opening.encode() + data + f'</script>\n<script type="module">{script}</script>\n</body>{after}'.encode()
