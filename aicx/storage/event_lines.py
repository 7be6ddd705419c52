"""The lines of an event log: one JSON object each, with a checksum, so that a damaged one says nothing at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any, TypeVar

import orjson

Event = TypeVar("Event")
# What a line that is valid JSON and no event raises on the way to one.
_STRANGE = (orjson.JSONDecodeError, LookupError, TypeError, ValueError, AttributeError)


def new_id() -> str:
    return os.urandom(8).hex()


def encode_line(fields: Mapping[str, Any]) -> bytes:
    """The line of an event, with the checksum of ``fields``."""
    return orjson.dumps({**fields, "check": _check(fields)}, option=orjson.OPT_APPEND_NEWLINE)


def decode_line(line: bytes, make: Callable[[Mapping[str, Any]], Event | None]) -> Event | None:
    """Makes an event of the fields of a line, its checksum among them; None for a line not as it was written."""
    try:
        fields: Any = orjson.loads(line)
        check = fields.pop("check")
        return make({**fields, "check": check}) if check == _check(fields) else None
    except _STRANGE:
        return None


def decode_lines(body: bytes, make: Callable[[Mapping[str, Any]], Event | None]) -> tuple[list[Event], list[int]]:
    """The events of a log, and the numbers of the lines that are damaged, from 1."""
    events: list[Event] = []
    damaged: list[int] = []
    for number, line in enumerate(body.split(b"\n"), 1):
        if line.strip():
            event = decode_line(line, make)
            if event is None:
                damaged.append(number)
            else:
                events.append(event)
    return events, damaged


def appended(before: bytes, lines: Iterable[bytes]) -> bytes:
    """The log file as it has to be with ``lines`` at its end, also where its last line was torn."""
    if before and not before.endswith(b"\n"):
        before += b"\n"
    return before + b"".join(lines)


def text_of(fields: Mapping[str, Any], name: str) -> str:
    """The text of a field. Raises TypeError where it is something else."""
    value = fields[name]
    if not isinstance(value, str):
        raise TypeError(f"{name} is not a text")
    return value


def _check(fields: Mapping[str, Any]) -> str:
    return sha256(orjson.dumps(fields)).hexdigest()[:16]
