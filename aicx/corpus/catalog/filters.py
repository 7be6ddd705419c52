"""Turns what a user may limit a question to into conditions on the catalogue; one meaning for every command.

Points in time are read as people write them: 2026-01-31, yesterday, last week, 36h.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.names import as_glob, id_in, is_glob, known_places, matching_places
from aicx.errors import UsageError
from aicx.filters import FILTERS, LANES, NAMES, UNSET, Filter, Filters
from aicx.folders import is_absolute, slashed
from aicx.paths import NON_REPOSITORY
from aicx.text import day_bounds, instant, local
from aicx.types import KINDS
from aicx.values import dataclass, regex

_LAST = "\U0010ffff"  # comes after every character that an id may go on with


def conditions(filters: Filters, catalog: Catalog) -> tuple[str, list[Any], list[str]]:
    """An SQL condition on ``chunks``, its values, and notes for the user on how a filter was read."""
    found = [
        _SQL[row.name](value, catalog)
        for row in FILTERS
        if row.limits and (value := getattr(filters, row.name)) not in UNSET
    ]
    sql = " AND ".join(["ignored=0", *(one.sql for one in found)])
    return sql, [value for one in found for value in one.values], [note for one in found for note in one.notes]


def agent_notes(agents: Iterable[str], catalog: Catalog) -> list[str]:
    """Returns a note for each agent of which nothing is stored."""
    known: list[str] | None = None
    notes = []
    for agent in agents:
        if catalog.rows("SELECT 1 FROM chunks WHERE agent=? AND ignored=0 LIMIT 1", (agent.lower(),)):
            continue
        if known is None:
            rows = catalog.rows("SELECT DISTINCT agent FROM chunks WHERE ignored=0 ORDER BY 1")
            known = [row["agent"] for row in rows]
        notes.append(f"nothing is stored of an agent {agent!r}; known: {', '.join(known) or 'none'}")
    return notes


def parse_filters(now: datetime, **written: Any) -> Filters:
    """Filters from what a user wrote, by their names; None is what was not given.

    Raises UsageError for what is not a point in time or no word of a filter, and for an end before the beginning.
    """
    assert written.keys() <= set(NAMES), f"no such filter among {', '.join(written)}"
    filters = Filters(**{row.name: _parse(row, written.get(row.name), now) for row in FILTERS})
    parse_kinds(filters.kind)
    parse_lanes(filters.lane)
    if filters.since is not None and filters.until is not None and filters.until < filters.since:
        raise UsageError(f"until {written['until']!r} is before since {written['since']!r}", hint="exchange the two")
    return filters


def _parse(row: Filter, written: Any, now: datetime) -> Any:
    if written is None:
        return None
    match row.value:
        case "text" if row.name in ("session", "exclude_session"):
            return tuple(map(id_in, (written,) if isinstance(written, str) else written))
        case "text":
            return (written,) if isinstance(written, str) else tuple(written)
        case "begin" | "end":
            return parse_instant(written, now, end_of_day=row.value == "end") if written else None
        case "days":
            return parse_date_range(written, now)
        case "hours":
            return now - timedelta(hours=written) if written else None
        case "least" | "flag":
            return written or None


def parse_kind(text: str) -> str:
    """A kind in its stored spelling; the singular is understood."""
    kind = text.lower()
    kind = {name.removesuffix("s"): name for name in KINDS}.get(kind, kind)
    if kind not in KINDS:
        raise UsageError(f"unknown kind {text!r}", hint=f"kinds: {', '.join(KINDS)}")
    return kind


def parse_kinds(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(parse_kind, texts))


def parse_lanes(texts: Iterable[str]) -> tuple[str, ...]:
    lanes = tuple(text.lower() for text in texts)
    if unknown := [lane for lane in lanes if lane not in LANES]:
        raise UsageError(f"unknown lane {unknown[0]!r}", hint=f"lanes: {', '.join(LANES)}")
    return lanes


# What each filter means -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sql:
    """A condition on ``chunks``, its values, and notes for the user on how the filter was read."""

    sql: str
    values: Sequence[Any]
    notes: Sequence[str] = ()


def _is_one_of(column: str, values: Sequence[str]) -> _Sql:
    return _Sql(f"{column} IN ({_marks(values)})", values)


def _any_of(sql: str, values: Sequence[Any]) -> _Sql:
    """A condition with one value, which has to hold for any of several."""
    return _Sql(f"({' OR '.join([sql] * len(values))})", values)


def _is_named(column: str, names: Sequence[str]) -> _Sql:
    """The column is a name, or fits it where it is a pattern."""
    tests = [f"{column} GLOB ?" if is_glob(name) else f"{column}=?" for name in names]
    return _Sql(f"({' OR '.join(tests)})", [as_glob(name) if is_glob(name) else name for name in names])


def _agent(agents: Sequence[str], catalog: Catalog) -> _Sql:
    return replace(_is_one_of("agent", [agent.lower() for agent in agents]), notes=agent_notes(agents, catalog))


def _session(sessions: Sequence[str], catalog: Catalog) -> _Sql:
    # A union of look-ups: for an OR over both columns every chunk would be looked at.
    both = [f"SELECT rowid FROM chunks WHERE {name}>=? AND {name}<?" for name in ("session_id", "parent_session")]
    values = [end for name in sessions for end in (name, name + _LAST) * 2]
    unknown = [name for name in sessions if not catalog.rows(" UNION ".join(both), (name, name + _LAST) * 2)]
    notes = [f"no session's id begins with {name!r}; `aicx sessions` lists them" for name in unknown]
    return _Sql(f"rowid IN ({' UNION '.join(both * len(sessions))})", values, notes)


def _exclude_session(sessions: Sequence[str], _: Catalog) -> _Sql:
    named = [name for name in sessions if name]
    tests = ["(session_id>=? AND session_id<?)"] * len(named)
    return _Sql(f"NOT ({' OR '.join(tests) or '0'})", [end for name in named for end in (name, name + _LAST)])


def _date(days: tuple[str | None, str | None], _: Catalog) -> _Sql:
    # A chunk is of one UTC day, which may be two here: it counts for each that it has a part of.
    begin, end = days_between(days)
    ends = [(test, at) for test, at in (("completed_at>=?", begin), ("started_at<?", end)) if at is not None]
    return _Sql(" AND ".join(["1", *(test for test, _ in ends)]), [instant(at) for _, at in ends])


def _since(at: datetime, _: Catalog) -> _Sql:
    return _Sql("completed_at>=?", [instant(at)])


def _until(at: datetime, _: Catalog) -> _Sql:
    return _Sql("started_at<=?", [instant(at)])


# Paths are stored from the folder that a session worked in; a whole one is compared with both together.
_BETWEEN_NAMES = regex(r"(?<=[^\\/])\\(?=[^\\/])")
_STORED_FILE = "replace(files.path, '\\', '/')"
_WHOLE_FILE = "replace(coalesce(cwd, '') || '/' || files.path, '\\', '/')"


def _file(names: Sequence[str], _: Catalog) -> _Sql:
    tests, values = [], []
    for name in names:
        path = _BETWEEN_NAMES.sub("/", slashed(name))
        pattern = as_glob(path)
        if is_glob(path):
            tests.append(f"{_STORED_FILE} GLOB ? OR {_STORED_FILE} GLOB ?")
            values += [pattern, f"*/{pattern}"]
        else:
            tests.append(f"instr({_STORED_FILE}, ?)>0")
            values.append(path)
        if path.startswith("/"):
            tests.append(f"instr({_WHOLE_FILE}, ?)>0")
            values.append(path)
        elif is_absolute(path):  # of Windows, which ignores case
            tests.append(f"instr(lower({_WHOLE_FILE}), ?)>0")
            values.append(path.lower())
    where = " OR ".join(tests)
    return _Sql(f"rowid IN (SELECT chunk FROM files JOIN chunks ON chunks.rowid=chunk WHERE {where})", values)


def _model(names: Sequence[str], _: Catalog) -> _Sql:
    """A part of the name is enough: models carry their maker and a date in theirs."""
    return _any_of("lower(model) GLOB ?", [f"*{as_glob(name.lower())}*" for name in names])


def _tool(names: Sequence[str], _: Catalog) -> _Sql:
    named = _is_named("lower(name)", [name.lower() for name in names])
    return _Sql(f"rowid IN (SELECT chunk FROM tools WHERE {named.sql})", named.values)


def _project(names: Sequence[str], catalog: Catalog) -> _Sql:
    projects, folders = known_places(catalog)
    places = (*projects, *([NON_REPOSITORY] if NON_REPOSITORY in names else ()), *folders)
    found: dict[str, None] = {}
    notes = []
    for name in names:
        matching, whole = matching_places(name, places, catalog)
        found |= dict.fromkeys(matching)
        if not matching:
            notes.append(f"no project or folder matches {name!r}; known: {', '.join(projects) or 'none'}")
        elif not whole:
            notes.append(f"no project is named {name!r}; taken as a part of {', '.join(matching)}")
    marks = _marks(found)
    sql = f"(project IN ({marks}) OR (project='{NON_REPOSITORY}' AND cwd IN ({marks})))"
    return _Sql(sql, [*found, *found], notes)


def _marks(values: Collection[object]) -> str:
    return ",".join("?" * len(values))


_SQL: dict[str, Callable[[Any, Catalog], _Sql]] = {
    "project": _project,
    "agent": _agent,
    "kind": lambda kinds, _: _is_one_of("kind", parse_kinds(kinds)),
    "session": _session,
    "exclude_session": _exclude_session,
    "lane": lambda lanes, _: _is_one_of("coalesce(lane, 'primary')", parse_lanes(lanes)),
    "run_id": lambda ids, _: _is_one_of("run_id", ids),
    "prompt_id": lambda ids, _: _is_one_of("prompt_id", ids),
    "date": _date,
    "since": _since,
    "until": _until,
    "hours": _since,
    "branch": lambda names, _: _is_named("branch", names),
    "file": _file,
    "model": _model,
    "tool": _tool,
    "failed": lambda *_: _Sql("failed=1", ()),
    "workflow_phase": lambda names, _: _is_named("workflow_phase", names),
    "frontmatter_mode": lambda names, _: _is_named("mode", names),
    "skill_code": lambda names, _: _is_named("skill_code", names),
    "min_token_usage": lambda least, _: _Sql("token_usage>=?", [least]),
    "min_findings_count": lambda least, _: _Sql("findings_count>=?", [least]),
}


_DAY = regex(r"\d{4}-\d{2}-\d{2}")
_AGO = regex(r"(?P<count>\d+)\s*(?P<unit>[hdw])")
_MONTH = regex(r"\d{4}-\d{2}")
_UNITS = {"h": "hours", "d": "days", "w": "weeks"}


def parse_date_range(text: str, now: datetime) -> tuple[str | None, str | None]:
    """``2026-01-31``, ``2026-01-01..2026-01-31``, ``2026-01-01..`` or ``..2026-01-31``, both ends included.

    A month (``2026-01``) is all its days; ``yesterday``, ``last week`` and ``in march`` are days too. Days are those of
    `local`.
    """
    low, dots, high = text.partition("..")
    low, high = _day_of(low, now), _day_of(high, now)
    if not dots and low and not _MONTH.fullmatch(low) and not _is_day(low) and (said := _days_as_said(low, now)):
        return said
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
    """A point in time: ``2026-01-31``, ``2026-01-31T14:00``, ``last week``, or so long ago: ``36h``, ``7d``, ``2w``.

    Without an offset it is on the clock of `local`. Of several days it is the begin of the first or, for an end, the
    end of the last.
    """
    text = text.strip()
    if (" " in text or text.isalpha()) and (said := _days_as_said(text, now)):
        first, last = days_between(said)
        if moment := last - timedelta(microseconds=1) if end_of_day and last else first or last:
            return moment
    try:
        if match := _AGO.fullmatch(text.lower()):
            return now - timedelta(**{_UNITS[match["unit"]]: int(match["count"])})
        day = _day_of(text, now)
        if end_of_day and _is_day(day):
            return day_bounds(day)[1] - timedelta(microseconds=1)
        return local(day).astimezone(UTC)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{text!r} is not a point in time",
            hint="write 2026-01-31, 2026-01-31T14:00, yesterday, last week, 36h, 7d or 2w",
        ) from None


def _days_as_said(text: str, now: datetime) -> tuple[str | None, str | None] | None:
    """The first and last day that ``text`` means, as in a question ("last week", "march"); None where it is no days."""
    from aicx.dates import lift_dates  # imported here: most dates are written in figures

    today = local(now).date()
    for asked in (text, f"in {text}", f"on {text}"):
        found = lift_dates(asked, today)
        if found.days and not found.text.strip():
            return found.days
    return None


def days_between(days: tuple[str | None, str | None]) -> tuple[datetime | None, datetime | None]:
    """Where the first of two inclusive days begins, and where the day after the last one does."""
    first, last = days
    return day_bounds(first)[0] if first else None, day_bounds(last)[1] if last else None


def _day_of(text: str, now: datetime) -> str:
    """``today`` and ``yesterday`` as the days they are here; the rest as it is."""
    past = {"today": 0, "yesterday": 1}.get(text.lower())
    return text if past is None else (local(now).date() - timedelta(days=past)).isoformat()


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
            f"{text!r} is not a date", hint="write it as 2026-01-31, yesterday or 2026-01-01..2026-01-31"
        ) from None
