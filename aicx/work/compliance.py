"""How a session kept to the contract it was given: an audit of what was observed, which never blocks anything.

Statuses, codes and the arithmetic of the score are those of AICTX 6.3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Literal

from aicx.text import plural, shorten
from aicx.values import dataclass
from aicx.work.contract import Contract, is_test

Status = Literal["followed", "partial", "violated", "not_evaluated"]
Alignment = Literal["followed", "partially_followed", "ignored", "not_evaluated"]
Code = Literal[
    "missing_first_action",
    "edit_outside_scope",
    "canonical_test_missing",
    "canonical_test_not_observed",
    "orientation_command_order_unknown",
    "first_action_not_observable",
    "no_resume_contract",
    "no_execution_observation",
]
Gap = Literal["missing_validation", "missing_first_action", "edit_outside_scope", "structural_entrypoints_ignored"]

# What a contract that was not kept costs of a score of 1.
_FIRST, _SCOPE, _NO_TEST, _NO_TEST_UNLESS_FAILED, _ORIENTATION, _MAX_ORIENTATION = 0.30, 0.30, 0.25, 0.10, 0.05, 0.15
_FOLLOWED = 0.95
_SUMMARY = 120
_MAX_EVIDENCE = 8
_GAPS: dict[Code, Gap] = {
    "canonical_test_missing": "missing_validation",
    "canonical_test_not_observed": "missing_validation",
    "missing_first_action": "missing_first_action",
    "edit_outside_scope": "edit_outside_scope",
}


@dataclass(frozen=True, slots=True)
class Observed:
    """What a session did, in order. Paths are relative to the repository's root.

    ``orientation`` are commands that only looked around before the first file was opened. ``succeeded`` is None where
    nobody said how it ended. ``finalized`` is whether it reported its end. ``deleted`` are files and folders.
    """

    opened: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    orientation: tuple[str, ...] = ()
    succeeded: bool | None = None
    finalized: bool = False
    deleted: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not (self.opened or self.edited or self.commands or self.tests)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was not as the contract said."""

    code: Code
    severity: Literal["violation", "warning"]
    detail: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Checks:
    """Each part of a contract: kept, not kept, or None where it asked for nothing or nothing was observed."""

    followed_first_action: bool | None = None
    edited_within_scope: bool | None = None
    canonical_test_used: bool | None = None
    finalize_used: bool | None = None


@dataclass(frozen=True, slots=True)
class Compliance:
    """The result. ``score`` is 0 to 1, None where nothing was evaluated; ``reason`` then says why."""

    status: Status
    score: float | None
    structural_alignment: Alignment = "not_evaluated"
    checks: Checks = Checks()
    violations: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    matched_files: tuple[str, ...] = ()
    outside_scope: tuple[str, ...] = ()
    reason: Code | None = None
    gaps: tuple[Gap, ...] = field(default=())

    @property
    def main_issue(self) -> str | None:
        return next((finding.code for finding in (*self.violations, *self.warnings)), self.reason)

    @property
    def compact_summary(self) -> str:
        """One line of it, of at most 120 characters."""
        if self.score is None:
            return f"not evaluated: {(self.reason or '').replace('_', ' ')}"
        issue = next((finding.detail for finding in (*self.violations, *self.warnings)), "")
        return shorten(f"{self.status}, {self.score:.2f}{': ' if issue else ''}{issue}", _SUMMARY)


