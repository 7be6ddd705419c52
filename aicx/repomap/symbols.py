"""The outline of one file: its definitions, with kind and lines, and its imports; and the file as a map stores it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aicx.repomap.files import Stamp
from aicx.values import dataclass

# The flaw of a file that does not follow its language's grammar, as much C does that leans on the preprocessor.
SYNTAX_ERRORS = "syntax errors"


class CodeSymbol(NamedTuple):
    """A definition, a heading or a target. Lines count from 1; ``container`` is what it lies in, as ``Outer.inner``.

    A plain tuple, because a question looks at tens of thousands of them, and they are stored as they are.
    """

    name: str
    kind: str
    line: int
    end_line: int
    container: str = ""
    local: bool = False  # inside a function, so of no interest to other files
    words: str = ""  # what the name is made of, stemmed and separated by spaces

    @property
    def qualified(self) -> str:
        return f"{self.container}.{self.name}" if self.container else self.name


@dataclass(frozen=True, slots=True)
class RawImport:
    """An import as the file writes it. ``form`` tells apart what the languages do; `imports` knows what it means."""

    source: str
    form: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outline:
    """A file without its text. ``notes`` is what its comments say of it; ``flaw`` what kept part from being read."""

    symbols: tuple[CodeSymbol, ...] = ()
    imports: tuple[RawImport, ...] = ()
    notes: str = ""
    flaw: str | None = None


class FileRecord(NamedTuple):
    """A file's columns, its symbols and targets as JSON, its terms a line each, and a value for each of those.

    ``unchanged``: the text is the known one, and the rest is empty.
    """

    stamp: Stamp
    digest: str = ""
    unchanged: bool = False
    language: str | None = None
    skipped: str | None = None
    problem: str | None = None
    terms: str = ""
    values: Sequence[int] = ()
    symbol_count: int = 0
    symbols: str = "[]"
    targets: str = "[]"

    @property
    def postings(self) -> Iterator[tuple[str, int]]:
        """Each term with its value."""
        return zip(self.terms.split("\n") if self.terms else (), self.values, strict=True)


def symbols_from(text: str) -> list[CodeSymbol]:
    """The symbols of a record."""
    return list(map(CodeSymbol._make, json.loads(text)))
