"""Which stored repositories and folders a name or a pattern means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from aicx.corpus.catalog.database import Catalog
from aicx.errors import NotFound, UsageError
from aicx.folders import slashed
from aicx.paths import NON_REPOSITORY

# As many names as a message has room for.
_MAX_NAMED = 8
_GLOB = frozenset("*?")


def match_projects(wanted: str, candidates: Iterable[str]) -> tuple[list[str], bool]:
    """The projects or folders that ``wanted`` names, and whether they match as whole names.

    ``owner/repo``, ``owner/``, ``/repo`` and a bare name match whole path parts, ``*`` and ``?`` as in a shell. Only
    when no name fits as a whole does a part of one do: a filter for ``api`` must not take ``apiary`` along.
    """
    text = wanted.strip().lower()
    names = list(candidates)
    exact = [name for name in names if _names(text, name.lower())]
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
        raise UsageError(f"{wanted!r} may be {', '.join(found[:_MAX_NAMED])}", hint="name one of them in full")
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
        (NON_REPOSITORY, _MAX_NAMED),
    )
    return [row["cwd"] for row in rows]


def _names(wanted: str, name: str) -> bool:
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
