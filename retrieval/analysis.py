"""Turns text into index terms; the same code for documents and for questions, so that they always meet.

Words are folded (case, diacritics) and stemmed as their text's language has it; identifiers, paths and markers are kept
whole in one stream and split into their words in the other; Chinese, Japanese and Korean runs, which have no spaces,
become overlapping pairs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cache, lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any

from aicx.values import dataclass, regex
from retrieval import languages
from retrieval.languages import SHORTEST, made_of

_CJK_LETTERS = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_CJK_MARKS = r"\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
_BETWEEN = "\"'`<>(){}[],;|=*!?\\"
# A run without white space or quoting, as far as it could be one name: a path, an identifier, a version, a marker. In
# scripts without spaces it ends where the script changes.
_RUN = regex(
    rf"[^\s{re.escape(_BETWEEN)}\xa1\xbf\u2026\u2018-\u201d\xab\xbb\u2022\xb7\u2500-\u257f\u25a0-\u25ff"
    rf"{_CJK_MARKS}{_CJK_LETTERS}]+|[{_CJK_LETTERS}]+"
)
# What is between runs, in ASCII, as spaces: most text is ASCII, and its runs are found in a third of the time.
_SPACED = bytes(32 if sign < 128 and (chr(sign).isspace() or chr(sign) in _BETWEEN) else sign for sign in range(256))
_EDGE = ".:/-_~@&%$^+"
# Inside a run: words, numbers, and capitals that begin a new word (fooBar, HTTPServer, utf8Name).
_WORD = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_PLAIN = regex(r"[a-z]+")
# What joins the parts of a qualified name or a path.
_JOINTS = regex(r"[/.:@#~&%$^+]+")
# The marks of European scripts; those of other scripts change the letter rather than decorate it.
_MARKS = regex("[\u0300-\u036f]")
_LETTERS = str.maketrans(
    {"ł": "l", "Ł": "L", "ß": "ss", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE"}
)

# Longer words are data (hashes, base64), which are found whole or not at all.
_MAX_WORD_LENGTH = 40
_MAX_RUN_LENGTH = 120
# Bounds the memory of the memo: distinct runs of a large corpus are mostly data seen once.
_MEMO_SIZE = 400_000
_ITS_WORDS, _ITS_NAMES = itemgetter(0), itemgetter(1)  # of what the memo has of a run

STOP_WORDS = frozenset(
    """
    a about after all also am an and any are as at be because been before being but by can could did do does
    doing for from had has have having he her here him his how i if in into is it its just me more most my no
    nor not now of on once only or other our out over own same she should so some such than that the their them
    then there these they this those through to too under until up us very was we were what when where which
    while who whom why will with would you your yours let please
    """.split()  # noqa: SIM905 - a paragraph of words reads better than a column of strings
)


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms a text is indexed under: ``words`` in their order, and ``names`` (identifiers, paths, markers) whole.

    The rest is set for a single run of a question, as ``typed``. ``whole`` is one plain word as the name it may be with
    its capitals lost. ``others`` are words that stand for it as well: its stems in other languages, and of a CamelCase
    name the word it is without capitals.
    """

    words: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    whole: str = ""
    typed: str = ""
    others: tuple[str, ...] = ()

    @property
    def is_compound(self) -> bool:
        """Whether it is a CamelCase or snake_case name of several words."""
        parts = self.typed.strip("_").split("_")
        return (
            len(self.words) > 1
            and bool(self.names)
            and all(map(str.isalnum, parts))
            and (len(parts) > 1 or self.typed.isalpha())
        )


def analyze(text: str, language: str | None = None) -> Terms:
    """The terms of a text. Repeated terms stay repeated: how often one occurs is half of what ranking knows.

    ``language`` is one of `retrieval.languages`, empty for English; None tells it from the text.
    """
    words, names = term_streams(text, language)
    return Terms(list(words), list(names))


