"""Objects without secrets: a text as a whole, a pack value by value, so that it stays the JSON that it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from aicx.cas.entry import Kind
from aicx.errors import UsageError

CANONICAL = orjson.OPT_SORT_KEYS


class Cleaned(NamedTuple):
    """A body without secrets, and how many there were."""

    body: bytes
    redactions: int


def clean_body(body: bytes, kind: Kind) -> Cleaned:
    """``body`` as it may be stored. Raises UsageError for what is no text."""
    from aicx.redaction import redact  # imported here: reading does without its rules

    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError(
            "this is not text in UTF-8, so no secret can be found in it",
            hint="--binary stores it as it is, with any secret in it",
        )
    value = _json(body) if kind.endswith("_pack") else None
    if value is not None:
        counts = [0]
        new = _clean_value(value, counts)
        return Cleaned(body if new == value else orjson.dumps(new, option=CANONICAL), counts[0])
    found = redact(text)
    return Cleaned(found.text.encode(), sum(found.counts.values())) if found.counts else Cleaned(body, 0)


def texts_in(body: bytes) -> Iterator[str]:
    """A body as a text, and where it is JSON each text in it, as it was before it was written as JSON."""
    yield body.decode("utf-8", "replace")
    yield from _texts(_json(body))


def _json(body: bytes) -> Any:
    """What a body says as JSON; None where it is none."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from _texts(item)


def _clean_value(value: Any, counts: list[int]) -> Any:
    from aicx.redaction import redact

    if isinstance(value, str):
        found = redact(value)
        counts[0] += sum(found.counts.values())
        return found.text
    if isinstance(value, list):
        return [_clean_value(item, counts) for item in value]
    if isinstance(value, dict):
        return {name: _clean_value(item, counts) for name, item in value.items()}
    return value
