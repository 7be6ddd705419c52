"""The role of a file, from its path: code, test, document, or example."""

from __future__ import annotations

import re
from enum import IntEnum


class Role(IntEnum):
    code = 0
    test = 1
    document = 2
    aside = 3


# What a match is worth by the part its file plays. A test says the same words as what it tests, and more of them; a
# heading says them as people do. Both are answers, but the first place to look is the code.
WEIGHTS: dict[int, float] = {Role.code: 1.0, Role.test: 0.6, Role.document: 0.7, Role.aside: 0.5}

_TEST_FOLDERS = frozenset(
    {"__mocks__", "__snapshots__", "__tests__", "e2e", "fixtures", "spec", "specs", "test", "testdata", "testing"}
    | {"tests"}
)
_ASIDE_FOLDERS = frozenset(
    {
        "3rdparty",
        "_vendor",
        "benchmark",
        "benchmarks",
        "contrib",
        "deps",
        "example",
        "examples",
        "external",
        "extern",
        "sample",
        "samples",
    }
    | {"third-party", "third_party", "thirdparty", "vendor", "vendored"}
)
# test_lock.py, lock_test.go, lock.spec.ts, LockTest.java, lock_spec.rb: the middle is what is tested.
_TEST_NAME = re.compile(
    r"(?:test[_-](?P<after>.+)|(?P<before>.+?)(?:[_-](?:tests?|spec)|\.(?:tests?|spec|e2e|cy)|(?<=[a-z0-9])(?:Tests?|IT|Spec)))"
    r"(?:\.[A-Za-z0-9]+)+"
)
_TEST_FILES = frozenset({"conftest.py", "test.py", "tests.py"})
_TEST_WORDS = frozenset({"test", "tests", "spec", "specs", "fixture", "fixtures", "unittest", "pytest", "testing"})
_WORD = re.compile(r"[a-z]+")


def role_of(path: str, language: str | None) -> Role:
    """The part the file at ``path`` plays."""
    *folders, name = path.split("/")
    if not _ASIDE_FOLDERS.isdisjoint(folders):
        return Role.aside
    if not _TEST_FOLDERS.isdisjoint(folder.lower() for folder in folders) or name in _TEST_FILES:
        return Role.test
    if _TEST_NAME.fullmatch(name):
        return Role.test
    return Role.document if language == "markdown" else Role.code


def stem_tested_by(path: str) -> str | None:
    """For a test, the name without ending of the file it tests, in lower case; None when its own name tells none."""
    match = _TEST_NAME.fullmatch(path.rpartition("/")[2])
    if match is None:
        return None
    return (match["before"] or match["after"].partition(".")[0]).lower()


def asks_for_tests(text: str) -> bool:
    """Whether a question is about the tests themselves."""
    return not _TEST_WORDS.isdisjoint(_WORD.findall(text.lower()))
