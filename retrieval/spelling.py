"""Names the words that a misspelt one may have been meant for: those that are one likely slip away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_lowercase

# How long a word has to be for a slip to be more likely than another word: two letters swapped or one doubled
# ("serach", "aplied"), a letter left out or put in ("boost" is not "boot"), another letter ("concert", "convert").
_SWAPPED, _LEFT_OUT, _REPLACED = 5, 6, 8
# Of fewer letters, what is left of a word is not known to be the same word.
SHORTEST = 5
# The stemmer takes one of these letters with the ending, so that "backoffing" is not found where "backoff" is.
_UNDOUBLED = re.compile(r"(\w+(bb|dd|ff|gg|mm|nn|pp|rr|tt))(ings?|ingly|ed|edly)")
_TRIPLED = re.compile(r"(.)\1\1")
# What words are made of others with: "rebalance" and "balancer" are words where "balance" is one.
_PREFIXES = """
    anti auto co counter cross de dis down fore hyper in inter mega meta micro mid mini mis multi non out over post pre
    proto pseudo re self semi sub super trans ultra un under up
    """.split()  # noqa: SIM905 - a paragraph of words reads better than a column of strings
_SUFFIXES = """
    able d ed er ers ess ful ish ism ist ists less let like ness or ors r rs s ship st y
    """.split()  # noqa: SIM905


def slips(word: str) -> Iterator[list[str]]:
    """Yields the words that a word in lower case may be a slip of, the likelier slips in a list before others.

    First and last letter are as they were meant; words that end otherwise are other words, but for an ending that the
    stemmer takes off together with a letter of the word.
    """
    if whole := _UNDOUBLED.fullmatch(word):
        yield _others(word, [whole[1]])
    inner = range(1, len(word) - 1)
    if len(word) >= _SWAPPED:
        swapped = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)]
        doubled = [word[:at] + word[at] + word[at:] for at in inner]
        single = [word[:at] + word[at + 1 :] for at in inner if word[at] == word[at + 1]]
        yield _others(word, [*swapped, *doubled, *single])
    if len(word) >= _LEFT_OUT:
        put_in = [word[:at] + letter + word[at:] for at in (*inner, len(word) - 1) for letter in ascii_lowercase]
        yield _others(word, [*put_in, *(word[:at] + word[at + 1 :] for at in inner)])
    if len(word) >= _REPLACED:
        yield _others(word, [word[:at] + letter + word[at + 1 :] for at in inner for letter in ascii_lowercase])


def made_of(word: str) -> list[str]:
    """Returns the words that a word may be made of by putting something before or behind it."""
    rests = [word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix)]
    rests += [word.removesuffix(suffix) for suffix in _SUFFIXES if word.endswith(suffix)]
    return [rest for rest in rests if len(rest) >= SHORTEST]


def _others(word: str, slipped: list[str]) -> list[str]:
    return [other for other in dict.fromkeys(slipped) if other != word and not _TRIPLED.search(other)]
