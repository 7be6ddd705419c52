"""Names that occur in one session only: asked for as they are or without capitals, they have one right answer."""

from __future__ import annotations

import errno
import re
from collections.abc import Sequence
from random import Random

from aicx.bench.dataset import Query
from aicx.bench.mining.sessions import MinedSession, latest

# File paths with an ending, names of two words or more in the usual styles, error codes and ticket numbers. Not what
# follows a backslash, which belongs to an escape, or a #, which begins a colour.
_PART = r"[A-Za-z_][\w.-]*"
_PATH = re.compile(rf"(?<![\w./~\\-])(?:\.{{1,2}}/|[ab]/)*((?:{_PART}/)+{_PART}\.[A-Za-z]{{1,5}})(?![\w/])")
_NAME = r"[a-z]+\d*(?:_[a-z0-9]+){1,5}|[a-z]+(?:[A-Z][a-z]+){1,5}|(?:[A-Z][a-z]+){2,5}"
_SYMBOL = re.compile(rf"(?<![\w./$\\-])(?:{_NAME})(?![\w/-])")
_SYSTEM = "|".join(sorted(errno.errorcode.values()))
_CODE = re.compile(
    rf"(?<![\w./#\\-])(?:{_SYSTEM}|ERR_[A-Z_]{{3,30}}|[A-Z]{{1,5}}\d{{4}}|[A-Z]{{2,6}}-\d{{2,5}})(?![\w/-])"
)
_KINDS = {"path": _PATH, "symbol": _SYMBOL, "code": _CODE}
_MIN, _MAX = 5, 100  # characters


def mine(sessions: Sequence[MinedSession], limit: int, random: Random) -> list[Query]:
    """At most ``limit`` questions, as many of each kind of name as there are.

    Names come from what tools were given and what they printed, and count only if no other session says them anywhere,
    a part of a longer word included.
    """
    pools = {kind: _once(sessions, pattern) for kind, pattern in _KINDS.items()}
    for pool in pools.values():
        random.shuffle(pool)
    # People leave capitals out. From the other end, so that few names are asked for both ways.
    pools["lowered"] = [(name.lower(), key) for name, key in reversed(pools["symbol"]) if name.lower() != name]
    lowered = {session.key: [text.lower() for text in session.texts] for session in sessions}
    now = latest(sessions)
    queries: list[Query] = []
    left = [(kind, iter(pool)) for kind, pool in pools.items()]
    while left and len(queries) < limit:
        for kind, names in list(left):
            found = next((name for name in names if _only_in(name[0], name[1], lowered)), None)
            if found is None:
                left.remove((kind, names))
            elif len(queries) < limit:
                name, session = found
                queries.append(Query(f"identifier-{kind}-{len(queries)}", name, {session: 1}, "identifier", now))
    return queries


def _once(sessions: Sequence[MinedSession], pattern: re.Pattern[str]) -> list[tuple[str, str]]:
    """Names that the tools of one session alone had to do with, each with that session."""
    holders: dict[str, str | None] = {}
    for session in sessions:
        found = {name for text in session.tool_texts for name in pattern.findall(text) if _MIN <= len(name) <= _MAX}
        for name in sorted(found):
            holders[name] = None if name in holders else session.key
    return [(name, session) for name, session in holders.items() if session]


def _only_in(name: str, session: str, lowered: dict[str, list[str]]) -> bool:
    sought = name.lower()
    return not any(sought in text for key, texts in lowered.items() if key != session for text in texts)
