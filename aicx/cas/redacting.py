"""Objects without secrets: a text as a whole, a pack value by value, so that it stays the JSON that it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from aicx.cas.entry import Kind
from aicx.errors import UsageError
from aicx.storage.texts import texts_of, with_texts

CANONICAL = orjson.OPT_SORT_KEYS


class CleanedBody(NamedTuple):
    """A body without secrets, and how many there were."""

    body: bytes
    redactions: int


def clean_body(body: bytes, kind: Kind) -> CleanedBody:
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
        count = 0

        def cleaned(text: str) -> str:
            nonlocal count
            found = redact(text)
            count += sum(found.counts.values())
            return found.text

        new = with_texts(value, cleaned)
        return CleanedBody(body if new is value else orjson.dumps(new, option=CANONICAL), count)
    found = redact(text)
    return CleanedBody(found.text.encode(), sum(found.counts.values())) if found.counts else CleanedBody(body, 0)


def texts_in(body: bytes) -> Iterator[str]:
    """A body as a text, and where it is JSON each text in it, as it was before it was written as JSON."""
    yield body.decode("utf-8", "replace")
    yield from texts_of(_json(body))


def _json(body: bytes) -> Any:
    """Reads a body as JSON; None where it is not JSON."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
