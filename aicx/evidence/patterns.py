"""The patterns for reading sessions, kept as data in `aicx/data/continuity/*.toml` and loaded when needed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, cached_property
from hashlib import sha256
from typing import Any

import aicx
from aicx.values import EXPRESSIONS, Expressions, each_of, table_of


class RequestRules:
    """Which prompts say something by themselves."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self.empty = frozenset(table["empty"]["words"].split())
        self.procedural = self.empty | frozenset(table["procedural"]["words"].split())
        self.commands = tuple(table["commands"]["starts"])
        self.markers = tuple(table["markers"]["before"])


class CommandRules(Expressions):
    """Rules of commands: what they are for, how they ended, and which tools change files."""

    @cached_property
    def telling(self) -> tuple[re.Pattern[str], ...]:
        return each_of(self.lists["telling"])


MemoryRules = Expressions  # which sentences and commands are worth proposing as a memory


@cache
def reading_version(layout: int) -> str:
    """The version of what is kept of a session as it was read: another one with each release and each pattern.

    ``layout`` is the number of how it is kept.
    """
    digest = sha256(b"\0".join(file.read_bytes() for file in sorted(EXPRESSIONS.glob("*.toml")))).hexdigest()[:16]
    return f"{layout} {aicx.__version__} {digest}"


# The rules of each file, read when they are first asked for.
note_rules = cache(lambda: Expressions(table_of("notes")))
memory_rules = cache(lambda: MemoryRules(table_of("memories")))
request_rules = cache(lambda: RequestRules(table_of("requests")))
command_rules = cache(lambda: CommandRules(table_of("commands")))
statement_rules = cache(lambda: Expressions(table_of("statements")))
