"""How tasks like this one succeeded before."""

from __future__ import annotations

from aicx.work.strategy import strategies
from tests.work.facts import facts, ran, said

LOGIN = facts(
    "login",
    goal=said("Fix the login of expired tokens"),
    opened=("src/token.py", "src/login.py", "tests/test_login.py"),
    edited=("src/login.py", "tests/test_login.py"),
    tests=(ran("pytest tests"), ran("pytest -q")),
)
CART = facts("cart", goal=said("Add a discount to the cart"), edited=("src/cart.py",))


def test_one_with_words_of_the_task_is_found() -> None:
    [found] = strategies("login fails for expired tokens", [CART, LOGIN])
    assert (found.session, found.reasons) == ("session:claude:login", ("task_words", "tests_passed"))
    assert (found.entry_points, found.tests) == (("src/login.py",), ("pytest -q", "pytest tests"))


def test_shared_files_weigh_more_than_words() -> None:
    found = strategies("login of expired tokens", [LOGIN, CART], files=["src/cart.py"])
    assert [one.session for one in found] == ["session:claude:cart", "session:claude:login"]


def test_words_and_files_together_are_sure() -> None:
    assert strategies("login of expired tokens", [LOGIN], files=["src/login.py"])[0].confidence == "high"
    assert strategies("login of expired tokens", [LOGIN])[0].confidence == "medium"


def test_a_session_that_left_a_failure_is_never_one() -> None:
    failed = facts("f", goal=LOGIN.goal, edited=LOGIN.edited, failing=(said("`pytest` failed"),))
    open_ = facts("o", goal=LOGIN.goal, edited=LOGIN.edited, state="active")
    assert strategies("login of expired tokens", [failed, open_]) == []


def test_another_subject_gives_none() -> None:
    assert strategies("translate the handbook", [LOGIN, CART]) == []


def test_of_two_alike_the_later_comes_first() -> None:
    later = facts("later", goal=LOGIN.goal, edited=LOGIN.edited, tests=LOGIN.tests, ended_at="2026-04-01T00:00:00Z")
    assert strategies("expired tokens of the login", [LOGIN, later])[0].session == "session:claude:later"
