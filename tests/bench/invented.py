"""Small invented collections for the harness's tests."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from aicx.bench.dataset import Dataset, Query, text_document
from indexer.models import model_folder
from retrieval.embedders import PACKAGED
from tests.models import write_static

DOCUMENTS = {
    "login": "fix the login redirect loop: the cookie was never renewed",
    "parser": "repair the parser of dates, parse_tide_table() took metres for feet",
    "board": "the board sorted times as text, so 10:05 came before 9:40",
}
QUERIES = (
    Query("q1", "login redirect", {"login": 1}),
    Query("q2", "parse_tide_table", {"parser": 1}, "identifier"),
    Query("q3", "sorted times board", {"board": 1}),
    Query("q4", "zzyzx quux", type="negative"),
)

# Parts of a result's facts, as its file has them.
MACHINE = {"system": "Linux", "release": "6", "architecture": "z", "processor": "x|y", "cores": 2, "memory_gb": 8.0}
SETTINGS = {"seed": 1, "resamples": 1_000, "depth": 10, "cold_runs": 2, "seconds": 60.0, "rules": {}}
DATASET = {"answer": "document", "queries": {}, "documents": 3, "corpora": 1, "answers": 3, "notes": []}


def small(name: str = "small") -> Dataset:
    """Three documents that share hardly a word, and a question to each; one question is about none of them."""
    documents = [text_document(document_id, text) for document_id, text in DOCUMENTS.items()]
    return Dataset(name, QUERIES, {"all": documents})


def models(folder: Path) -> Path:
    """A folder of models in which the static one is already made, from a few invented words."""
    tiny = write_static(folder)
    tiny.rename(model_folder(folder, "static256", PACKAGED))
    return folder


def write_lines(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path
