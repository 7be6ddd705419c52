"""How much of a question stands together in one place of a text, and whether the text has the question's numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from aicx.values import dataclass, regex
from retrieval.analysis import STOP_WORDS, Terms, analyze
from retrieval.lines import lowered, starts_of
from retrieval.questions import Question

# A passage has what belongs together; some do and are about something else; nothing that tells is there.
Evidence = Literal["strong", "weak", "none"]

# The share of a question, its words weighed by rarity, that has to stand in one passage: half of what tells.
ENOUGH = 0.5
# Characters that belong together: some three sentences.
_PASSAGE = 300
# Passages of a text that are analysed, and places of one word that are looked at: bounds the work, not the finding.
_MAX_ANALYSED, _MAX_PLACES = 4, 300
# Characters that a word before or behind a passage may have.
_LONGEST = 60
# Words of a question that are counted; one with more was pasted.
_MAX_UNITS = 60
# Words with which people ask for a session; what it is about they do not say.
_ASKING = frozenset(
    (
        *("chat", "chats", "conversation", "conversations", "session", "sessions"),
        *("deal", "deals", "dealt", "decide", "decided", "discuss", "discussed", "happen", "happened", "mention"),
        *("mentioned", "problem", "talk", "talked"),
    )
)
_REQUEST_NUMBER = regex(r"#\d+")
# A word that more of the documents have tells nothing by itself; few documents may all be about it.
_COMMON, _MIN_DOCUMENTS = 0.5, 100


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The words and names of a question, and in how many of the ``documents`` that are searched each occurs."""

    units: tuple[Terms, ...]
    counts: tuple[int, ...]
    documents: int

    @property
    def missing(self) -> tuple[str, ...]:
        """Returns the terms that occur nowhere, as they were typed. Of a run without spaces, all has to be missing."""
        there = {unit.typed for unit, count in zip(self.units, self.counts, strict=True) if count}
        return tuple(dict.fromkeys(unit.typed for unit in self.units if unit.typed not in there))

    @property
    def weights(self) -> tuple[float, ...]:
        """Returns the weight of each, as BM25 weighs rarity."""
        return tuple(rarity(count, self.documents) for count in self.counts)

    @property
    def telling(self) -> bool:
        """Whether a word occurs that tells something; true where there is nothing but common ones."""
        most = self.documents * _COMMON
        told = [count for count in self.counts if count <= most or self.documents < _MIN_DOCUMENTS]
        return any(told) or not told


def units_of(question: Question) -> tuple[Terms, ...]:
    """Each word and name of a question once, without words of asking where others are left.

    Of what is written without spaces, each pair that is more than grammar.
    """
    found: dict[tuple[tuple[str, ...], tuple[str, ...]], Terms] = {}
    for run in question.runs:
        # A request's number is also at the end of its address; `numbers_of` tells it from other numbers.
        run = replace(run, names=[]) if _REQUEST_NUMBER.fullmatch(run.typed) else run
        for unit in units_of_run(run):
            found.setdefault((tuple(unit.words), tuple(unit.names)), unit)
    told = [unit for unit in found.values() if unit.typed.lower() not in _ASKING]
    return tuple(told or found.values())[:_MAX_UNITS]


def units_of_run(run: Terms) -> list[Terms]:
    """A word or a name; of what is written without spaces, each pair that is more than grammar."""
    pairs = [pair for pair in run.words if not _is_hiragana(pair)] if len(run.words) > 1 and not run.names else []
    return [Terms([pair], typed=run.typed) for pair in pairs] or [run]


def rarity(count: int, documents: int) -> float:
    """Returns the weight of a term as BM25 gives it: the more, the fewer of the documents have it."""
    return math.log(1 + (documents - count + 0.5) / (count + 0.5))


def share_together(occurrences: Occurrences, texts: Sequence[str], enough: float = ENOUGH) -> float:
    """From 0 to 1, how much of a question stands in one passage of the texts; no further once it is ``enough``."""
    weights = occurrences.weights
    whole = sum(weights) or 1.0
    units = zip(occurrences.units, occurrences.counts, strict=True)
    starts = [(start, at) for at, (unit, count) in enumerate(units) if count for start in _starts(unit)]
    best = 0.0
    for text in texts:
        low = lowered(text)
        shown = text if len(low) == len(text) else low
        for unlikely, start, end in _passages(starts, weights, low)[:_MAX_ANALYSED]:
            if -unlikely / whole <= best:
                break
            passage = shown[_beginning(low, start) : end + _LONGEST]
            best = max(best, _weight_in(occurrences, weights, passage) / whole)
            if best >= enough:
                return best
    return best


