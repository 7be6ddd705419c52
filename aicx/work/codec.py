"""A work record as the JSON of its file. Fields that this version does not know are kept as they are."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import orjson

from aicx.storage.typed import from_json, to_json
from aicx.text import printable
from aicx.work.attempt import Attempt
from aicx.work.record import WorkRecord

SCHEMA = "aicx.work/1"
MAX_BYTES = 8_000_000  # of a file; a longer one was not written by aicx
_ID = re.compile(r"[0-9a-f]{12}")
# By these it is decided where a task may be used: where they are missing, it must not look as if git had said nothing.
_COMPARED = {"branch", "head", "dirty"}
_STRANGE = (orjson.JSONDecodeError, LookupError, TypeError, ValueError, AttributeError, OverflowError)


class Undecodable(ValueError):
    """Says in a word or two why a file cannot be read as a work record."""


def encode(record: WorkRecord) -> bytes:
    fields = {**to_json(record), "schema": SCHEMA}
    fields["items"] = [{**to_json(item), "id": item.id} for item in record.items]
    return orjson.dumps(fields, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def decode(body: bytes, task: str) -> WorkRecord:
    """The record in a file named after ``task``. Raises Undecodable."""
    try:
        fields: dict[str, Any] = orjson.loads(body)
        if (schema := fields.pop("schema")) != SCHEMA:
            raise Undecodable(f"schema {printable(str(schema))[:40]}")
        record = _decode(fields)
    except _STRANGE as error:
        raise error if isinstance(error, Undecodable) else Undecodable(_why(error)) from error
    if record.id != task:
        raise Undecodable("not the task that its name says")
    return record


def _why(error: Exception) -> str:
    if isinstance(error, orjson.JSONDecodeError):
        return "not JSON"
    return f"without {error}" if isinstance(error, KeyError) else "a field that does not fit"


def _decode(fields: dict[str, Any]) -> WorkRecord:
    git, attempt = fields["git_context"], fields.pop("attempt", None)
    if git is not None and (missing := _COMPARED - git.keys()):
        raise KeyError(min(missing))
    record = from_json(WorkRecord, fields, printable)
    if not _ID.fullmatch(record.id):
        raise Undecodable("no id")
    if min(record.rev, record.sequence, record.focused) < 0:
        raise Undecodable("a field that does not fit")
    items = tuple({item.id: item for item in record.items}.values())
    # What an attempt has may be run or compared, and stays as it was written.
    return replace(record, items=items, attempt=None if attempt is None else from_json(Attempt, attempt))
