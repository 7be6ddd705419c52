"""Options that several commands share, so that one word means one thing everywhere; and what shells offer for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar

from aicx import console
from aicx.errors import AicxError, UsageError
from aicx.filters import FILTERS, MAX_COUNT, MAX_HOURS, Filter
from aicx.paths import user_path
from aicx.questions import PATH as PATH
from aicx.questions import REQUIRED, Option, Questions, questions_of
from aicx.questions import Argument as Argument
from aicx.text import Zone

Known = TypeVar("Known", bound=str)
Offer = list[tuple[str, str]]  # what a shell offers, and a word on it
_MAX_OFFERED = 50


def _projects(incomplete: str) -> Offer:
    """Stored projects, the most recently active first."""
    rows = _rows(
        "SELECT project, count(DISTINCT session_id) || ' sessions' FROM chunks WHERE ignored=0"
        " GROUP BY project ORDER BY max(completed_at) DESC"
    )
    return _offered((name, said) for name, said in rows if name.startswith(incomplete))


def _agents(incomplete: str) -> Offer:
    rows = _rows(
        "SELECT agent, count(DISTINCT session_id) || ' sessions' FROM chunks WHERE ignored=0 GROUP BY agent ORDER BY 1"
    )
    return _offered((name, said) for name, said in rows if name.startswith(incomplete))


def _sessions(incomplete: str) -> Offer:
    """The newest sessions whose id begins so, with their titles."""
    return _offered(
        _rows(
            "SELECT session_id, sessions.title FROM chunks LEFT JOIN sessions USING (agent, session_id)"
            " WHERE ignored=0 AND substr(session_id, 1, length(?1)) = ?1"
            f" GROUP BY session_id ORDER BY max(completed_at) DESC LIMIT {_MAX_OFFERED}",
            incomplete,
        )
    )


OFFERS: Mapping[str, Callable[[str], Offer]] = {
    "project": _projects, "agent": _agents, "session": _sessions, "exclude_session": _sessions,
}  # fmt: skip


def _offered(rows: Iterable[tuple[str, str | None]]) -> Offer:
    return [(name, said or "") for name, said in rows]


def _rows(query: str, *values: str) -> list[tuple[str, str | None]]:
    from aicx.config import load_settings
    from aicx.corpus.catalog.query import open_catalog

    try:
        with open_catalog(load_settings().layout) as opened:
            return [tuple(row) for row in opened.catalog.rows(query, values)]
    except (AicxError, OSError):
        return []


FILTERS_PANEL = "Which chunks"
OUTPUT = "Output"

# What the command line reads for each kind of filter; its ends, and what stands for "not given".
_TYPES: dict[str, Any] = {"text": list[str] | None, "hours": float | None, "least": int | None, "flag": bool}
_ENDS: dict[str, dict[str, float]] = {"hours": {"min": 0, "max": MAX_HOURS}, "least": {"min": 0, "max": MAX_COUNT}}


def _option(name: str) -> Option:
    """The option of a filter, for commands in which it is not one of many."""
    row = next(row for row in FILTERS if row.name == name)
    more: Any = dict(_ENDS.get(row.value, {}))
    if name in OFFERS:
        more["autocompletion"] = OFFERS[name]
    return Option(*row.options, metavar=row.metavar, help=row.help, rich_help_panel=FILTERS_PANEL, **more)


_JSON = Option("--json", "-j", help="Print one JSON object.", rich_help_panel=OUTPUT)
Json = Annotated[bool, _JSON]
Limit = Annotated[int, Option("--limit", "-n", min=1, max=10_000, metavar="N", help="Maximum number of results.")]
Agents = Annotated[
    list[str] | None,
    Option(
        *("--agent", "-a"),
        metavar="AGENT",
        help="Only this agent; may be given several times.",
        autocompletion=OFFERS["agent"],
    ),
]
Hours = Annotated[
    float | None,
    Option(
        "--hours",
        "-H",
        min=0,
        max=MAX_HOURS,
        metavar="N",
        help="Only sessions active in the last N hours; 0 means all.",
    ),
]
# One value each, where a command is about one thing.
Project = Annotated[str | None, _option("project")]
Projects = Annotated[list[str] | None, _option("project")]
Decay = Annotated[
    str,
    Option("--decay", metavar="HOW", help="Prefer recent chunks: off, gentle, strong, or a number of days."),
]
Date = Annotated[str | None, _option("date")]
Since = Annotated[str | None, _option("since")]
Until = Annotated[str | None, _option("until")]
ExcludeSession = Annotated[list[str] | None, _option("exclude_session")]
Repo = Annotated[
    str | None,
    Option(
        *("--repo", "-r"),
        metavar="FOLDER",
        click_type=PATH,
        help="A folder of the repository; by default the current one.",
    ),
]
Everywhere = Annotated[
    bool,
    Option("--everywhere", help="Prefer no repository, and ask none for the commits that the question names."),
]
Team = Annotated[
    bool,
    Option("--team", help="Also ask the share that this home is part of; what is of another member names it."),
]
NoRedact = Annotated[
    bool,
    Option(
        "--no-redact-secrets",
        help="Store secrets as they are. Every agent that may read the corpus can then read them.",
    ),
]


NoPager = Annotated[bool, Option("--no-pager", help="Print long output without a pager.", rich_help_panel=OUTPUT)]


def _use_utc(wanted: bool) -> bool:
    Zone.utc = wanted
    return wanted


_UTC = Option("--utc", help="Show times in UTC, and read days as UTC days.", callback=_use_utc, rich_help_panel=OUTPUT)
Utc = Annotated[bool, _UTC]


# What a command gives that has `--json`: its schema and its answer. What comes after prints that for people.
Answered = Iterator[tuple[str, Any]]
_GENERATOR = 0x20  # the flag of a function that yields, as `inspect.CO_GENERATOR`; to import that takes long


def answering(command: Callable[..., Any]) -> Callable[..., None]:
    """Gives a command that yields its answer the option `--json`, with which that is printed and nothing after it."""
    if not command.__code__.co_flags & _GENERATOR:
        return command

    @wraps(command)
    def with_json(*args: Any, json: bool = False, **given: Any) -> None:
        for schema, answer in command(*args, **given):
            if json:
                console.out_answer(schema, answer)
                return

    return asking(with_json, lambda: [*questions_of(command), _JSON.of("json", bool, False)])


def asking(command: Callable[..., Any], asked: Callable[[], Questions]) -> Callable[..., Any]:
    """``command`` with the parameters that it is to be read with, which `questions_of` gives."""
    command.asked = asked  # type: ignore[attr-defined]
    return command


class _Running:
    json = False


def call(command: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """What a command returns for what its line says."""
    _Running.json = bool(values.get("json"))
    try:
        return command(**values)
    finally:
        _Running.json = False


class Ended(Exception):
    """Ends a command with an exit code."""

    def __init__(self, code: int) -> None:
        self.code = code


def reset(*, color: bool) -> None:
    """Begins a command line: what an earlier one of this process said of printing is forgotten."""
    console.Style.color = color
    Zone.utc = console.Style.exact = False  # until the command's own `--utc` and `--verbose`


def wants_json() -> bool:
    """Whether the command that runs prints JSON."""
    return _Running.json


def need_person(why: str, hint: str) -> None:
    """Refuses to ask where nobody can answer: with `--json`, and without a terminal. Raises UsageError."""
    if wants_json() or not sys.stdin.isatty():
        raise UsageError(why, hint=hint)


def filtered(*names: str) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Gives a command the options of all filters, or of those named, in the place of its parameter ``filters``.

    Among them is `--utc`, since days are what filters limit to and what such commands print.
    """
    rows = [row for row in FILTERS if not names or row.name in names]

    def decorate(given_command: Callable[..., Any]) -> Callable[..., None]:
        command = answering(given_command)

        @wraps(command)
        def with_filters(**given: Any) -> None:
            from aicx.corpus.catalog.filters import parse_filters

            given.pop("utc")  # it has been obeyed
            written = {row.name: given.pop(row.name) for row in rows}
            command(**given, filters=parse_filters(now(), **written))

        def asked() -> Questions:
            own = questions_of(command)
            at = [one.name for one in own].index("filters")
            return [*own[:at], *map(_question, rows), *own[at + 1 :], _UTC.of("utc", bool, False)]

        return asking(with_filters, asked)

    return decorate


