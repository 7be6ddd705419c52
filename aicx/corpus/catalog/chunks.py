"""The rows of a chunk: what can be filtered on, the commits and requests it shows, its messages and copies of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import orjson

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.fields import (
    any_tool_failed,
    evidence_of,
    key_number,
    key_text,
    message_key,
    milliseconds,
    own_messages,
    tools_of,
    turn_of,
)
from aicx.corpus.files import lacks_tool_facts
from aicx.git.printed import ListedChange, created_request, listed_commits, listed_requests
from aicx.types import PROMPTS
from aicx.values import batches, dataclass

# The columns that are fields of the sidecar.
_REQUIRED = ("id", "agent", "session_id", "project", "date", "kind", "started_at", "completed_at", "content_sha256")
_OPTIONAL = (
    *("branch", "model", "lane", "parent_session", "run_id", "prompt_id", "cwd", "title", "repo_source", "tokens"),
    *("workflow_phase", "mode", "skill_code", "token_usage", "findings_count"),
)
# Commands that print commits and requests; where a chunk lacks the call, its answer alone is looked at.
_PROGRAMS = ("git ", "gh ", "glab ")


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """The catalogue's facts about one stored chunk of a session."""

    rowid: int
    id: str
    number: int
    path: str
    content_sha256: str
    sidecar_sha256: str
    keys: tuple[str, ...]
    text_keys: tuple[str, ...]  # of the same messages


def stored_chunks(
    catalog: Catalog, agent: str, session_id: str, stream: str, first_number: int = 1
) -> list[StoredChunk]:
    """The chunks of a session from a number on, in order, each with the keys of the messages that begin in it."""
    found = catalog.connection.execute(
        "SELECT rowid, id, number, path, content_sha256, sidecar_sha256 FROM chunks"
        " WHERE agent=? AND session_id=? AND stream=? AND number>=? ORDER BY number",
        (agent, session_id, stream, first_number),
    ).fetchall()
    chunks = []
    for rowid, chunk_id, number, path, content, sidecar in found:
        rows = catalog.connection.execute("SELECT key, text_key FROM messages WHERE chunk=?", (rowid,)).fetchall()
        keys, text_keys = (tuple(key_text(row[column]) for row in rows) for column in (0, 1))
        chunks.append(StoredChunk(rowid, chunk_id, number, path, content, sidecar, keys, text_keys))
    return chunks


def is_last(catalog: Catalog, chunk_id: str) -> bool:
    """Whether a chunk is the last of its session's own log."""
    row = catalog.connection.execute(
        "SELECT max(later.number) FROM chunks this JOIN chunks later USING (agent, session_id, stream)"
        " WHERE this.id=? AND this.stream=''",
        (chunk_id,),
    ).fetchone()
    return row[0] is not None and chunk_id.endswith(f":{row[0]:03d}")


def session_of_most(catalog: Catalog, chunk_ids: Sequence[str]) -> str | None:
    """The session that most of the named chunks belong to; the first by name where several tie."""
    counts: dict[str, int] = {}
    for chunk_id, count in Counter(chunk_ids).items():
        row = catalog.connection.execute("SELECT session_id FROM chunks WHERE id=?", (chunk_id,)).fetchone()
        if row:
            counts[row[0]] = counts.get(row[0], 0) + count
    return min(counts, key=lambda session: (-counts[session], session), default=None)


