"""What a parsed output is made of."""

from __future__ import annotations

from typing import Annotated

from aicx.values import dataclass


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
    """What the output says."""

    family: Annotated[
        str,
        "`python_test`, `python_types`, `python_lint`, `npm`, `typescript`, `eslint`, `js_test`, `go`, `rust`, `java`, "
        "`dotnet`, `c_cpp`, `ruby`, `php`, `generic`, or `none` for the output of no such tool",
    ]
    failed: Annotated[bool, "the command's true result, also where a pipe hides its exit code"]
    events: Annotated[tuple[ErrorEvent, ...], "in the order of the output"]
