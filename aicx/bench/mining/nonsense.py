"""Questions about nothing: words that the corpus does not hold, and names made with them. The right answer is none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from random import Random

from aicx.bench.dataset import Query

_ONSETS = ("bl", "dr", "fl", "gr", "kr", "pl", "sk", "tr", "v", "z", "qu", "m", "n", "th")
_MIDDLES = ("a", "e", "i", "o", "u", "oo", "ai")
_ENDS = ("b", "g", "k", "mp", "nd", "rf", "sk", "v", "zz", "lb")
_TRIES = 100
_WORD = re.compile("[a-z]{4,12}")


def mine(texts: Sequence[str], now: datetime, limit: int, random: Random) -> list[Query]:
    """At most ``limit`` questions about words that do not occur in ``texts``.

    In turns a name of two such words, a sentence of four, and a name of one such word and one that does occur.
    """
    words: list[str] = []
    for _ in range(limit * _TRIES):
        if len(words) == limit * 4:
            break
        word = "".join(random.choice(part) for part in (_ONSETS, _MIDDLES, _ENDS, _MIDDLES, _ENDS))
        if word not in words and not any(word in text for text in texts):
            words.append(word)
    queries = []
    for number in range(len(words) // 4):
        four = words[4 * number : 4 * number + 4]
        heard = _WORD.findall(random.choice(texts)) if texts else []
        forms = ("_".join(four[:2]), " ".join(four), "_".join([*four[:1], random.choice(heard or four)]))
        text = forms[number % len(forms)]
        queries.append(Query(f"negative-{number}", text, type="negative", now=now))
    return queries
