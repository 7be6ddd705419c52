"""What was asked in a session that led to a commit: the requests that fit it, and those after which it was made."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from math import log
from typing import NamedTuple

from aicx.evidence.statements import Weight, requests
from aicx.evidence.texts import summary_line, words
from aicx.evidence.transcript import Step
from retrieval.analysis import analyze

_LENGTH = 280
_MOST = 2
# The level of a prompt that says something by itself.
_SPEAKING = 2
# What it is worth that the commit's files were changed after a request, where another commit came between and where
# none did; a word of its subject that few other requests have is worth about as much.
_WORKED_BEFORE, _WORKED, _SINCE = 0.5, 2.0, 0.5
_OF_SUBJECT = 1.0  # what a term of the subject says of a commit
# Two requests with this share of their words in common are one, asked twice.
_ALIKE = 0.8


class Request(NamedTuple):
    """A request as one line."""

    weight: Weight
    line: str
    step: Step


def requests_of(steps: Sequence[Step]) -> list[Request]:
    """The requests of a session, in order."""
    return [Request(weight, summary_line(weight.text, _LENGTH), step) for weight, step in requests(steps)]


def asked(
    every: Sequence[Request], since: datetime | None, edited: Sequence[Sequence[datetime]], about: Mapping[str, float]
) -> list[tuple[str, Step]]:
    """Those requests that say most of why a commit was made, at most two, in order.

    ``since`` is when the commit before it was made in the session; ``edited`` has, for each of the commit's files, when
    it was changed; ``about`` has the terms that the commit is about, and what each says of it. Where none fits, it is
    the request that the session began with, unless it made another commit since.
    """
    begins = [step.at for _, _, step in every]
    turns = [{bisect_right(begins, at) - 1 for at in times} for times in edited]
    counts = Counter(term for _, line, _ in every for term in terms(line))

    def worth(place: int, weight: Weight, line: str, step: Step) -> float:
        fits = any(about[term] >= _OF_SUBJECT for term in terms(line) & about.keys())
        shared = sum(about[term] * log(1 + len(every) / counts[term]) for term in terms(line) & about.keys())
        worked = sum(place in of_file for of_file in turns) / max(1, len(turns))
        # "Address the feedback" says something where it was followed by the work, "commit this" nowhere.
        # A file's name alone is in the requests of every other commit.
        fresh = since is None or step.at > since
        if not fits and not (worked and fresh):
            return 0.0
        if not worked and weight.level < _SPEAKING:
            return 0.0
        return shared + (_WORKED if fresh else _WORKED_BEFORE) * worked + _SINCE * fresh

    rated = [(worth(place, *one), one) for place, one in enumerate(every)]
    best: list[tuple[str, Step]] = []
    by_worth = sorted(rated, key=lambda one: (one[0], one[1][2].at), reverse=True)
    # Where another commit came before, or a later request fits, the session began with something else.
    none_fits = since is None and not any(value for value, _ in rated)
    opening = [(1.0, one) for one in every[:1] if none_fits and one[0].level >= _SPEAKING]
    for value, (_, line, step) in [*by_worth, *opening]:
        if value and len(best) < _MOST and not any(alike(line, other) for other, _ in best):
            best.append((line, step))
    return sorted(best, key=lambda one: one[1].at)


@lru_cache(maxsize=1024)  # each line is compared several times
def terms(text: str) -> frozenset[str]:
    """The words of a text by which it is compared: stems, without those that every text has."""
    return frozenset(analyze(text, "").words)


def alike(one: str, other: str) -> bool:
    """Whether two lines say the same."""
    mine, theirs = set(words(one)), set(words(other))
    return len(mine & theirs) >= _ALIKE * max(1, len(mine | theirs))
