"""References: how answers name what they are from, and how a person writes it back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from aicx.errors import UsageError

Prefix = Literal["chunk", "session", "commit", "file", "map", "mem", "live", "work"]
PREFIXES: tuple[Prefix, ...] = get_args(Prefix)
HASH = re.compile(r"[0-9a-f]{4,64}")


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference. A ``name`` (a chunk's id or a session's) and a ``path`` are written without a prefix."""

    kind: Prefix | Literal["name", "path"]
    value: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}" if self.kind in PREFIXES else self.value

    @classmethod
    def parse(cls, text: str) -> Ref:
        """The reference that ``text`` writes. Raises UsageError for a prefix that nothing fitting follows."""
        prefix, colon, rest = text.partition(":")
        if not colon or prefix not in PREFIXES:
            return cls("name", text)
        if not rest:
            raise UsageError(f"nothing follows {text!r}", hint=f"write {prefix}:… with what you look for")
        if prefix == "commit" and not HASH.fullmatch(rest := rest.lower()):
            raise UsageError(f"{rest!r} is no commit hash", hint="write at least four of its hexadecimal digits")
        return cls(prefix, rest)

    @classmethod
    def of_session(cls, agent: str, session_id: str) -> Ref:
        return cls("session", f"{agent}:{session_id}")

    @classmethod
    def of_symbol(cls, path: str, line: int | None) -> Ref:
        """A place in the map of a repository; line 0 where it is not known."""
        return cls("map", f"{path}:{line or 0}")

    @property
    def path(self) -> str:
        """The file of a ``file`` or a ``map``."""
        path, _, line = self.value.rpartition(":")
        return path if self.kind == "map" and path and line.isdigit() else self.value
