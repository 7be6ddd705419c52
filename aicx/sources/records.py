"""Reads logs record by record: bounded memory, exact byte positions, and damage that costs only itself."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import orjson

from aicx.sources.damaged_json import BROKEN, decode_damaged
from aicx.types import BadRecord, LogFile, SourceRef

# A longer line is condensed before it is parsed: in real logs only pasted images make lines this long.
LINE_LIMIT = 16 * 1024 * 1024
_BLOCK = 1024 * 1024
# The start of a run stays: after a backslash it is the rest of an escape such as `\n` or `\u00e9`.
_BLOB = re.compile(rb"([A-Za-z0-9+/=_-]{8})[A-Za-z0-9+/=_-]{2048,}")
_ELIDED = rb"\1[elided]"
_PADDING = b" \t\r\n\0"


class LogRecord(Protocol):
    """A record of a log, be it a line of its own or an element of one big object."""

    @property
    def value(self) -> dict[str, Any]: ...

    @property
    def line(self) -> int | None: ...

    def ref(self, path: str) -> SourceRef: ...


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object of a log with the bytes it was read from."""

    value: dict[str, Any]
    raw: bytes
    start: int
    end: int
    line: int
    digest: str | None = None  # of a condensed line as it is on disk

    def ref(self, path: str) -> SourceRef:
        """Where the record is. The hash covers its line without the white space around it."""
        return SourceRef(path, self.start, self.end, self.digest or sha256(self.raw).hexdigest())


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a list in a log that is one JSON value."""

    value: dict[str, Any]
    index: int
    line: int | None = None

    def ref(self, path: str) -> SourceRef:
        """Where the element is, as ``element_ref`` says it."""
        return element_ref(path, self.index, self.value)


def unreadable(path: Path, error: OSError) -> BadRecord:
    """What to report of a file that the system does not let us read."""
    return BadRecord(str(path), f"cannot be read: {error.strerror or error}")


def stat_log(agent: str, format: str, path: Path) -> LogFile | BadRecord:
    """``path`` as a LogFile, or the reason why it is none (vanished, a folder, not a regular file)."""
    try:
        status = path.stat()
    except OSError as error:
        return unreadable(path, error)
    if stat.S_ISDIR(status.st_mode):
        return BadRecord(str(path), "is a folder, not a log")
    if not stat.S_ISREG(status.st_mode):
        return BadRecord(str(path), "is not a regular file")
    return LogFile(agent, format, path, status.st_size, f"{status.st_size}:{status.st_mtime_ns}:{status.st_ino}")


def read_note(path: Path, limit: int = _BLOCK) -> bytes:
    """The beginning of a file beside the logs. Raises OSError, also for a pipe or a device, which might never end."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    with path.open("rb") as stream:
        return stream.read(limit)


def read_jsonl(log: LogFile) -> Iterator[Record | BadRecord]:
    """The objects of a JSON Lines log in file order, reading no further than the size seen when it was listed.

    Two objects glued together on one line both come out. A half-written last line is reported as unfinished.
    """
    path = str(log.path)
    try:
        with log.path.open("rb") as stream:
            yield from _read_lines(stream, path, log.size)
    except OSError as error:
        yield unreadable(log.path, error)


def _read_lines(stream: BinaryIO, path: str, size: int) -> Iterator[Record | BadRecord]:
    position = 0
    number = 0
    while position < size:
        start = position
        raw = stream.readline(min(LINE_LIMIT, size - position))
        if not raw:
            yield BadRecord(path, f"became shorter while it was read ({position} of {size} bytes)")
            return
        position += len(raw)
        number += 1
        digest = None
        if not raw.endswith(b"\n") and position < size:
            raw, position, digest = _condense(stream, raw, position, size)
        # A crash of the machine can leave a run of NUL bytes where a record was about to be.
        body = raw.strip(_PADDING)
        if body:
            yield from _parse_line(body, path, start, position, number, finished=raw.endswith(b"\n"), digest=digest)
        elif b"\0" in raw:
            yield BadRecord(path, "holds only NUL bytes", number)


def _condense(stream: BinaryIO, head: bytes, position: int, size: int) -> tuple[bytes, int, str]:
    """Reads the rest of an over-long line, keeping it short by cutting base64 runs as they pass; also its hash."""
    kept = bytearray(_BLOB.sub(_ELIDED, head))
    digest = sha256(head.lstrip(_PADDING))
    ended = False
    while position < size and not ended:
        block = stream.readline(min(_BLOCK, size - position))
        if not block:
            break
        position += len(block)
        ended = block.endswith(b"\n")
        digest.update(block.rstrip(_PADDING) if ended or position == size else block)
        if len(kept) <= LINE_LIMIT:
            # A blob that straddles two blocks leaves at most one short run on each side of the seam.
            kept += _BLOB.sub(_ELIDED, block)
    return bytes(kept), position, digest.hexdigest()


def _parse_line(
    body: bytes, path: str, start: int, end: int, number: int, *, finished: bool, digest: str | None
) -> Iterator[Record | BadRecord]:
    if len(body) > LINE_LIMIT:
        yield BadRecord(path, f"line of {end - start} bytes is over the limit of {LINE_LIMIT}", number)
        return
    try:
        values = [orjson.loads(body)]
    except orjson.JSONDecodeError:
        values = decode_damaged(body)
    for value in values:
        if isinstance(value, dict):
            yield Record(value, body, start, end, number, digest)
        elif value is BROKEN:
            reason = "is not JSON" if finished else "unfinished last line, read again when it is complete"
            yield BadRecord(path, reason, number)
        else:
            yield BadRecord(path, f"holds a JSON {type(value).__name__}, not an object", number)


def read_json(log: LogFile, limit: int = 256 * 1024 * 1024) -> dict[str, Any] | BadRecord:
    """A log that is one JSON object."""
    path = str(log.path)
    if log.size > limit:
        return BadRecord(path, f"file of {log.size} bytes is over the limit of {limit}")
    try:
        body = log.path.read_bytes()
    except OSError as error:
        return unreadable(log.path, error)
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        values = decode_damaged(body.strip(_PADDING))
        if len(values) != 1 or values[0] is BROKEN:
            return BadRecord(path, "is not one whole JSON object")
        value = values[0]
    if not isinstance(value, dict):
        return BadRecord(path, f"holds a JSON {type(value).__name__}, not an object")
    return value


def element_ref(path: str, index: int, element: Any) -> SourceRef:
    """Provenance of the ``index``-th element of a log that is one JSON object: its position and its content's hash."""
    return SourceRef(path, index, index + 1, sha256(dump_json(element)).hexdigest())


def dump_json(value: Any) -> bytes:
    """A value read from a log as compact JSON, or a mark where it is nested deeper than orjson will write."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError:
        return b'"[nested too deep]"'


def parse_instant(value: Any) -> datetime | None:
    """An aware UTC instant from ISO-8601 text or from a Unix time in seconds or milliseconds; None when it is none."""
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value)
            return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return datetime.fromtimestamp(value / 1000 if value > 100_000_000_000 else value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def list_folder(folder: Path) -> list[Path] | BadRecord:
    """What a folder holds, sorted by name; empty when it does not exist, the reason when it cannot be listed."""
    try:
        return [Path(entry.path) for entry in sorted(os.scandir(folder), key=lambda entry: entry.name)]
    except FileNotFoundError:
        return []
    except OSError as error:
        return BadRecord(str(folder), f"cannot be listed: {error.strerror or error}")
