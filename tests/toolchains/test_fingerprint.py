"""Fingerprints: the same for the same mistake, others for others."""

from __future__ import annotations

import pytest

from aicx.toolchains.family import Diagnostic, fingerprint, stable_file


def _mark(message: str, file: str | None = "src/a.py", **more: str) -> str:
    return fingerprint("python_types", Diagnostic(message, file, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("no disk at /tmp/pytest-of-ada/pytest-3/t0/app.db", "no disk at /tmp/pytest-of-ada/pytest-41/t0/app.db"),
        ("<Cart object at 0x7f12ab34cd56>", "<Cart object at 0x7fe09911aa20>"),
        ("timed out after 1.25s", "timed out after 30 s"),
        ("unexpected end (line 3, column 9)", "unexpected end (line 17, column 2)"),
        ("bad token in a.py:3:4", "bad token in a.py:9:1"),
        ("lost at 2026-01-02T03:04:05Z", "lost at 2026-05-06 07:08:09.123"),
        ("job 6f1c2a4e-1b2c-4d3e-8f90-a1b2c3d4e5f6 failed", "job 00000000-1b2c-4d3e-8f90-a1b2c3d4e5f6 failed"),
        ("commit 1a2b3c4d5e is gone", "commit 9f8e7d6c5b is gone"),
        ("Missing semicolon.", "Missing semicolon"),
    ],
)
def test_parts_that_vary_between_runs_do_not_count(one: str, other: str) -> None:
    assert _mark(one) == _mark(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Name 'a' is not defined", "Name 'b' is not defined"),
        ("assert 30 == 90", "assert 30 == 91"),
        ("cannot reach port 5432", "cannot reach port 6379"),
        ("HTTP 404", "HTTP 500"),
        ("no disk at /tmp/a/one.db", "no disk at /tmp/a/two.db"),
    ],
)
def test_other_mistakes_have_other_fingerprints(one: str, other: str) -> None:
    assert _mark(one) != _mark(other)


def test_a_file_tells_mistakes_apart_unless_a_test_is_named() -> None:
    assert _mark("x", "src/a.py") != _mark("x", "src/b.py")
    assert _mark("x", "src/a.py", test="tests/t.py::t") == _mark("x", None, test="tests/t.py::t")
    assert _mark("x", test="tests/t.py::t") != _mark("x", test="tests/t.py::u")


@pytest.mark.parametrize(
    "name",
    [
        "src/a.py",
        "./src/a.py",
        "../shop/src/a.py",
        "file:///home/ada/shop/src/a.py",
        "/Users/ada/shop/src/a.py",
        "C:\\Users\\ada\\shop\\src\\a.py",
        "/tmp/build81/src/a.py",
    ],
)
def test_full_and_relative_names_of_a_file_are_the_same(name: str) -> None:
    assert stable_file(name) == "src/a.py"


def test_a_known_folder_is_taken_off() -> None:
    assert stable_file("/home/ada/code/shop/a.py", ["/home/ada/code/shop/"]) == "a.py"
    assert stable_file("/home/ada/shop/a.py") == stable_file("a.py") == "a.py"
    assert stable_file(None) == ""
