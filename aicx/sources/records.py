"""Reads logs record by record: bounded memory, exact byte positions, and damage that costs only itself."""

from __future__ import annotations

import json
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from aicx.sources.items import BadRecord, LogFile, SourceItem, SourceRef, passed_over
from aicx.sources.values import BLOCK, CUT_OUT, DataCutter, read_cut
from aicx.values import batches, dataclass

# What is longer loses its embedded data before it is parsed: in real logs only that makes lines this long. What remains
# of a line may be as long as this, and what remains of a log that is one JSON value as long as WHOLE_LIMIT.
LINE_LIMIT = 16 * 1024 * 1024
WHOLE_LIMIT = 256 * 1024 * 1024
# Reading on begins near the end: at the last chunk that is still open.
_POINTS_WITHIN = 8 * 1024 * 1024
_PADDING = b" \t\r\n\0"
BROKEN = object()  # stands for a part of a line that is not JSON


@dataclass(frozen=True, slots=True)
class RawRecord:
    """One JSON object of a log with the bytes it was read from."""

    value: dict[str, Any]
    raw: bytes
    start: int
    end: int
    line: int
    digest: str | None = None  # of a condensed line as it is on disk
    cut: int = 0  # pieces of embedded data left out

    def ref(self, path: str) -> SourceRef:
        """Where the record is. The hash covers its line without the white space around it."""
        return SourceRef(path, self.start, self.end, self.digest or sha256(self.raw).hexdigest())


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a list in a log that is one JSON value."""

    value: dict[str, Any]
    index: int
    line: int | None = None
    cut: int = 0  # pieces of embedded data left out of the log, counted with its first element

    def ref(self, path: str) -> SourceRef:
        """Where the element is, as ``element_ref`` says it."""
        return element_ref(path, self.index, self.value)


# A record of a log, be it a line of its own or an element of one big object.
LogRecord = RawRecord | Element


def unreadable(path: Path, error: OSError) -> BadRecord:
    """Makes the report of a file that the system does not let us read."""
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


def read_jsonl(
    log: LogFile, *, start: int = 0, line: int = 0, limit: int = LINE_LIMIT, block: int = BLOCK
) -> Iterator[RawRecord | BadRecord]:
    """The objects of a JSON Lines log in file order, reading no further than the size seen when it was listed.

    Reading begins at the byte ``start``, where the line with the number ``line`` ends.
    A line of more than ``limit`` bytes, embedded data not counted, is a BadRecord; its rest is read by the ``block``.
    Two objects glued together on one line both come out. A half-written last line is reported as unfinished.
    """
    path = str(log.path)
    try:
        with log.path.open("rb") as stream:
            stream.seek(start)
            yield from _read_lines(stream, path, log.size, limit, block, start, line)
    except OSError as error:
        yield unreadable(log.path, error)


def items_of_records(
    log: LogFile, take: Callable[[RawRecord], Iterator[SourceItem]], skipped: Counter[str]
) -> Iterator[SourceItem]:
    """What ``take`` makes of each record of a JSON Lines log, what cannot be read, and in the end what was skipped."""
    for item in read_jsonl(log):
        if isinstance(item, BadRecord):
            yield item
            continue
        if item.cut:
            skipped[CUT_OUT] += item.cut
        yield from take(item)
    yield from passed_over(str(log.path), skipped)


def first_of_type(log: LogFile, kind: str, limit: int = 20) -> dict[str, Any]:
    """The first record of a type among the first ``limit`` of a JSON Lines log; empty where there is none."""
    records = (item.value for item in islice(read_jsonl(log), limit) if isinstance(item, RawRecord))
    return next((value for value in records if value.get("type") == kind), {})


def points_from(log: LogFile) -> int:
    """The byte of a log from which on a reader names the places to read on from."""
    return max(0, log.size - _POINTS_WITHIN)


def _read_lines(
    stream: BinaryIO, path: str, size: int, limit: int, block: int, position: int, number: int
) -> Iterator[RawRecord | BadRecord]:
    while position < size:
        start = position
        raw = stream.readline(min(limit, size - position))
        if not raw:
            yield BadRecord(path, f"became shorter while it was read ({position} of {size} bytes)")
            return
        position += len(raw)
        number += 1
        digest = None
        cut = 0
        if not raw.endswith(b"\n") and position < size:
            raw, position, digest, cut = _condense(stream, raw, position, size, limit, block)
        # A crash of the machine can leave a run of NUL bytes where a record was about to be.
        body = raw.strip(_PADDING)
        if len(body) > limit:
            yield BadRecord(path, f"line of {position - start} bytes is over the limit of {limit}", number)
        elif body:
            finished = raw.endswith(b"\n")
            yield from _parse_line(body, path, start, position, number, finished=finished, digest=digest, cut=cut)
        elif b"\0" in raw:
            yield BadRecord(path, "holds only NUL bytes", number)


def _condense(
    stream: BinaryIO, head: bytes, position: int, size: int, limit: int, block: int
) -> tuple[bytes, int, str, int]:
    """Reads the rest of an over-long line, leaving out embedded data as it passes; also its hash, and how much data."""
    cutter = DataCutter()
    kept = bytearray()
    for part in batches(head, block):
        kept += cutter.feed(part)
    digest = sha256(head.lstrip(_PADDING))
    ended = False
    while position < size and not ended:
        read = stream.readline(min(block, size - position))
        if not read:
            break
        position += len(read)
        ended = read.endswith(b"\n")
        digest.update(read.rstrip(_PADDING) if ended or position == size else read)
        if len(kept) <= limit:
            kept += cutter.feed(read)
    kept += cutter.feed(b"", last=True)
    return bytes(kept), position, digest.hexdigest(), cutter.count


def _parse_line(
    body: bytes, path: str, start: int, end: int, number: int, *, finished: bool, digest: str | None, cut: int
) -> Iterator[RawRecord | BadRecord]:
    try:
        values = [orjson.loads(body)]
    except orjson.JSONDecodeError:
        values = decode_damaged(body)
    for value in values:
        if isinstance(value, dict):
            yield RawRecord(value, body, start, end, number, digest, cut)
            cut = 0
        elif value is BROKEN:
            reason = "is not JSON" if finished else "unfinished last line, read again when it is complete"
            yield BadRecord(path, reason, number)
        else:
            yield BadRecord(path, f"holds a JSON {type(value).__name__}, not an object", number)


def read_json(log: LogFile, limit: int = WHOLE_LIMIT, *, whole_up_to: int = LINE_LIMIT) -> dict[str, Any] | BadRecord:
    """A log that is one JSON object; see ``read_json_cut``."""
    return read_json_cut(log, limit, whole_up_to=whole_up_to)[0]


def read_json_cut(
    log: LogFile, limit: int = WHOLE_LIMIT, *, whole_up_to: int = LINE_LIMIT
) -> tuple[dict[str, Any] | BadRecord, int]:
    """A log that is one JSON object, and how many pieces of embedded data were left out of it.

    None are where the file is no larger than ``whole_up_to`` bytes. ``limit`` is for what remains.
    """
    try:
        if log.size <= min(whole_up_to, limit):
            body, cut = log.path.read_bytes(), 0
        else:
            body, _, _, cut = read_cut(log.path, limit)
    except OSError as error:
        return unreadable(log.path, error), 0
    if len(body) > limit:
        return BadRecord(str(log.path), f"file of {log.size} bytes is over the limit of {limit}"), 0
    return _parse_whole(str(log.path), body), cut


def _parse_whole(path: str, body: bytes) -> dict[str, Any] | BadRecord:
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
    """Lists a folder, sorted by name; empty when it does not exist, the reason when it cannot be listed."""
    try:
        return [Path(entry.path) for entry in sorted(os.scandir(folder), key=lambda entry: entry.name)]
    except FileNotFoundError:
        return []
    except OSError as error:
        return BadRecord(str(folder), f"cannot be listed: {error.strerror or error}")


def entries_of(folder: Path) -> Sequence[Path | BadRecord]:
    """Lists a folder as `list_folder` does, with the reason in the place of its entries where it cannot be listed."""
    listing = list_folder(folder)
    return [listing] if isinstance(listing, BadRecord) else listing


def _parse_int(digits: str) -> int | float:
    """Integers beyond 64 bits become floats, as orjson reads them: it could not write them again."""
    value = float(digits)
    return int(digits) if -(2.0**63) <= value < 2.0**64 else value


_DECODER = json.JSONDecoder(strict=False, parse_int=_parse_int)
_TAIL_ATTEMPTS = 2000  # bounds the time spent on a line that is broken all over


def decode_damaged(body: bytes) -> list[Any]:
    """The JSON values of one line in their order, with ``BROKEN`` standing for a part that is none."""
    text = body.decode("utf-8", "replace")
    values: list[Any] = []
    at = 0
    while at < len(text):
        try:
            value, at = _decode_at(text, at)
        except (ValueError, RecursionError):
            return [*values, BROKEN, *_decode_tail(text, at)]
        values.append(value)
        while at < len(text) and text[at] in " \t\r":
            at += 1
    return values


def _decode_tail(text: str, start: int) -> list[Any]:
    """The whole objects that end a line whose part from ``start`` on is broken.

    An agent that died in the middle of a line leaves half a record, and the next process writes on behind it. Read
    from the right, an object counts only if it ends where the one after it begins, so that nothing nested does.
    """
    values: list[Any] = []
    at = end = len(text)
    for _ in range(_TAIL_ATTEMPTS):
        at = text.rfind('{"', start + 1, at)
        if at < 0 or text[end - 1] != "}":  # which no object ends with
            break
        try:
            value, stop = _decode_at(text, at)
        except (ValueError, RecursionError):
            stop = -1
        if stop == end:
            values.insert(0, value)
            end = at
    return values


def _decode_at(text: str, at: int) -> tuple[Any, int]:
    value, end = _DECODER.raw_decode(text, at)
    return _without_surrogates(value), end


def _without_surrogates(value: Any) -> Any:
    """Lone surrogates (half an emoji, cut by an agent's truncation) cannot be written as UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


def changed_at(path: Path | None) -> datetime | None:
    """The modification time of ``path`` to the second, aware and UTC; None when there is no such file."""
    try:
        return None if path is None else datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
    except (OSError, ValueError, OverflowError):
        return None
