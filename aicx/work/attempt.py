"""An attempt: one session at a task, the contract that it was given, and what was said of how it ended.

What the session did is not kept here: its log says it, and `aicx.work.results` reads that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from aicx.work.contract import Contract, EditScope, FirstAction
from aicx.work.conventions import ProofCommand

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


def encode_attempt(attempt: Attempt) -> dict[str, Any]:
    contract = attempt.contract
    return {
        "agent": attempt.agent,
        "session": attempt.session,
        "outcome": attempt.outcome,
        "summary": attempt.summary,
        "exit_code": attempt.exit_code,
        "stated": {name: list(getattr(attempt.stated, name)) for name in Stated.__slots__},
        "contract": None if contract is None else _encode_contract(contract),
    }


def decode_attempt(fields: Mapping[str, Any]) -> Attempt:
    """The attempt of ``encode_attempt``. Raises LookupError, TypeError or ValueError."""
    if fields["outcome"] not in (None, "success", "failure"):
        raise ValueError("unknown outcome")
    if not isinstance(fields["exit_code"], int | None):
        raise TypeError("no exit code")
    contract = fields["contract"]
    return Attempt(
        agent=_text(fields["agent"]),
        session=None if fields["session"] is None else _text(fields["session"]),
        contract=None if contract is None else _contract(contract),
        outcome=fields["outcome"],
        summary=_text(fields["summary"]),
        stated=Stated(**{name: _texts(fields["stated"][name]) for name in Stated.__slots__}),
        exit_code=fields["exit_code"],
    )


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


def _encode_contract(contract: Contract) -> dict[str, Any]:
    first, scope, test = contract.first_action, contract.edit_scope, contract.test_command
    return {
        "task_goal": contract.task_goal,
        "contract_strength": contract.contract_strength,
        "first_action": None
        if first is None
        else {"type": first.type, "path": first.path, "binding": first.binding, "reason": first.reason},
        "edit_scope": {name: list(getattr(scope, name)) for name in EditScope.__slots__},
        "test_command": {"command": test.command, "source": test.source},
        "finalize_command": contract.finalize_command,
        "expected_first_files": list(contract.expected_first_files),
        "signals": list(contract.signals),
    }


def _contract(fields: Mapping[str, Any]) -> Contract:
    first, test = fields["first_action"], fields["test_command"]
    if fields["contract_strength"] not in ("strict", "soft", "exploratory"):
        raise ValueError("unknown strength")
    return Contract(
        task_goal=_text(fields["task_goal"]),
        contract_strength=fields["contract_strength"],
        first_action=None if first is None else FirstAction(**first),
        edit_scope=EditScope(**{name: _texts(fields["edit_scope"][name]) for name in EditScope.__slots__}),
        test_command=ProofCommand(test["command"], test["source"]),
        finalize_command=_text(fields["finalize_command"]),
        expected_first_files=_texts(fields["expected_first_files"]),
        signals=tuple(fields["signals"]),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return tuple(map(_text, value))
