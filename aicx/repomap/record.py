"""The stored form of one file of a map."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from aicx.repomap.files import Stamp
from aicx.repomap.symbols import CodeSymbol

if TYPE_CHECKING:
    from aicx.repomap.examine import Examined  # what reads files is not needed where they are asked for


class FileRecord(NamedTuple):
    """A file's columns, its symbols and targets as JSON, its terms a line each, and a value for each of those.

    ``unchanged``: the text is the known one, and the rest is empty.
    """

    stamp: Stamp
    digest: str
    unchanged: bool
    language: str | None
    skipped: str | None
    problem: str | None
    symbol_count: int
    symbols: str
    targets: str
    terms: str
    values: Sequence[int]

    @classmethod
    def of(cls, found: Examined) -> Self:
        return cls(
            found.stamp,
            found.digest,
            found.unchanged,
            found.language,
            found.skipped,
            found.problem,
            len(found.symbols),
            _to_json(found.symbols),
            _to_json(found.targets),
            "\n".join(term for term, _ in found.postings),
            [value for _, value in found.postings],
        )


def symbols_from(text: str) -> list[CodeSymbol]:
    """The symbols of a record."""
    return list(map(CodeSymbol._make, json.loads(text)))


def _to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
