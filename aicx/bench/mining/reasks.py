"""Prompts that ask again what another session was asked earlier, in other words: the earlier one is the answer.

Which prompts belong together is told by the words they share, weighed by rarity. That favours rankers that look at
words; what it measures is finding the session among all others, not understanding.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from aicx.bench.dataset import Query
from aicx.bench.mining.sessions import MinedSession, Prompt, related
from retrieval.analysis import analyze

# Addresses and numbers of things elsewhere: prompts that are alike but for these ask about different things.
_ELSEWHERE = re.compile(r"\[?https?://\S+|\S*#\d+\S*|\b[A-Z]+-\d+\b")
_MIN_WORDS, _MAX_WORDS = 4, 60
# Cosine of the rarity of shared words. Above the higher it is the same prompt sent again; below the lower, chance.
_ALIKE, _SAME = 0.4, 0.9
_MAX_SESSIONS = 3  # a prompt that comes in more is a habit ("run the tests"), not a question
# Two prompts are about one thing when they share so many words that so few sessions' prompts hold.
_SHARED_RARE, _RARE = 2, 6


def mine(sessions: Sequence[MinedSession], limit: int, random: Random) -> list[Query]:
    """At most ``limit`` questions. The session that asks again is no answer, nor is one that belongs to it."""
    by_key = {session.key: session for session in sessions}
    prompts = sorted((prompt for session in sessions for prompt in session.prompts), key=lambda prompt: prompt.at)
    told = [(prompt, words) for prompt in prompts if _MIN_WORDS <= len(words := _words(prompt.text)) <= _MAX_WORDS]
    queries: dict[str, Query] = {}
    for place, likeness in _alike(told):
        prompt = told[place][0]
        answers = {
            earlier.session: cosine
            for earlier, cosine in likeness
            if earlier.session != prompt.session and not related(by_key[earlier.session], by_key[prompt.session])
        }
        if 0 < len(answers) <= _MAX_SESSIONS and max(answers.values()) < _SAME:
            queries[prompt.text] = _query(prompt, sorted(answers))
    found = list(queries.values())
    random.shuffle(found)
    return found[:limit]


def _query(prompt: Prompt, answers: Sequence[str]) -> Query:
    return Query(
        f"reask-{prompt.session[:8]}-{prompt.at:%Y%m%d%H%M%S}",
        prompt.text,
        dict.fromkeys(answers, 1),
        now=prompt.at,
        exclude=prompt.session,
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(analyze(_ELSEWHERE.sub(" ", text)).words)


def _alike(told: Sequence[tuple[Prompt, frozenset[str]]]) -> Iterator[tuple[int, list[tuple[Prompt, float]]]]:
    """Each prompt's place with the earlier ones that are about the same and their cosines, least alike first."""
    holders: dict[str, set[str]] = {}
    for prompt, words in told:
        for word in words:
            holders.setdefault(word, set()).add(prompt.session)
    sessions = len({prompt.session for prompt, _ in told})
    weights = {word: math.log(1 + sessions / len(held)) ** 2 for word, held in holders.items()}

    def size(words: frozenset[str]) -> float:
        return sum(weights[word] for word in sorted(words))

    rare: dict[str, list[int]] = {word: [] for word, held in holders.items() if len(held) <= _RARE}
    for place, (_, words) in enumerate(told):
        shared = Counter(earlier for word in words if word in rare for earlier in rare[word])
        near = []
        for earlier in sorted(earlier for earlier, count in shared.items() if count >= _SHARED_RARE):
            prompt, others = told[earlier]
            cosine = size(words & others) / math.sqrt(size(words) * size(others))
            if cosine >= _ALIKE:
                near.append((prompt, cosine))
        yield place, sorted(near, key=lambda pair: pair[1])
        for word in words & rare.keys():
            rare[word].append(place)
