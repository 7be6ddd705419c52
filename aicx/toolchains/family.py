"""The row that each family's module exports as `FAMILY`, the values its functions take and give, and places in matches;
and fingerprints of mistakes: the same after lines moved and runs repeated, another one for another mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Protocol

from aicx.values import dataclass, regex

Place = tuple[str | None, int | None]

NOWHERE: Place = (None, None)


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a command as a terminal would show it: no colours, no progress bars, no prefixes of wrappers."""

    text: str
    lines: tuple[str, ...]
    words: tuple[str, ...] = ()  # the command of this family, without wrappers; empty when the text named the family
    exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One error or warning in an output."""

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    code: str | None = None
    phase: str = "build"
    severity: str = "error"
    test: str | None = None  # as precise as the output has it: its file or module, suite and name
    tool: str | None = None  # where the family's own recognition of the command is not precise enough
    # The part of the message that tells this mistake from others, for the fingerprint; the whole message when None.
    # Give it where the message holds what varies between runs, or lacks what distinguishes (a label, a symbol).
    identity: str | None = None
    # The test's name for the fingerprint, where styles of output write it differently; the printed one when None.
    test_identity: str | None = None


def _undecided(_output: Output) -> bool | None:
    return None


@dataclass(frozen=True, slots=True)
class ToolFamily:
    """Tools whose output is read by one module. Every function takes time linear in the output."""

    name: str
    # The words of one command, program first and without its folder -> the tool's name, None for another family's.
    tool: Callable[[Sequence[str]], str | None]
    # How many lines or marks only these tools print; 0 for none. Decides when the command does not name the family.
    looks_like: Callable[[Output], int]
    parse: Callable[[Output], Iterable[Diagnostic]]
    # Whether the tool's own summary says that it failed; None leaves it to the exit code or the errors found.
    failed: Callable[[Output], bool | None] = _undecided


class ToolReader(Protocol):
    """A module that reads what one tool of a family prints, where the tools differ much."""

    NAME: str

    def found(self, output: Output, /) -> Iterable[Diagnostic]:
        """The errors and warnings in ``output``."""

    def failed(self, output: Output, /) -> bool | None:
        """Whether the tool's totals say that it failed; None without them."""

    def marks(self, output: Output, /) -> int:
        """How many lines only this tool writes."""


def lines_matching(pattern: re.Pattern[str]) -> Callable[[Output], int]:
    """Counts an output's lines that ``pattern`` matches, for `ToolFamily.looks_like`."""
    return lambda output: sum(1 for line in output.lines if pattern.match(line))


def any_failed(verdict: re.Pattern[str]) -> Callable[[Output], bool | None]:
    """Whether one of the lines that ``verdict`` matches fills its group `failed`, for `ToolFamily.failed`."""

    def failed(output: Output) -> bool | None:
        verdicts = [bool(match["failed"]) for line in output.lines if (match := verdict.match(line))]
        return any(verdicts) if verdicts else None

    return failed


def place(match: re.Match[str] | None) -> Place:
    """The groups `file` and `line` of ``match``; nowhere without one, or where it names no file."""
    if match is None or match["file"] is None:
        return NOWHERE
    return match["file"], number(match, "line")


def number(match: re.Match[str], group: str) -> int | None:
    """The number in a group of ``match``; None where the pattern has no such group, or it matched nothing."""
    text = match[group] if group in match.re.groupindex else None
    return int(text) if text else None


_LENGTH = 16  # hexadecimal digits
_MAX_MESSAGE = 2000  # characters of a message that count

