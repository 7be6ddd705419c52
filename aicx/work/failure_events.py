"""Mistakes of the work in a failed command's output: no refusal, no slip of who typed it, no layout.

Of a session's mistakes each event is told once, and none that was only of the moment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from aicx.evidence import Step
from aicx.evidence.patterns import command_rules
from aicx.evidence.runs import CommandRun, is_probe, is_scratch
from aicx.git import Roots
from aicx.toolchains.parsing import ErrorEvent, parse
from aicx.values import regex
from aicx.work.session_facts import Failure

# What one run may report, as a build that breaks everything says the same many times; and the signs that tell messages.
MAX_EVENTS, _ALIKE = 4, 200
_NUMBER = regex(r"(?<![\w.$-])[+-]?\d[\d.,:]*(?:[a-z]{1,2})?(?!\w)")
# A file with a program is part of the work.
SCRIPT = regex(r"(?:^|[\s/])[\w.-]+\.(?:[cm]?[jt]sx?|bash|pl|php|ps1|py|rb|sh)\b")


def mistakes_of(
    run: CommandRun, call: Step, answers: Sequence[Step], roots: Roots, folder: str | None
) -> list[tuple[str, ErrorEvent]]:
    """The errors of a failed run, each mistake once, with the family of the tool."""
    if all(map(is_probe, run.parts)):
        return []
    header = command_rules().client_header
    printed = "\n".join(
        header.sub("", answer.text, count=1) if header.match(answer.text) else answer.text for answer in answers
    )
    parsed = parse(printed, call.command, answers[-1].exit_code, folder or "")
    errors = [
        event
        for event in parsed.events
        if event.severity == "error"
        and _tells(event, run, parsed.family)
        and not (event.file and is_scratch(event.file, roots))
    ]
    found = {event.fingerprint: event for event in _once(errors)}
    return [(parsed.family, event) for event in list(found.values())[:MAX_EVENTS]]


def _once(errors: Sequence[ErrorEvent]) -> list[ErrorEvent]:
    """One of the errors of each event: of a test, of a file in which much is wrong."""
    return list({one.test or one.file or one.fingerprint: one for one in reversed(errors)}.values())[::-1]


def known_as(event: ErrorEvent, known: Sequence[Failure]) -> ErrorEvent:
    """Returns a mistake under the mark of a known one where both say the same of a test or a line but for numbers."""
    message = _NUMBER.sub("", event.message)[:_ALIKE]
    for one in known if event.test or event.phase == "lint" else ():
        same = event.test == one.test and (event.test or is_same_file(event.file or "", one.file))
        if same and event.toolchain == one.toolchain and message == _NUMBER.sub("", one.message)[:_ALIKE]:
            return replace(event, fingerprint=one.fingerprint)
    return event


def _tells(event: ErrorEvent, run: CommandRun, family: str) -> bool:
    """Whether an error is one of the work: what a program of somebody else says of no place is not, nor what it only
    says last, nor a refusal, nor trouble that passes by itself.
    """
    rules = command_rules()
    if rules.says_nothing.search(event.message) or rules.sandboxed.search(event.message):
        return False
    if event.message == f"{event.test} failed":
        return False
    if event.phase == "format" or rules.trivial.search(event.message):
        return False
    named = bool(event.file or event.test or event.code)
    if not named and not rules.says_wrong.search(event.message):
        return False
    if any(command_rules().keeps_history.match(part.text) for part in run.parts):
        return bool(event.file and event.line)
    if run.kind == "check":
        return True
    if rules.passing.search(event.message) or rules.slip.search(event.message):
        return False
    return family != "generic" or named or SCRIPT.search(run.line) is not None


def is_test_file(file: str) -> bool:
    """Whether a file's name says that it holds tests."""
    return command_rules().of_tests.search(_last_part(file)) is not None


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
    return command_rules().of_tests.sub("", _last_part(file)).partition(".")[0]


def is_near(file: str, other: str) -> bool:
    """Whether two files are next to each other, or called alike, as a module and its tests."""
    folder, other_folder = file.rpartition("/")[0], other.rpartition("/")[0]
    return is_called_alike(file, other) or bool(other_folder and f"/{folder}".endswith(f"/{other_folder}"))


def came_first(failure: Failure) -> bool:
    """Whether a test only named what was not there yet, and then was made."""
    end, file = failure.resolved, failure.file
    if end is None or file is None or not is_test_file(file) or not command_rules().not_yet.search(failure.message):
        return False
    return bool(end.files) and not any(map(is_test_file, end.files))


def once_an_event(failures: Sequence[Failure]) -> list[Failure]:
    """The failures with those of one run that ended together, or say the same, told once: by the one that says most."""
    keys: tuple[Callable[[Failure], tuple[str, ...]], ...] = (
        lambda one: (one.first_at, one.command, one.resolved.at if one.resolved else ""),
        lambda one: (one.message, one.test or ""),
    )
    for key in keys:
        events: dict[tuple[str, ...], list[Failure]] = {}
        for one in failures:
            events.setdefault(key(one), []).append(one)
        failures = [_told_once(same) for same in events.values()]
    return list(failures)


def _told_once(same: Sequence[Failure]) -> Failure:
    first = max(same, key=lambda one: (not _has_moved(one, same), *_tells_more(one)))
    others = (mark for one in same if one is not first for mark in (one.fingerprint, *one.also))
    return replace(first, also=(*first.also, *others))


def _has_moved(failure: Failure, same: Sequence[Failure]) -> bool:
    """Whether the same message came up elsewhere before the failure's command passed: it was moved and not mended."""
    end = failure.resolved.at if failure.resolved else failure.last_at
    return any(one.file != failure.file and failure.last_at < one.first_at <= end for one in same)


def _tells_more(failure: Failure) -> tuple[bool, bool, bool]:
    """How much a failure tells of its mistake and its end."""
    end = failure.resolved
    at_place = end is not None and any(is_same_file(file, failure.file) for file in end.files)
    return at_place, failure.test is not None, failure.file is not None
