"""A record as two files: Markdown that people read and edit, and a sidecar with everything else.

The first line of the Markdown is the statement and each further line a detail. Reading never fails: a file that cannot
be understood becomes a record that says nothing and is kept apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

import orjson

from aicx.memory.reasons import Reason
from aicx.memory.record import (
    KINDS,
    MAX_STATEMENT,
    ORIGINS,
    Adoption,
    AdoptionState,
    Anchor,
    Hold,
    Kind,
    Lane,
    Record,
    Result,
    Retention,
    Source,
    Validation,
    Validity,
    digest_of,
)
from aicx.text import instant, printable

SCHEMA = "aicx.memory/1"
GLOBAL = "global"
PROPOSALS = "proposals"  # beside the folders of the kinds
_ID = re.compile(r"[0-9a-f]{12}")
_NAME = re.compile(r"(?:.*-)?([0-9a-f]{12})\.md")
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
_STRANGE = (orjson.JSONDecodeError, LookupError, TypeError, ValueError, AttributeError, OverflowError)


def folder_of(repository: str | None) -> str:
    """The folder below ``memory/`` for a repository's records. ``~`` is in no name of an owner or a repository."""
    return GLOBAL if repository is None else repository.replace("/", "~")


def path_of(record: Record) -> str:
    """Where a new record belongs, below ``memory/``."""
    words = re.findall(r"[a-z0-9]+", (record.name or record.statement).lower())
    slug = "-".join(words)[:48].strip("-")
    return f"{folder_of(record.repository)}/{record.kind}/{f'{slug}-' if slug else ''}{record.id}.md"


def proposal_of(record: Record) -> str:
    """Where the patch for an instruction file is that a review made of a record, below ``memory/``."""
    return f"{record.path.partition('/')[0]}/{PROPOSALS}/{record.id}.json"


def sidecar_of(path: str) -> str:
    return f"{path.removesuffix('.md')}.meta.json"


def id_in(path: str) -> str | None:
    """The id in the name of a record's Markdown; None where the file is not named as a record."""
    match = _NAME.fullmatch(path.rpartition("/")[2])
    return match[1] if match else None


