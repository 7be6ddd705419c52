"""Summaries that were made, a file for each session. Derived: one that is missing or damaged is made again."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import field
from hashlib import sha256
from pathlib import Path
from zlib import crc32

import orjson

import aicx
from aicx.evidence.patterns import rules_digest
from aicx.paths import Layout
from aicx.sessions.stored import StoredSession
from aicx.sessions.summary import Summary
from aicx.storage.atomic import replace_file
from aicx.storage.typed import from_json
from aicx.values import dataclass
from aicx.work.session_facts import Said
from aicx.work.summarizer import By


@dataclass(frozen=True, slots=True)
class Entry:
    """A summary as it was made. ``claims`` are those of a configured summarizer, ``note`` what became of asking it."""

    summary: Summary
    claims: tuple[Said, ...] = ()
    by: By = "rules"
    note: str | None = None


@dataclass(slots=True)
class Kept:
    """The summaries of one session as its text is now: of window 3 under ``w3``, of all of it under ``session``.

    After the name ``:llm`` for one that a summarizer was asked for.
    """

    path: Path
    version: str
    entries: dict[str, Entry] = field(default_factory=dict)

    def save(self) -> None:
        """Raises StoreUnwritable."""
        body = orjson.dumps({"version": self.version, "entries": self.entries})
        replace_file(self.path, b"%08x\n%b" % (crc32(body), body))


def load_kept(layout: Layout, session: StoredSession) -> Kept:
    """What is kept of a session; nothing of what was made of another text, by other rules or by another version."""
    name = sha256(session.ref.encode()).hexdigest()[:32]
    version = f"1 {aicx.__version__} {rules_digest()} {session.digest}"
    kept = Kept(layout.session_summaries / f"{name}.json", version)
    with suppress(OSError, ValueError, TypeError, LookupError, AttributeError):
        checksum, _, body = kept.path.read_bytes().partition(b"\n")
        found = orjson.loads(body) if checksum == b"%08x" % crc32(body) else {}
        if found.get("version") == version:
            kept.entries = {name: from_json(Entry, fields) for name, fields in found["entries"].items()}
    return kept
