"""The answer of `aicx task areas`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from aicx.values import dataclass

SCHEMA = "aicx.areas/1"


@dataclass(frozen=True, slots=True)
class AreaAnswer:
    """A folder that sessions changed, and what is known of work in it. Paths are from the repository's root."""

    id: Annotated[str, "the folder; `.` for the root"]
    purpose: Annotated[str | None, "what its README, docstring or manifest says it is for; null where none says it"]
    edited_in: Annotated[int, "number of sessions that changed it"]
    sessions: Annotated[Sequence[str], "references of the latest of them, the latest first"]
    key_paths: Annotated[Sequence[str], "its files that most sessions changed"]
    entry_points: Annotated[Sequence[str], "files that sessions opened first"]
    tests: Annotated[Sequence[str], "its test files that sessions changed"]
    commands: Annotated[Sequence[str], "tests that passed in sessions that changed it"]
    failures: Annotated[int, "failures reported in it"]
    fragile: Annotated[Sequence[str], "files in which failures were reported again"]


@dataclass(frozen=True, slots=True)
class AreasAnswer:
    """The areas of a repository, those that most sessions changed first."""

    items: Annotated[list[AreaAnswer], "the areas"]
    total: Annotated[int, "number there are"]
    notes: list[str]