def evaluate(contract: Contract | None, observed: Observed, is_same_test: Callable[[str, str], bool]) -> Compliance:
    """The audit of a session. ``is_same_test(run, expected)``: whether a command ran the test that was named."""
    if contract is None:
        return Compliance("not_evaluated", None, reason="no_resume_contract")
    if observed.is_empty:
        return Compliance("not_evaluated", None, reason="no_execution_observation")
    touched = (*observed.opened, *observed.edited)
    outside = _outside(contract, observed)
    tested = _tested(contract, observed, is_same_test)
    first = _first(contract, touched)
    findings = [*_of_first(contract, touched, first), *_of_scope(outside), *_of_test(contract, observed, tested)]
    orientation = observed.orientation if contract.first_action is not None else ()
    findings += (
        Finding("orientation_command_order_unknown", "warning", f"looked around first: {command}", (command,))
        for command in orientation
    )
    cost = (
        _FIRST * (first is False)
        + _SCOPE * bool(outside)
        + (_NO_TEST if observed.succeeded is False else _NO_TEST_UNLESS_FAILED) * (tested is False)
        + min(_ORIENTATION * len(orientation), _MAX_ORIENTATION)
    )
    score = round(1 - cost, 4)
    violations = tuple(finding for finding in findings if finding.severity == "violation")
    warnings = tuple(finding for finding in findings if finding.severity == "warning")
    alignment, matched = _alignment(contract, touched)
    gaps = [_GAPS[finding.code] for finding in findings if finding.code in _GAPS]
    gaps += ["structural_entrypoints_ignored"] if alignment == "ignored" else []
    return Compliance(
        status="violated" if violations else "partial" if warnings or score < _FOLLOWED else "followed",
        score=score,
        structural_alignment=alignment,
        checks=Checks(first, None if not contract.edit_scope.primary else not outside, tested, observed.finalized),
        violations=violations,
        warnings=warnings,
        matched_files=matched,
        outside_scope=outside,
        gaps=tuple(dict.fromkeys(gaps)),
    )


def _first(contract: Contract, touched: Sequence[str]) -> bool | None:
    """Whether the session began as it was told to; None where that cannot be said."""
    if contract.first_action is None or not touched:
        return None
    if contract.first_action.path is not None:
        return contract.first_action.path in touched
    return not set(contract.expected_first_files).isdisjoint(touched)


def _of_first(contract: Contract, touched: Sequence[str], kept: bool | None) -> list[Finding]:
    wanted = contract.first_action and (contract.first_action.path or ", ".join(contract.expected_first_files))
    if kept is False:
        detail = f"{wanted} was not opened"
        if contract.first_action is not None and contract.first_action.path is None:
            detail = f"none of the files to look at first was opened: {wanted}"
        return [Finding("missing_first_action", "violation", detail, tuple(touched[:1]))]
    if kept is None and wanted:
        return [Finding("first_action_not_observable", "warning", f"no opened file is known, {wanted} was expected")]
    return []


def _outside(contract: Contract, observed: Observed) -> tuple[str, ...]:
    scope = contract.edit_scope
    listed = {*scope.primary, *scope.secondary}
    if not listed:
        return tuple(path for path in observed.edited if path in scope.avoid)
    return tuple(path for path in observed.edited if path not in listed)


def _of_scope(outside: Sequence[str]) -> list[Finding]:
    if not outside:
        return []
    detail = f"{plural(len(outside), 'file')} edited outside the scope: {', '.join(outside[:3])}"
    return [Finding("edit_outside_scope", "violation", detail, tuple(outside[:_MAX_EVIDENCE]))]


def _tested(contract: Contract, observed: Observed, is_same_test: Callable[[str, str], bool]) -> bool | None:
    expected = contract.test_command.command
    if expected is None:
        return None
    return any(is_same_test(run, expected) for run in (*observed.tests, *observed.commands))


def _of_test(contract: Contract, observed: Observed, tested: bool | None) -> list[Finding]:
    if tested is not False:
        return []
    detail = f"`{contract.test_command.command}` was not run"
    if observed.succeeded is not False:
        return [Finding("canonical_test_not_observed", "warning", detail)]
    return [Finding("canonical_test_missing", "violation", detail)]


def _alignment(contract: Contract, touched: Sequence[str]) -> tuple[Alignment, tuple[str, ...]]:
    """Whether the files to look at first were touched: any, none, or nothing but tests."""
    if not contract.expected_first_files or not touched:
        return "not_evaluated", ()
    matched = tuple(path for path in contract.expected_first_files if path in touched)
    if matched and all(map(is_test, matched)) and not all(map(is_test, contract.expected_first_files)):
        return "partially_followed", matched
    return ("followed" if matched else "ignored"), matched
