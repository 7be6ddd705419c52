"""The execution contract: its strength, first action and scope."""

from __future__ import annotations

from typing import Any

import pytest

from aicx.work.contract import Contract, Ground, Strength, draw_up, is_test

FILES = ("src/login.py", "src/session.py", "tests/test_login.py", "src/a.py", "src/b.py", "src/c.py", "src/d.py", "e")


def contract(goal: str = "", **known: Any) -> Contract:
    return draw_up(Ground(goal, known.pop("is_continuation", False), **{"files": FILES, **known}))


@pytest.mark.parametrize(
    ("goal", "known", "strength"),
    [
        ("Fix the login", {"task_status": "active"}, "strict"),  # 6 + 2
        ("Fix the parser", {"task_status": "active"}, "soft"),  # 6
        ("Fix the parser", {"task_status": "active", "task_files": ("src/parser.py",)}, "strict"),
        ("Fix the parser", {"task_status": "paused"}, "soft"),
        ("", {"is_continuation": True, "edited": ("src/login.py",)}, "soft"),
        ("", {"is_continuation": True}, "exploratory"),
        ("Fix src/login.py", {}, "soft"),
        ("Write tests for the login", {"edited": ("src/login.py",)}, "soft"),  # 2 + 2 + 2
        ("Fix the parser", {"session_is_done": True, "edited": ("src/login.py",)}, "exploratory"),
        ("Fix the parser", {"task_status": "paused", "missing": ("gone.py",)}, "exploratory"),
        ("Fix the parser", {"task_status": "active", "files": ()}, "exploratory"),  # nothing to begin with
    ],
)
def test_what_is_known_makes_its_strength(goal: str, known: dict[str, Any], strength: Strength) -> None:
    assert contract(goal, **known).contract_strength == strength


def test_a_strict_one_names_the_file_to_open() -> None:
    found = contract("Fix the login", task_status="active").first_action
    assert found is not None
    assert (found.type, found.path, found.binding) == ("open_file", "src/login.py", "must_open_first")
    assert found.reason == "active task, one task term"


def test_a_soft_one_names_the_files_to_inspect() -> None:
    found = contract("Fix the parser", task_status="active")
    assert found.first_action is not None
    assert (found.first_action.type, found.first_action.path) == ("inspect_entry_points", None)
    assert found.expected_first_files == FILES[:3]


def test_an_exploratory_one_asks_for_no_file() -> None:
    found = contract("Fix the parser", discarded=("src/c.py",))
    assert (found.first_action, found.edit_scope.primary, found.edit_scope.secondary) == (None, (), ())
    assert found.edit_scope.avoid == ("src/c.py",)


def test_the_scope_has_three_files_and_four_that_may_be_needed() -> None:
    scope = contract("Fix the login", task_status="active").edit_scope
    assert (scope.primary, scope.secondary) == (FILES[:3], FILES[3:7])


def test_files_of_the_task_come_first_and_discarded_ones_not_at_all() -> None:
    found = contract("x", task_status="active", task_files=("src/b.py",), discarded=("src/login.py",))
    assert found.expected_first_files == ("src/b.py", "src/session.py", "tests/test_login.py")
    assert found.edit_scope.avoid == ("src/login.py",)


def test_the_command_at_the_end_quotes_the_goal_for_a_shell() -> None:
    assert contract("don't $(rm)").finalize_command.endswith("--task 'don'\"'\"'t $(rm)'")
    assert "--task" not in contract("").finalize_command


@pytest.mark.parametrize(
    "path", ["tests/a.py", "a_test.go", "src/a.spec.ts", "src/__tests__/a.js", "src/LoginTest.java"]
)
def test_a_test_is_known_by_its_path(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize("path", ["src/latest.py", "contest/a.py", "inspect.py"])
def test_a_word_that_only_ends_like_a_test_is_none(path: str) -> None:
    assert not is_test(path)
