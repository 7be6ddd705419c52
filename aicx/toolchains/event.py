"""What a parsed output is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ErrorEvent:
    """One error or warning that a tool reported, as its output names it."""

    toolchain: str  # the tool: pytest, mypy, cargo; the family where the tool is unknown
    phase: str  # setup, install, syntax, build, link, type, lint, format, test, runtime
    severity: str  # error or warning
    message: str
    code: str | None
    file: str | None
    line: int | None  # from 1
    column: int | None  # as the tool counts
    test: str | None  # the failing test's name
    command: str  # the whole command line
    exit_code: int | None
    fingerprint: str  # equal for the same mistake after unrelated edits


@dataclass(frozen=True, slots=True)
class Parsed:
    """What one output says."""

    family: str
    failed: bool  # the command's true result, also where a pipe hides its exit code
    events: tuple[ErrorEvent, ...]
