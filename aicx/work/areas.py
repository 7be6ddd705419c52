"""Areas of a repository: its folders, and what sessions did, ran and broke in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Annotated

from aicx.values import dataclass
from aicx.work.contract import is_test
from aicx.work.session_facts import SessionFacts

SCHEMA = "aicx.areas/1"


@dataclass(frozen=True, slots=True)
class AreaAnswer:
    """A folder that sessions changed, and what is known of work in it. Paths are from the repository's root."""

    id: Annotated[str, "the folder; `.` for the root"]
    purpose: Annotated[str | None, "what its README, docstring or manifest says it is for; null where none says it"]
    edited_in: Annotated[int, "number of sessions that changed it"]
    sessions: Annotated[Sequence[str], "references of the latest of them, the latest first"]
    key_paths: Annotated[Sequence[str], "its files that most sessions changed"]
    entry_points: Annotated[Sequence[str], "files that sessions opened first"]
    tests: Annotated[Sequence[str], "its test files that sessions changed"]
    commands: Annotated[Sequence[str], "tests that passed in sessions that changed it"]
    failures: Annotated[int, "failures reported in it"]
    fragile: Annotated[Sequence[str], "files in which failures were reported again"]


@dataclass(frozen=True, slots=True)
class AreasAnswer:
    """The areas of a repository, those that most sessions changed first."""

    items: Annotated[list[AreaAnswer], "the areas"]
    total: Annotated[int, "number there are"]
    notes: list[str]


# Folders that hold the parts of a project, and say nothing by themselves.
_HOLDERS = frozenset(
    {"app", "apps", "cmd", "crates", "docs", "internal", "lib", "libs", "packages", "pkg", "src", "tests"}
)
_MAX_FILES, _MAX_SESSIONS = 8, 20
_FRAGILE = 2  # failures from which a file counts as fragile
ROOT = "."


@dataclass(slots=True)
class _AreaTally:
    sessions: dict[str, None] = field(default_factory=dict)
    edited: Counter[str] = field(default_factory=Counter)
    first: Counter[str] = field(default_factory=Counter)
    tests: Counter[str] = field(default_factory=Counter)
    commands: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)


def area_of(path: str) -> str:
    """The area that a path is in: its first folder, or the first two where the first only holds others."""
    folders = path.split("/")[:-1]
    if not folders:
        return ROOT
    return "/".join(folders[:2]) if folders[0] in _HOLDERS else folders[0]


def areas(sessions: Iterable[SessionFacts]) -> list[AreaAnswer]:
    """The areas that sessions edited, those of the most sessions first. ``sessions`` come with the latest first.

    What an area is for is not looked up.
    """
    tallies: dict[str, _AreaTally] = {}
    for facts in sessions:
        session = facts.ref
        passed = {run.command for run in facts.tests if run.passed}
        for path in dict.fromkeys(facts.edited):
            tally = tallies.setdefault(area_of(path), _AreaTally())
            tally.edited[path] += 1
            tally.tests[path] += is_test(path)
            if session not in tally.sessions:
                tally.sessions[session] = None
                tally.commands.update(passed)
        for path in facts.opened[:1]:
            tallies.setdefault(area_of(path), _AreaTally()).first[path] += 1
        for failure in facts.failures:
            if failure.file is not None and not failure.file.startswith("/"):
                tallies.setdefault(area_of(failure.file), _AreaTally()).failed[failure.file] += failure.count
    found = [_area(name, tally) for name, tally in tallies.items() if tally.sessions]
    return sorted(found, key=lambda area: (-area.edited_in, area.id))


def _area(name: str, tally: _AreaTally) -> AreaAnswer:
    return AreaAnswer(
        id=name,
        purpose=None,
        edited_in=len(tally.sessions),
        sessions=tuple(tally.sessions)[:_MAX_SESSIONS],
        failures=sum(tally.failed.values()),
        key_paths=_most(tally.edited),
        entry_points=_most(tally.first),
        tests=_most(+tally.tests),
        commands=_most(tally.commands),
        fragile=tuple(path for path in _most(tally.failed) if tally.failed[path] >= _FRAGILE),
    )


def _most(counts: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(counts, key=lambda name: (-counts[name], name)))[:_MAX_FILES]
