"""CoSQA: find the one Python function that answers a web search.

A folder with ``code_idx_map.txt`` (a JSON object, function -> number) and ``cosqa-retrieval-*.json`` (the questions,
each with the number of its function).
"""

from __future__ import annotations

from pathlib import Path

from aicx.bench.dataset import Dataset, Query, text_document
from aicx.bench.datasets.files import read_json, wrong_form
from aicx.errors import NotFound

_CODE = "code_idx_map.txt"
_QUESTIONS = "cosqa-retrieval-*.json"


def load(folder: Path) -> Dataset:
    """All question files of the folder over its functions."""
    files = sorted(folder.glob(_QUESTIONS))
    if not files:
        raise NotFound(f"{folder} holds no {_QUESTIONS}", hint="name the folder CoSQA's files lie in")
    functions = read_json(folder / _CODE)
    path = folder / _CODE
    queries = []
    unanswered = 0
    try:
        documents = [text_document(str(number), code) for code, number in functions.items()]
        known = {document.id for document in documents}
        for path in files:
            for row in read_json(path):
                answer = str(row["retrieval_idx"])
                if answer in known:
                    queries.append(Query(str(row["idx"]), row["doc"], {answer: 1}))
                else:
                    unanswered += 1
    except (KeyError, TypeError, AttributeError) as error:
        raise wrong_form(path, "CoSQA", error) from error
    notes = [f"{unanswered} questions left out whose function is not in {_CODE}"] if unanswered else []
    return Dataset("cosqa", queries, {"all": documents}, notes=notes)
