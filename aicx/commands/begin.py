"""`aicx` alone: the five commands that do for a month, what is stored, and what to try next in this folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from aicx import console
from aicx.config import Settings, load_settings
from aicx.errors import NotFound
from aicx.options import now
from aicx.text import ago, local, shorten

if TYPE_CHECKING:
    from aicx.corpus.catalog import Catalog
    from aicx.corpus.places import LocalRepository

_FIVE = (
    ("aicx store", "Read the agents' logs and store what is new."),
    ("aicx search WORDS", "Find the passages that answer a question."),
    ("aicx resume", "Brief a new session on what was done and what is open."),
    ("aicx why FILE:LINE", "From a line or a commit to the session and its reason."),
    ("aicx serve page", "Search and read in the browser."),
)
_TITLE = 36
_LOOKED_AT = 50  # touched files
_PLAIN = re.compile(r"[\w./+][\w./+-]{0,30}")
# Sessions that no program began and no agent started for itself.
_OWN = "ignored=0 AND lane='primary' AND automated_why IS NULL"


def command() -> None:
    """Prints one screen."""
    console.out("aicx keeps what you and your agents said and did. Five commands for a month:\n")
    _print(_FIVE)
    settings = load_settings()
    try:
        stored, following = _stored_here(settings)
    except NotFound:
        stored, following = ["Nothing is stored yet."], [("aicx store", "the logs of the agents on this machine")]
        following.append(("aicx demo", "or first see it all on invented logs"))
    console.out()
    for line in stored:
        console.out(line)
    console.out("\nTry next:\n")
    _print(following)
    console.out("\nEvery command: aicx --help")


def _print(rows: list[tuple[str, str]] | tuple[tuple[str, str], ...]) -> None:
    console.out_table([(f"  {console.style(line, fg='green')}", said) for line, said in rows], (0,))


def _stored_here(settings: Settings) -> tuple[list[str], list[tuple[str, str]]]:
    """Returns what is stored, and what to try next. Raises NotFound where nothing is."""
    from aicx.corpus.catalog.names import short_session
    from aicx.corpus.catalog.query import open_catalog
    from aicx.corpus.places import find_place

    with open_catalog(settings.layout) as opened:
        catalog = opened.catalog
        [row] = catalog.rows(
            "SELECT count(DISTINCT agent || session_id) AS sessions, count(DISTINCT project) AS projects,"
            f" count(DISTINCT CASE WHEN {_OWN} THEN agent || session_id END) AS own, max(completed_at) AS last"
            " FROM chunks LEFT JOIN sessions USING (agent, session_id) WHERE ignored=0"
        )
        if not row["sessions"]:
            raise NotFound("nothing is stored")
        place = find_place(catalog, settings.user_home, Path.cwd())
        last = ago(local(row["last"]), now())
        counts = f"{console.plural(row['sessions'], 'session')} of {console.plural(row['projects'], 'project')}"
        stored = [f"Stored: {counts}, the last message {last}."]
        if by_others := row["sessions"] - row["own"]:
            stored.append(f"Agents and programs began {by_others:,} of them.")
        here = _sessions_of(catalog, place.project) if place and place.project else []
        edited = _edited(catalog, place) if place and here else []
        name = (short_session(here[0]["session_id"], catalog) or here[0]["session_id"]) if here else ""
    if here:
        assert place is not None
        title = shorten(console.title(here[0]), _TITLE)
        stored.append(f"Here, in {place.project}: {console.plural(len(here), 'session')}, the last “{title}”.")
        following = [
            ("aicx resume", "what was done here, and what is open"),
            (f"aicx show {name}", f"read “{title}”"),
            *((f"aicx why {name}", "the sessions behind this file") for name in edited),
        ]
        if not _is_set_up(settings):
            following.append(("aicx init", "agents begin with the brief by themselves"))
    else:
        following = [
            ("aicx sessions", "the sessions of all projects, the newest first"),
            ("aicx search WORDS", "what you remember of one"),
            ("aicx store", "read the logs again, for what is new"),
        ]
    return stored, following


def _sessions_of(catalog: Catalog, project: str) -> list[dict[str, str]]:
    """The sessions of a project, the last one first."""
    return [
        dict(row)
        for row in catalog.rows(
            "SELECT session_id, sessions.title AS title FROM chunks LEFT JOIN sessions USING (agent, session_id)"
            f" WHERE project=? AND {_OWN} GROUP BY agent, session_id ORDER BY max(completed_at) DESC",
            (project,),
        )
    ]


def _edited(catalog: Catalog, place: LocalRepository) -> list[str]:
    """The file that was touched last of those that are below the current folder, if its name needs no quoting."""
    rows = catalog.rows(
        "SELECT files.path FROM files JOIN chunks ON files.chunk=chunks.rowid WHERE project=? AND ignored=0"
        f" ORDER BY completed_at DESC LIMIT {_LOOKED_AT}",
        (place.project,),
    )
    here = Path.cwd()
    for row in rows:
        file = place.root / row["path"]
        if file.is_relative_to(here) and file.is_file() and _PLAIN.fullmatch(name := str(file.relative_to(here))):
            return [name]
    return []


def _is_set_up(settings: Settings) -> bool:
    from aicx.agents.records import of_repository
    from aicx.git.identity import find_repository

    return bool(of_repository(settings.layout, find_repository(Path.cwd())))
