"""Commits of one's repositories: the session that made one answers its subject.

A subject that an agent wrote restates its session in the session's words, and stands in the log besides; one that a
person wrote asks for it from outside. So only those of people count.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from aicx.bench.dataset import COUNTED, Query
from aicx.bench.mining.history import MAX_SESSIONS, MadeCommit
from aicx.bench.mining.sessions import MinedSession, latest
from aicx.git.subjects import plain_subject
from retrieval.analysis import analyze

VERBATIM, AGENTS = "subject stands in the log", "subject by an agent"
_MIN_WORDS = 3


def mine(history: Sequence[MadeCommit], sessions: Sequence[MinedSession], limit: int, random: Random) -> list[Query]:
    """At most ``limit`` questions, those that count first."""
    now = latest(sessions)
    folded: dict[str, str] = {}
    found: list[Query] = []
    for made in history:
        subject = made.commit.subject
        if not 0 < len(made.sessions) <= MAX_SESSIONS or len(set(analyze(subject).words)) < _MIN_WORDS:
            continue
        for session in made.sessions:
            if session.key not in folded:
                folded[session.key] = " ".join(" ".join(session.texts).split()).casefold()
        said = any(plain_subject(subject) in folded[session.key] for session in made.sessions)
        part = VERBATIM if said else AGENTS if made.by_agent else COUNTED
        relevant = {session.key: 1 for session in made.sessions}
        found.append(Query(f"commit-{made.commit.id[:12]}", subject, relevant, now=now, part=part))
    random.shuffle(found)
    order = (COUNTED, AGENTS, VERBATIM)
    return sorted(found, key=lambda query: order.index(query.part))[:limit]