def term_streams(text: str, language: str | None = None) -> tuple[Iterator[str], Iterator[str]]:
    """The words and the names of `analyze`, for whoever only compares them."""
    runs = runs_of(text)
    return terms_of_runs(runs, languages.language_of(runs) if language is None else language)


def runs_of(text: str) -> list[str]:
    """The runs of a text, whose terms it has."""
    return spaced(text).split() if text.isascii() else _RUN.findall(text)


def spaced(text: str) -> str:
    """A text in ASCII with spaces for all that is between its runs, which are where they were."""
    return text.encode().translate(_SPACED).decode()


def terms_of_runs(runs: Iterable[str], language: str) -> tuple[Iterator[str], Iterator[str]]:
    """The words and the names of runs of a text in one language."""
    # Without a loop of Python's own: most of what indexing costs is here, and most runs are known.
    found = list(map(_memo(language).__getitem__, runs))
    return chain.from_iterable(map(_ITS_WORDS, found)), chain.from_iterable(map(_ITS_NAMES, found))


def analyze_runs(text: str) -> list[Terms]:
    """The terms of each run of a question that is one word or one name; runs without any are left out."""
    runs = runs_of(text)
    # "Ist" alone may be what is looked for, though it says nothing in German.
    return _terms_of_runs(runs, languages.languages_of(runs)) or _terms_of_runs(runs, ())


def _terms_of_runs(runs: Sequence[str], spoken: Sequence[str]) -> list[Terms]:
    found = []
    for run in runs:
        # The language it seems to be in comes first; text in English may have the same word, as may a third.
        stems = [_memo(language)[run] for language in (*spoken, "")]
        words, names = stems[0]
        if not words and not names:
            continue
        plain = not names and len(words) == 1
        typed = run.strip(_EDGE)
        if plain:
            others = tuple(dict.fromkeys(other[0] for other, _ in stems if other and other != words))
        else:
            others = _stemmed((names[0],)) if len(words) > 1 and names and typed.isalpha() else ()
        found.append(Terms(list(words), list(names), _name(typed) if plain else "", typed, others))
    return found


def in_any_language(run: Terms) -> Terms:
    """A plain word of a question with its stems in every language, for one that is not found as English.

    Without stems that are likely another word in English: "corn" is not "corner".
    """
    if not run.whole:
        return run
    found = [_foreign_terms_of(run.typed, language) for language in languages.STOP_WORDS]
    stems = dict.fromkeys(stem for terms in found if terms for stem in terms[0])
    parts = made_of(run.whole)
    likely = [stem for stem in stems if stem == run.whole or (len(stem) >= SHORTEST and stem not in parts)]
    return replace(run, others=(*run.others, *(stem for stem in likely if stem not in run.others)))


def runs_in(text: str) -> Iterator[tuple[int, int]]:
    """Where each run of a text begins and ends, without the punctuation around it."""
    return (within_edges(text, *found.span()) for found in _RUN.finditer(text))


def within_edges(text: str, begin: int, end: int) -> tuple[int, int]:
    """Where a run begins and ends without the punctuation around it."""
    run = text[begin:end]
    start = end - len(run.lstrip(_EDGE))
    return start, max(start, begin + len(run.rstrip(_EDGE)))


class _Memo(dict[str, tuple[tuple[str, ...], tuple[str, ...]]]):
    """The words and names of each run met in texts of one language; of one that is not in it, they are worked out."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, run: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        found = (_foreign_terms_of(run, self._language) if self._language else None) or _terms_of(run)
        if len(self) < _MEMO_SIZE:
            self[run] = found
        return found


def fold(text: str) -> str:
    """``text`` without case and diacritics, as terms are compared."""
    return text.lower() if text.isascii() else _without_marks(text.lower()).lower()


def _without_marks(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return unicodedata.normalize("NFC", _MARKS.sub("", decomposed))


@cache
def _memo(language: str) -> _Memo:
    return _Memo(language)


def _foreign_terms_of(run: str, language: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The terms of a word in another language than English; None for what is no plain word, or is in capitals."""
    word = run.strip(_EDGE)
    if not word.isalpha() or _is_mixed(word) or (len(word) > 2 and word.isupper()) or _has_cjk(word):
        return None
    stem = fold(languages.stem(word.lower(), language)) if len(word) <= _MAX_WORD_LENGTH else ""
    return ((stem,) if stem else ()), ()