_TEMPORARY = (
    r"(?:/private)?(?:/tmp|/var/tmp|/var/folders|/dev/shm)"
    r"|[A-Za-z]:[\\/]Users[\\/][^\s\\/]{1,60}[\\/]AppData[\\/]Local[\\/]Temp"
)
# What differs between two runs of the same mistake, and what replaces it.
_VARYING = tuple(
    (re.compile(pattern), mark)
    for pattern, mark in (
        (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?", "<time>"),
        (r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "<id>"),
        (r"\b0[xX][0-9a-fA-F]{3,16}\b", "<address>"),
        (r"@[0-9a-f]{5,16}\b", "@<address>"),
        (r"\(\.(?:text|data|rodata)[\w.]{0,80}\+0x[0-9a-f]+\)", "(section)"),
        (rf"(?:{_TEMPORARY})[\\/][^\s'\"`,:;)\]>]*[\\/]", "<temporary>/"),
        (rf"(?:{_TEMPORARY})[\\/][^\s'\"`,:;)\]>]*", "<temporary>"),
        (r"(?<=[\w)]):\d{1,7}(?::\d{1,6})?(?![\w.])", ":<line>"),
        (r"(?<=\()\d{1,7}[:,]\d{1,6}\)", "<line>)"),
        (r"\b([Ll]ines?|[Cc]ol(?:umn)?|char(?:acter)?|position|offset) \d{1,9}(?:-\d{1,9})?", r"\1 <line>"),
        (r"\b\d{1,9}(?:\.\d{1,9})? ?(?:ns|us|µs|ms|s|secs?|seconds?|milliseconds?|minutes?|m\d{1,2}s)\b", "<duration>"),
        (r"\b(pid|PID|process|thread|job) ?[=:#]? ?\d{2,9}\b", r"\1 <number>"),
        (r"\b(?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,40}\b", "<hash>"),
    )
)
# The project's folder as far as a full name tells it.
_PROJECT = regex(
    r"(?:(?:[A-Za-z]:)?/(?:home|[Uu]sers)/[^/]+/|/root/|/(?:private/)?(?:var/)?tmp/|/var/folders/[^/]+/[^/]+/[^/]+/"
    r"|/(?:opt|srv|builds|usr/src|mnt|data|workspaces?|work|repos?|code|projects?)/)[^/]+/|/(?:app|src|code|workspace|repo|work)/"
)


def normal_message(message: str) -> str:
    """``message`` without what differs between runs or styles, on one line."""
    text = message[:_MAX_MESSAGE]
    for pattern, mark in _VARYING:
        text = pattern.sub(mark, text)
    return " ".join(text.split()).rstrip(" .")


def tidy_file(file: str | None) -> str | None:
    """A file's name as the output has it, without `file://`, quotes and a leading `./`."""
    if not file:
        return None
    name = file.strip().strip("'\"").removeprefix("file://").replace("\\", "/")
    while name.startswith("./"):
        name = name[2:]
    return name or None


def stable_file(file: str | None, folders: Sequence[str] = ()) -> str:
    """The last two parts of ``file`` below the project's folder, so that a name in full and a relative one are the same.

    ``folders`` are known beginnings of full names. Without one that fits, the project is taken to be the first folder in
    a home or a folder that is usual for checkouts.
    """
    name = tidy_file(file) or ""
    root = next((folder for folder in folders if folder and name.startswith(folder.rstrip("/") + "/")), None)
    if root is not None:
        name = name[len(root.rstrip("/")) + 1 :]
    elif match := _PROJECT.match(name):
        name = name[match.end() :]
    return "/".join([part for part in name.split("/") if part not in ("", ".", "..")][-2:])


def fingerprint(family: str, found: Diagnostic, folders: Sequence[str] = ()) -> str:
    """The same for the same mistake: family, file and normalised message; for a test its name instead of the file.

    Styles of output name different places of one failing test (its own, the deepest, none), but the test alike. A code
    counts only without a message: some styles leave it out, and the message follows from it.
    """
    said = normal_message(found.message if found.identity is None else found.identity)
    where = normal_message(found.test_identity or found.test) if found.test else stable_file(found.file, folders)
    parts = (family, where, said or (found.code or "").lower())
    return sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()[:_LENGTH]
