"""Both notes of a writing, or neither: a record of what is being written, by which a killed writing is undone.

The project's note and the event are published together by the journal of work. The worktree's note is on another disk,
perhaps: it is put in place before, and its former content is kept beside it until the event is in the log.

What stays behind when a writing failed is a recovery marker: it names the session that the note was to be written from.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import orjson

from aicx.continuity.audit import AuditEntry, decode_audited
from aicx.continuity.state import quote_path, unquote_path
from aicx.errors import CorpusDamaged
from aicx.storage.atomic import UNFINISHED, create_private, replace_file, unwritable
from aicx.values import dataclass

Stage = Literal["writing", "summary-write", "audit-write", "interrupted"]
_PREFIX = "pending-"
_MAX_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Pending:
    """A writing that is under way, or that failed. ``event`` is the id of the event that completes it.

    ``target`` is the worktree's note, ``new`` the SHA-256 (hex) of its new content, None where it goes; both are None
    where the worktree's note is not written.
    """

    path: Path
    entry: AuditEntry
    event: str
    stage: Stage
    message: str = ""
    target: Path | None = None
    new: str | None = None

    @property
    def before(self) -> Path:
        """Where the former content of the worktree's note is kept. There only where there was one."""
        assert self.target is not None
        return self.target.with_name(f".{self.target.name}.{self.event[:12]}{UNFINISHED}")

    def write(self) -> None:
        """Raises StoreUnwritable."""
        fields = {
            "entry": self.entry.encode(),
            "at": self.entry.at,
            "event": self.event,
            "stage": self.stage,
            "message": self.message,
            "target": None if self.target is None else quote_path(self.target),
            "new": self.new,
        }
        replace_file(self.path, orjson.dumps(fields) + b"\n")


def pending_path(folder: Path, entry: AuditEntry) -> Path:
    """The file for one worktree, scope and session: what succeeds later clears what failed for the same."""
    identity = "\0".join((entry.worktree, entry.scope, entry.session, entry.log))
    return folder / f"{_PREFIX}{sha256(identity.encode('utf-8', 'replace')).hexdigest()[:12]}.json"


def pendings(folder: Path) -> list[Pending]:
    """The writings that did not come to their end, the oldest first."""
    found = []
    for path in _files(folder):
        with suppress(OSError, ValueError, LookupError, TypeError, AttributeError):
            body = path.read_bytes()
            if len(body) <= _MAX_BYTES and (one := _decode(path, orjson.loads(body))) is not None:
                found.append(one)
    return sorted(found, key=lambda one: (one.entry.at, one.path.name))


def is_pending_file(name: str) -> bool:
    return name.startswith(_PREFIX) and name.endswith(".json")


def swap(pending: Pending, body: bytes | None) -> None:
    """Puts the new content of the worktree's note in place, or takes the note away, and keeps what was there.

    The note is there at every moment. Raises StoreUnwritable, and then it is as it was.
    """
    target = pending.target
    assert target is not None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            pending.before.unlink()
        with suppress(FileNotFoundError):
            _copy(target, pending.before)
        if body is None:
            target.unlink(missing_ok=True)
        else:
            replace_file(target, body)
    except OSError as error:
        raise unwritable(target, error) from error


def undo(pending: Pending) -> None:
    """Puts the worktree's note back as it was before, unless somebody has changed it since. Raises StoreUnwritable."""
    target = pending.target
    if target is None:
        return
    try:
        if digest_of(target) == pending.new:
            if pending.before.exists():
                os.replace(pending.before, target)  # noqa: PTH105  as in one step as the note was written
            elif pending.new is not None:
                target.unlink(missing_ok=True)
        else:
            pending.before.unlink(missing_ok=True)
    except OSError as error:
        raise unwritable(target, error) from error


def complete(pending: Pending) -> None:
    """Clears what a writing that succeeded left for its undoing, the marker of an earlier failure with it."""
    if pending.target is not None:
        with suppress(OSError):
            pending.before.unlink(missing_ok=True)
    with suppress(OSError):
        pending.path.unlink(missing_ok=True)


def digest_of(path: Path) -> str | None:
    """The SHA-256 (hex) of a file; None where there is none. Raises OSError."""
    try:
        return sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def _copy(source: Path, target: Path) -> None:
    with create_private(target) as stream:
        stream.write(source.read_bytes())


def _files(folder: Path) -> Iterator[Path]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if is_pending_file(entry.name))
    except FileNotFoundError:
        return
    except OSError as error:
        raise CorpusDamaged(f"{folder} cannot be listed: {error.strerror}", hint="check its permissions") from error
    yield from (folder / name for name in names)


def _decode(path: Path, fields: Mapping[str, Any]) -> Pending | None:
    entry = decode_audited(fields["entry"], str(fields["at"]))
    stage: Stage | None = next(
        (one for one in ("writing", "summary-write", "audit-write", "interrupted") if one == fields["stage"]), None
    )
    if entry is None or stage is None:
        return None
    target, new = fields["target"], fields["new"]
    return Pending(
        path,
        entry,
        str(fields["event"]),
        stage,
        str(fields["message"]),
        None if target is None else unquote_path(target),
        None if new is None else str(new),
    )
