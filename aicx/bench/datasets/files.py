"""Reads the files that datasets come in: JSON, TREC's marked-up text, SMART's dotted lines, and plain columns."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from aicx.bench.dataset import QUERY_TYPES, TIMELESS, Query, columns_at, text_document, with_version
from aicx.errors import NotFound, UsageError
from aicx.types import Document, Part

_FORMS = "docs/benchmarks.md says which forms are read"

_MEND = "mend the line, or remove it; what it says is lost"


def read_json(path: Path) -> Any:
    """The JSON value in a file."""
    try:
        return orjson.loads(read_bytes(path))
    except orjson.JSONDecodeError as error:
        raise UsageError(f"{path} is not JSON: {error}", hint=_FORMS) from error


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    rows = []
    for number, line in enumerate(read_bytes(path).splitlines(), 1):
        if line.strip():
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise UsageError(f"{path}, line {number}: not JSON: {error}", hint=_MEND) from error
            if not isinstance(row, dict):
                raise UsageError(f"{path}, line {number}: not a JSON object", hint=_MEND)
            rows.append(row)
    return rows


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror}", hint="name a file that is there") from error


def wrong_form(path: Path, form: str, error: Exception) -> UsageError:
    """The failure for a file that is not of the form it was given as."""
    what = f"the field {error} is missing" if isinstance(error, KeyError) else str(error)
    return UsageError(f"{path} is not in {form}'s form: {what}", hint=_FORMS)


_TAG = re.compile(r"(?s)<[^>]*>")
_DOC = re.compile(r"(?is)<doc>(.*?)</doc>")
_DOCNO = re.compile(r"(?is)<docno>\s*(.*?)\s*</docno>")
_TITLE = re.compile(r"(?is)<(?:title|headline)>(.*?)</(?:title|headline)>")
_TOP = re.compile(r"(?is)<top>(.*?)</top>")
_NUM = re.compile(r"(?is)<num>\s*(?:number:)?\s*(\S+?)\s*(?=<|$)", re.MULTILINE)
_ASKED = re.compile(r"(?is)<title>\s*(?:topic:)?\s*(.*?)\s*(?=<|$(?![\s\S]))")
_DESCRIBED = re.compile(r"(?is)<desc>\s*(?:description:)?\s*(.*?)\s*(?=<|$(?![\s\S]))")
_SMART = re.compile(r"(?m)^\.([A-Z])[ \t]*(.*)$")


def read_documents(path: Path) -> Iterator[Document]:
    """The documents of a file."""
    start = _start(path)
    try:
        if start.startswith("{"):
            yield from (_json_document(row) for row in read_lines(path))
        elif start.startswith("<"):
            yield from _trec_documents(_text(path))
        elif start.startswith(".I"):
            for number, fields in _smart_records(_text(path)):
                yield text_document(number, fields.get("W", ""), fields.get("T", ""))
        else:
            for row in _columns(path):
                yield text_document(row[0], "\t".join(row[1:]))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise wrong_form(path, "a document file", error) from error


def read_queries(path: Path) -> Iterator[Query]:
    """The questions of a file, without their answers."""
    start = _start(path)
    try:
        if start.startswith("{"):
            yield from (_json_query(row) for row in read_lines(path))
        elif start.startswith("<"):
            for topic in _TOP.findall(_text(path)):
                asked = _ASKED.search(topic) or _DESCRIBED.search(topic)
                number = _NUM.search(topic)
                if asked is None or number is None:
                    raise ValueError("a <top> without a number or a title")
                yield Query(number[1], _plain(asked[1]))
        elif start.startswith(".I"):
            for name, fields in _smart_records(_text(path)):
                yield Query(str(int(name)), fields["W"])
        else:
            yield from (Query(row[0], row[1]) for row in _columns(path))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise wrong_form(path, "a question file", error) from error


def read_judgements(path: Path) -> Iterator[tuple[str, str, int]]:
    """(question, document, grade) of a file; a grade of 0 or less says that the document does not answer.

    Without a grade a named document is relevant. In three columns without a heading, which is SMART's form, a grade
    says no more than relevant or not: in Cranfield 1 is the best.
    """
    try:
        if _start(path).startswith("{"):
            for row in read_lines(path):
                query, document = _first(row, "query_id", "query", "qid"), _first(row, "doc_id", "document", "docid")
                yield str(query), str(document), int(_first(row, "relevance", "grade", "score", default=1))
            return
        rows = [line.split() for line in _text(path).splitlines() if line.strip()]
        headed = bool(rows) and not rows[0][-1].lstrip("-").isdigit()
        for columns in rows[headed:]:
            if len(columns) == 4:
                yield columns[0], columns[2], int(columns[3])
            elif headed:
                yield columns[0], columns[1], int(columns[2])
            else:
                yield columns[0], columns[1], int(len(columns) < 3 or int(columns[2]) > 0)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise wrong_form(path, "a judgement file", error) from error


def _json_document(row: dict[str, Any]) -> Document:
    document_id = str(_first(row, "_id", "id", "doc_id"))
    header = str(_first(row, "header", "title", default=""))
    columns = columns_at(_instant(row["at"])) if "at" in row else {}
    if "parts" not in row:
        return text_document(document_id, str(row["text"]), header, columns)
    parts = tuple(Part(part["text"], part.get("weight", 1.0), part.get("field", "said")) for part in row["parts"])
    return with_version(document_id, header, parts, columns)


def _json_query(row: dict[str, Any]) -> Query:
    kind = row.get("type", "question")
    if kind not in QUERY_TYPES:
        raise ValueError(f"the type {kind!r}, which is none of {', '.join(QUERY_TYPES)}")
    now = _instant(row["now"]) if "now" in row else TIMELESS
    query_id, text = _first(row, "_id", "id", "query_id", "qid"), _first(row, "text", "query")
    return Query(str(query_id), str(text), type=kind, now=now)


def _instant(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(f"the time {text} has no zone")
    return at.astimezone(UTC)


def _first(row: dict[str, Any], *names: str, default: Any = None) -> Any:
    for name in names:
        if name in row:
            return row[name]
    if default is None:
        raise KeyError(names[0])
    return default


def _trec_documents(text: str) -> Iterator[Document]:
    for body in _DOC.findall(text):
        number = _DOCNO.search(body)
        if number is None:
            raise ValueError("a <DOC> without a <DOCNO>")
        title = _TITLE.search(body)
        rest = body.replace(number[0], " ").replace(title[0], " ") if title else body.replace(number[0], " ")
        yield text_document(number[1], _plain(rest), _plain(title[1]) if title else "")


def _smart_records(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Records that begin with ``.I number``, each as its lettered fields."""
    marks = list(_SMART.finditer(text))
    number: str | None = None
    fields: dict[str, str] = {}
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        body = text[mark.end() : following.start() if following else len(text)]
        if mark[1] == "I":
            if number is not None:
                yield number, fields
            number, fields = mark[2].strip(), {}
        else:
            fields[mark[1]] = " ".join((mark[2] + body).split())
    if number is not None:
        yield number, fields


def _columns(path: Path) -> Iterator[list[str]]:
    return (line.split("\t") for line in _text(path).splitlines() if line.strip())


def _plain(text: str) -> str:
    return " ".join(html.unescape(_TAG.sub(" ", text)).split())


def _text(path: Path) -> str:
    return read_bytes(path).decode("utf-8", "replace")


def _start(path: Path) -> str:
    return read_bytes(path)[:200].decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
