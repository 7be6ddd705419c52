"""Decides which family printed an output, lets it read, and says whether the command failed.

Each row of the table of families is a module that exports `FAMILY`. `generic` reads what no other does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import islice
from typing import Annotated, NamedTuple

from aicx.shell import PLAIN, Invocation, invocations
from aicx.toolchains.family import Diagnostic, Output, ToolFamily, fingerprint, tidy_file
from aicx.toolchains.terminal import MAX_LINE, plain, unprefixed
from aicx.values import dataclass

GENERIC, NONE = "generic", "none"

# Where two look equally likely by their text alone, the earlier one is taken.
FAMILIES = (
    *("python_test", "python_types", "python_lint", "typescript", "eslint", "js_test", "npm", "rust", "go", "java"),
    *("ruby", "php", "dotnet", "c_cpp"),
)
MAX_EVENTS = 500  # of one family in one output
_SHELLS = frozenset({"bash", "sh", "zsh", "exec"})
_NOT_RUN = (126, 127)  # a shell's exit codes for a program that is missing or cannot be run
_MAX_MESSAGE = 2000
_MAX_COMMAND = 1000
_FIRST, _LAST = 1000, 4000  # lines by which a tool is recognised
_PACKAGE_MANAGERS = ("yarn", "pnpm", "bun")
# Exit code 1 of these says "nothing found" or "they differ".
_ANSWERING = frozenset(
    {"grep", "egrep", "fgrep", "rg", "ag", "ack", "diff", "cmp", "test", "[", "[[", "pgrep", "which"}
)


@dataclass(frozen=True, slots=True)
class ErrorEvent:
    """One error or warning that a tool reported, as its output names it."""

    toolchain: Annotated[str, "the tool: `pytest`, `mypy`, `cargo`; the family where the tool is unknown"]
    phase: Annotated[
        str, "`setup`, `install`, `syntax`, `build`, `link`, `type`, `lint`, `format`, `test` or `runtime`"
    ]
    severity: Annotated[str, "`error` or `warning`"]
    message: Annotated[str, "at most 2000 characters"]
    code: Annotated[str | None, "the rule, the number of the error or the exception's class"]
    file: Annotated[str | None, "as the output names it"]
    line: Annotated[int | None, "from 1"]
    column: Annotated[int | None, "as the tool counts"]
    test: Annotated[str | None, "name of the failing test"]
    command: Annotated[str, "the whole command line"]
    exit_code: Annotated[int | None, "of the command line"]
    fingerprint: Annotated[str, "the same for the same mistake after unrelated edits"]


@dataclass(frozen=True, slots=True)
class Parsed:
    """The reading of an output."""

    family: Annotated[
        str,
        "`python_test`, `python_types`, `python_lint`, `npm`, `typescript`, `eslint`, `js_test`, `go`, `rust`, `java`, "
        "`dotnet`, `c_cpp`, `ruby`, `php`, `generic`, or `none` for the output of no such tool",
    ]
    failed: Annotated[bool, "the command's true result, also where a pipe hides its exit code"]
    events: Annotated[tuple[ErrorEvent, ...], "in the order of the output"]


@cache
def families() -> tuple[ToolFamily, ...]:
    """Every family but `generic`, in the table's order."""
    return tuple(_load(name) for name in FAMILIES)


@cache
def generic() -> ToolFamily:
    return _load(GENERIC)


def _load(name: str) -> ToolFamily:
    family: ToolFamily = import_module(f"aicx.toolchains.{name}").FAMILY
    return family


class _NamedCommand(NamedTuple):
    """A command of the line and the family that it belongs to."""

    family: ToolFamily
    tool: str
    call: Invocation


class _ParsedLine(NamedTuple):
    family: str
    tool: str
    found: Diagnostic


def parse(output: str, command: str = "", exit_code: int | None = None, folder: str = "") -> Parsed:
    """The error events in ``output``, which ``command`` printed before it ended with ``exit_code`` (None: unknown).

    ``folder`` is where the command ran, if that is known: files may be named in full or from there.
    """
    lines = unprefixed(plain(output).split("\n"))
    read = Output("\n".join(lines), tuple(line[:MAX_LINE] for line in lines), (), exit_code)
    calls = invocations(command)
    family, readings = _read(read, calls)
    failed = _failed(family, read, readings, calls)
    if failed and exit_code and not readings:
        readings = _found(generic(), "", read, ())
    if not failed:
        readings = [row for row in readings if row.found.severity != "error"]
    return Parsed(
        family.name if family else NONE, failed, tuple(_events(readings, command, exit_code, _folders(calls, folder)))
    )


def is_tool(command: str) -> bool:
    """Whether a command line runs a build, test, lint or install tool that is known by its name."""
    return any(_named(call) or generic().tool(call.words) for call in invocations(command))


def _named(call: Invocation) -> _NamedCommand | None:
    """The family that a command belongs to, None for one that only the text can tell."""
    if call.words[0] in _PACKAGE_MANAGERS and len(call.words) > 1:  # a program that is installed in the project
        for family in families():
            if tool := family.tool(call.words[1:]):
                return _NamedCommand(family, tool, call._replace(words=call.words[1:], script=False))
    for family in families():
        if tool := family.tool(call.words):
            return _NamedCommand(family, tool, call)
    return None


