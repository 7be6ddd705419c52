"""How a session kept to its contract."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.work.compliance import Compliance, evaluate, is_same_test
from aicx.work.contract import Contract, Ground, ProofCommand, draw_up
from aicx.work.session_facts import Observed

FILES = ("src/login.py", "src/session.py", "tests/test_login.py", "src/a.py")
KEPT = Observed(("src/login.py",), ("src/login.py",), ("pytest -q",), ("pytest -q",), succeeded=True, finalized=True)


def contract(**known: Any) -> Contract:
    ground = Ground(
        "Fix the login", False, FILES, task_status="active", test_command=ProofCommand("pytest", "makefile")
    )
    return draw_up(ground if not known else Ground("Fix", False, **known))


def audit(**changes: Any) -> Compliance:
    observed = {name: getattr(KEPT, name) for name in KEPT.__slots__} | changes
    return evaluate(contract(), Observed(**observed))


def test_what_was_kept_is_followed() -> None:
    found = audit()
    assert (found.status, found.score, found.structural_alignment) == ("followed", 1.0, "followed")
    assert (found.main_issue, found.gaps) == (None, ())


@pytest.mark.parametrize(
    ("changes", "status", "score", "code"),
    [
        ({"opened": ("src/a.py",), "edited": ()}, "violated", 0.7, "missing_first_action"),
        ({"edited": ("src/login.py", "src/other.py")}, "violated", 0.7, "edit_outside_scope"),
        ({"commands": (), "tests": ()}, "partial", 0.9, "canonical_test_not_observed"),
        ({"commands": (), "tests": (), "succeeded": None}, "partial", 0.9, "canonical_test_not_observed"),
        ({"commands": (), "tests": (), "succeeded": False}, "violated", 0.75, "canonical_test_missing"),
        ({"orientation": ("git status",)}, "partial", 0.95, "orientation_command_order_unknown"),
        ({"orientation": ("git status", "ls", "pwd", "rg x")}, "partial", 0.85, "orientation_command_order_unknown"),
        ({"opened": (), "edited": ()}, "partial", 1.0, "first_action_not_observable"),
        ({"opened": ("b",), "edited": ("b",), "tests": (), "commands": ()}, "violated", 0.3, "missing_first_action"),
    ],
)
def test_what_was_not_kept_costs_its_part(changes: dict[str, Any], status: str, score: float, code: str) -> None:
    found = audit(**changes)
    assert (found.status, found.score, found.main_issue) == (status, score, code)


def test_looking_at_git_first_is_a_warning_and_no_violation() -> None:
    found = audit(orientation=("git status",))
    assert (found.violations, [warning.severity for warning in found.warnings]) == ((), ["warning"])


@pytest.mark.parametrize("observed", [Observed(), Observed(succeeded=True, finalized=True)])
def test_nothing_observed_is_not_evaluated(observed: Observed) -> None:
    found = evaluate(contract(), observed)
    assert (found.status, found.score, found.main_issue) == ("not_evaluated", None, "no_execution_observation")


def test_without_a_contract_nothing_is_evaluated() -> None:
    assert evaluate(None, KEPT).compact_summary == "not evaluated: no resume contract"


def test_only_tests_among_the_first_files_is_half_of_it() -> None:
    assert audit(opened=("tests/test_login.py",), edited=()).structural_alignment == "partially_followed"


def test_none_of_the_first_files_is_a_gap() -> None:
    found = audit(opened=("x",), edited=(), commands=(), tests=())
    assert found.structural_alignment == "ignored"
    assert found.gaps == ("missing_first_action", "missing_validation", "structural_entrypoints_ignored")


def test_an_exploratory_contract_asks_for_neither_file_nor_scope() -> None:
    found = evaluate(contract(files=FILES), Observed(opened=("x",), edited=("y",), orientation=("ls",)))
    assert (found.status, found.score) == ("followed", 1.0)
    assert (found.checks.followed_first_action, found.checks.edited_within_scope) == (None, None)


@pytest.mark.parametrize(
    ("run", "expected", "same"),
    [
        ("cd app && uv run pytest -q | tail -5", "pytest", True),
        ("pytest tests/test_login.py", "pytest", False),
        ("pytest", "pytest tests/test_login.py", True),
        ("npm run build", "npm test", False),
        ("npm test", "npm test", True),
        ("echo pytest", "pytest", False),
    ],
)
def test_the_same_test_is_one_that_includes_it(run: str, expected: str, same: bool) -> None:
    assert is_same_test(run, expected) is same


paths = st.lists(st.sampled_from([*FILES, "x", "y"]), max_size=4).map(tuple)
runs = st.lists(st.sampled_from(["pytest", "git status", "make"]), max_size=4).map(tuple)


@given(paths, paths, runs, runs, st.sampled_from([None, True, False]), st.booleans())
def test_a_score_is_a_share_and_falls_with_every_violation(
    opened: Any, edited: Any, ran: Any, orientation: Any, succeeded: Any, finalized: bool
) -> None:
    found = evaluate(contract(), Observed(opened, edited, ran, ran, orientation, succeeded, finalized))
    if found.score is None:
        assert found.status == "not_evaluated"
    else:
        assert 0 <= found.score <= 1
        assert (found.status == "violated") == bool(found.violations)
        assert len(found.compact_summary) <= 120
