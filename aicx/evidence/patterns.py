"""The patterns for reading sessions, kept as data in `aicx/data/continuity/*.toml` and loaded when needed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

Pattern = re.Pattern[str]

# Not by importlib.resources, which takes longer to import than the rules to load.
_FOLDER = Path(__file__).parent.parent / "data" / "continuity"


class RequestRules:
    """Which prompts say something by themselves."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.empty = frozenset(table["empty"]["words"].split())
        self.procedural = self.empty | frozenset(table["procedural"]["words"].split())
        self.commands = tuple(table["commands"]["starts"])
        self.markers = tuple(table["markers"]["before"])


class _Expressions:
    """The expressions of one file by their names. Each is compiled when it is first used: few sessions need all."""

    # Names whose expressions are tried one after the other rather than as one.
    _apart: frozenset[str] = frozenset()

    def __init__(self, table: Mapping[str, Mapping[str, list[str]]]) -> None:
        self._lists = {name: patterns for section in table.values() for name, patterns in section.items()}

    def __getattr__(self, name: str) -> Any:
        if name not in self.__dict__.get("_lists", ()):
            raise AttributeError(name)
        patterns = self._lists[name]
        found = tuple(_any([pattern]) for pattern in patterns) if name in self._apart else _any(patterns)
        setattr(self, name, found)
        return found


class CommandRules(_Expressions):
    """What commands are for, how they ended, and which tools change files."""

    _apart = frozenset({"patch", "telling"})
    look: Pattern
    check: Pattern
    change: Pattern
    test: Pattern
    lint: Pattern
    fixed_otherwise: Pattern
    fixed_by: Pattern
    failed: Pattern
    passed: Pattern
    stopped: Pattern
    misuse: Pattern
    hidden: Pattern
    chatter: Pattern
    telling: tuple[Pattern, ...]
    running: Pattern
    asks: Pattern
    tools: Pattern
    patch: tuple[Pattern, ...]
    commit: Pattern
    pull_request: Pattern
    pull_request_field: Pattern
    may_create: Pattern
    creates: Pattern
    works_in: Pattern
    goes_to: Pattern
    pushed_to: Pattern


class StatementRules(_Expressions):
    """What sentences are about."""

    next_headings: Pattern
    next: Pattern
    not_next: Pattern
    aside: Pattern
    questions: Pattern
    agent: Pattern
    reasons: Pattern
    not_agent: Pattern
    human: Pattern
    not_human: Pattern
    done: Pattern
    tests_pass: Pattern
    lint_passes: Pattern
    not_passing: Pattern
    announcements: Pattern
    answers: Pattern
    unquotable: Pattern


@cache
def request_rules() -> RequestRules:
    return RequestRules(_table("requests"))


@cache
def command_rules() -> CommandRules:
    return CommandRules(_table("commands"))


@cache
def statement_rules() -> StatementRules:
    return StatementRules(_table("statements"))


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))


def _any(patterns: Iterable[str]) -> Pattern:
    """One expression for all of them. A curly apostrophe stands for a straight one too."""
    joined = "|".join(f"(?:{pattern})" for pattern in patterns).replace("\u2019", "['\u2019]")
    return re.compile(joined, re.IGNORECASE | re.MULTILINE)
