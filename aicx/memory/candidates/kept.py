"""Keeps the proposals of each stored session, so that only new and changed sessions are read again.

Derived, in one file below ``index/``: it may be deleted at any time, and a damaged one counts as missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from hashlib import sha256
from pathlib import Path
from sqlite3 import Row
from typing import Any
from zlib import crc32

import orjson

from aicx.corpus.files.read import sidecar_path
from aicx.errors import StoreUnwritable
from aicx.evidence.patterns import reading_version
from aicx.memory.files import stamp_of
from aicx.memory.proposals import Proposal
from aicx.paths import Layout
from aicx.storage.atomic import replace_file
from aicx.storage.typed import from_json
from aicx.values import dataclass

Key = tuple[str, str, str]  # agent, session, repository


@dataclass(frozen=True, slots=True)
class Reading:
    """The proposals of one session, and notes on the parts of it that could not be read."""

    proposals: list[Proposal]
    notes: list[str]


class Kept:
    """The readings of all sessions at ``place``. With ``anew`` each is made again."""

    def __init__(self, place: Path, *, anew: bool = False) -> None:
        self._place = place
        self._version = reading_version(2)
        self._known = self._load()
        self._anew, self._changed = anew, False

    def reading(self, key: Key, stamp: str, read: Callable[[], Reading]) -> Reading:
        """The reading of a session whose chunks have this stamp; ``read`` makes it where it is not known."""
        name = "\0".join(key)
        row = self._known.get(name)
        if row is not None and row[0] == stamp and not self._anew:
            return Reading([from_json(Proposal, fields) for fields in row[1]], row[2])
        found = read()
        self._known[name] = stamp, found.proposals, found.notes
        self._changed = True
        return found

    def leave_out(self, keys: Iterable[Key]) -> None:
        """Keeps no reading of these. What a policy excludes is in no file of ours; its sessions are read each time."""
        for key in keys:
            self._changed = self._known.pop("\0".join(key), None) is not None or self._changed

    def keep_only(self, keys: Collection[Key]) -> None:
        """Forgets the sessions that are no longer stored."""
        names = {"\0".join(key) for key in keys}
        gone = [name for name in self._known if name not in names]
        for name in gone:
            del self._known[name]
        self._changed = self._changed or bool(gone)

    def save(self) -> None:
        """Writes what changed. A home that cannot be written is left as it is: the next call reads again."""
        if not self._changed:
            return
        body = orjson.dumps({"version": self._version, "sessions": self._known}, default=dict)
        try:
            replace_file(self._place, b"%08x\n%b" % (crc32(body), body))
        except StoreUnwritable:
            return
        self._changed = False

    def _load(self) -> dict[str, Any]:
        try:
            checksum, _, body = self._place.read_bytes().partition(b"\n")
        except OSError:
            return {}
        if checksum != b"%08x" % crc32(body):
            return {}
        found = orjson.loads(body)
        return dict(found["sessions"]) if found["version"] == self._version else {}


def stamp_of_chunks(layout: Layout, chunks: Iterable[Row]) -> str:
    """Another one whenever a chunk of a session, its sidecar or what the catalogue knows of it is another."""
    digest = sha256()
    for row in chunks:
        path = str(row["path"])
        files = [stamp_of(layout.home / one) for one in (path, sidecar_path(path))]
        digest.update(repr((path, row["content_sha256"], row["cwd"], row["lane"], files)).encode())
    return digest.hexdigest()[:32]
