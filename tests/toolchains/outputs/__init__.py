"""Small invented outputs, one module a family with `SAMPLES`: the contract suite runs over all of them."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent


@dataclass(frozen=True)
class Place:
    """One error or warning that must be found, by what is given; a message by a part of it."""

    file: str | None = None
    line: int | None = None
    code: str | None = None
    message: str = ""
    severity: str = "error"


@dataclass(frozen=True)
class Sample:
    """What one command printed, and everything that must be found in it."""

    name: str
    command: str
    exit_code: int | None
    output: str
    places: tuple[Place, ...] = ()
    failed: bool | None = None  # None: as the exit code says
    family: str | None = None  # None: the module's own
    moved: str = ""  # the same mistakes after unrelated edits, in another order or style

    @property
    def text(self) -> str:
        return dedent(self.output).lstrip("\n")
