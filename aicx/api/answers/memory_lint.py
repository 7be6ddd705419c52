"""`aicx.memory-lint/1`: what is wrong with records as texts."""

from __future__ import annotations

from typing import Annotated, Literal

from aicx.values import dataclass

SCHEMA = "aicx.memory-lint/1"


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing that is wrong with a record. It holds no text of it."""

    ref: Annotated[str, "of the record"]
    code: Annotated[
        Literal["duplicate", "possible_secret", "too_long", "low_information", "no_evidence"], "what is wrong"
    ]
    severity: Annotated[Literal["error", "warning", "info"], "an error keeps it out of recall"]
    other: Annotated[str | None, "the record that says the same, or null"]
    suppressed: Annotated[str | None, "the reason for which recall leaves it out, or null"]


@dataclass(frozen=True, slots=True)
class LintAnswer:
    """The findings. The exit code is 1 where one is an error."""

    checked: Annotated[int, "number of records"]
    counts: Annotated[dict[str, int], "code → number of findings"]
    findings: Annotated[list[LintFinding], "by reference"]
    repository: Annotated[str | None, "whose records were checked, beside those that hold everywhere; null for all"]
