"""Files touched by different sessions on different days: asked for with the day, one of them is the answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from random import Random

from aicx.bench.dataset import Query
from aicx.bench.mining.sessions import MinedSession, latest, related

# Apart from the rest: a ranker that reads dates wins these whatever else it does.
DATED = "questions with a date"
_MAX_SESSIONS = 20  # a file that everybody touches, such as a lock file, tells nothing


def mine(sessions: Sequence[MinedSession], limit: int, random: Random) -> list[Query]:
    """At most ``limit`` questions of the form ``path on 2026-01-31``, with the date written in three ways in turns."""
    by_key = {session.key: session for session in sessions}
    touched: dict[str, dict[str, set[str]]] = {}
    for session in sessions:
        for path, days in session.files.items():
            for day in days:
                touched.setdefault(path, {}).setdefault(day, set()).add(session.key)
    asked = [
        (path, day, keys)
        for path, days in touched.items()
        for day, keys in days.items()
        if _tells(path, days, keys, by_key)
    ]
    random.shuffle(asked)
    now = latest(sessions)
    queries: list[Query] = []
    seen: set[str] = set()
    for path, day, keys in asked:
        if path not in seen and len(queries) < limit:
            seen.add(path)
            text = f"{_tail(path)} {_written(date.fromisoformat(day), len(queries))}"
            relevant = dict.fromkeys(sorted(keys), 1)
            queries.append(Query(f"temporal-{len(queries)}", text, relevant, "temporal", now, part=DATED))
    return queries


def _tells(path: str, days: dict[str, set[str]], keys: set[str], by_key: dict[str, MinedSession]) -> bool:
    """Whether the day decides: others touched the file too, on other days alone, and not on this session's behalf."""
    others = set().union(*days.values()) - keys
    if len(keys) != 1 or not 0 < len(others) < _MAX_SESSIONS or "." not in path.rpartition("/")[2]:
        return False
    session = by_key[next(iter(keys))]
    return not any(related(session, by_key[other]) for other in others)


def _tail(path: str) -> str:
    """Returns the last two names of a path, which is the part that people remember."""
    return "/".join(path.split("/")[-2:])


def _written(day: date, form: int) -> str:
    return (f"on {day.isoformat()}", f"on {day.day} {day:%B %Y}", f"on {day:%B} {day.day}, {day.year}")[form % 3]
