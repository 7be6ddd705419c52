"""A memory to ask: invented records, or the candidates that a corpus gives among invented ones.

Every document is a record; its columns say what became of it. `aicx.bench.rankers.memory` makes a memory of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from aicx.bench.dataset import Dataset, columns_at, text_document
from aicx.bench.mining.records import ELSEWHERE, HERE, NOW, SYNONYMS, BenchRecord, Fate, invent, mine, mine_absent
from aicx.bench.stores import settings_for
from aicx.errors import NotFound
from aicx.memory.candidates.gather import gather_at
from aicx.types import Document

# About so many subjects; with what else is said about them nearly four times as many records.
_SUBJECTS = 400
_ABSENT = 30
_RIVALS: Sequence[Fate] = ("replaced", "rejected", "expired", "archived", "accepted")


def load(seed: int, corpus: Path | None = None) -> Dataset:
    """The invented records, or with ``corpus``, an AICX_HOME, its candidates as what holds, among invented ones.

    Raises NotFound for a corpus that gives too few.
    """
    random = Random(seed)  # noqa: S311 - it draws questions, not keys
    invented = invent(_SUBJECTS, seed)
    asked = invented if corpus is None else _mined(corpus)
    records = invented if corpus is None else [*asked, *invented]
    queries = [*mine(asked, random), *mine_absent(records, _ABSENT)]
    name = "memory" if corpus is None else "memory-mined"
    return Dataset(name, queries, {"all": [document_of(one) for one in records]}, private=corpus is not None)


def _mined(corpus: Path) -> list[BenchRecord]:
    every = gather_at(settings_for(corpus), None, keep=False).proposals
    if len(every) < 2:
        raise NotFound(f"{corpus} gives fewer than two candidates", hint="aicx memory candidates")
    right = [
        BenchRecord(one.id, one.kind, one.topic, one.statement, one.statement, min(one.last_seen, NOW), right=True)
        for one in every
    ]
    return right + [_rival(record, _RIVALS[number % len(_RIVALS)]) for number, record in enumerate(right)]


def _rival(record: BenchRecord, fate: Fate) -> BenchRecord:
    """Makes a record in nearly the same words, from before or elsewhere, that does not hold here."""
    word = next((word for word in record.statement.split() if word in SYNONYMS), None)
    statement = record.statement.replace(word, SYNONYMS[word], 1) if word else f"{record.statement} Or so."
    at = record.at - timedelta(days=100)
    repository = ELSEWHERE if fate == "accepted" else HERE
    return replace(
        record, id=f"{record.id}-not", statement=statement, at=at, fate=fate, repository=repository, right=False
    )


def document_of(record: BenchRecord) -> Document:
    """A record as a document whose columns hold everything else of it."""
    named = {name: getattr(record, name) for name in ("fate", "kind", "topic", "about", "repository")}
    columns = {**columns_at(record.at), **named, "right": int(record.right)}
    return text_document(record.id, record.statement, columns=columns)


def records_of(documents: Sequence[Document]) -> list[BenchRecord]:
    """The records behind documents of this set. Raises KeyError for others."""
    return [_record(document) for document in documents]


def _record(document: Document) -> BenchRecord:
    columns = dict(document.columns)
    kind, topic, about, repository, fate = (
        str(columns[name]) for name in ("kind", "topic", "about", "repository", "fate")
    )
    at = datetime.fromtimestamp(int(columns["started_at"] or 0), UTC)
    statement = document.parts[0].text
    return BenchRecord(document.id, kind, topic, statement, about, at, fate, repository, bool(columns["right"]))  # type: ignore[arg-type]