def _terms_of(run: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if len(run) <= _MAX_RUN_LENGTH and _PLAIN.fullmatch(run):
        return _stemmed((run,)), ()  # most are such words, for which what follows would come to the same
    if len(run) > _MAX_RUN_LENGTH and "/" not in run:
        return (), (_name(run[:_MAX_RUN_LENGTH]),)
    name = _name(run.strip(_EDGE).rstrip("#"))
    if not name:
        return (), ()
    # What is written in capitals is a constant or an error's name: EACCES is found apart from prose.
    constant = (name,) if len(name) > 2 and run.isupper() else ()
    if _PLAIN.fullmatch(name) and name == run.lower().strip(_EDGE) and not _is_mixed(run):
        return _stemmed((name,)), constant
    words = _stemmed(_split(run))
    if run.strip(_EDGE).isalpha() and not _is_mixed(run):
        return words, constant  # a word like any other, with diacritics or in another script
    return words, _names_of(run, name) if len(words) != 1 or words[0] != name else ()


def _name(run: str) -> str:
    """A run as one term. Some symbols fold into a space and a mark, and terms are separated by spaces."""
    return "".join(fold(run).split())


def _is_mixed(run: str) -> bool:
    """Whether capitals inside a word divide it, as in ``fooBar``."""
    return not run.islower() and not run.isupper() and any(character.isupper() for character in run[1:])


def _names_of(run: str, name: str) -> tuple[str, ...]:
    """A name whole; for a path its file name; and the identifiers it is made of, however they are qualified.

    People remember ``parser.py`` rather than where it lay, and ``is_version`` rather than ``util::is_version``.
    """
    last = name.rpartition("/")[2]
    plain = last.rpartition("#")[0]
    files = [part for part in (last, plain) if part and not _PLAIN.fullmatch(part)]
    inner = [_name(part.strip("-_")) for part in _JOINTS.split(run) if _is_identifier(part)]
    return tuple(dict.fromkeys((name, *files, *inner)))


def _is_identifier(part: str) -> bool:
    """Whether a part of a name is more than a word: of several words, or of letters and digits."""
    return len(part) > 2 and (
        "_" in part.strip("_")
        or "-" in part.strip("-")
        or (_is_mixed(part) and part.isidentifier())
        or (part.isalnum() and not part.isalpha() and not part.isdigit())
    )


def _split(run: str) -> Iterable[str]:
    if run.isascii():
        return map(str.lower, _WORD.findall(run))
    return _split_scripts(run)


def _split_scripts(run: str) -> Iterator[str]:
    for piece in _WORD.findall(_without_marks(run)):
        if piece.isascii():
            yield piece.lower()
            continue
        for cjk in _cjk().findall(piece):
            yield from (cjk[at : at + 2] for at in range(max(1, len(cjk) - 1)))
        yield from (word.lower() for word in _cjk().split(piece) if word)


@cache
def _cjk() -> re.Pattern[str]:
    """Compiled where it is needed: few texts have a word that is not ASCII."""
    return re.compile(f"[{_CJK_LETTERS}]+")


def _has_cjk(word: str) -> bool:
    return not word.isascii() and _cjk().search(word) is not None


def _stemmed(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(stem for word in words if (stem := _stem(word)))


@lru_cache(_MEMO_SIZE)
def _stem(word: str) -> str:
    """The stem of a word; empty for what is not indexed."""
    return "" if len(word) > _MAX_WORD_LENGTH or word in STOP_WORDS else str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")