def _read(read: Output, calls: Sequence[Invocation]) -> tuple[ToolFamily | None, list[_ParsedLine]]:
    """The family of an output and what it holds; None for an output of no tool."""
    named = [row for call in calls if (row := _named(call))]
    sure = {row.family.name: row for row in named if not row.call.script}
    if sure:
        parts = [_found(row.family, row.tool, read, row.call.words) for row in sure.values()]
        errors = [sum(row.found.severity == "error" for row in part) for part in parts]
        first = list(sure.values())[max(range(len(parts)), key=lambda place: bool(errors[place]))]
        together = [row for part in parts for row in part]
        if together or not read.exit_code or _shown(first.family, read):
            return first.family, together
    if not calls or any(_open(call) for call in calls):
        glance = _glance(read)
        scores = [family.looks_like(glance) for family in families()]
        if any(scores):
            family = families()[scores.index(max(scores))]
            return family, _found(family, family.name, read, ())
    if named and (named[-1].call.script or read.exit_code not in _NOT_RUN):
        return named[-1].family, _found(named[-1].family, named[-1].tool, read, named[-1].call.words)
    return _generic(read, calls)


def _generic(read: Output, calls: Sequence[Invocation]) -> tuple[ToolFamily | None, list[_ParsedLine]]:
    """Reads the output of a command of no family, and tells whether it is one whose output says anything of errors."""
    programs = {call.words[0] for call in calls}
    words = calls[-1].words if calls else ()
    found = _found(generic(), generic().tool(words) or "", read, words)
    if programs and programs <= PLAIN:  # the words of a file that is shown are not its own
        if not _fails(read, calls):
            return None, []
        return generic(), [row for row in found if row.tool in programs | _SHELLS] or found
    known = any(generic().tool(call.words) for call in calls)
    hidden = read.exit_code is None or (read.exit_code == 0 and any(call.masked for call in calls))
    errors = any(row.found.severity == "error" for row in found)
    return (generic() if known or _fails(read, calls) or (hidden and errors) else None), found


def _open(call: Invocation) -> bool:
    """Whether only the output tells what a command ran: a script, a program that is not known."""
    return call.script or call.local or not (call.words[0] in PLAIN or generic().tool(call.words))


def _glance(read: Output) -> Output:
    """The beginning and the end of an output, which say enough to recognise a tool."""
    if len(read.lines) <= _FIRST + _LAST:
        return read
    lines = (*read.lines[:_FIRST], *read.lines[-_LAST:])
    return Output("\n".join(lines), lines, read.words, read.exit_code)


def _shown(family: ToolFamily, read: Output) -> bool:
    return family.looks_like(_glance(read)) > 0 or family.failed(read) is not None


def _found(family: ToolFamily, tool: str, read: Output, words: tuple[str, ...]) -> list[_ParsedLine]:
    output = Output(read.text, read.lines, words, read.exit_code)
    found = islice(family.parse(output), MAX_EVENTS)
    return [_ParsedLine(family.name, each.tool or tool or family.name, each) for each in found]


def _fails(read: Output, calls: Sequence[Invocation]) -> bool:
    """Whether the exit code says that something failed."""
    return bool(read.exit_code) and not (read.exit_code == 1 and calls and calls[-1].words[0] in _ANSWERING)


def _failed(
    family: ToolFamily | None, read: Output, readings: Sequence[_ParsedLine], calls: Sequence[Invocation]
) -> bool:
    if read.exit_code:
        return _fails(read, calls)
    telling = [call for call in calls if call.script or call.local or _named(call)] or calls
    if read.exit_code == 0 and not any(call.masked for call in telling):
        return False
    said = family.failed(read) if family else None
    return any(row.found.severity == "error" for row in readings) if said is None else said


def _folders(calls: Sequence[Invocation], folder: str) -> list[str]:
    """The folders that full names may begin with, longest first."""
    entered = [call.words[1] for call in calls if call.words[0] in ("cd", "pushd") and len(call.words) > 1]
    return sorted(filter(None, [folder, *entered]), key=len, reverse=True)


def _events(
    readings: Sequence[_ParsedLine], command: str, exit_code: int | None, folders: Sequence[str]
) -> Iterator[ErrorEvent]:
    seen: set[tuple[object, ...]] = set()
    for family, tool, found in readings:
        mark = fingerprint(family, found, folders)
        place = (mark, found.file, found.line, found.column, found.severity)
        if place in seen:
            continue
        seen.add(place)
        yield ErrorEvent(
            toolchain=tool,
            phase=found.phase,
            severity=found.severity,
            message=found.message[:_MAX_MESSAGE].strip() or found.code or "failed",
            code=found.code,
            file=tidy_file(found.file),
            line=found.line,
            column=found.column,
            test=found.test,
            command=command[:_MAX_COMMAND],
            exit_code=exit_code,
            fingerprint=mark,
        )
