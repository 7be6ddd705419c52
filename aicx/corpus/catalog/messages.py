"""The messages of stored chunks by their keys and texts, and the copies of them that other logs hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.fields import key_number, key_text
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class KnownMessage:
    """A stored message that a new one may be a copy of. ``at`` is Unix time in milliseconds."""

    key: str
    text_key: str
    at: int
    role: str
    agent: str
    session_id: str
    stream: str
    chunk_id: str


def messages_with_keys(catalog: Catalog, keys: Sequence[str]) -> Iterator[KnownMessage]:
    yield from _messages(catalog, "m.key", keys, "")


def messages_with_texts(catalog: Catalog, text_keys: Sequence[str]) -> Iterator[KnownMessage]:
    yield from _messages(catalog, "m.text_key", text_keys, "AND m.role IN ('user', 'assistant')")


def prompts_of(catalog: Catalog, agent: str, session_id: str) -> list[KnownMessage]:
    """Returns what people typed in a session, as far as its own log has it."""
    rows = catalog.connection.execute(
        "SELECT m.key, m.text_key, m.at, m.role, c.agent, c.session_id, c.stream, c.id"
        " FROM chunks c JOIN messages m ON m.chunk = c.rowid"
        " WHERE c.agent=? AND c.session_id=? AND c.stream='' AND m.role='user'",
        (agent, session_id),
    )
    return [KnownMessage(key_text(key), key_text(text_key), *rest) for key, text_key, *rest in rows]


def _messages(catalog: Catalog, column: str, keys: Sequence[str], condition: str) -> Iterator[KnownMessage]:
    for start in range(0, len(keys), 500):
        part = [key_number(key) for key in keys[start : start + 500]]
        marks = ",".join("?" * len(part))
        rows = catalog.connection.execute(
            "SELECT m.key, m.text_key, m.at, m.role, c.agent, c.session_id, c.stream, c.id"
            f" FROM messages m JOIN chunks c ON c.rowid = m.chunk WHERE {column} IN ({marks}) {condition}",
            part,
        )
        for key, text_key, *rest in rows:
            yield KnownMessage(key_text(key), key_text(text_key), *rest)


def duplicates_of(catalog: Catalog, keys: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Recorded copies of messages, by key, in a stable order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for start in range(0, len(keys), 500):
        part = [key_number(key) for key in keys[start : start + 500]]
        marks = ",".join("?" * len(part))
        rows = catalog.connection.execute(
            f"SELECT key, reference FROM duplicates WHERE key IN ({marks}) ORDER BY key, path, start",
            part,
        )
        for key, reference in rows:
            found.setdefault(key_text(key), []).append(orjson.loads(reference))
    return found


def put_duplicate(catalog: Catalog, reference: dict[str, Any]) -> bool:
    """Records a copy; says whether it was news."""
    statement = "INSERT OR IGNORE INTO duplicates VALUES (?,?,?,?)"
    cursor = catalog.connection.execute(statement, duplicate_row(reference))
    return cursor.rowcount > 0


def duplicate_row(reference: Mapping[str, Any]) -> tuple[Any, ...]:
    """A copy as the catalogue keeps it."""
    encoded = orjson.dumps(reference).decode()
    return key_number(reference["key"]), reference["path"], reference["span"][0], encoded
