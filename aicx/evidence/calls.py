"""Tool calls of a session with their results, and the files that they changed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from aicx.evidence.patterns import command_rules
from aicx.evidence.transcript import Step
from aicx.git.roots import Roots
from aicx.sources.tools import changes_files

# How much of a call tells what it is for, and where it works.
LOOKED_AT = 4000
_Numbered = tuple[int, Step]


def answered_calls(steps: Sequence[Step]) -> list[tuple[Step, Step | None]]:
    """Every tool call in order, with its result; None where it printed nothing and so has none stored.

    Call and result are linked by the id that the log gave both. What has none is paired by order: results of one tool
    come in the order of its calls; where there are fewer results than calls between two moments at which the model or a
    person spoke, a result belongs to the latest call before it.
    """
    results = {step.call_id: step for step in steps if step.phase == "result" and step.call_id}
    called = {step.call_id for step in steps if step.phase == "call" and step.call_id}
    linked = [
        (number, step, results.get(step.call_id))
        for number, step in enumerate(steps)
        if step.phase == "call" and step.call_id
    ]
    unlinked = [pair for calls, answers in _batches(steps, called) for pair in _pair(calls, answers)]
    return [(call, result) for _, call, result in sorted([*linked, *unlinked], key=lambda pair: pair[0])]


def folders_of(call: Step) -> set[str]:
    """The folders in which a call says that it works: in its commands, else in its arguments."""
    return set(_folders_in(call.text[:LOOKED_AT]))


@lru_cache(1024)  # each call of a session is asked several times
def _folders_in(text: str) -> frozenset[str]:
    rules = command_rules()
    found = rules.goes_to.findall(text) or rules.works_in.findall(text)
    return frozenset(folder.rstrip("/\\") for folders in found for folder in folders if folder)


def _batches(steps: Sequence[Step], linked: Collection[str]) -> Iterator[tuple[list[_Numbered], list[_Numbered]]]:
    """Calls and results that no id links, by tool, between two moments at which somebody spoke."""
    batch: dict[str, tuple[list[_Numbered], list[_Numbered]]] = {}
    for number, step in enumerate(steps):
        if step.tool is None:
            yield from batch.values()
            batch = {}
        elif step.call_id is None or step.call_id not in linked:
            calls, results = batch.setdefault(step.tool, ([], []))
            (calls if step.phase == "call" else results).append((number, step))
    yield from batch.values()


def _pair(calls: list[_Numbered], results: list[_Numbered]) -> list[tuple[int, Step, Step | None]]:
    if len(calls) == len(results):
        return [(number, call, result) for (number, call), (_, result) in zip(calls, results, strict=True)]
    answers: dict[int, Step] = {}
    for place, result in results:
        free = [number for number, _ in calls if number < place and number not in answers]
        if free:
            answers[free[-1]] = result
    return [(number, call, answers.get(number)) for number, call in calls]


_PROSE = re.compile(r"\.(?:adoc|md|mdx|rst|txt)$", re.IGNORECASE)


class FileEdit(NamedTuple):
    """A file that was changed, ``times`` times, last ``at`` then in ``chunk``. The path is relative to the root."""

    path: str
    times: int
    at: datetime
    chunk: str


def is_prose(path: str) -> bool:
    """Whether a file is only read by people."""
    return _PROSE.search(path) is not None


def is_edit(call: Step) -> bool:
    """Whether a call changes files."""
    return changes_files(call.tool, call.text)


def edits_of(calls: Iterable[tuple[Step, Step | None]], roots: Roots, folder: str | None) -> list[FileEdit]:
    """The files inside the repository that a session changed, the last changed first. Failed edits do not count."""
    found: dict[str, FileEdit] = {}
    for call, result in calls:
        if result is not None and result.failed:
            continue
        if not is_edit(call):
            continue
        for path in call.files:
            relative = roots.relative(path, folder)
            if relative is not None:
                count = found.pop(relative).times if relative in found else 0
                found[relative] = FileEdit(relative, count + 1, call.at, call.chunk)
    return list(reversed(found.values()))
