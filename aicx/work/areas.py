"""Areas of a repository: its folders, what they are for, and what sessions did, ran and broke in each.

What a folder is for is what the repository itself states: its README, its package's docstring or description.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from aicx.storage import read_note
from aicx.values import dataclass
from aicx.work.contract import is_test
from aicx.work.record import clean
from aicx.work.session_facts import SessionFacts

if TYPE_CHECKING:
    from markdown_it.token import Token

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


MAX_LENGTH = 200  # characters
_GO = re.compile(r"(?:^//[^\n]*\n)+(?=package )", re.MULTILINE)


def purpose_of(root: Path, area: str) -> str | None:
    """Returns what the first of these files says in the folder ``area`` of the checkout at ``root``, or None."""
    top = root.resolve()
    for name, read in _READERS.items():
        try:
            path = (top / area / name).resolve()
            said = read(read_note(path).decode("utf-8")) if path.is_relative_to(top) else None
        except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
            continue  # not there, or not what its name says
        if said and (found := clean(said, MAX_LENGTH)):
            return found
    return None


def _readme(text: str) -> str | None:
    """The first paragraph that has words, which badges have not."""
    from markdown_it import MarkdownIt  # imported here: what sessions did in areas is also asked alone

    tokens = MarkdownIt("commonmark").parse(text)
    paragraphs = (inline for before, inline in pairwise(tokens) if before.type == "paragraph_open" and not before.level)
    said = ("".join(chain.from_iterable(map(_plain, inline.children or []))).strip() for inline in paragraphs)
    return next(filter(None, said), None)


def _plain(token: Token) -> Iterator[str]:
    if token.type in ("text", "code_inline"):
        yield token.content
    elif token.type in ("softbreak", "hardbreak"):
        yield " "


def _docstring(text: str) -> str | None:
    import ast

    said = ast.get_docstring(ast.parse(text))
    return said.split("\n\n")[0] if said else None


def _go(text: str) -> str | None:
    found = _GO.search(text)
    return " ".join(line.lstrip("/ ") for line in found[0].splitlines()) if found else None


def _described(data: object, *names: str) -> str | None:
    for name in names:
        data = data.get(name) if isinstance(data, dict) else None
    return data if isinstance(data, str) else None


_READERS: dict[str, Callable[[str], str | None]] = {
    "README.md": _readme,
    "__init__.py": _docstring,
    "doc.go": _go,
    "package.json": lambda text: _described(json.loads(text), "description"),
    "Cargo.toml": lambda text: _described(tomllib.loads(text), "package", "description"),
}
