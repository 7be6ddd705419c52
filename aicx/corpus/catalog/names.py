"""Which stored session, repository or folder a name means: the same for every command, with the same failures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from aicx.corpus.catalog import Catalog
from aicx.errors import NotFound, UsageError
from aicx.folders import slashed
from aicx.paths import NON_REPOSITORY
from aicx.refs import HASH, Ref
from aicx.sources import SOURCES, is_agent
from aicx.text import first_of
from aicx.values import batches

SessionKey = tuple[str, str]  # agent and session id

_MAX_NAMED = 5
_MAX_ASKED = 500  # ids in one question
# What other commands print and open themselves.
_OPENED_BY_SHOW = frozenset({"failure", "live", "mem", "sha256", "work"})
# Fewer digits are more likely the beginning of a session's id than a commit.
_ABBREVIATED = 7
_MIN_COMPARED = 4
# As many characters of an id as people see elsewhere, and what comes after every one that an id may go on with.
_SHORT = 8
_LAST = "\U0010ffff"


def stored_sessions(catalog: Catalog, ids: Iterable[str]) -> set[SessionKey]:
    """Those of the sessions with these ids that are stored here."""
    wanted = sorted(set(ids))
    found: set[SessionKey] = set()
    for part in batches(wanted, _MAX_ASKED):
        query = f"SELECT DISTINCT agent, session_id FROM chunks WHERE session_id IN ({','.join('?' * len(part))})"
        found |= {(row["agent"], row["session_id"]) for row in catalog.rows(query, part)}
    return found


def find_session(wanted: str, known: Iterable[SessionKey]) -> SessionKey:
    """The one session that ``wanted`` (an id or its beginning, perhaps after ``agent:``) means.

    Raises UsageError where several fit, and NotFound with the nearest where none does.
    """
    sessions = sorted(set(known))
    found = match_sessions(wanted, sessions)
    if len(found) == 1:
        return found[0]
    if found:
        raise ambiguous(wanted, found)
    if wanted.partition(":")[0] in _OPENED_BY_SHOW:
        raise NotFound(f"{wanted!r} is not a chunk or a session", hint=f"aicx show {wanted}")
    if not sessions:
        raise NotFound(f"no chunk and no session is known by {wanted!r}: nothing is stored yet", hint="aicx store")
    agent, text = _parts(wanted)
    near = _nearest(text, [session for session in sessions if agent in (None, session[0])])
    hints = [f"the nearest: {_names(near)}"] if near else []
    if agent is None and len(text) >= _ABBREVIATED and HASH.fullmatch(text):
        hints += ["`aicx sessions` lists what there is"] if not near else []
        hints.append(f"a commit is written commit:{text}")
    raise NotFound(
        f"no chunk and no session is known by {wanted!r}",
        hint="; ".join(hints) or "`aicx sessions` lists what there is",
    )


def match_sessions(wanted: str, known: Iterable[SessionKey]) -> list[SessionKey]:
    """The sessions with the id ``wanted``, or else those whose ids begin with it. Raises UsageError for an empty id."""
    agent, text = _parts(wanted)
    if not text:
        raise UsageError("an empty session id", hint="`aicx sessions` lists what there is")
    found = [session for session in known if agent in (None, session[0]) and session[1].startswith(text)]
    return [session for session in found if session[1] == text] or found


def short_reference(
    chunk_id: str, agent: str, session_id: str, catalog: Catalog, known: dict[str, str] | None = None
) -> str:
    """A chunk's id with no more of its session's than tells it from all others; `aicx show` takes it.

    ``known`` has what was found of sessions before, of the same state of the catalogue.
    """
    number = chunk_id.rpartition(":")[2]
    if not chunk_id.startswith(f"{agent}:{session_id}:"):
        return chunk_id  # one of a prompt history, or of a session whose id had to be written another way
    known = {} if known is None else known
    if session_id not in known:
        known[session_id] = short_session(session_id, catalog)
    return f"{known[session_id]}:{number}" if known[session_id] else chunk_id


def short_session(session_id: str, catalog: Catalog) -> str:
    """The beginning of a session's id that no other's has; empty where only the whole id tells them apart."""
    for length in range(_SHORT, len(session_id)):
        start = session_id[:length]
        found = catalog.rows(
            "SELECT DISTINCT agent, session_id FROM chunks WHERE session_id>=? AND session_id<? LIMIT 2",
            (start, f"{start}{_LAST}"),
        )
        if len(found) == 1 and start not in SOURCES:
            return start
    return ""


def stored_session(wanted: str, catalog: Catalog) -> SessionKey | None:
    """The only stored session with the id ``wanted``, or whose id begins with it; None where none is, or several.

    A beginning has as many characters as people see elsewhere: what is shorter may be the id of a session to come.
    """
    agent, text = _parts(wanted)
    end = f"{text}{_LAST if len(text) >= _SHORT else ''}"
    rows = catalog.rows("SELECT DISTINCT agent, session_id FROM chunks WHERE session_id BETWEEN ? AND ?", (text, end))
    found = [(row[0], row[1]) for row in rows if agent in (None, row[0])]
    exact = [session for session in found if session[1] == text] or found
    return exact[0] if len(exact) == 1 else None


def ambiguous(wanted: str, found: Sequence[SessionKey]) -> UsageError:
    """Makes the error for a name that several sessions fit."""
    what = "sessions have the id" if found[0][1] == _parts(wanted)[1] else "sessions begin with"
    return UsageError(f"{len(found)} {what} {wanted!r}", hint=f"name one: {_names(found)}")


def id_in(wanted: str) -> str:
    """The id, or its beginning, in what names a session: itself, `agent:id`, or a reference to a session."""
    return _parts(wanted)[1]


def _parts(wanted: str) -> tuple[str | None, str]:
    if wanted.startswith("session:"):
        wanted = Ref.parse(wanted.partition("#")[0]).value
    agent, colon, rest = wanted.partition(":")
    return (agent, rest) if colon and is_agent(agent) else (None, wanted)


def _nearest(text: str, known: Sequence[SessionKey]) -> list[SessionKey]:
    by_id = {session[1]: session for session in known}
    from difflib import get_close_matches  # imported here: only a name that was not found needs it

    wanted = text.rpartition(":")[2].lower()
    within = [session for session in known if wanted and wanted in session[1].lower()]
    close = get_close_matches(text, list(by_id), n=_MAX_NAMED)
    # Most people type the beginning of an id, and a slip in it leaves little to compare with a whole one.
    starts = {name[: len(text)]: session for name, session in by_id.items()}
    close_starts = get_close_matches(text, list(starts), n=_MAX_NAMED) if len(text) >= _MIN_COMPARED else []
    found = [*within, *(by_id[name] for name in close), *(starts[name] for name in close_starts)]
    return list(dict.fromkeys(found))[:_MAX_NAMED]


def _names(sessions: Sequence[SessionKey]) -> str:
    return first_of(map(":".join, sessions), _MAX_NAMED)


# As many names as a message has room for.
_MAX_PLACES = 8
_GLOB = frozenset("*?")


def match_projects(wanted: str, candidates: Iterable[str]) -> tuple[list[str], bool]:
    """The projects or folders that ``wanted`` names, and whether they match as whole names.

    ``owner/repo``, ``owner/``, ``/repo`` and a bare name match whole path parts, ``*`` and ``?`` as in a shell. Only
    when no name fits as a whole does a part of one do: a filter for ``api`` must not take ``apiary`` along.
    """
    text = wanted.strip().lower()
    names = list(candidates)
    exact = [name for name in names if _fits(text, name.lower())]
    return (exact, True) if exact else ([name for name in names if text in name.lower()], False)


def the_project(wanted: str, catalog: Catalog) -> str:
    """The one stored project or folder that ``wanted`` names, see `match_projects`.

    Where nothing is stored it is taken as it is. Raises NotFound where none has that name, UsageError where several do,
    as do all the folders that belong to no repository.
    """
    projects, folders = known_places(catalog)
    if wanted.strip() == NON_REPOSITORY and folders:
        raise UsageError(
            f"{NON_REPOSITORY} is many folders: name one of them",
            hint=f"-p FOLDER; the latest: {', '.join(_latest_folders(catalog))}",
        )
    found, _ = matching_places(wanted, (*projects, *folders), catalog)
    if wanted in found or not (projects or folders):
        return wanted
    if not found:
        raise NotFound(
            f"no project or folder matches {wanted!r}", hint=f"known: {', '.join(projects) or 'folders only'}"
        )
    if len(found) > 1:
        raise UsageError(f"{wanted!r} may be {', '.join(found[:_MAX_PLACES])}", hint="name one of them in full")
    return found[0]


def matching_places(wanted: str, places: Sequence[str], catalog: Catalog) -> tuple[list[str], bool]:
    """`match_projects`, where the name that a repository had before leads to it as its own does."""
    renames = {row["old"]: row["new"] for row in catalog.rows("SELECT old, new FROM renames")}
    matching, whole = match_projects(wanted, places)
    before, before_whole = match_projects(wanted, renames)
    if not before_whole:
        return matching, whole
    now = [renames[name] for name in before if renames[name] in places]
    return (list(dict.fromkeys([*matching, *now])) if whole else now), whole or bool(now)


def known_places(catalog: Catalog) -> tuple[list[str], list[str]]:
    """The projects there are, and the folders where sessions worked that belong to none."""
    rows = catalog.rows("SELECT DISTINCT project, cwd FROM chunks WHERE ignored=0")
    projects = sorted({row["project"] for row in rows} - {NON_REPOSITORY})
    return projects, sorted({row["cwd"] for row in rows if row["cwd"] and row["project"] == NON_REPOSITORY})


def _latest_folders(catalog: Catalog) -> list[str]:
    rows = catalog.rows(
        "SELECT cwd FROM chunks WHERE ignored=0 AND project=? AND cwd IS NOT NULL GROUP BY cwd"
        " ORDER BY max(completed_at) DESC, cwd LIMIT ?",
        (NON_REPOSITORY, _MAX_PLACES),
    )
    return [row["cwd"] for row in rows]


def _fits(wanted: str, name: str) -> bool:
    wanted, name = slashed(wanted), slashed(name)
    parts = PurePosixPath(name).parts
    if wanted == name or is_glob(wanted):
        pattern = as_glob(wanted)
        return fnmatchcase(name, pattern) or any(fnmatchcase(part, pattern) for part in parts)
    wanted_parts = PurePosixPath(wanted.strip("/")).parts
    if not wanted_parts:
        return False
    if wanted.endswith("/"):
        return parts[: len(wanted_parts)] == wanted_parts
    if wanted.startswith("/") and not name.startswith("/"):
        return parts[-len(wanted_parts) :] == wanted_parts
    return any(
        parts[start : start + len(wanted_parts)] == wanted_parts for start in range(len(parts) - len(wanted_parts) + 1)
    )


def is_glob(text: str) -> bool:
    """Whether a filter's value is a pattern rather than a name."""
    return not _GLOB.isdisjoint(text)


def as_glob(text: str) -> str:
    """``text`` as a pattern in which only `*` and `?` stand for something: `[id]` is a folder of many web projects."""
    return text.replace("[", "[[]")
