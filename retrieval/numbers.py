"""Numbers that are part of what a question names ("python 2", "#188", "v2.3"), and whether a text has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from retrieval.analysis import STOP_WORDS

# A question with more words was pasted, and its numbers are lines, ports and times.
_MAX_WORDS = 25
# Requests and issues are written as `#7`, as `pull/7` and in words.
_REQUEST = r"(?:issues?|pulls?|prs?|mrs?|requests?|discussions?|tickets?|bugs?|merge_requests)"
# After a number they say that it is one of how many.
_MORE = frozenset({"more", "new", "other"})
_VERSION = r"v?\d+(?:\.\d+)*"
_ASKED = re.compile(
    rf"(?P<request>(?:\b{_REQUEST}\s+)?#\d+|\b{_REQUEST}\s+\d+)\b(?!\.\d)"
    rf"|(?<![\w.#/-])(?P<word>[^\W\d_][\w-]*)[ ](?P<number>{_VERSION})(?![\w.-]*\w)(?P<after>[ ]+[^\W\d_]+)?"
    r"|(?<![\w./-])(?P<version>v\d+(?:\.\d+)*|\d+(?:\.\d+)+)(?![\w-])",
    re.IGNORECASE,
)


class AskedNumber(NamedTuple):
    """A number as a question has it, with what it is the number of, and how a text may write it."""

    typed: str
    pattern: re.Pattern[str]


def numbers_of(question: str) -> tuple[AskedNumber, ...]:
    """The numbers that a question names something by. How many of something there are ("2 bugs") is none of them."""
    if len(question.split()) > _MAX_WORDS:
        return ()
    return tuple(found for found in map(_asked, _ASKED.finditer(question)) if found is not None)


def lacking(numbers: Iterable[AskedNumber], texts: Sequence[str]) -> list[str]:
    """Those numbers, as typed, that none of the texts has beside its name."""
    return [one.typed for one in numbers if not any(map(one.pattern.search, texts))]


def _asked(found: re.Match[str]) -> AskedNumber | None:
    if found["request"]:
        number = re.sub(r"\D", "", found["request"])
        return _number(found["request"], rf"(?:#|\b{_REQUEST}[\s/#:-]{{1,2}}){number}(?!\d)")
    if found["version"]:
        return _number(found["version"], rf"(?<![\d.])v?{_escaped(found['version'])}(?!\d)")
    word, number = found["word"], _escaped(found["number"])
    if "." in found["number"]:
        return _number(found["number"], rf"(?<![\d.])v?{number}(?!\d)")
    if word.lower() in STOP_WORDS or _counts(found["number"], found["after"]):
        return None
    return _number(f"{word} {found['number']}", rf"\b{re.escape(word)}s?[\s:=@#/_-]{{0,2}}v?{number}(?!\d)")


def _counts(number: str, after: str | None) -> bool:
    """Whether a number says how many: a plural follows it."""
    after = (after or "").strip().lower()
    return number.isdigit() and (after in _MORE or (after.endswith("s") and not after.endswith("ss")))


def _escaped(version: str) -> str:
    return re.escape(version.lower().removeprefix("v"))


def _number(typed: str, pattern: str) -> AskedNumber:
    return AskedNumber(typed, re.compile(pattern, re.IGNORECASE))
