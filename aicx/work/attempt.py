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


def texts_of_attempt(attempt: Attempt) -> list[str]:
    """Every text of it that a person or a program gave."""
    stated = [text for name in Stated.__slots__ for text in getattr(attempt.stated, name)]
    texts = [attempt.agent, attempt.session or "", attempt.summary, *stated]
    contract = attempt.contract
    if contract is not None:
        scope = contract.edit_scope
        texts += [contract.task_goal, contract.test_command.command or "", contract.finalize_command]
        texts += [*contract.expected_first_files, *scope.primary, *scope.secondary, *scope.avoid]
        texts += [contract.first_action.path or ""] if contract.first_action else []
    return [text for text in texts if text]
