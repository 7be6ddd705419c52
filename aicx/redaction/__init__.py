"""Puts a typed mark in the place of every secret the rules find, before anything is written."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from operator import itemgetter

from aicx.redaction.anchors import SecretFinding, as_bytes, as_utf8, has_controls, names_copy
from aicx.redaction.issuers import RULES
from aicx.redaction.search import find_all, find_in
from aicx.terminal import sequences, turns, without_controls
from aicx.types import Redacted

# Texts up to this length are remembered when nothing was found in them.
_SHORT = 256
_RANK = {rule.name: rank for rank, rule in enumerate(RULES)}


def redactor(redact_secrets: bool) -> Callable[[str], Redacted]:
    """`redact`, or where the settings say that secrets stay, what leaves a text as it is."""
    return redact if redact_secrets else Redacted


def redact(text: str) -> Redacted:
    """``text`` with each secret replaced by ``[REDACTED:<rule>]``, and how often each rule fired.

    Redacting what comes out changes nothing: the rules run until they find nothing more. That ends, because marks are
    never part of a secret, so every round leaves fewer other characters.
    """
    if len(text) <= _SHORT and _is_clean(text):
        return Redacted(text, plain=True)
    secrets, plain = _search(text)
    if not secrets:
        return Redacted(text, plain=plain)
    counts: Counter[str] = Counter()
    while secrets:
        counts.update(secret.rule for secret in secrets)
        text = _replace(text, secrets)
        secrets, plain = _search(text)
    return Redacted(text, dict(counts), plain)


@lru_cache(maxsize=8192)
def _is_clean(text: str) -> bool:
    """Whether ``text`` holds neither a secret nor a terminal sequence: names and short lines recur all over a log."""
    return _search(text) == ([], True)


def redact_plain(text: str, redact: Callable[[str], Redacted] = redact) -> Redacted:
    """``text`` redacted and without what a terminal would obey, as it may be stored and shown."""
    first = redact(text)
    if first.plain:
        return first
    plain = without_controls(first.text)
    if plain == first.text:
        return first
    # What stood on both sides of a sign is now one word.
    again = redact(plain)
    return Redacted(again.text, dict(Counter(first.counts) + Counter(again.counts)))


def _search(text: str) -> tuple[list[SecretFinding], bool]:
    """Returns the findings in ``text``, none of which overlap, and whether it holds no terminal sequence."""
    data = as_bytes(text)
    names, utf8 = names_copy(data), as_utf8(text)
    found = find_in(text, data, names, utf8)
    if hidden := sequences(text, has_controls(names) or turns(utf8)):
        found += _behind(text, hidden)
    return list(_disjoint(_outside_marks(text, found))) if found else [], not hidden


def _behind(text: str, hidden: Sequence[tuple[int, int]]) -> Iterator[SecretFinding]:
    """Yields findings once the letters of terminal sequences are no part of a word, and once there are none.

    A sequence that is written out (``\\033[K``) stays in the text unless it is inside a secret.
    """
    pieces: list[str] = []
    kept: list[str] = []
    offsets: list[int] = []  # of the pieces kept, in the text and in the text that is made of them
    places: list[int] = []
    at = place = 0
    for start, end in (*hidden, (len(text), len(text))):
        piece = text[at:start]
        if piece:
            kept.append(piece)
            offsets.append(at)
            places.append(place)
            place += len(piece)
        pieces += piece, "\x1b" * (end - start)  # which the rules know to end a value
        at = end
    yield from find_all("".join(pieces))
    for finding in find_all("".join(kept)):
        first, last = (bisect_right(places, sign) - 1 for sign in (finding.start, finding.end - 1))
        start, end = finding.start - places[first] + offsets[first], finding.end - places[last] + offsets[last]
        yield SecretFinding(start, end, finding.rule)


def _replace(text: str, secrets: Iterable[SecretFinding]) -> str:
    pieces: list[str] = []
    at = 0
    for secret in secrets:
        pieces += text[at : secret.start], f"[REDACTED:{secret.rule}]"
        at = secret.end
    return "".join([*pieces, text[at:]])


@cache
def _mark() -> re.Pattern[str]:
    return re.compile(rf"\[REDACTED:(?:{'|'.join(_RANK)})\]")


def _outside_marks(text: str, findings: Iterable[SecretFinding]) -> Iterator[SecretFinding]:
    """``findings`` up to the first mark of an earlier run inside them; those that begin within a mark are dropped."""
    if "[REDACTED:" not in text:
        yield from findings
        return
    marks = [mark.span() for mark in _mark().finditer(text)]
    for finding in findings:
        overlap = bisect_right(marks, finding.start, key=itemgetter(1))
        begin = marks[overlap][0] if overlap < len(marks) else len(text)
        if begin > finding.start:
            yield SecretFinding(finding.start, min(finding.end, begin), finding.rule)


def _disjoint(findings: Iterable[SecretFinding]) -> Iterator[SecretFinding]:
    """``findings`` in text order, those that overlap joined into one under the rule that comes first in the table."""
    joined: SecretFinding | None = None
    for finding in sorted(findings, key=lambda found: (found.start, -found.end)):
        if joined is None or finding.start >= joined.end:
            if joined:
                yield joined
            joined = finding
        else:
            rule = min(joined.rule, finding.rule, key=_RANK.__getitem__)
            joined = SecretFinding(joined.start, max(joined.end, finding.end), rule)
    if joined:
        yield joined
