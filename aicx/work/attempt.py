"""An attempt: one session at a task, the contract that it was given, and what was said of how it ended.

What the session did is not kept here: its log says it, and `aicx.work.results` reads that.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from aicx.values import dataclass
from aicx.work.contract import Contract

Outcome = Literal["success", "failure"]
MAX_LISTED = 200  # of each list


@dataclass(frozen=True, slots=True)
class Stated:
    """What somebody said that a session did, beside what its log says."""

    opened: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempt:
    """The part of a work record that only attempts and handoffs have.

    ``session`` is the agent's own id of it; ``exit_code`` that of a program which aicx ran.
    """

    agent: str
    session: str | None = None
    contract: Contract | None = None
    outcome: Outcome | None = None
    summary: str = ""
    stated: Stated = field(default=Stated())
    exit_code: int | None = None
