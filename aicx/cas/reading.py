"""Reading objects: every byte is hashed before any is given, and what `.aicxignore` hides is not there."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import BinaryIO

from aicx.cas.entry import (
    BadEntry,
    ObjectEntry,
    beginning_of,
    names_in,
    object_path,
    read_entry,
    read_tombstones,
    the_one,
)
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import Layout
from aicx.system import STRICT

MAX_TEXT = 32 * 1024 * 1024  # bytes of an object that is text: its redaction needs all of it in memory
BLOCK = 1024 * 1024

Hides = Callable[[str, ObjectEntry | None], bool]  # an object's name and entry


def list_entries(layout: Layout) -> tuple[list[ObjectEntry], list[str]]:
    """Every object that may be seen, those put last first, and the names of those whose sidecars cannot be read."""
    hides = hidden_in(layout)
    entries: list[ObjectEntry] = []
    damaged: list[str] = []
    for name in names_in(layout):
        entry = entry_or_none(layout, name)
        if hides(name, entry):
            continue
        if entry is None:
            damaged.append(name)
        else:
            entries.append(entry)
    return sorted(entries, key=lambda entry: (-entry.put_at.timestamp(), entry.name)), damaged


def find(layout: Layout, digest: str) -> str:
    """The name of the object that ``digest`` or its beginning means.

    Raises NotFound, with the reason where it is known why there is none, and UsageError where several begin so.
    """
    beginning = beginning_of(digest)
    hides = hidden_in(layout)
    found = [name for name in names_in(layout, beginning) if not hides(name, entry_or_none(layout, name))]
    if not found:
        gone = [one for name, one in read_tombstones(layout)[0].items() if name.startswith(beginning)]
        if len(gone) == 1:
            new = gone[0].replaced_by
            hint = f"aicx pack objects get sha256:{new}" if new else "what is forgotten does not come back"
            raise NotFound(f"the object {digest} was {gone[0].words}", hint=hint)
    return the_one(digest, found)


def entry_or_none(layout: Layout, name: str) -> ObjectEntry | None:
    try:
        return read_entry(layout, name)
    except BadEntry:
        return None


@contextmanager
def opened(layout: Layout, name: str) -> Iterator[BinaryIO]:
    """The bytes of an object, which are what its name says. Raises NotFound, CorpusDamaged."""
    path = object_path(layout, name)
    try:
        descriptor = os.open(path, os.O_RDONLY | STRICT)
    except FileNotFoundError:
        raise NotFound(f"there is no object sha256:{name}", hint="aicx pack objects list shows what there is") from None
    except OSError as error:
        raise _damaged(name, error.strerror or str(error)) from error
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _damaged(name, "it is not a file")
        if file_digest(stream, "sha256").hexdigest() != name:
            raise _damaged(name, "its bytes are not those that were put")
        stream.seek(0)
        yield stream


def read(layout: Layout, name: str, limit: int = MAX_TEXT) -> bytes:
    """The bytes of an object of at most ``limit``. Raises NotFound, CorpusDamaged."""
    with opened(layout, name) as stream:
        body = stream.read(limit + 1)
    if len(body) > limit:
        raise _damaged(name, f"it is longer than {limit:,} bytes, which no text is")
    return body


def is_sound(layout: Layout, name: str) -> bool:
    """Whether there is an object of that name, and its bytes are what the name says."""
    try:
        with opened(layout, name):
            return True
    except (NotFound, CorpusDamaged):
        return False


def relative(layout: Layout, path: Path) -> str:
    return path.relative_to(layout.home).as_posix()


def hidden_in(layout: Layout) -> Hides:
    """Says of an object whether `.aicxignore` hides it: by its path, or because it hides a session that it quotes."""
    if not layout.ignore_file.exists():
        return lambda name, entry: False
    from aicx.corpus.catalog.query import (
        ignore_matcher,
        open_catalog,  # imported here: most people have no such file
    )

    matches = ignore_matcher(layout)
    sessions: set[str] = set()
    try:
        with open_catalog(layout) as found:
            rows = found.catalog.rows("SELECT DISTINCT agent, session_id FROM chunks WHERE ignored<>0")
            sessions = {f"{row['agent']}:{row['session_id']}" for row in rows}
    except NotFound:  # nothing is stored
        pass

    def hides(name: str, entry: ObjectEntry | None) -> bool:
        quoted = entry is not None and not sessions.isdisjoint(entry.sessions)
        return quoted or matches(relative(layout, object_path(layout, name)))

    return hides


def _damaged(name: str, why: str) -> CorpusDamaged:
    return CorpusDamaged(f"the object sha256:{name} is damaged: {why}", hint="put it again; that mends it")
