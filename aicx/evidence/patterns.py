"""The patterns for reading sessions, kept as data in `aicx/data/continuity/*.toml` and loaded when needed."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

import aicx

Pattern = re.Pattern[str]
BORDERS = (r"\b", "^")  # an expression that begins with one has no alternative to it outside parentheses

# Not by importlib.resources, which takes longer to import than the rules to load.
_FOLDER = Path(__file__).parent.parent / "data" / "continuity"


class RequestRules:
    """Which prompts say something by themselves."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.empty = frozenset(table["empty"]["words"].split())
        self.procedural = self.empty | frozenset(table["procedural"]["words"].split())
        self.commands = tuple(table["commands"]["starts"])
        self.markers = tuple(table["markers"]["before"])


def _any(patterns: Iterable[str]) -> Pattern:
    """One expression for all of them. A curly apostrophe stands for a straight one too.

    Neighbours that begin at a border of words, or of lines, are tried there alone: that halves the time of a search.
    """
    parts = []
    for border, group in groupby(patterns, key=lambda one: next(filter(one.startswith, BORDERS), "")):
        parts.append(f"{border}(?:{'|'.join(f'(?:{one.removeprefix(border)})' for one in group)})")
    return re.compile("|".join(parts).replace("\u2019", "['\u2019]"), re.IGNORECASE | re.MULTILINE)


def _each(patterns: Iterable[str]) -> tuple[Pattern, ...]:
    """An expression for each, to be tried one after the other."""
    return tuple(_any([pattern]) for pattern in patterns)


class Expressions:
    """The expressions of one file, each an attribute by its name, compiled when first used: few sessions need all.

    Raises AttributeError for a name that the file lacks.
    """

    def __init__(self, table: Mapping[str, Mapping[str, list[str]]]) -> None:
        self.lists = {name: patterns for section in table.values() for name, patterns in section.items()}

    def __getattr__(self, name: str) -> Pattern:
        if name not in self.__dict__.get("lists", ()):
            raise AttributeError(name)
        # From now on the instance has an attribute of this name, which is found before it is asked for here.
        self.__dict__[name] = found = _any(self.lists[name])
        return found


class CommandRules(Expressions):
    """Rules of commands: what they are for, how they ended, and which tools change files."""

    @cached_property
    def telling(self) -> tuple[Pattern, ...]:
        return _each(self.lists["telling"])

    @cached_property
    def patch(self) -> tuple[Pattern, ...]:
        return _each(self.lists["patch"])


class MemoryRules(Expressions):
    """Which sentences and commands are worth proposing as a memory."""


@cache
def reading_version(layout: int) -> str:
    """The version of what is kept of a session as it was read: another one with each release and each pattern.

    ``layout`` is the number of how it is kept.
    """
    digest = sha256(b"\0".join(file.read_bytes() for file in sorted(_FOLDER.glob("*.toml")))).hexdigest()[:16]
    return f"{layout} {aicx.__version__} {digest}"


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))


# The rules of each file, read when they are first asked for.
note_rules = cache(lambda: Expressions(_table("notes")))
memory_rules = cache(lambda: MemoryRules(_table("memories")))
request_rules = cache(lambda: RequestRules(_table("requests")))
command_rules = cache(lambda: CommandRules(_table("commands")))
statement_rules = cache(lambda: Expressions(_table("statements")))
