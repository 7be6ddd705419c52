"""Names a log's records in few bytes, so that a title can be joined to the conversation that holds its record."""

from __future__ import annotations

from hashlib import blake2b

MARK_BYTES = 8


def record_mark(record_id: str) -> bytes:
    """The mark of a record, from the agent's own id for it."""
    return blake2b(record_id.encode("utf-8", "replace"), digest_size=MARK_BYTES).digest()
