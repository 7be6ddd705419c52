"""SQLite FTS5 with its stemmer, any word matching: the full-text search that most peers use."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from aicx.bench.dataset import Query
from aicx.bench.rankers import DEFAULT_CHOICES, Choices, RankerFolders, full_text
from aicx.types import Candidate, Document

IN_MEMORY = False

_WORD = re.compile(r"\w+")


class Fts5:
    """An FTS5 table in a file."""

    def __init__(
        self, name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
    ) -> None:
        self._connection = sqlite3.connect(_path(place))

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        words = list(dict.fromkeys(_WORD.findall(query.text.lower())))
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        rows = self._connection.execute(
            "SELECT id, bm25(texts) FROM texts WHERE texts MATCH ? ORDER BY 2, 1 LIMIT ?", (match, limit)
        )
        return [Candidate(document_id, -float(score)) for document_id, score in rows]


open_ranker = Fts5


def build(name: str, documents: Sequence[Document], place: RankerFolders) -> float:
    started = time.perf_counter()
    path = _path(place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE VIRTUAL TABLE texts USING fts5(id UNINDEXED, body, tokenize='porter unicode61')")
        rows = ((document.id, full_text(document)) for document in documents)
        connection.executemany("INSERT INTO texts VALUES (?, ?)", rows)
        connection.execute("INSERT INTO texts(texts) VALUES ('optimize')")
        connection.commit()
    return time.perf_counter() - started


def index_paths(name: str, place: RankerFolders) -> Sequence[Path]:
    return (_path(place),)


def _path(place: RankerFolders) -> Path:
    return place.folder / "fts5.sqlite"
