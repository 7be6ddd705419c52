"""Any collection of documents, questions and judgements in a folder: JSON Lines, TREC's form, or SMART's (Cranfield).

Which file holds what is read from its name, which form it has from its first characters (`aicx.bench.datasets.files`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from aicx.bench.dataset import Dataset, Query
from aicx.bench.datasets.files import read_documents, read_judgements, read_queries
from aicx.errors import NotFound

# The first that matches decides: `cranqrel` and `qrels/test.tsv` hold judgements, whatever else their names say.
_ROLES: Mapping[str, re.Pattern[str]] = {
    "judgements": re.compile(r"(?i)qrel|judge?ment"),
    "questions": re.compile(r"(?i)quer|topic|question|\.qry"),
    "documents": re.compile(r"(?i)doc|corpus|collection|passage|\.all"),
}
_NAMES = {"judgements": "qrels.txt", "questions": "queries.jsonl", "documents": "documents.jsonl"}
_NOT_DATA = re.compile(r"(?i)readme|licen[sc]e|.*\.md$")


def load(folder: Path) -> Dataset:
    """The collection in ``folder``, named for it."""
    files = _files(folder)
    documents = [document for path in files["documents"] for document in read_documents(path)]
    queries = [query for path in files["questions"] for query in read_queries(path)]
    judged: dict[str, dict[str, int]] = {}
    for path in files["judgements"]:
        for query_id, document_id, grade in read_judgements(path):
            judged.setdefault(query_id, {})[document_id] = grade
    notes: list[str] = []
    if _by_position(queries, judged):
        queries = [replace(query, id=str(number)) for number, query in enumerate(queries, 1)]
        notes.append("the judgements count the questions instead of naming their ids, as Cranfield's do")
    known = {document.id for document in documents}
    asked = [replace(query, relevant=_answers(judged.get(query.id, {}), known)) for query in queries]
    kept = [query for query in asked if query.relevant or query.type == "negative"]
    if len(kept) < len(asked):
        notes.append(f"{len(asked) - len(kept)} questions left out: nothing that is there was judged relevant to them")
    lost = {document_id for grades in judged.values() for document_id in grades} - known
    if lost:
        notes.append(f"{len(lost)} judged documents are not in the collection")
    return Dataset(folder.name, kept, {"all": documents}, notes=notes)


def _files(folder: Path) -> dict[str, list[Path]]:
    if not folder.is_dir():
        raise NotFound(f"{folder} is not a folder", hint="name a folder with documents, questions and judgements")
    found: dict[str, list[Path]] = {role: [] for role in _ROLES}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not _NOT_DATA.match(path.name):
            name = str(path.relative_to(folder))
            role = next((role for role, pattern in _ROLES.items() if pattern.search(name)), None)
            if role:
                found[role].append(path)
    for role, paths in found.items():
        if not paths:
            raise NotFound(f"no file in {folder} is named as if it held {role}", hint=f"name it {_NAMES[role]}")
    return found


def _by_position(queries: Sequence[Query], judged: Mapping[str, object]) -> bool:
    """Whether the judgements name questions by their place in the file: their ids do not fit, their numbers do."""
    ids = {query.id for query in queries}
    places = {str(number) for number in range(1, len(queries) + 1)}
    return not judged.keys() <= ids and judged.keys() <= places


def _answers(grades: Mapping[str, int], known: set[str]) -> dict[str, int]:
    return {document: grade for document, grade in grades.items() if grade > 0 and document in known}
