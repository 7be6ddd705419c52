"""A work record as the JSON of its file. Fields that this version does not know are kept as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, get_args

import orjson

from aicx.text import instant, printable
from aicx.work.attempt import decode_attempt, encode_attempt
from aicx.work.record import KINDS, STATUSES, Confidence, GitContext, Item, Origin, WorkRecord

SCHEMA = "aicx.work/1"
MAX_BYTES = 8_000_000  # of a file; a longer one was not written by aicx
_ID = re.compile(r"[0-9a-f]{12}")
_STRANGE = (orjson.JSONDecodeError, LookupError, TypeError, ValueError, AttributeError, OverflowError)


class Undecodable(ValueError):
    """Says in a word or two why a file cannot be read as a work record."""


def encode(record: WorkRecord) -> bytes:
    fields = {
        "schema": SCHEMA,
        "id": record.id,
        "kind": record.kind,
        "rev": record.rev,
        "sequence": record.sequence,
        "focused": record.focused,
        "title": record.title,
        "goal": record.goal,
        "goal_source": record.goal_source,
        "status": record.status,
        "repo_id": record.repo_id,
        "worktree_id": record.worktree_id,
        "project": record.project,
        "created_at": instant(record.created_at),
        "updated_at": instant(record.updated_at),
        "git_context": None if record.git_context is None else encode_git(record.git_context),
        "hypothesis": record.hypothesis,
        "next_action": record.next_action,
        "closing_note": record.closing_note,
        "items": [_encode_item(item) for item in record.items],
        "sources": record.sources,
        "parent": record.parent,
        "last_event": record.last_event,
        **({"attempt": encode_attempt(record.attempt)} if record.attempt else {}),
    }
    return orjson.dumps({**record.extra, **fields}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def encode_git(git: GitContext) -> dict[str, Any]:
    return {
        **git.extra,
        "available": git.available,
        "branch": git.branch,
        "head": git.head,
        "dirty": git.dirty,
        "changed_files": list(git.changed_files),
        "captured_at": instant(git.captured_at),
        **({"branch_mark": git.branch_mark} if git.branch_mark else {}),
        **({"reason": git.reason} if git.reason else {}),
    }


def decode(body: bytes, task: str) -> WorkRecord:
    """The record in a file named after ``task``. Raises Undecodable."""
    try:
        fields: dict[str, Any] = orjson.loads(body)
        if fields["schema"] != SCHEMA:
            raise Undecodable(f"schema {printable(str(fields['schema']))[:40]}")
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
    if not _ID.fullmatch(fields["id"]):
        raise Undecodable("no id")
    git = fields["git_context"]
    return WorkRecord(
        id=fields["id"],
        kind=_one_of(fields["kind"], KINDS),
        title=_text(fields["title"]),
        goal=_text(fields["goal"]),
        goal_source=_text(fields["goal_source"]),
        status=_one_of(fields["status"], STATUSES),
        repo_id=_text(fields["repo_id"]),
        worktree_id=_text(fields["worktree_id"]),
        project=_text_or_none(fields["project"]),
        created_at=_instant(fields["created_at"]),
        updated_at=_instant(fields["updated_at"]),
        git_context=None if git is None else _git(git),
        hypothesis=_text(fields["hypothesis"]),
        next_action=_text(fields["next_action"]),
        closing_note=_text(fields["closing_note"]),
        items=tuple({item.id: item for item in map(_item, _list(fields["items"]))}.values()),
        sources=tuple(map(_text, _list(fields["sources"]))),
        parent=_text_or_none(fields["parent"]),
        rev=_count(fields["rev"]),
        sequence=_count(fields["sequence"]),
        focused=_count(fields["focused"]),
        last_event=_text_or_none(fields["last_event"]),
        attempt=None if fields.get("attempt") is None else decode_attempt(fields["attempt"]),
        extra=_unknown(fields, _RECORD),
    )


def _encode_item(item: Item) -> dict[str, Any]:
    return {
        **item.extra,
        "id": item.id,
        "section": item.section,
        "text": item.text,
        "at": instant(item.at),
        "origin": item.origin,
        "evidence": item.evidence,
        "seen": item.seen,
        **({"confidence": item.confidence} if item.confidence else {}),
        **({} if item.needs_validation is None else {"needs_validation": item.needs_validation}),
    }


def _item(fields: Mapping[str, Any]) -> Item:
    confidence, needs = fields.get("confidence"), fields.get("needs_validation")
    return Item(
        section=_text(fields["section"]),
        text=_text(fields["text"]),
        at=_instant(fields["at"]),
        origin=_one_of(fields["origin"], get_args(Origin)),
        evidence=tuple(map(_text, _list(fields["evidence"]))),
        seen=_count(fields["seen"]),
        confidence=None if confidence is None else _one_of(confidence, get_args(Confidence)),
        needs_validation=None if needs is None else _flag(needs),
        extra=_unknown(fields, _ITEM),
    )


def _git(fields: Mapping[str, Any]) -> GitContext:
    return GitContext(
        available=_flag(fields["available"]),
        captured_at=_instant(fields["captured_at"]),
        branch=_text_or_none(fields["branch"]),
        head=_text_or_none(fields["head"]),
        dirty=None if fields["dirty"] is None else _flag(fields["dirty"]),
        changed_files=tuple(map(_text, _list(fields["changed_files"]))),
        branch_mark=_text_or_none(fields.get("branch_mark")),
        reason=_text_or_none(fields.get("reason")),
        extra=_unknown(fields, _GIT),
    )


def _unknown(fields: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in known}


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return printable(value)


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _text(value)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("neither true nor false")
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("no count")
    return value


def _instant(value: Any) -> datetime:
    found = datetime.fromisoformat(_text(value))
    if found.tzinfo is None:
        raise ValueError("no zone")
    return found


def _one_of(value: Any, known: Any) -> Any:
    if value not in known:
        raise ValueError("unknown value")
    return value


_ITEM = frozenset({"id", "section", "text", "at", "origin", "evidence", "seen", "confidence", "needs_validation"})
_GIT = frozenset({"available", "branch", "head", "dirty", "changed_files", "captured_at", "branch_mark", "reason"})
_NOW = datetime.fromisoformat("1970-01-01T00:00:00Z")
_RECORD = frozenset({*orjson.loads(encode(WorkRecord("0" * 12, "thread", "", "", "", "", _NOW, _NOW))), "attempt"})
