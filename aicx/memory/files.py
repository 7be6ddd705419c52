"""A record as two files: Markdown that people read and edit, and a sidecar with everything else.

The first line of the Markdown is the statement and each further line a detail. Reading never fails: a file that cannot
be understood becomes a record that says nothing and is kept apart. Stamps tell whether files are as they were.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from aicx.memory.events import LOG, Log
from aicx.memory.events import decode as decode_log
from aicx.memory.record import KINDS, MAX_STATEMENT, Kind, Reason, Record, Source, digest_of
from aicx.memory.seal import KEY, SEAL
from aicx.storage.typed import from_json, to_json
from aicx.text import instant, printable

SCHEMA = "aicx.memory/1"
GLOBAL = "global"
PROPOSALS = "proposals"  # beside the folders of the kinds
_ID = re.compile(r"[0-9a-f]{12}")
_NAME = re.compile(r"(?:.*-)?([0-9a-f]{12})\.md")
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
# What a sidecar has of a record, in this order; the Markdown has the rest.
_FIELDS = (
    *("id", "rev", "repository", "host", "kind", "topic", "name", "tags", "created_at", "updated_at", "body_sha256"),
    *("source", "claims", "evidence", "anchors", "validity", "supersedes", "environment_negative", "sightings"),
    *("adoption", "hold", "pinned", "retention", "last_event", "validation"),
)
_KNOWN = frozenset(("schema", *_FIELDS))
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
    found = to_json(record)
    found |= {
        "updated_at": instant(record.updated_at or record.created_at),
        "body_sha256": sha256(body).hexdigest(),
        "claims": dict(sorted(record.claims.items())),
        "anchors": list(map(_present, found["anchors"])),
        **{name: _present(found[name]) for name in ("source", "validity", "adoption")},
    }
    whole = {**record.extra, "schema": SCHEMA, **{name: found[name] for name in _FIELDS}}
    return body, orjson.dumps(whole, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


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
    """Makes a record of files that are none: nothing of their text, and a reason that keeps it apart."""
    name = id_in(path) or sha256(path.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    kind: Kind = next((kind for kind in KINDS if f"/{kind}/" in path), "note")
    flaw = Reason("malformed", {"why": why})
    return Record(name, None, kind, "", "", Source("import"), _NEVER, path=path, flaws=(flaw,))


def _decode(path: str, markdown: bytes | None, sidecar: bytes | None) -> Record:
    if markdown is None or sidecar is None:
        return malformed(path, "no sidecar" if sidecar is None else "no Markdown")
    fields: dict[str, Any] = orjson.loads(sidecar)
    statement, details = read_body(markdown)
    by_hand = sha256(markdown).hexdigest() != printable(fields["body_sha256"])
    given = {name: fields[name] for name in _FIELDS if name in fields or name != "host"}
    record = from_json(Record, {**given, "statement": ""}, printable)
    _check_numbers(record)
    record = replace(
        record,
        statement=statement,
        details=details,
        rev=record.rev + by_hand,
        # The name of a file is looked for as it is.
        anchors=tuple(
            replace(one, path=raw["path"]) for one, raw in zip(record.anchors, given["anchors"], strict=True)
        ),
        path=path,
        by_hand=by_hand,
        extra={name: value for name, value in fields.items() if name not in _KNOWN},
    )
    if fields["schema"] != SCHEMA:
        return malformed(path, "schema")
    # A copy elsewhere, or one that was renamed, would be a second record of the same id.
    if id_in(path) != record.id or not path.startswith(f"{folder_of(record.repository)}/{record.kind}/"):
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


def _check_numbers(record: Record) -> None:
    """Raises ValueError or TypeError where ids, counts or lines of a sidecar are none."""
    if not all(map(_ID.fullmatch, (record.id, *record.supersedes))):
        raise ValueError("no id")
    lines = [(one.first, one.last) for one in record.anchors]
    counts = [record.rev, record.sightings, record.validity.ttl, *chain.from_iterable(lines)]
    if any(count is not None and count < 1 for count in counts):
        raise TypeError("no count")
    if any((first is None) != (last is None) or (first or 0) > (last or 0) for first, last in lines):
        raise ValueError("lines of an anchor")


def _present(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def read_log(memory: Path) -> Log:
    """The events of the log; none where there is no log yet."""
    return decode_log(_bytes(memory / LOG) or b"")


def list_records(memory: Path) -> list[str]:
    """The path of every record below ``memory/``."""
    return sorted(path for path, _ in walk(memory))


def walk(memory: Path) -> Iterator[tuple[str, str]]:
    """Every record's path below ``memory/`` and the stamp of both its files; a lone sidecar counts as a record."""
    for folder in _folders(str(memory)):
        for kind in _folders(f"{memory}/{folder}"):
            stamps: dict[str, list[str]] = {}
            with os.scandir(f"{memory}/{folder}/{kind}") as files:
                for file in files:
                    name = file.name
                    if name.endswith(".meta.json"):
                        stem, at = name[:-10], 1
                    elif name.endswith(".md"):
                        stem, at = name[:-3], 0
                    else:
                        continue
                    with suppress(OSError):
                        found = file.stat()
                        stamps.setdefault(stem, ["", ""])[at] = (
                            f"{found.st_size}.{found.st_mtime_ns}.{found.st_ctime_ns}"
                        )
            for stem, pair in stamps.items():
                with suppress(UnicodeEncodeError):  # no name of ours, and none that a database or JSON could have
                    yield f"{folder}/{kind}/{stem}.md".encode().decode(), ".".join(pair)


def _folders(place: str) -> list[str]:
    try:
        with os.scandir(place) as found:
            return sorted(entry.name for entry in found if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def decisions_stamp(memory: Path | str) -> str:
    """Returns what stays the same as long as the decisions do: the stamps of the log, the seal and the key."""
    home = os.path.dirname(memory)  # noqa: PTH120  asked at every recall
    return ".".join(stamp_of(place) or "" for place in (f"{memory}/{LOG}", f"{home}/{SEAL}", f"{home}/{KEY}"))


def stamp_of(path: Path | str) -> str | None:
    """Returns the stamp of a file, the same as long as the file is; None where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116  thousands a look: a `Path` would take longer than the call
    except OSError:
        return None
    return f"{found.st_size}.{found.st_mtime_ns}.{found.st_ctime_ns}"


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