def _passages(starts: Sequence[tuple[str, int]], weights: Sequence[float], text: str) -> list[tuple[float, int, int]]:
    """The passages of a text that may hold words of a question, those first that may hold most: each with its weight
    below zero, and where its first and its last word begin. ``starts`` are beginnings of words, by the words' numbers.
    """
    places: list[tuple[int, int]] = []
    for start, number in starts:
        at, most = text.find(start), len(places) + _MAX_PLACES
        while at >= 0 and len(places) < most:
            places.append((at, number))
            at = text.find(start, at + len(start))
    places.sort()
    found: list[tuple[float, int, int]] = []
    held: dict[int, int] = {}
    weight, first = 0.0, 0
    for place, number in places:
        weight += 0.0 if held.get(number) else weights[number]
        held[number] = held.get(number, 0) + 1
        while places[first][0] < place - _PASSAGE:
            gone = places[first][1]
            held[gone] -= 1
            weight -= 0.0 if held[gone] else weights[gone]
            first += 1
        found.append((-weight, places[first][0], place))
    found.sort()
    return found


def _starts(unit: Terms) -> tuple[str, ...]:
    """How what is looked for begins, in lower case."""
    terms = (*unit.words[:1], *unit.others, *unit.names)
    return tuple(dict.fromkeys(start for term in terms for start in starts_of(term)))


def _beginning(text: str, place: int) -> int:
    """Where the run begins that a place is in, not far before it."""
    low = max(0, place - _LONGEST)
    return max(text.rfind(" ", low, place), text.rfind("\n", low, place)) + 1 or low


def _weight_in(occurrences: Occurrences, weights: Sequence[float], passage: str) -> float:
    found = analyze(passage)
    words, names = set(found.words), set(found.names)
    return sum(
        weight
        for unit, weight in zip(occurrences.units, weights, strict=True)
        if has_unit(unit, found.words, words, names)
    )


def has_unit(unit: Terms, order: Sequence[str], words: set[str], names: set[str]) -> bool:
    """Whether a text with these words, in this order, and these names has a word or a name of a question."""
    if any(name in names for name in (*unit.names, unit.whole)) or any(other in words for other in unit.others):
        return True
    if len(unit.words) < 2:
        return not unit.names and bool(unit.words) and unit.words[0] in words
    size = len(unit.words)
    return unit.words[0] in words and any(
        list(order[at : at + size]) == unit.words for at, word in enumerate(order) if word == unit.words[0]
    )


def _is_hiragana(text: str) -> bool:
    return all("\u3041" <= character <= "\u309f" for character in text)


# A question with more words was pasted, and its numbers are lines, ports and times.
_MAX_WORDS = 25
# Requests and issues are written as `#7`, as `pull/7` and in words.
_REQUEST = r"(?:issues?|pulls?|prs?|mrs?|requests?|discussions?|tickets?|bugs?|merge_requests)"
# After a number they say that it is one of how many.
_MORE = frozenset({"more", "new", "other"})
_VERSION = r"v?\d+(?:\.\d+)*"
_ASKED = regex(
    rf"(?P<request>(?:\b{_REQUEST}\s+)?#\d+|\b{_REQUEST}\s+\d+)\b(?!\.\d)"
    rf"|(?<![\w.#/-])(?P<word>[^\W\d_][\w-]*)[ ](?P<number>{_VERSION})(?![\w.-]*\w)(?P<after>[ ]+[^\W\d_]+)?"
    r"|(?<![\w./-])(?P<version>v\d+(?:\.\d+)*|\d+(?:\.\d+)+)(?![\w-])",
    re.IGNORECASE,
)


# A number as a question has it, with what it is the number of, and how a text may write it.
AskedNumber = tuple[str, re.Pattern[str]]


def numbers_of(question: str) -> tuple[AskedNumber, ...]:
    """The numbers that a question names something by. How many of something there are ("2 bugs") is none of them."""
    if len(question.split()) > _MAX_WORDS:
        return ()
    return tuple(found for found in map(_asked, _ASKED.finditer(question)) if found is not None)


def lacking(numbers: Iterable[AskedNumber], texts: Sequence[str]) -> list[str]:
    """Those numbers, as typed, that none of the texts has beside its name."""
    return [typed for typed, pattern in numbers if not any(map(pattern.search, texts))]


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
    return typed, re.compile(pattern, re.IGNORECASE)
