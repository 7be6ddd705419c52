"""A line of a text as it is quoted: shortened around what matched, with what matched marked in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from aicx.types import Voice
from aicx.values import dataclass, regex
from retrieval.analysis import fold, runs_in, runs_of, spaced, term_streams, terms_of_runs, within_edges
from retrieval.languages import SAMPLE, language_of

# Letters and digits beyond ASCII, and marks on letters. Without the ASCII around them they are found ten times as fast.
_ACCENTED = regex(r"[^\W\x00-\x7f]|[\u0300-\u036f]")
_ASCII = bytes(range(128))
# How much of a text is shown from, or of a line analysed at once: a longer line counts as several.
LOOKED_AT = 4000
# Shorter beginnings of words are in every line and would hold nothing off.
_MIN_LETTERS = 3
LINE_LENGTH = 200
_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ShortenedLine:
    """One line of a text, shortened around what matched; ``marks`` are the spans to highlight in it."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()
    voice: Voice = field(default="said", compare=False)
    tells: bool = field(default=True, compare=False)  # it neither repeats the question nor announces work


def opening_lines(
    texts: Sequence[str], start: tuple[int, int], limit: int, voice: Voice = "said"
) -> tuple[ShortenedLine, ...]:
    """The first lines from a place on: which text, whose ``voice`` it is, and the character in it."""
    number, character = start
    if number >= len(texts):
        return ()
    lines = (line.strip() for line in texts[number][character : character + LOOKED_AT].splitlines())
    return tuple(mark(line, voice=voice) for line in [line for line in lines if len(line) >= 3][:limit])


def lowered(text: str) -> str:
    """As `fold`, without its work where every letter is ASCII: most text beyond it only holds a box or a dash."""
    if text.isascii():
        return text.lower()
    return fold(text) if has_letters_beyond_ascii(text.encode("utf-8", "surrogatepass")) else text.lower()


def has_letters_beyond_ascii(text: bytes) -> bool:
    """Whether a text in UTF-8 has letters, digits or marks beyond ASCII."""
    return _ACCENTED.search(text.translate(None, _ASCII).decode("utf-8", "replace")) is not None


def starts_of(term: str) -> tuple[str, ...]:
    """Returns beginnings of a word whose stem is ``term``: all but the last letter, which may be another in the word.

    So it is for ``try``, whose stem is ``tri``, and ``using``, whose stem is ``use``; ``dying`` has the stem ``die``.
    """
    if not term[-1].isascii():  # it has no stem of English
        return (term,)
    if term == "sky":
        return term, "skies"
    if term.endswith("ie"):
        return term[:-1], f"{term[:-2]}y"
    return (term[: max(_MIN_LETTERS - term.endswith(("e", "i")), len(term) - 1)],)


class SoughtTerms:
    """Words and names made ready to be looked for in many texts: each by how it may begin there, and by its stem."""

    __slots__ = ("_all", "_known", "_starts", "beginnings", "names", "words")

    def __init__(self, words: Iterable[str], names: Iterable[str], starting: Iterable[str]) -> None:
        """``starting``: those whose beginnings are looked for; the others are found beside them."""
        self.words, self.names = frozenset(words), frozenset(names)
        self.beginnings = {term: starts_of(term) for term in starting}
        self._all = self.words | self.names
        self._known: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
        texts = {text for found in self.beginnings.values() for text in found}
        self._starts = sorted(texts, key=lambda text: (-len(text), text))

    def each_in(self, low: str) -> list[tuple[int, str]]:
        """The beginnings in a text in lower case, in order, with the place of each; of two that overlap the first."""
        places: list[tuple[int, int]] = []
        for number, start in enumerate(self._starts):
            at = low.find(start)
            while at >= 0:
                places.append((at, number))
                at = low.find(start, at + 1)
        found: list[tuple[int, str]] = []
        end = 0
        for at, number in sorted(places):
            if at >= end:
                start = self._starts[number]  # of several at one place the longest
                found.append((at, start))
                end = at + len(start)
        return found

    def shared_with(self, text: str) -> tuple[frozenset[str], frozenset[str]]:
        """The words and the names that a text has."""
        low = lowered(text)
        starts = [start for start in self._starts if start in low]
        if not starts:  # most texts have none, and their terms need not be worked out
            return _NONE, _NONE
        runs: Sequence[str]
        if not text.isascii():
            language = language_of(runs := runs_of(text))
        elif language := language_of((plain := spaced(text)).split(None, SAMPLE)):
            runs = plain.split()
        else:
            words, names = _NONE, _NONE
            for begin, end in _runs_with(starts, plain, low):
                found = self._held(plain[begin:end])
                if found[0] or found[1]:
                    words, names = words | found[0], names | found[1]
            return words, names
        return self._among(*terms_of_runs(runs, language))

    def spans_in(self, line: str) -> Iterator[tuple[int, int]]:
        """Where a line has one of them, each with the whole run it is in."""
        plain = line.isascii()  # else a letter in lower case may be two
        likely = sorted(_runs_with(self._starts, spaced(line), line.lower())) if plain else ()
        for begin, end in (within_edges(line, *ends) for ends in likely) if plain else runs_in(line):
            run = line[begin:end]
            if not plain and not any(map(lowered(run).__contains__, self._starts)):
                continue
            words, names = terms_of_runs((run,), "") if plain else term_streams(run)
            if not self._all.isdisjoint(words) or not self._all.isdisjoint(names):
                yield begin, end

    def _held(self, run: str) -> tuple[frozenset[str], frozenset[str]]:
        """Those that a run of an English text has, worked out once."""
        if run not in self._known:
            self._known[run] = self._among(*terms_of_runs((run,), ""))
        return self._known[run]

    def _among(self, words: Iterable[str], names: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
        return self.words.intersection(words), self.names.intersection(names)


def _runs_with(starts: Iterable[str], plain: str, low: str) -> set[tuple[int, int]]:
    """Where a text in ASCII, ``plain`` between spaces, has a run in which a word may begin: no other has its stem."""
    found = set()
    plain += " "
    for start in starts:
        at = low.find(start)
        while at >= 0:
            end = plain.find(" ", at)
            found.add((plain.rfind(" ", 0, at) + 1, end))
            at = low.find(start, max(end, at + 1))  # a number in brackets, as one sign, begins with what is no run
    return found


def mark(line: str, terms: SoughtTerms | None = None, voice: Voice = "said", *, tells: bool = True) -> ShortenedLine:
    """A line as it is quoted: shortened around the first of ``terms``, with those that are shown marked."""
    spans: list[tuple[int, int]] = []
    start, end = _window(line, 0)
    for low, high in terms.spans_in(line) if terms else ():
        if spans and high > end:  # beyond what is shown
            break
        spans.append((low, high))
        if len(spans) == 1:
            start, end = _window(line, low)
    text = ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")
    shift = start - (1 if start else 0)
    inside = ((low - shift, high - shift) for low, high in spans if start <= low and high <= end)
    return ShortenedLine(text, tuple(inside), voice, tells)


def _window(line: str, first: int) -> tuple[int, int]:
    """From where to where a line is shown so that what stands at ``first`` is seen; all of a short one."""
    if first < LINE_LENGTH // 2:  # from its beginning it reads best
        first = 0
    start = max(0, min(first - LINE_LENGTH // 4, len(line) - LINE_LENGTH))
    end = min(len(line), start + LINE_LENGTH)
    # Whole words at both ends, where there are any.
    start = line.find(" ", start, first) + 1 or start if start else start
    return start, max(line.rfind(" ", first + LINE_LENGTH // 2, end), 0) or end if end < len(line) else end
