"""A benchmark dataset as values: documents to rank and questions with known answers; and the quality of rankings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import orjson

from aicx.errors import MissingExtra
from aicx.types import Document, Part
from aicx.values import dataclass

QueryType = Literal["identifier", "question", "temporal", "negative"]
QUERY_TYPES: tuple[QueryType, ...] = ("identifier", "question", "temporal", "negative")

# Where a set knows no time of its own. Decay needs a clock, and the same one in every run.
TIMELESS = datetime(2020, 1, 1, tzinfo=UTC)
# The part of a set that its headline figure is over; other parts are reported apart, under their own name.
COUNTED = "counted"

# Our name -> the library's. MRR@10 is the mean of RR@10, and a hit is what it calls success.
MEASURES: Mapping[str, str] = {
    "MRR@10": "RR@10",
    "nDCG@10": "nDCG@10",
    "Recall@5": "R@5",
    "Recall@10": "R@10",
    "hit@1": "Success@1",
    "hit@10": "Success@10",
}
DEPTH = 10

Columns = Mapping[str, str | int | None]
_NO_COLUMNS: Columns = {}

_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Query:
    """A question, its clock, and the answers that count: id -> grade. A negative question has none.

    ``target`` is what `aicx why` is asked for in its place, such as a commit, with the repository in the folder
    ``place`` at hand.
    """

    id: str
    text: str
    relevant: Mapping[str, int] = field(default_factory=dict)
    type: QueryType = "question"
    now: datetime = TIMELESS
    corpus: str = "all"  # which of the set's corpora it is asked of
    part: str = COUNTED
    exclude: str | None = None  # an answer that does not count, such as the session that asks
    target: str | None = None
    place: Path | None = None


@dataclass(frozen=True, slots=True)
class Dataset:
    """Questions over one or more corpora that are never pooled.

    ``answer`` says what an answer is: a document, or the session its documents belong to. ``home`` is the AICX_HOME
    that holds the corpus where it is one of stored sessions. ``notes`` say what was left out of the file, and why.
    """

    name: str
    queries: Sequence[Query]
    corpora: Mapping[str, Sequence[Document]]
    answer: Literal["document", "session"] = "document"
    home: Path | None = None
    private: bool = False  # nothing made from it may outlive the run
    notes: Sequence[str] = ()

    def answer_id(self, document: Document) -> str:
        """Returns the id that ``document`` counts as when it is found."""
        return session_key(str(document.columns["session_id"])) if self.answer == "session" else document.id

    def fingerprint(self) -> str:
        """Changes whenever a question, an answer or a document does."""
        digest = sha256()
        for query in self.queries:
            digest.update(orjson.dumps(query_fields(query), option=orjson.OPT_SORT_KEYS))
        for name, documents in sorted(self.corpora.items()):
            digest.update(name.encode())
            for document in documents:
                digest.update(orjson.dumps(document_fields(document), option=orjson.OPT_SORT_KEYS))
        return digest.hexdigest()[:16]


def session_key(session_id: str) -> str:
    """A session's uuid: some logs put a date in front of it."""
    found = _UUID.search(session_id.lower())
    return found[0] if found else session_id


def columns_at(at: datetime) -> Columns:
    """The columns of a document that was said at one time."""
    seconds = int(at.timestamp())
    return {"day": int(f"{at:%Y%m%d}"), "started_at": seconds, "completed_at": seconds}


def with_version(document_id: str, header: str, parts: tuple[Part, ...], columns: Columns) -> Document:
    """A document whose version is taken from what it says."""
    said = orjson.dumps([header, [[part.text, part.weight, part.field] for part in parts]])
    return Document(document_id, sha256(said).hexdigest(), header, parts, dict(columns))


def text_document(document_id: str, text: str, header: str = "", columns: Columns = _NO_COLUMNS) -> Document:
    """A document of one text."""
    return with_version(document_id, header, (Part(text),), columns)


def document_fields(document: Document) -> dict[str, Any]:
    """A document as JSON has it."""
    return {
        "id": document.id,
        "version": document.version,
        "header": document.header,
        "parts": [[part.text, part.weight, part.field] for part in document.parts],
        "columns": dict(document.columns),
    }


def query_fields(query: Query) -> dict[str, Any]:
    """A question as JSON has it."""
    return {
        "id": query.id,
        "text": query.text,
        "relevant": dict(query.relevant),
        "type": query.type,
        "now": query.now.isoformat(),
        "corpus": query.corpus,
        "part": query.part,
        "exclude": query.exclude,
        **({"target": query.target} if query.target else {}),
    }


def quality(queries: Sequence[Query], rankings: Mapping[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    """Each question's measures: query id -> measure -> value. Negative questions have none and are left out.

    ``rankings`` gives each question's answers, best first and each once; a question without one scores 0.
    """
    try:
        import ir_measures
    except ImportError as error:
        raise MissingExtra("Measuring rankings", "bench") from error

    asked = [query for query in queries if query.relevant]
    qrels = {query.id: {answer: int(grade) for answer, grade in query.relevant.items()} for query in asked}
    # Scores that fall by one: the library orders equal scores its own way, and the order here is the ranker's.
    run = {
        query.id: {answer: float(-rank) for rank, answer in enumerate(rankings.get(query.id, ())[:DEPTH])}
        for query in asked
    }
    names = {ir_measures.parse_measure(theirs): ours for ours, theirs in MEASURES.items()}
    found: dict[str, dict[str, float]] = {query.id: dict.fromkeys(MEASURES, 0.0) for query in asked}
    for value in ir_measures.iter_calc(list(names), qrels, run):
        found[value.query_id][names[value.measure]] = float(value.value)
    return found
