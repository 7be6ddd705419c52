"""Which of a session's failures are told, and how often: one for each event, and none that was only of the moment."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from aicx.work.session_facts import Failure

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


# A name that is not there yet, in a test that was written before what it tests.
_NOT_YET = re.compile(
    r"^undefined: |\bcannot find (?:name|value|function|type|symbol)\b|\bis not defined\b"
    r"|\bhas no (?:field|attribute|exported)"
    r"|\bno (?:method|function) named\b|\bcannot import name\b|\bunresolved import\b|\b(?:field or )?method \S+\)?$",
    re.IGNORECASE,
)


def is_over_with_its_file(failure: Failure, gone: Collection[str]) -> bool:
    """Whether a mistake was in a file that the session itself deleted: it was made for trying something."""
    return any(is_same_file(file, failure.file) for file in gone)


def came_first(failure: Failure) -> bool:
    """Whether a test only named what was not there yet, and then was made."""
    end, file = failure.resolved, failure.file
    if end is None or file is None or not is_test_file(file) or not _NOT_YET.search(failure.message):
        return False
    return bool(end.files) and not any(map(is_test_file, end.files))


def once_an_event(failures: Sequence[Failure]) -> list[Failure]:
    """The failures with those of one run that ended together, or say the same, told once: by the one that says most."""
    for key in (_event_of, _message_of):
        events: dict[tuple[str, ...], list[Failure]] = {}
        for one in failures:
            events.setdefault(key(one), []).append(one)
        failures = [_told_once(same) for same in events.values()]
    return list(failures)


def _event_of(failure: Failure) -> tuple[str, ...]:
    return failure.first_at, failure.command, failure.resolved.at if failure.resolved else ""


def _message_of(failure: Failure) -> tuple[str, ...]:
    return failure.message, failure.test or ""


def _told_once(same: Sequence[Failure]) -> Failure:
    first = max(same, key=_tells_more)
    others = (mark for one in same if one is not first for mark in (one.fingerprint, *one.also))
    return replace(first, also=(*first.also, *others))


def _tells_more(failure: Failure) -> tuple[bool, bool, bool]:
    """How much a failure tells of its mistake and its end."""
    end = failure.resolved
    at_place = end is not None and any(is_same_file(file, failure.file) for file in end.files)
    return at_place, failure.test is not None, failure.file is not None
