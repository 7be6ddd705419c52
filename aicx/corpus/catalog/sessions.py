"""Lists sessions with a chunk that passes the filters, each with its summary: `aicx.sessions/1`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field, replace
from os.path import commonprefix
from typing import Annotated, Any, Literal

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.filters import conditions
from aicx.corpus.catalog.query import FACTS, fold_runs, open_catalog, run_key, told
from aicx.corpus.files.read import load_sidecar
from aicx.errors import CorpusDamaged, NotFound
from aicx.fields import INLINE
from aicx.filters import Filters
from aicx.paths import Layout
from aicx.sources import reopen_command
from aicx.telling import MAX_TITLE, clip_title, sentences
from aicx.titles import APPROVAL, name_of_prompt
from aicx.values import dataclass

SCHEMA = "aicx.sessions/1"
Sort = Literal["newest", "oldest", "size"]

_ORDERS: dict[Sort, str] = {
    "newest": "completed_at DESC, agent, session_id",
    "oldest": "started_at, agent, session_id",
    "size": "chunks DESC, agent, session_id",
}
_SUMS = ("agent", "session_id", "started_at", "completed_at", "chunks", "messages")
# Where a title goes on with something else: what was done, found or given.
_GOES_ON = re.compile(r"(?: \u2014|:) ")
_JOINT, _HEAD = " \u2014 ", 36
_OPENING = 240  # of a prompt: so much the runs of one prompt have in common
_FACTS = "id, project, lane, branch, cwd, parent_session"


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session in a list; all of it counts, whatever was filtered for."""

    agent: str
    session_id: str
    started_at: str
    completed_at: str
    chunks: int
    messages: int
    title: str | None
    project: Annotated[str, "the first of its `projects`"]
    projects: Annotated[list[str], "the repositories it is filed under"]
    lane: str
    branch: Annotated[str | None, "the last git branch"]
    cwd: Annotated[str | None, "the first working folder"]
    parent_session: str | None
    automated: bool
    automated_why: str | None
    runs: int
    run_ids: list[str]


@dataclass(frozen=True, slots=True)
class SessionItem:
    """A session in a list; all of it counts, whatever was filtered for."""

    facts: ListedSession = field(metadata=INLINE)
    reopen: str | None


@dataclass(frozen=True, slots=True)
class SessionsPage:
    """A part of a list of sessions."""

    matched: int
    offset: int
    items: Annotated[list[ListedSession], "sessions in the order asked for"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class SessionsAnswer:
    """A part of a list of sessions."""

    results: int
    matched: int
    offset: int
    items: Annotated[list[SessionItem], "sessions in the order asked for"]
    notes: list[str]


def sessions_answer(page: SessionsPage) -> SessionsAnswer:
    items = [
        SessionItem(one, reopen_command(one.agent, one.session_id, one.lane, one.parent_session)) for one in page.items
    ]
    return SessionsAnswer(len(items), page.matched, page.offset, items, page.notes)


def browse(layout: Layout, filters: Filters, sort: Sort, limit: int, offset: int) -> SessionsPage:
    """A page of the sessions that have a chunk within the filters. What is said of each is of the whole session."""
    with open_catalog(layout) as opened:
        catalog = opened.catalog
        where, values, notes = conditions(filters, catalog)
        whole = "ignored=0"
        if replace(filters, automated=None) != Filters():
            whole += f" AND (agent, session_id) IN (SELECT DISTINCT agent, session_id FROM chunks WHERE {where})"
        else:
            values = []
        # All of them, since counting them costs as much as listing them.
        rows = catalog.rows(
            f"SELECT found.*, {FACTS} FROM (SELECT agent, session_id, min(started_at) AS started_at,"
            " max(completed_at) AS completed_at, count(*) AS chunks, sum(messages) AS messages"
            f" FROM chunks WHERE {whole} GROUP BY agent, session_id) AS found"
            f" LEFT JOIN sessions USING (agent, session_id) ORDER BY {_ORDERS[sort]}",
            values,
        )
        key_of = (lambda row: None) if filters.automated else run_key
        folded = fold_runs(rows, lambda row: str(row["session_id"]), key_of)
        titles = {row["session_id"]: row["session_title"] or "" for row in rows}
        items = [
            ListedSession(
                **{name: row[name] for name in _SUMS},
                title=_title_of_runs(layout, catalog, row, [titles[one] for one in sessions])
                if len(sessions) > 1
                else row["session_title"],
                **facts_of(catalog, row["agent"], row["session_id"]),
                **told(row, sessions),
            )
            for row, sessions in folded[offset : offset + limit]
        ]
        notes = [*opened.said, *notes]
        return SessionsPage(len(folded), offset, items, notes)


def _title_of_runs(layout: Layout, catalog: Catalog, newest: Any, titles: Sequence[str]) -> str | None:
    """What the runs of one prompt share: how their titles begin, part by part, else how their prompt does.

    Where neither says anything, what tells that a program ran them is all that they share.
    """
    common = commonprefix([f"{title}: " for title in titles])  # noqa: RUF071  of words, not of paths
    *_, last = (0, *(found.start() for found in _GOES_ON.finditer(common)))
    if common[:last] == APPROVAL or (" " in common[:last] and _JOINT not in common[:last]):
        return _with_some(common[:last], [title[last:] for title in titles])
    if " " in common[:last]:
        return common[:last]
    rows = catalog.rows(
        "SELECT path FROM chunks WHERE agent=? AND session_id=? AND ignored=0 ORDER BY stream, number LIMIT 1",
        (newest["agent"], newest["session_id"]),
    )
    with suppress(NotFound, CorpusDamaged):
        asked = name_of_prompt((load_sidecar(layout, rows[0]["path"]).fields.get("prompt") or "")[:_OPENING])
        if asked:
            return _with_some(next(sentences(asked.text.lstrip("\"'# "))), titles)
    return str(newest["automated_why"])


def _with_some(head: str, titles: Sequence[str]) -> str:
    """What many have in common, with what the newest two of them were."""
    head = clip_title(head, _HEAD)
    told = dict.fromkeys(title.lstrip(" :\u2014").partition(_JOINT)[0] for title in titles if title != head)
    some = [*filter(None, told)][:2]
    room = (MAX_TITLE - len(head) - len(_JOINT)) // max(len(some), 1) - 1
    return f"{head}{_JOINT}{'; '.join(clip_title(one, room) for one in some)}" if some else head


def facts_of(catalog: Catalog, agent: str, session: str) -> dict[str, Any]:
    """Where a stored session was at work, and who worked."""
    rows = catalog.rows(
        f"SELECT {_FACTS} FROM chunks WHERE agent=? AND session_id=? AND ignored=0 ORDER BY stream, number",
        (agent, session),
    )

    def first(name: str) -> str | None:
        return next((row[name] for row in rows if row[name]), None)

    def last(name: str) -> str | None:
        return next((row[name] for row in reversed(rows) if row[name]), None)

    projects = list(dict.fromkeys(row["project"] for row in rows))
    return {
        "project": projects[0],
        "projects": projects,
        "lane": "subagent" if any(row["lane"] == "subagent" for row in rows) else "primary",
        "branch": last("branch"),
        "cwd": first("cwd"),
        "parent_session": first("parent_session"),
    }
