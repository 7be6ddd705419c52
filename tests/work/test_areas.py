"""Areas: the folders of a repository, and what sessions did in each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.work.areas import area_of, areas
from tests.work.facts import facts, failure, ran


@pytest.mark.parametrize(
    ("path", "area"),
    [
        ("src/login/form.py", "src/login"),
        ("src/login.py", "src"),
        ("server/api/v1/users.go", "server"),
        ("docs/how/to.md", "docs/how"),
        ("README.md", "."),
    ],
)
def test_an_area_is_a_folder(path: str, area: str) -> None:
    assert area_of(path) == area


def test_counts_are_those_of_the_sessions() -> None:
    found = areas(
        [
            facts("b", edited=("src/login/form.py", "README.md"), tests=(ran("pytest"), ran("tox", passed=False))),
            facts("a", edited=("src/login/form.py", "src/login/test_form.py"), opened=("src/login/form.py", "x/y.py")),
        ]
    )
    login = found[0]
    assert (login.id, login.sessions) == ("src/login", ("session:claude:b", "session:claude:a"))
    assert (login.key_paths[0], login.tests) == ("src/login/form.py", ("src/login/test_form.py",))
    assert (login.entry_points, login.commands) == (("src/login/form.py",), ("pytest",))
    assert [area.id for area in found] == ["src/login", "."]


def test_a_file_is_fragile_where_failures_come_again() -> None:
    broken = (failure(file="src/a/x.py", count=2), failure("g", file="src/a/y.py"), failure("h", file="/usr/lib/z.py"))
    [area] = areas([facts(edited=("src/a/x.py",), failures=broken)])
    assert (area.failures, area.fragile) == (3, ("src/a/x.py",))


def test_a_folder_that_nobody_edited_is_no_area() -> None:
    assert areas([facts(opened=("src/a/x.py",), failures=(failure(file="src/b/x.py"),))]) == []


@given(st.lists(st.lists(st.sampled_from(["a/x", "b/y", "src/c/z"]), max_size=3), max_size=4))
def test_a_session_counts_once_in_each_area_that_it_edited(edits: list[list[str]]) -> None:
    sessions = [facts(str(number), edited=tuple(paths)) for number, paths in enumerate(edits)]
    counted = {area.id: len(area.sessions) for area in areas(sessions)}
    assert counted == {
        area: sum(area in map(area_of, paths) for paths in edits)
        for area in {area_of(path) for one in edits for path in one}
    }
