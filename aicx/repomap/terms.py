"""The terms of a file and their weights: the index-time half of the relevance formula.

A file is found under the words and names of five fields: its path, the symbols it defines, its headings, what its
comments say of it, and what it imports. With ``n`` occurrences of a term in a field, its strength there is

    weight * n / sqrt(1 + size / usual)

where ``size`` is the number of words in the field and ``usual`` that of an ordinary file. The root keeps a file with
thousands of symbols from being an answer to everything, and lets it be found still. Path fields have no size: a long
path is no flaw. The strengths of the fields add up to ``s``, and the term's impact is ``s / (s + 1)``: from 0 to 1,
rising fast at first, so that saying a word often helps little.

Because ``usual`` is a constant rather than an average of the repository, an impact depends on the file alone and is
stored as it is. The other half of the formula is in `ranking`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from enum import IntEnum
from math import sqrt

from aicx.repomap.imports import module_of, tail
from aicx.repomap.kinds import role_of
from aicx.repomap.symbols import CodeSymbol
from retrieval.analysis import analyze

# What a posting keeps is one number: the impact as a whole number of this unit, above the flags.
_UNIT = 1000
_FLAG_BITS = 8
# Words in a field of an ordinary file.
_USUAL = 30.0

# A file's own name says most; folders are shared by many. A symbol is what we are after. What only this file can see
# says less, and a declaration says what the definition says elsewhere. What a file imports is what it uses.
_FILE_NAME, _FOLDER, _SYMBOL, _LOCAL, _HEADING, _IMPORT, _NOTE = 2.0, 0.5, 1.0, 0.3, 0.8, 0.2, 0.7

# Marks that keep apart what may not meet: whole names, what a file is imported as, and what it imports.
NAME, MODULE, TARGET = "=", "<", ">"


class Field(IntEnum):
    """Where a term occurs in a file: the lower bits of its flags."""

    path = 1
    symbol = 2
    heading = 4
    imports = 8
    notes = 16


_ROLE_SHIFT = 5

# A term with its value. Plain, for there are a hundred of them to a file.
Posting = tuple[str, int]


def impact_in(value: int) -> float:
    """The impact that a posting's value holds, from 0 to 1."""
    return (value >> _FLAG_BITS) / _UNIT


def fields_in(value: int) -> int:
    """The fields that a posting's value holds, as bits of `Field`."""
    return value & ((1 << _ROLE_SHIFT) - 1)


def role_in(value: int) -> int:
    """The role of the file that a posting's value holds, as `Role` counts them."""
    return (value & ((1 << _FLAG_BITS) - 1)) >> _ROLE_SHIFT


def postings(
    path: str, language: str | None, symbols: Sequence[CodeSymbol], targets: Sequence[str], notes: str = ""
) -> list[Posting]:
    """Everything one file is found under."""
    strength: dict[str, float] = defaultdict(float)
    fields: dict[str, int] = defaultdict(int)
    for terms, weight, field in _weighted(path, symbols, targets, notes):
        for term in terms:
            strength[term] += weight
            fields[term] |= field
    role = role_of(path, language) << _ROLE_SHIFT
    found = [
        (term, max(1, round(_UNIT * value / (value + 1))) << _FLAG_BITS | role | fields[term])
        for term, value in strength.items()
    ]
    return found + [(term, role) for term in dict.fromkeys(_links(path, language, symbols, targets))]


def terms_in(text: str) -> list[str]:
    """The terms of a text as postings have them, repeated ones included."""
    terms = analyze(text)
    return terms.words + [NAME + name for name in terms.names]


def words_of(symbol: str) -> list[str]:
    """The words a symbol's name is made of, stemmed."""
    return analyze(symbol).words


def modules(path: str, language: str | None, symbols: Iterable[CodeSymbol]) -> list[str]:
    """Returns the names under which other files import this one."""
    if language == "csharp":  # there, what is imported are namespaces, wherever they lie
        return [symbol.qualified.replace(".", "/") for symbol in symbols if symbol.kind == "module"]
    return [module_of(path, language)]


def _weighted(
    path: str, symbols: Sequence[CodeSymbol], targets: Sequence[str], notes: str
) -> Iterable[tuple[list[str], float, Field]]:
    folder, _, name = path.rpartition("/")
    stem, _, ending = name.partition(".")
    yield analyze(folder).words + analyze(ending).words, _FOLDER, Field.path
    yield analyze(stem).words + [NAME + item for item in analyze(path).names], _FILE_NAME, Field.path
    defined = [(terms_in(symbol.name), symbol) for symbol in symbols if symbol.kind != "heading"]
    damping = _damping(terms for terms, _ in defined)
    for terms, symbol in defined:
        weight = _LOCAL if symbol.local or symbol.kind == "declaration" else _SYMBOL
        yield terms, weight * damping, Field.symbol
    headings = [terms_in(symbol.name) for symbol in symbols if symbol.kind == "heading"]
    yield [term for terms in headings for term in terms], _HEADING * _damping(headings), Field.heading
    imported = [analyze(target).words for target in targets]
    yield [term for terms in imported for term in terms], _IMPORT * _damping(imported), Field.imports
    written = [terms_in(note) for note in notes.split("\n")]
    yield [term for terms in written for term in terms], _NOTE * _damping(written), Field.notes


def _damping(field: Iterable[Sequence[str]]) -> float:
    return 1 / sqrt(1 + sum(map(len, field)) / _USUAL)


def _links(path: str, language: str | None, symbols: Sequence[CodeSymbol], targets: Sequence[str]) -> Iterable[str]:
    yield from (MODULE + tail(module) for module in modules(path, language, symbols) if module)
    yield from (TARGET + tail(target) for target in targets)
