"""pytest, unittest and doctest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aicx.toolchains import pytest_output, unittest_output
from aicx.toolchains.family import Family, Found, Output

_PROGRAMS = {
    "pytest": "pytest", "py.test": "pytest", "ptw": "pytest", "pytest-watch": "pytest", "unittest": "unittest",
    "nose2": "unittest", "nosetests": "unittest", "trial": "unittest", "doctest": "doctest", "tox": "pytest",
    "nox": "pytest",
}  # fmt: skip


def _tool(words: Sequence[str]) -> str | None:
    if not words:
        return None
    if len(words) > 1 and words[1].endswith("manage.py") and "test" in words[2:3]:
        return "unittest"
    if words[0] == "manage.py" and words[1:2] == ("test",):
        return "unittest"
    if words[0] == "hatch" and words[1:2] == ("test",):
        return "pytest"
    return _PROGRAMS.get(words[0])


def _is_unittest(output: Output) -> bool:
    return unittest_output.marks(output) > pytest_output.marks(output)


def _parse(output: Output) -> Iterator[Found]:
    yield from (unittest_output if _is_unittest(output) else pytest_output).found(output)


def _failed(output: Output) -> bool | None:
    return (unittest_output if _is_unittest(output) else pytest_output).failed(output)


def _looks_like(output: Output) -> int:
    return max(pytest_output.marks(output), unittest_output.marks(output))


FAMILY = Family("python_test", _tool, _looks_like, _parse, _failed)
