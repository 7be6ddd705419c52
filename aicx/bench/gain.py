"""Measures the gain of meaning on one's own history: questions mined from it, asked by words alone and by both.

The questions are subjects of commits that people wrote and no session holds, as in the dataset `own`. Names are left
out: they are looked up. So are prompts that ask again: they are found by the words that they share with the log, and
say nothing of those who ask in other words.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from random import Random

from aicx.bench.dataset import COUNTED, DEPTH, Query, session_key
from aicx.bench.mining import read_sessions
from aicx.bench.mining.repositories import mine_subjects, read_history
from aicx.bench.statistics import intervals
from aicx.config import Settings
from aicx.engine.index_answer import IndexGain
from aicx.engine.search import Mode, Searcher, SearchQuery
from aicx.errors import UsageError

# More would take longer than a person waits for them.
MAX_QUESTIONS = 60


# Of fewer questions nothing is said: the interval would be wider than what meaning can gain.
_LEAST = 30
# How much is looked at: the newest chunks, and seconds for git on all repositories and for asking.
_CHUNKS, _GIT_SECONDS, _ASKING_SECONDS = 5000, 5.0, 15.0


def measure_gain(settings: Settings) -> IndexGain:
    """MRR@10 of at most `MAX_QUESTIONS` questions, asked of the index both ways; no figures where there are too few."""
    return gain_of(settings, _questions(settings, Random(0)), 0)  # noqa: S311 - it draws questions


def gain_of(settings: Settings, asked: Sequence[Query], seed: int) -> IndexGain:
    """MRR@10 of those questions, asked of the index both ways; no figures where they are too few."""
    if len(asked) < _LEAST:
        return IndexGain(len(asked))
    words, both = _ranks(settings, asked)
    if len(words) < _LEAST:
        return IndexGain(len(words))
    more = [second - first for first, second in zip(words, both, strict=True)]
    found = intervals(dict(enumerate((words, both, more))), seed)
    return IndexGain(len(words), *found.values())


def _questions(settings: Settings, random: Random) -> Sequence[Query]:
    """In a random order, so that the first of them stand for all."""
    sessions = read_sessions(settings.layout, _CHUNKS)
    if len(sessions) < 2:
        return ()
    history = read_history(sessions, seconds=_GIT_SECONDS)
    found = [query for query in mine_subjects(history, sessions, len(history), random) if query.part == COUNTED]
    random.shuffle(found)
    return found[:MAX_QUESTIONS]


def _ranks(settings: Settings, queries: Sequence[Query]) -> tuple[list[float], list[float]]:
    """The reciprocal rank of each question's session, by words and by both, until the time is up."""
    until = time.monotonic() + _ASKING_SECONDS
    words: list[float] = []
    both: list[float] = []
    with Searcher(settings) as searcher:
        for query in queries:
            if time.monotonic() > until:
                break
            words.append(_rank(searcher, query, "lexical"))
            both.append(_rank(searcher, query, "hybrid"))
    return words, both


def _rank(searcher: Searcher, query: Query, mode: Mode) -> float:
    # One more answer than counts, as the session that asks again is none.
    asked = SearchQuery(query.text, query.now, mode=mode, group="session", limit=DEPTH + 1, decay=None)
    try:
        hits = searcher.search(asked.by_text_alone()).hits
    except UsageError:  # nothing in it to look for
        return 0.0
    keys = [key for hit in hits if (key := session_key(hit.sidecar.session_id)) != query.exclude][:DEPTH]
    return next((1 / rank for rank, key in enumerate(keys, 1) if key in query.relevant), 0.0)
