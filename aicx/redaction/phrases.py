"""Seed phrases of wallets: twelve to twenty-four small words in a row, after a name that announces them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from aicx.redaction.anchors import SecretFinding
from aicx.redaction.wallet_words import are_wallet_words

# How many words a phrase may have, after BIP-39.
_LENGTHS = (12, 15, 18, 21, 24)
# Words of sentences, which are in no phrase: its words have three to eight letters, and these are not in the list.
_SENTENCE = frozenset(
    "the and for are not was his her its had has she him our too how why who did does were been".split()  # noqa: SIM905 - reads better
)


@cache
def _pattern() -> dict[str, re.Pattern[str]]:
    gap = r"(?:[ \t]{1,3}(?:\d{1,2}[.)][ ]?)?|[ ]?,[ ]?|(?:\r?\n|\\n)[ \t]{0,8}(?:\d{1,2}[.):]?[ \t]{1,3})?)"
    return {
        "lead": re.compile(
            r"(?:[ \t]{0,3}(?:is|was|are|=|:|=>)?)[ \t]{0,3}\n?[ \t]{0,8}"
            r"""\\{0,3}["'`\[(]{0,2}(?:\d{1,2}[.):]?[ ]{1,3})?"""
        ),
        "words": re.compile(rf"[a-z]{{3,8}}(?:{gap}[a-z]{{3,8}}){{11,23}}(?![a-z])"),
        "word": re.compile("[a-z]{3,8}"),
    }


def words_at(text: str, at: int, *, announced: bool = True) -> Iterator[SecretFinding]:
    """The phrase that begins at ``at``, after blanks, quotes and a number.

    One that nothing announces is believed when all its words are in the list and none follows.
    """
    patterns = _pattern()
    lead = patterns["lead"].match(text, at)
    row = patterns["words"].match(text, lead.end()) if lead else None
    if row is None:
        return
    found = [word.span() for word in patterns["word"].finditer(row[0])]
    count = max((length for length in _LENGTHS if length <= len(found)), default=0)
    words = [row[0][start:end] for start, end in found[:count]]
    if not announced and (len(found) != count or len(set(words)) < count // 2 or not are_wallet_words(words)):
        return
    if count and not _SENTENCE.intersection(words):
        yield SecretFinding(row.start(), row.start() + found[count - 1][1], "mnemonic")