def _question(row: Filter) -> Option:
    return _option(row.name).of(row.name, _TYPES.get(row.value, str | None), False if row.value == "flag" else None)


def either(name: str, *flags: str) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Lets the argument ``name`` of a command be written with ``flags`` too; without flags, an option bare."""

    def decorate(given_command: Callable[..., Any]) -> Callable[..., None]:
        command = answering(given_command)
        again = f"{name}_again"

        @cache
        def asked() -> tuple[Questions, str, bool]:
            own = questions_of(command)
            at = [one.name for one in own].index(name)
            known = own[at]
            needed = known.default is REQUIRED
            other: Option
            if flags:
                shown = (known.more.get("metavar") or name).strip("[]")
                text = known.more.get("click_type")
                other = Option(*flags, metavar=shown, help=f"The same as {shown}.", click_type=text)
            else:
                shown = next(flag for flag in known.names if flag.startswith("--"))
                offer = known.more.get("autocompletion")
                other = Argument(metavar="[ID]", help=f"The same as {shown}.", autocompletion=offer)
            kind = known.kind | None if needed else known.kind
            pair = known.of(name, kind, None), other.of(again, kind, None)
            return [*own[:at], *pair, *own[at + 1 :]], shown, needed

        @wraps(command)
        def with_either(*args: Any, **given: Any) -> Any:
            _, shown, needed = asked()
            if (second := given.pop(again, None)) is not None:
                if given.get(name) is not None:
                    raise UsageError(f"{shown} is given twice", hint="leave out the argument or the option")
                given[name] = second
            if needed and not args and given.get(name) is None:
                import click  # imported here: only what is wrong with a command line needs it

                raise click.UsageError(f"Missing argument '{shown}'.")
            return command(*args, **given)

        return asking(with_either, lambda: asked()[0])

    return decorate


def place(repo: str | None, *, everywhere: bool) -> Path | None:
    """The folder whose repository counts more; None for none. Raises UsageError for what is no folder."""
    folder = None if everywhere else user_path(repo or ".")
    if repo and everywhere:
        raise UsageError("--everywhere is without --repo", hint="leave out one of them")
    if repo and folder is not None and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", hint="--repo takes a folder in a repository")
    return folder


def folder(repo: str | None) -> Path:
    """The folder that ``--repo`` names, else the current one. Raises UnsafePath."""
    return user_path(repo) if repo else Path.cwd()


def one_of(text: str, known: Sequence[Known], wrong: str, option: str) -> Known:
    """The word of ``known`` that ``text`` is. Raises UsageError, which says that it is ``wrong`` for ``option``."""
    found = next((one for one in known if one == text), None)
    if found is None:
        raise UsageError(f"{text!r} {wrong}", hint=f"{option} {', '.join(known)}")
    return found


def now() -> datetime:
    """The clock of the command line."""
    return datetime.now(UTC)
