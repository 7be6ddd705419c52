"""The row that each family's module exports as `FAMILY`, the values its functions take and give, and places in matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from aicx.values import dataclass

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


def place(match: re.Match[str] | None) -> Place:
    """The groups `file` and `line` of ``match``; nowhere without one, or where it names no file."""
    if match is None or match["file"] is None:
        return NOWHERE
    return match["file"], number(match, "line")


def number(match: re.Match[str], group: str) -> int | None:
    """The number in a group of ``match``; None where the pattern has no such group, or it matched nothing."""
    text = match[group] if group in match.re.groupindex else None
    return int(text) if text else None
