"""Mines what commits of one's repositories began: files and symbols, asked for by name; and names that never were.

The session that made the commit is the answer. Only names that other sessions hold too are asked for: what one session
alone holds, any index finds (see `identifiers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random

from aicx.bench.dataset import Query
from aicx.bench.mining.absent import is_elsewhere, words_of
from aicx.bench.mining.history import MAX_SESSIONS, MadeCommit, added_lines
from aicx.bench.mining.sessions import MinedSession, latest

BEGUN = "names that a commit began"
# A name is defined by these words in most languages; short and plain ones are those of many things.
_DEFINED = re.compile(
    r"^\s*(?:export |public |pub |async |static |default )*"
    r"(?:def|class|func|function|fn|struct|interface|type|enum|trait)\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w{7,60})\b"
)
_PARTS = re.compile(r"[A-Z]?[a-z]{3,}")
_MAX_READ = 300  # commits of a repository whose lines are read


def mine(history: Sequence[MadeCommit], sessions: Sequence[MinedSession], limit: int, random: Random) -> list[Query]:
    """At most ``limit`` questions, half of them files."""
    lowered = {session.key: [text.lower() for text in session.texts] for session in sessions}
    now = latest(sessions)
    queries: list[Query] = []
    files = _once((path, made) for made in history for path in made.commit.added)
    pools = {"file": files, "symbol": _symbols(history)}
    for kind, pool in pools.items():
        random.shuffle(pool)
        asked = ((name, made) for name, made in pool if _held_by_others(name, made, lowered))
        for name, made in islice(asked, limit - len(queries) if kind == "symbol" else limit // 2):
            relevant = {session.key: 1 for session in made.sessions}
            number = f"begun-{kind}-{len(queries)}"
            queries.append(Query(number, name, relevant, "identifier", now, part=BEGUN))
    return queries


def mine_controls(
    history: Sequence[MadeCommit], sessions: Sequence[MinedSession], limit: int, random: Random
) -> list[Query]:
    """At most ``limit`` questions that nothing answers, in the words and names of one's own repositories.

    A third each: files that never were in folders that are, symbols joined from halves of others, and subjects of
    commits that no session had a part in and of whose words none holds more than half.
    """
    texts = [text.lower() for session in sessions for text in session.texts]
    names = [name for name, _ in _symbols(history)]
    paths = sorted({path for made in history for path in made.commit.files if "/" in path and "." in path})
    held = [words_of(session) for session in sessions]
    alone = sorted({made.commit.subject for made in history if not made.sessions})
    random.shuffle(alone)
    symbols = _joined(names or [Path(path).stem for path in paths], random)
    files = (
        f"{Path(path).parent}/{name.lower()}{Path(path).suffix}"
        for path, name in zip(
            random.sample(paths, len(paths)),
            _joined(names or [Path(path).stem for path in paths], random),
            strict=False,
        )
    )
    pools = (
        (name for name in files if not any(Path(name).stem in text for text in texts)),
        (name for name in symbols if not any(name.lower() in text for text in texts)),
        (subject for subject in alone if is_elsewhere(subject, held)),
    )
    now = latest(sessions)
    found = [name for pool in pools for name in islice(pool, limit // len(pools))]
    return [Query(f"never-{number}", name, type="negative", now=now) for number, name in enumerate(found)]


def _symbols(history: Sequence[MadeCommit]) -> list[tuple[str, MadeCommit]]:
    """Names that the lines of one commit alone define, of the newest commits of each repository."""
    found: list[tuple[str, MadeCommit]] = []
    for repository in dict.fromkeys(made.repository for made in history):
        mine = {made.commit.id: made for made in history if made.repository == repository}
        ids = list(islice(mine, _MAX_READ))
        defined = ((line, commit) for commit, line in added_lines(repository, ids) if commit in mine)
        found += [(name[1], mine[commit]) for line, commit in defined if (name := _DEFINED.match(line))]
    return _once(found)


def _once(pairs: Iterator[tuple[str, MadeCommit]] | Sequence[tuple[str, MadeCommit]]) -> list[tuple[str, MadeCommit]]:
    """Names that come from one commit only, in their order."""
    holders: dict[str, MadeCommit | None] = {}
    for name, made in pairs:
        holders[name] = made if holders.get(name, made) is made else None
    return [(name, made) for name, made in sorted(holders.items()) if made]


def _held_by_others(name: str, made: MadeCommit, lowered: dict[str, list[str]]) -> bool:
    """Whether its session is known and holds it, and some other does."""
    if not 0 < len(made.sessions) <= MAX_SESSIONS:
        return False
    sought = name.lower()
    makers = {session.key for session in made.sessions}
    holders = {key for key, texts in lowered.items() if any(sought in text for text in texts)}
    return bool(holders & makers) and bool(holders - makers)


def _joined(names: Sequence[str], random: Random) -> Iterator[str]:
    """New names of the first word of one and the last of another, in the usual two styles in turns."""
    halves = [parts for name in names if len(parts := _PARTS.findall(name)) > 1]
    random.shuffle(halves)
    for number, (first, last) in enumerate(zip(halves, halves[1:] + halves[:1], strict=True)):
        one, other = first[0].lower(), last[-1].lower()
        if one != other:
            yield f"{one}_{other}" if number % 2 else f"{one}{other.capitalize()}"