def put_chunk(
    catalog: Catalog, fields: dict[str, Any], path: str, sidecar_sha256: str, markdown: bytes, *, is_new: bool = False
) -> None:
    """Records one chunk, replacing what was known under its id; nothing is of one that ``is_new``."""
    if not is_new:
        _delete_rows(catalog, fields["id"])
    catalog.connection.execute("DELETE FROM removed WHERE id=?", (fields["id"],))
    redactions = fields.get("redactions") or {}
    source = fields.get("source") or {}
    messages = own_messages(fields)
    row = {name: fields[name] for name in _REQUIRED} | {name: fields.get(name) for name in _OPTIONAL}
    row |= {
        "stream": fields.get("stream") or "",
        "number": int(str(fields["id"]).rpartition(":")[2]),
        "path": path,
        "sidecar_sha256": sidecar_sha256,
        "size": len(markdown),
        "messages": len(messages),
        "redactions": sum(redactions.values()) if isinstance(redactions, dict) else 0,
        "source_path": source.get("path") if isinstance(source, dict) else None,
        "sequence": catalog.next_sequence,
        "failed": any_tool_failed(fields),
        "without_tool_facts": lacks_tool_facts(fields),
        "turn": turn_of(fields),
    }
    marks = ",".join("?" * len(row))
    cursor = catalog.connection.execute(f"INSERT INTO chunks ({','.join(row)}) VALUES ({marks})", tuple(row.values()))
    rowid = cursor.lastrowid
    catalog.unsettle(fields["agent"], fields["session_id"])
    _put_names(catalog, rowid, fields, messages)
    folders = fields.get("folders")
    decided = folders.items() if isinstance(folders, dict) else ()
    placed = [(rowid, cwd, (found or {}).get("project"), (found or {}).get("repo_source")) for cwd, found in decided]
    _insert(catalog, "INSERT INTO folders VALUES (?,?,?,?)", placed)
    _insert(catalog, "INSERT INTO evidence VALUES (?,?,?,?)", [(rowid, *one) for one in evidence_of(fields)])
    commits = (fields.get("commits") or {}).items()
    _insert(catalog, "INSERT INTO commits VALUES (?,?,?)", [(rowid, at, mark) for at, some in commits for mark in some])
    put_sightings(catalog, rowid, fields, markdown)
    _insert(catalog, "INSERT INTO files VALUES (?,?)", [(rowid, file) for file in fields.get("files") or ()])
    _insert(catalog, "INSERT INTO tools VALUES (?,?)", [(rowid, name) for name in tools_of(fields)])
    rows: list[tuple[Any, ...]] = [
        (rowid, key_number(item["key"]), key_number(item["text_key"]), milliseconds(item["at"]), item["role"])
        for item in messages
    ]
    _insert(catalog, "INSERT INTO messages VALUES (?,?,?,?,?)", rows)
    rows = list(map(duplicate_row, fields.get("duplicates") or ()))
    _insert(catalog, "INSERT OR REPLACE INTO duplicates VALUES (?,?,?,?)", rows)
    if fields.get("session_title"):
        catalog.put_late_title(fields["agent"], fields["session_id"], fields["session_title"])
    if fields.get("forgotten"):
        # A key that no log has: what was forgotten from a chunk would come back if a log could decide over it.
        key = key_number(message_key(fields["agent"], f"forgotten\0{fields['id']}"))
        catalog.connection.execute("INSERT INTO messages VALUES (?,?,?,?,?)", (rowid, key, key, 0, "system"))


def remove_chunk(catalog: Catalog, chunk_id: str) -> None:
    """Forgets a chunk, and notes for every index that it is gone."""
    _delete_rows(catalog, chunk_id)
    catalog.connection.execute("INSERT OR REPLACE INTO removed VALUES (?,?)", (chunk_id, catalog.next_sequence))


def erase_chunk(catalog: Catalog, chunk_id: str) -> None:
    """Forgets a chunk, and that there was one: the caller sees to every index."""
    _delete_rows(catalog, chunk_id)
    catalog.connection.execute("DELETE FROM removed WHERE id=?", (chunk_id,))


def _delete_rows(catalog: Catalog, chunk_id: str) -> None:
    row = catalog.connection.execute("SELECT rowid, agent, session_id FROM chunks WHERE id=?", (chunk_id,)).fetchone()
    if row is None:
        return
    catalog.unsettle(*row[1:])
    for table in ("files", "tools", "messages", "names", "folders", "evidence", "commits", "sightings"):
        catalog.connection.execute(f"DELETE FROM {table} WHERE chunk=?", row[:1])
    catalog.connection.execute("DELETE FROM chunks WHERE rowid=?", row[:1])


