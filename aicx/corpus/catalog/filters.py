"""Turns what a user may limit a question to into conditions on the catalogue; one meaning for every command."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any

from aicx.corpus.catalog.database import Catalog
from aicx.errors import NotFound, UsageError
from aicx.paths import NON_REPOSITORY
from aicx.text import instant
from aicx.types import KINDS, Filters

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_AGO = re.compile(r"(?P<count>\d+)\s*(?P<unit>[hdw])")
_MONTH = re.compile(r"\d{4}-\d{2}")
# As many names as a message has room for.
_MOST_NAMED = 8
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_GLOB = frozenset("*?")


def conditions(filters: Filters, catalog: Catalog) -> tuple[str, list[Any], list[str]]:
    """An SQL condition on ``chunks``, its values, and notes for the user on how a filter was read."""
    parts = ["ignored=0"]
    values: list[Any] = []
    notes: list[str] = []

    def add(condition: str, *found: Any) -> None:
        parts.append(condition)
        values.extend(found)

    for column in ("run_id", "prompt_id"):
        if (wanted := getattr(filters, column)) is not None:
            add(f"{column}=?", wanted)
    if filters.agent is not None:
        add("agent=?", filters.agent.lower())
        notes += agent_notes(filters.agent, catalog)
    if filters.kind is not None:
        add("kind=?", parse_kind(filters.kind))
    if filters.session is not None:
        low, high = filters.session, filters.session + "\U0010ffff"
        # A union of two look-ups: for an OR over both columns every chunk would be looked at.
        same = "SELECT rowid FROM chunks WHERE session_id>=? AND session_id<?"
        children = "SELECT rowid FROM chunks WHERE parent_session>=? AND parent_session<?"
        add(f"rowid IN ({same} UNION {children})", low, high, low, high)
    if filters.branch is not None:
        globs = is_glob(filters.branch)
        add("branch GLOB ?" if globs else "branch=?", _glob(filters.branch) if globs else filters.branch)
    if filters.since is not None:
        add("completed_at>=?", instant(filters.since))
    if filters.until is not None:
        add("started_at<=?", instant(filters.until))
    if filters.date is not None:
        low_day, high_day = filters.date
        if low_day is not None:
            add("date>=?", low_day)
        if high_day is not None:
            add("date<=?", high_day)
    if filters.file is not None:
        if is_glob(filters.file):
            pattern = _glob(filters.file)
            test, found = "path GLOB ? OR path GLOB ?", [pattern, f"*/{pattern}"]
        else:
            test, found = "instr(path, ?)>0", [filters.file]
        add(f"rowid IN (SELECT chunk FROM files WHERE {test})", *found)
    if filters.project is not None:
        condition, found, note = _project_condition(filters.project, catalog)
        add(condition, *found)
        notes += note
    return " AND ".join(parts), values, notes


def agent_notes(agent: str, catalog: Catalog) -> list[str]:
    """What to say of an agent that nothing is stored of."""
    if catalog.rows("SELECT 1 FROM chunks WHERE agent=? AND ignored=0 LIMIT 1", (agent.lower(),)):
        return []
    agents = [row["agent"] for row in catalog.rows("SELECT DISTINCT agent FROM chunks WHERE ignored=0 ORDER BY 1")]
    return [f"nothing is stored of an agent {agent!r}; known: {', '.join(agents) or 'none'}"]


def parse_filters(
    now: datetime, *, since: str | None, until: str | None, date: str | None, **named: str | None
) -> Filters:
    """Filters from what a user wrote; ``named`` are those taken as they are.

    Raises UsageError for what is no point in time, and for an end before the beginning.
    """
    first = parse_instant(since, now) if since else None
    last = parse_instant(until, now, end_of_day=True) if until else None
    if first is not None and last is not None and last < first:
        raise UsageError(f"until {until!r} is before since {since!r}", hint="exchange the two")
    return Filters(since=first, until=last, date=parse_date_range(date, now) if date is not None else None, **named)


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
    projects, folders = _known_places(catalog)
    if wanted.strip() == NON_REPOSITORY and folders:
        raise UsageError(
            f"{NON_REPOSITORY} is many folders: name one of them",
            hint=f"-p FOLDER; the latest: {', '.join(_latest_folders(catalog))}",
        )
    found, _ = match_projects(wanted, (*projects, *folders))
    if wanted in found or not (projects or folders):
        return wanted
    if not found:
        raise NotFound(
            f"no project or folder matches {wanted!r}", hint=f"known: {', '.join(projects) or 'folders only'}"
        )
    if len(found) > 1:
        raise UsageError(f"{wanted!r} may be {', '.join(found[:_MOST_NAMED])}", hint="name one of them in full")
    return found[0]


def parse_kind(text: str) -> str:
    """A kind in its stored spelling; the singular is understood."""
    kind = text.lower()
    kind = {name.removesuffix("s"): name for name in KINDS}.get(kind, kind)
    if kind not in KINDS:
        raise UsageError(f"unknown kind {text!r}", hint=f"kinds: {', '.join(KINDS)}")
    return kind


def parse_date_range(text: str, now: datetime) -> tuple[str | None, str | None]:
    """``2026-01-31``, ``2026-01-01..2026-01-31``, ``2026-01-01..`` or ``..2026-01-31``, both ends included.

    A month (``2026-01``) is all its days; ``today`` and ``yesterday`` are days too.
    """
    low, dots, high = text.partition("..")
    low, high = _day_of(low, now), _day_of(high, now)
    if not dots and _MONTH.fullmatch(low):
        _check_day(f"{low}-01")
        last = next(day for day in ("31", "30", "29", "28") if _is_day(f"{low}-{day}"))
        return f"{low}-01", f"{low}-{last}"
    for day in (low, high):
        if day:
            _check_day(day)
    if low and high and low > high:
        raise UsageError(f"{text!r} ends before it begins", hint=f"write it as {high}..{low}")
    if dots:
        return low or None, high or None
    if not low:
        raise UsageError("an empty date", hint="write it as 2026-01-31 or 2026-01-01..2026-01-31")
    return low, low


def parse_instant(text: str, now: datetime, *, end_of_day: bool = False) -> datetime:
    """A point in time: ``2026-01-31``, ``2026-01-31T14:00``, ``yesterday``, or so long ago: ``36h``, ``7d``, ``2w``."""
    text = text.strip()
    try:
        if match := _AGO.fullmatch(text.lower()):
            return now - timedelta(**{_UNITS[match["unit"]]: int(match["count"])})
        day = _day_of(text, now)
        at = datetime.fromisoformat(day)
        if end_of_day and _is_day(day):
            at += timedelta(days=1, microseconds=-1)
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is no point in time", hint="write 2026-01-31, 2026-01-31T14:00, yesterday, 36h, 7d or 2w"
        ) from None


def _project_condition(wanted: str, catalog: Catalog) -> tuple[str, list[str], list[str]]:
    projects, folders = _known_places(catalog)
    if wanted == NON_REPOSITORY:
        projects = [*projects, NON_REPOSITORY]
    found, whole = match_projects(wanted, (*projects, *folders))
    notes = []
    if not found:
        notes.append(f"no project or folder matches {wanted!r}; known: {', '.join(projects) or 'none'}")
    elif not whole:
        notes.append(f"no project is named {wanted!r}; taken as a part of {', '.join(found)}")
    marks = ",".join("?" * len(found))
    return f"(project IN ({marks}) OR (project='{NON_REPOSITORY}' AND cwd IN ({marks})))", [*found, *found], notes


def _known_places(catalog: Catalog) -> tuple[list[str], list[str]]:
    """The projects there are, and the folders where sessions worked that belong to none."""
    rows = catalog.rows("SELECT DISTINCT project, cwd FROM chunks WHERE ignored=0")
    projects = sorted({row["project"] for row in rows} - {NON_REPOSITORY})
    return projects, sorted({row["cwd"] for row in rows if row["cwd"] and row["project"] == NON_REPOSITORY})


def _latest_folders(catalog: Catalog) -> list[str]:
    rows = catalog.rows(
        "SELECT cwd FROM chunks WHERE ignored=0 AND project=? AND cwd IS NOT NULL GROUP BY cwd"
        " ORDER BY max(completed_at) DESC, cwd LIMIT ?",
        (NON_REPOSITORY, _MOST_NAMED),
    )
    return [row["cwd"] for row in rows]


def _names(wanted: str, name: str) -> bool:
    parts = PurePosixPath(name).parts
    if wanted == name or is_glob(wanted):
        pattern = _glob(wanted)
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


def _glob(text: str) -> str:
    """``text`` as a pattern in which only `*` and `?` stand for something: `[id]` is a folder of many web projects."""
    return text.replace("[", "[[]")


def _day_of(text: str, now: datetime) -> str:
    """``today`` and ``yesterday`` as the days they are, of the same clock as every stored date; the rest as it is."""
    past = {"today": 0, "yesterday": 1}.get(text.lower())
    return text if past is None else (now.astimezone(UTC).date() - timedelta(days=past)).isoformat()


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _check_day(text: str) -> None:
    try:
        date.fromisoformat(text if _DAY.fullmatch(text) else "")
    except ValueError:
        raise UsageError(
            f"{text!r} is no date", hint="write it as 2026-01-31, yesterday or 2026-01-01..2026-01-31"
        ) from None
