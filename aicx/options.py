"""Options that several commands share, so that one word means one thing everywhere; and what shells offer for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import wraps
from inspect import Parameter, Signature, isgeneratorfunction, signature
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args

import click
import typer
from click.types import StringParamType

from aicx import console
from aicx.errors import AicxError, UsageError
from aicx.filters import FILTERS, MAX_COUNT, MAX_HOURS, Filter
from aicx.paths import user_path
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


class PathText(StringParamType):
    """Text that names what is on disk, with the bytes that are not UTF-8 as Python has them: lone surrogates."""


PATH = PathText()
FILTERS_PANEL = "Which chunks"
OUTPUT = "Output"

# What the command line reads for each kind of filter; its ends, and what stands for "not given".
_TYPES: dict[str, Any] = {"text": list[str] | None, "hours": float | None, "least": int | None, "flag": bool}
_ENDS: dict[str, dict[str, float]] = {"hours": {"min": 0, "max": MAX_HOURS}, "least": {"min": 0, "max": MAX_COUNT}}


def _option(name: str) -> Any:
    """The option of a filter, for commands in which it is not one of many."""
    row = next(row for row in FILTERS if row.name == name)
    more: Any = dict(_ENDS.get(row.value, {}))
    if name in OFFERS:
        more["autocompletion"] = OFFERS[name]
    return typer.Option(*row.options, metavar=row.metavar, help=row.help, rich_help_panel=FILTERS_PANEL, **more)


Json = Annotated[bool, typer.Option("--json", "-j", help="Print one JSON object.", rich_help_panel=OUTPUT)]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, metavar="N", help="Maximum number of results.")]
Agents = Annotated[
    list[str] | None,
    typer.Option(
        *("--agent", "-a"),
        metavar="AGENT",
        help="Only this agent; may be given several times.",
        autocompletion=OFFERS["agent"],
    ),
]
Hours = Annotated[
    float | None,
    typer.Option(
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
    typer.Option("--decay", metavar="HOW", help="Prefer recent chunks: off, gentle, strong, or a number of days."),
]
Date = Annotated[str | None, _option("date")]
Since = Annotated[str | None, _option("since")]
Until = Annotated[str | None, _option("until")]
ExcludeSession = Annotated[list[str] | None, _option("exclude_session")]
Repo = Annotated[
    str | None,
    typer.Option(
        *("--repo", "-r"),
        metavar="FOLDER",
        click_type=PATH,
        help="A folder of the repository; by default the current one.",
    ),
]
Everywhere = Annotated[
    bool,
    typer.Option("--everywhere", help="Prefer no repository, and ask none for the commits that the question names."),
]
Team = Annotated[
    bool,
    typer.Option("--team", help="Also ask the share that this home is part of; what is of another member names it."),
]
NoRedact = Annotated[
    bool,
    typer.Option(
        "--no-redact-secrets",
        help="Store secrets as they are. Every agent that may read the corpus can then read them.",
    ),
]


NoPager = Annotated[bool, typer.Option("--no-pager", help="Print long output without a pager.", rich_help_panel=OUTPUT)]


def _use_utc(wanted: bool) -> bool:
    Zone.utc = wanted
    return wanted


Utc = Annotated[
    bool,
    typer.Option(
        "--utc", help="Show times in UTC, and read days as UTC days.", callback=_use_utc, rich_help_panel=OUTPUT
    ),
]


# What a command gives that has `--json`: its schema and its answer. What comes after prints that for people.
Answered = Iterator[tuple[str, Any]]


def answering(command: Callable[..., Any]) -> Callable[..., None]:
    """Gives a command that yields its answer the option `--json`, with which that is printed and nothing after it."""
    if not isgeneratorfunction(command):
        return command

    @wraps(command)
    def with_json(*args: Any, json: bool = False, **given: Any) -> None:
        for schema, answer in command(*args, **given):
            if json:
                console.out_answer(schema, answer)
                return

    own = signature(command, eval_str=True).parameters.values()
    return _signed(
        with_json, [*own, Parameter("json", Parameter.POSITIONAL_OR_KEYWORD, default=False, annotation=Json)]
    )


def wants_json() -> bool:
    """Whether the command that runs prints JSON."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.params.get("json"))


def need_person(why: str, hint: str) -> None:
    """Refuses to ask where nobody can answer: with `--json`, and without a terminal. Raises UsageError."""
    if wants_json() or not sys.stdin.isatty():
        raise UsageError(why, hint=hint)


def _signed(command: Callable[..., None], parameters: Sequence[Parameter]) -> Callable[..., None]:
    """``command`` with the parameters that typer is to read of it."""
    command.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


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

        parameters: list[Parameter] = []
        for parameter in signature(command, eval_str=True).parameters.values():
            parameters += map(_parameter, rows) if parameter.name == "filters" else [parameter]
        parameters.append(Parameter("utc", Parameter.POSITIONAL_OR_KEYWORD, default=False, annotation=Utc))
        return _signed(with_filters, parameters)

    return decorate


def _parameter(row: Filter) -> Parameter:
    return Parameter(
        row.name,
        Parameter.POSITIONAL_OR_KEYWORD,
        default=False if row.value == "flag" else None,
        annotation=Annotated[_TYPES.get(row.value, str | None), _option(row.name)],
    )


def either(name: str, *flags: str) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Lets the argument ``name`` of a command be written with ``flags`` too; without flags, an option bare."""

    def decorate(given_command: Callable[..., Any]) -> Callable[..., None]:
        command = answering(given_command)
        own = signature(command, eval_str=True)
        known = own.parameters[name]
        needed = known.default is Parameter.empty
        text, said = get_args(known.annotation)
        again = f"{name}_again"
        if flags:
            shown = (said.metavar or name).strip("[]")
            other = typer.Option(*flags, metavar=shown, help=f"The same as {shown}.", click_type=said.click_type)
        else:
            shown = next(flag for flag in (said.default, *said.param_decls) if flag.startswith("--"))
            other = typer.Argument(metavar="[ID]", help=f"The same as {shown}.", autocompletion=said.autocompletion)

        @wraps(command)
        def with_either(*args: Any, **given: Any) -> Any:
            if (second := given.pop(again, None)) is not None:
                if given.get(name) is not None:
                    raise UsageError(f"{shown} is given twice", hint="leave out the argument or the option")
                given[name] = second
            if needed and not args and given.get(name) is None:
                raise click.UsageError(f"Missing argument '{shown}'.", click.get_current_context(silent=True))
            return command(*args, **given)

        optional = text | None if needed else text
        pair = [
            known.replace(default=None, annotation=Annotated[optional, said]),
            known.replace(name=again, default=None, annotation=Annotated[optional, other]),
        ]
        parameters = [
            one for parameter in own.parameters.values() for one in (pair if parameter is known else [parameter])
        ]
        # After a parameter with a default typer wants them all with names.
        return _signed(with_either, [one.replace(kind=Parameter.KEYWORD_ONLY) for one in parameters])

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