def encode(record: Record) -> tuple[bytes, bytes]:
    """The Markdown and the sidecar of a record."""
    lines = [record.statement, *([""] if record.details else []), *(f"- {detail}" for detail in record.details)]
    body = ("\n".join(lines) + "\n").encode()
    source, validity, hold = record.source, record.validity, record.hold
    fields: dict[str, Any] = {
        "schema": SCHEMA,
        "id": record.id,
        "rev": record.rev,
        "repository": record.repository,
        "host": record.host,
        "kind": record.kind,
        "topic": record.topic,
        "name": record.name,
        "tags": record.tags,
        "created_at": instant(record.created_at),
        "updated_at": instant(record.updated_at or record.created_at),
        "body_sha256": sha256(body).hexdigest(),
        "source": _present(
            origin=source.origin,
            lane=source.lane,
            agent=source.agent,
            session=source.session,
            path=source.path,
            sha256=source.sha256,
        ),
        "claims": dict(sorted(record.claims.items())),
        "evidence": record.evidence,
        "anchors": [
            _present(path=one.path, sha256=one.sha256, first=one.first, last=one.last, commit=one.commit)
            for one in record.anchors
        ],
        "validity": _present(
            until=validity.until and instant(validity.until),
            ttl=validity.ttl,
            requires_validation=validity.requires_validation,
        ),
        "supersedes": record.supersedes,
        "environment_negative": record.environment_negative,
        "sightings": record.sightings,
        "adoption": _present(
            state=record.adoption.state,
            by=record.adoption.by,
            at=record.adoption.at and instant(record.adoption.at),
            why=record.adoption.why,
        ),
        "hold": hold and {"reason": hold.reason, "by": hold.by, "at": instant(hold.at)},
        "pinned": record.pinned,
        "retention": record.retention,
        "last_event": record.last_event,
        "validation": [
            {"at": instant(one.at), "by": one.by, "method": one.method, "result": one.result, "evidence": one.evidence}
            for one in record.validation
        ],
    }
    return body, orjson.dumps({**record.extra, **fields}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def decode(path: str, markdown: bytes | None, sidecar: bytes | None) -> Record:
    """The record in two files, None for one that is not there. What cannot be understood is malformed."""
    try:
        return _decode(path, markdown, sidecar)
    except _STRANGE as error:
        return malformed(path, type(error).__name__)


def read_files(memory: Path, path: str) -> Record:
    """The record at ``path`` below ``memory``, from its files."""
    found: list[bytes | None] = []
    for name in (path, sidecar_of(path)):
        try:
            found.append((memory / name).read_bytes())
        except OSError:
            found.append(None)
    return decode(path, *found)


def malformed(path: str, why: str) -> Record:
    """What stands for files that are no record: nothing of their text, and a reason that keeps it apart."""
    name = id_in(path) or sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    kind: Kind = next((kind for kind in KINDS if f"/{kind}/" in path), "note")
    flaw = Reason("malformed", {"why": why})
    return Record(name, None, kind, "", "", Source("import"), _NEVER, path=path, flaws=(flaw,))


def _decode(path: str, markdown: bytes | None, sidecar: bytes | None) -> Record:
    if markdown is None or sidecar is None:
        return malformed(path, "no sidecar" if sidecar is None else "no Markdown")
    fields: dict[str, Any] = orjson.loads(sidecar)
    statement, details = read_body(markdown)
    repository, kind = _text_or_none(fields["repository"]), _one_of(fields["kind"], KINDS)
    by_hand = sha256(markdown).hexdigest() != _text(fields["body_sha256"])
    record = Record(
        id=_id(fields["id"]),
        repository=repository,
        host=_text_or_none(fields.get("host")),
        kind=kind,
        topic=_text(fields["topic"]),
        statement=statement,
        details=details,
        source=_source(fields["source"]),
        created_at=_instant(fields["created_at"]),
        updated_at=_instant(fields["updated_at"]),
        rev=_count(fields["rev"]) + by_hand,
        name=_text_or_none(fields["name"]),
        tags=_texts(fields["tags"]),
        claims={_text(key): _text(value) for key, value in fields["claims"].items()},
        evidence=_texts(fields["evidence"]),
        anchors=tuple(map(_anchor, fields["anchors"])),
        validity=_validity(fields["validity"]),
        supersedes=tuple(map(_id, fields["supersedes"])),
        environment_negative=_flag(fields["environment_negative"]),
        sightings=_count(fields["sightings"]),
        adoption=_adoption(fields["adoption"]),
        hold=_hold(fields["hold"]) if fields["hold"] is not None else None,
        pinned=_flag(fields["pinned"]),
        retention=_one_of(fields["retention"], get_args(Retention)),
        last_event=_text_or_none(fields["last_event"]),
        validation=tuple(map(_validation, fields["validation"])),
        path=path,
        by_hand=by_hand,
        extra={name: value for name, value in fields.items() if name not in _KNOWN},
    )
    if fields["schema"] != SCHEMA:
        return malformed(path, "schema")
    # A copy elsewhere, or one that was renamed, would be a second record of the same id.
    if id_in(path) != record.id or not path.startswith(f"{folder_of(repository)}/{kind}/"):
        return malformed(path, "misplaced")
    # Imported here: where nothing changed no file is read, and its rules take a while to compile.
    from aicx.memory.findings import find_flaws

    flaws = find_flaws(record)
    if not statement or len(statement) > MAX_STATEMENT:
        return malformed(path, "no statement" if not statement else "statement too long")
    return replace(record, digest=digest_of(record), flaws=flaws)


def read_body(markdown: bytes) -> tuple[str, tuple[str, ...]]:
    """The statement and the details in a record's Markdown, without what a person who decides would not see."""
    lines = [printable(line).strip() for line in markdown.decode("utf-8", "replace").split("\n")]
    lines = [line for line in lines if line]
    details = tuple(line.removeprefix("- ").strip() for line in lines[1:])
    return lines[0] if lines else "", details


def _source(fields: Mapping[str, Any]) -> Source:
    return Source(
        _one_of(fields["origin"], ORIGINS),
        _one_of(fields["lane"], get_args(Lane)),
        *(_text_or_none(fields.get(name)) for name in ("agent", "session", "path", "sha256")),
    )


def _anchor(fields: Mapping[str, Any]) -> Anchor:
    first, last = (None if fields.get(name) is None else _count(fields[name]) for name in ("first", "last"))
    if (first is None) != (last is None) or (first is not None and last is not None and not 1 <= first <= last):
        raise ValueError("lines of an anchor")
    return Anchor(_raw(fields["path"]), _text(fields["sha256"]), first, last, _text_or_none(fields.get("commit")))


def _validity(fields: Mapping[str, Any]) -> Validity:
    until, ttl = fields.get("until"), fields.get("ttl")
    return Validity(
        None if until is None else _instant(until),
        None if ttl is None else _count(ttl),
        _flag(fields["requires_validation"]),
    )


def _adoption(fields: Mapping[str, Any]) -> Adoption:
    at = fields.get("at")
    return Adoption(
        _one_of(fields["state"], get_args(AdoptionState)),
        _text_or_none(fields.get("by")),
        None if at is None else _instant(at),
        _text_or_none(fields.get("why")),
    )


def _hold(fields: Mapping[str, Any]) -> Hold:
    return Hold(_text(fields["reason"]), _text(fields["by"]), _instant(fields["at"]))


def _validation(fields: Mapping[str, Any]) -> Validation:
    return Validation(
        _instant(fields["at"]),
        _text(fields["by"]),
        _text(fields["method"]),
        _one_of(fields["result"], get_args(Result)),
        _texts(fields["evidence"]),
    )


def _present(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _text(value: Any) -> str:
    """A text of a sidecar, as it may be shown."""
    return printable(_raw(value))


def _raw(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _text(value)


def _texts(values: Sequence[Any]) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError("no list")
    return tuple(map(_text, values))


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("neither true nor false")
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise TypeError("no count")
    return value


def _id(value: Any) -> str:
    if not _ID.fullmatch(_text(value)):
        raise ValueError("no id")
    return str(value)


def _instant(value: Any) -> datetime:
    found = datetime.fromisoformat(_text(value))
    if found.tzinfo is None:
        raise ValueError("no zone")
    return found


def _one_of(value: Any, known: Sequence[Any]) -> Any:
    if value not in known:
        raise ValueError("unknown value")
    return value


# Every field that `encode` writes.
_KNOWN = frozenset(orjson.loads(encode(Record("0" * 12, None, "note", "", "", Source("import"), _NEVER))[1]))
