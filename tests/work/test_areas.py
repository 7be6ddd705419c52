"""The areas of a repository, from what sessions did in each, and what a folder says it is for."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.work.areas import MAX_LENGTH, area_of, areas, purpose_of
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


@pytest.mark.parametrize(
    ("name", "text", "purpose"),
    [
        ("README.md", "# Login\n\n![badge](x.svg)\n\nSigns `users` in\nand out.\n\nMore.\n", "Signs users in and out."),
        ("__init__.py", '"""Signs users in.\n\nIn detail."""\n', "Signs users in."),
        (
            "doc.go",
            "// Copyright Ada\n\n// Package login signs\n// users in.\npackage login\n",
            "Package login signs users in.",
        ),
        ("package.json", '{"description": "Signs users in"}', "Signs users in"),
        ("Cargo.toml", '[package]\ndescription = "Signs users in"\n', "Signs users in"),
    ],
)
def test_a_folder_says_what_it_is_for(tmp_path: Path, name: str, text: str, purpose: str) -> None:
    (tmp_path / "login").mkdir()
    (tmp_path / "login" / name).write_text(text)
    assert purpose_of(tmp_path, "login") == purpose


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("__init__.py", b"def ("),
        ("package.json", b"[" * 100_000),
        ("package.json", b'{"description": 3}'),
        ("Cargo.toml", b"package = 3"),
        ("README.md", b"\xff\xfe"),
        ("README.md", b"# Only a heading"),
    ],
)
def test_a_broken_file_says_nothing_and_the_next_is_asked(tmp_path: Path, name: str, body: bytes) -> None:
    (tmp_path / name).write_bytes(body)
    assert purpose_of(tmp_path, ".") is None
    (tmp_path / "doc.go").write_text("// Package shop sells.\npackage shop\n")
    assert purpose_of(tmp_path, ".") == "Package shop sells."


def test_a_file_outside_the_repository_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_text("Private.\n")
    root = tmp_path / "repo"
    root.mkdir()
    (root / "README.md").symlink_to(tmp_path / "elsewhere.md")
    assert purpose_of(root, ".") is None


def test_a_purpose_is_short_and_without_secrets(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("The token is ghp_" + "a1B2" * 9 + " and " + "long " * 100 + "\n")
    found = purpose_of(tmp_path, ".") or ""
    assert "ghp_" not in found
    assert 0 < len(found) <= MAX_LENGTH
