"""References: how answers name what they are from, and how a person writes it back."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable
from typing import Literal, get_args

from aicx.errors import UsageError
from aicx.values import dataclass, regex

Prefix = Literal["chunk", "session", "commit", "file", "map", "mem", "live", "work"]
PREFIXES: tuple[Prefix, ...] = get_args(Prefix)
HASH = regex(r"[0-9a-f]{4,64}")


_LINES = regex(r"(?:@[0-9a-f]{12})?(?:#L(\d+)(?:-L?(\d+))?)?\Z")


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A file of a repository, or its lines ``first`` to ``last``."""

    path: str
    first: int | None = None
    last: int | None = None


def file_place(ref: str) -> FilePlace | None:
    """The file of ``file:PATH[@HASH][#L1-L9]`` or of ``live:AGENT:PATH[#L1-L9]``; None for another reference."""
    kind, _, rest = ref.partition(":")
    if kind == "live":
        rest = rest.partition(":")[2]
    if kind not in ("file", "live") or not rest:
        return None
    found = _LINES.search(rest)
    assert found is not None  # it fits the end of every text
    first, last = (int(number) if number else None for number in found.groups())
    return FilePlace(posixpath.normpath(rest[: found.start()]), first, last or first)


def is_of_session(ref: str, sessions: Collection[str]) -> bool:
    """Whether a reference is of one of these sessions, ``agent:id`` each, or of a chunk of one."""
    named = ref.partition(":")[2]
    return any(named == one or named.startswith((f"{one}:", f"{one}~", f"{one}#")) for one in sessions)


def session_in(ref: str) -> tuple[str, str] | None:
    """The agent and id that a reference of a session or of a chunk names; None for other references."""
    kind, _, named = ref.partition(":")
    agent, _, session = named.partition(":")
    if kind == "chunk":
        session = session.rpartition(":")[0].partition("~")[0]
    return (agent, session) if kind in ("chunk", "session") and agent and session else None


def rests_on(refs: Iterable[str], sessions: Collection[str]) -> bool:
    """Whether what these references prove is from such sessions alone.

    A task is a hand that something went through: it proves nothing by itself.
    """
    sources = [ref for ref in refs if not ref.startswith("work:")]
    return bool(sources) and all(is_of_session(ref, sessions) for ref in sources)


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
            raise UsageError(f"{rest!r} is not a commit hash", hint="write at least four of its hexadecimal digits")
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