def _put_names(
    catalog: Catalog, rowid: int | None, fields: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]
) -> None:
    """Returns a chunk's part in the title of its session, and in telling whether a program ran it."""
    prompts = [item for item in messages if item.get("origin") in PROMPTS]
    low, high = prompts[0]["span"] if prompts else (0, 0)
    columns = ("topic", "topic_from", "work", "work_from", "prompt_key")
    typed = sum(item["origin"] == "typed" for item in prompts)
    catalog.connection.execute(
        "INSERT INTO names VALUES (?,?,?,?,?,?,?,?,?,?)",
        (rowid, *map(fields.get, columns), high - low, len(prompts), typed, fields.get("automated_why")),
    )


def put_sightings(catalog: Catalog, rowid: int | None, fields: Mapping[str, Any], markdown: bytes) -> None:
    """Records the commits and requests that a chunk shows."""
    if found := printed_in(fields, markdown):
        from aicx.git.subjects import plain_subject  # imported here: most chunks show none

        rows = [(rowid, *one, at, plain_subject(one.subject)) for one, at in found]
        catalog.connection.executemany("INSERT INTO sightings VALUES (?,?,?,?,?,?)", rows)


def _insert(catalog: Catalog, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    if rows:  # a statement without rows costs as much as one with a row, and most chunks lack most of these
        catalog.connection.executemany(statement, rows)


def printed_in(fields: Mapping[str, Any], markdown: bytes) -> list[tuple[ListedChange, str]]:
    """The commits and requests in the results of tools that begin in a chunk, each with when it was shown.

    None of a chunk that was altered on disk.
    """
    found = list(dict.fromkeys(_read(fields, markdown)))
    return found if found and sha256(markdown).hexdigest() == fields["content_sha256"] else []


def _read(fields: Mapping[str, Any], markdown: bytes) -> Iterator[tuple[ListedChange, str]]:
    calls: dict[str | None, Mapping[str, Any]] = {}
    results = []
    for item in fields.get("messages") or ():
        if item.get("role") == "tool":
            tool = item.get("tool") or {}
            if tool.get("phase") == "call":
                calls[tool.get("call_id")] = tool
            # What aicx answered quotes older sessions.
            elif not item.get("repeated") and not item.get("echo"):
                results.append((item, tool.get("call_id")))
    for item, call_id in results:
        call = calls.get(call_id) or {}
        command = call.get("command") or ""
        if call.get("files") or (command and not any(name in command for name in _PROGRAMS)):
            continue
        low, high = item.get("span") or (0, 0)
        text = markdown[low:high].decode("utf-8", "replace")
        created = created_request(command, text)
        for listed in (*listed_commits(text), *listed_requests(text), *((created,) if created else ())):
            yield listed, item["at"]


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
    where = "c.agent=? AND c.session_id=? AND c.stream='' AND m.role='user'"
    return list(_known(catalog, "chunks c JOIN messages m ON m.chunk = c.rowid", where, (agent, session_id)))


def _messages(catalog: Catalog, column: str, keys: Sequence[str], condition: str) -> Iterator[KnownMessage]:
    for some in batches(keys, 500):
        part = [key_number(key) for key in some]
        marks = ",".join("?" * len(part))
        where = f"{column} IN ({marks}) {condition}"
        yield from _known(catalog, "messages m JOIN chunks c ON c.rowid = m.chunk", where, part)


def _known(catalog: Catalog, tables: str, where: str, values: Sequence[Any]) -> Iterator[KnownMessage]:
    columns = "m.key, m.text_key, m.at, m.role, c.agent, c.session_id, c.stream, c.id"
    for key, text_key, *rest in catalog.connection.execute(f"SELECT {columns} FROM {tables} WHERE {where}", values):
        yield KnownMessage(key_text(key), key_text(text_key), *rest)


def duplicates_of(catalog: Catalog, keys: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Recorded copies of messages, by key, in a stable order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for some in batches(keys, 500):
        part = [key_number(key) for key in some]
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
