"""What the families' tests look at in the events of a small output."""

from __future__ import annotations

from textwrap import dedent

from aicx.toolchains.parsing import ErrorEvent, parse


def events(output: str, command: str, exit_code: int = 1) -> tuple[ErrorEvent, ...]:
    return parse(dedent(output).lstrip("\n"), command, exit_code).events


def marks(output: str, command: str, exit_code: int = 1) -> list[str]:
    """The fingerprints of the errors and warnings, in the order of the output."""
    return [event.fingerprint for event in events(output, command, exit_code)]


def names(output: str, command: str, exit_code: int = 1) -> list[str | None]:
    """The names of the tests that failed."""
    return [event.test for event in events(output, command, exit_code)]
