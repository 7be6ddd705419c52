"""Whether two files that a session names are one, or belong together, as a module and its tests do."""

from __future__ import annotations

import re

# The part of a file's name that says that it holds the tests of another one.
_OF_TESTS = re.compile(r"[._-](?:tests?|spec)(?=\.)|^test_", re.IGNORECASE)


def is_test_file(file: str) -> bool:
    """Whether a file's name says that it holds tests."""
    return _OF_TESTS.search(_last_part(file)) is not None


def is_same_file(file: str, other: str | None) -> bool:
    """Whether two names, of which a tool may have given one from the folder of a package, can be one file's."""
    return other is not None and (file == other or file.endswith(f"/{other}") or other.endswith(f"/{file}"))


def names_file(command: str, file: str | None) -> bool:
    """Whether a command names a file, of which a tool may have given no more than the end."""
    return file is not None and _last_part(file) in re.split(r"[\s\"'/\\]+", command)


def _last_part(file: str) -> str:
    return file.replace("\\", "/").rpartition("/")[2]


def is_called_alike(file: str, other: str) -> bool:
    """Whether two files are called alike, as a module and its tests."""
    return _stem(file) == _stem(other)


def _stem(file: str) -> str:
    return _OF_TESTS.sub("", _last_part(file)).partition(".")[0]


def is_near(file: str, other: str) -> bool:
    """Whether two files are next to each other, or called alike, as a module and its tests."""
    folder, other_folder = file.rpartition("/")[0], other.rpartition("/")[0]
    return is_called_alike(file, other) or bool(other_folder and f"/{folder}".endswith(f"/{other_folder}"))
