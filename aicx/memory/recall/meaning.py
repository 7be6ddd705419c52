"""The lane by meaning: statements near a question in the vectors of the corpus's own embedder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from aicx.config import Settings
from aicx.errors import NotFound
from aicx.memory.index import RecordIndex
from aicx.memory.recall.live import LiveTable
from aicx.memory.recall.table import Table
from aicx.memory.record import Record
from aicx.values import batches

if TYPE_CHECKING:
    from aicx.engine.embedder_choice import CorpusEmbedder

# A similarity from which on two statements say the same, and what chance is taken for where it was not measured.
_SAME, _CHANCE = 0.8, 0.3
# What a question embeds on its way, so that a new record is found by meaning at once; the rest waits for `aicx index`.
_ON_THE_WAY = 32
_BATCH = 256
_MAX_RECORDS = 1000  # records that a question finds by meaning
NEXT = "aicx index"


class Meaning:
    """Vectors of statements, kept in memory from one question to the next."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made: object = None
        self._open: CorpusEmbedder | None = None
        self._kept: tuple[object, Sequence[int], Any, int] | None = None
        self._live: tuple[object, Any] | None = None

    @property
    def wanted(self) -> bool:
        """Whether the corpus is searched by meaning; otherwise nothing is, and no lane is missing."""
        if not self._settings.layout.index_manifest.exists():
            return False
        from aicx.engine.index_manifest import read_manifest

        return "embedder" in (read_manifest(self._settings.layout).get("vectors") or {})

    def near(
        self, text: str, table: Table | None, live: LiveTable, load: Callable[[Sequence[str]], Sequence[Record]] | None
    ) -> tuple[dict[int, float], list[str]]:
        """Scores from 0 to 1 of what is nearer than chance, as records and live statements are numbered, and notes.

        Raises AicxError where the embedder cannot answer.
        """
        import numpy as np

        found = self._embedder()
        asked = found.embedder.embed([text])[0]
        near: dict[int, float] = {}
        notes: list[str] = []
        if table is not None and load is not None:
            numbers, vectors, behind = self._vectors(found, table, load)
            if behind:
                notes.append(f"{behind:,} statements are found by words alone; next: {NEXT}")
            if len(numbers):
                # Not `@`: the threads that it starts wait for each other, 30 ms on a busy machine.
                scores = np.einsum("ij,j->i", vectors, asked)
                rows = np.flatnonzero(scores > _chance(found))
                if len(rows) > _MAX_RECORDS:
                    rows = rows[np.argsort(-scores[rows], kind="stable")[:_MAX_RECORDS]]
                for row, score in zip(rows.tolist(), scores[rows].tolist(), strict=True):
                    near[numbers[row]] = _calibrated(score, found)
        if 0 < len(live.statements) <= _ON_THE_WAY:
            for at, score in enumerate(self._of_live(found, live) @ asked):
                if score > _chance(found):
                    near[-1 - at] = _calibrated(float(score), found)
        elif live.statements:
            notes.append(f"{len(live.statements):,} statements of instruction files are found by words alone")
        return near, notes

    def _embedder(self) -> CorpusEmbedder:
        from aicx.engine.embedder_choice import open_corpus_embedder
        from aicx.engine.index_manifest import read_manifest

        made = read_manifest(self._settings.layout).get("vectors")
        if self._open is None or made != self._made:
            self._open, self._made = open_corpus_embedder(self._settings), made
        if self._open is None:
            raise NotFound("there is no vector index", hint=NEXT)
        return self._open

    def _vectors(
        self, found: CorpusEmbedder, table: Table, load: Callable[[Sequence[str]], Sequence[Record]]
    ) -> tuple[Sequence[int], Any, int]:
        """Numbers, their vectors, and how many statements have none yet."""
        import numpy as np

        if self._kept is None or self._kept[0] != (found.make, table.changes):
            missing = table.unembedded(found.make)
            if 0 < len(missing) <= _ON_THE_WAY:
                _embed(found, table, missing, load)
                missing = []
            numbers, body = table.vectors(found.make)
            vectors = np.frombuffer(body, dtype=np.float32).reshape(len(numbers), found.embedder.dimensions)
            self._kept = (found.make, table.changes), numbers, vectors, len(missing)
        return self._kept[1:]

    def _of_live(self, found: CorpusEmbedder, live: LiveTable) -> Any:
        key = found.make, tuple(one.statement.text for one in live.statements)
        if self._live is None or self._live[0] != key:
            self._live = key, found.embedder.embed(list(key[1]))
        return self._live[1]


def embed_statements(settings: Settings) -> int:
    """Embeds what the memory has and what has no vector of the corpus's embedder yet; how many that were.

    Raises AicxError where the embedder cannot be opened.
    """
    from aicx.engine.embedder_choice import open_corpus_embedder

    layout = settings.layout
    found = open_corpus_embedder(settings) if layout.memory.is_dir() else None
    if found is None:
        return 0
    index = RecordIndex(layout.memory_index, layout.memory)
    table = Table(layout.memory_recall)
    try:
        versions = index.versions()
        table.sync({one.path: (versions.get(one.path, 0), one.place) for one in index.entries}, index.records)
        missing = table.unembedded(found.make)
        _embed(found, table, missing, index.records)
    finally:
        table.close()
        index.close()
    return len(missing)


def _embed(
    found: CorpusEmbedder,
    table: Table,
    missing: Sequence[tuple[int, str]],
    load: Callable[[Sequence[str]], Sequence[Record]],
) -> None:
    import numpy as np

    for some in batches(missing, _BATCH):
        texts = [f"{record.topic}: {record.statement}" for record in load([path for _, path in some])]
        vectors = np.ascontiguousarray(found.embedder.embed(texts), dtype=np.float32)
        table.put_vectors(found.make, {number: row.tobytes() for (number, _), row in zip(some, vectors, strict=True)})


def _chance(found: CorpusEmbedder) -> float:
    return min(_SAME - 0.1, _CHANCE if found.near is None else found.near)


def _calibrated(similarity: float, found: CorpusEmbedder) -> float:
    """0 where chance comes as near, 1 where two statements say the same: comparable to a score by words."""
    chance = _chance(found)
    return max(0.0, min(1.0, (similarity - chance) / (_SAME - chance)))
