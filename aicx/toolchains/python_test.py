"""pytest, unittest and doctest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aicx.toolchains import pytest_output, unittest_output
from aicx.toolchains.family import Diagnostic, Output, ToolFamily, ToolReader

_PROGRAMS = {
    "pytest": "pytest", "py.test": "pytest", "ptw": "pytest", "pytest-watch": "pytest", "unittest": "unittest",
    "nose2": "unittest", "nosetests": "unittest", "trial": "unittest", "doctest": "doctest", "tox": "pytest",
    "nox": "pytest",
}  # fmt: skip
_READERS: tuple[ToolReader, ...] = (pytest_output, unittest_output)


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


def _reader(output: Output) -> ToolReader:
    return max(_READERS, key=lambda reader: reader.marks(output))


def _parse(output: Output) -> Iterator[Diagnostic]:
    yield from _reader(output).found(output)


def _failed(output: Output) -> bool | None:
    return _reader(output).failed(output)


def _looks_like(output: Output) -> int:
    return max(reader.marks(output) for reader in _READERS)


FAMILY = ToolFamily("python_test", _tool, _looks_like, _parse, _failed)
