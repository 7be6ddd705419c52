"""Opens a tantivy index for reading, also where nothing can be written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from aicx.errors import CorpusDamaged

_TRIES = 3


def open_index(folder: Path) -> Any:
    """The index in ``folder``, as it is now.

    tantivy locks a file in the folder while it opens the index, which on read-only media, or in a home of somebody
    else, it cannot. There it is shown a private folder of links instead, with a lock that nobody else takes.
    Raises ValueError or OSError for an index that is damaged, CorpusDamaged where there is no place for that folder.
    """
    import tantivy

    try:
        return tantivy.Index.open(str(folder))
    except ValueError as error:
        if "Lockfile" not in str(error):
            raise
    while True:
        before = _commit(folder)
        try:
            return _open_through_links(folder)
        except ValueError:
            # Without the lock a writer may have replaced files that this commit has.
            if _commit(folder) == before:
                raise


def _commit(folder: Path) -> bytes:
    return (folder / "meta.json").read_bytes()


def _open_through_links(folder: Path) -> Any:
    import tantivy

    with _private_folder(folder) as links:
        for name in os.listdir(folder):
            if not name.endswith(".lock"):
                (links / name).symlink_to(folder.absolute() / name)
        return tantivy.Index.open(str(links))


@contextmanager
def _private_folder(index: Path) -> Iterator[Path]:
    from tempfile import mkdtemp

    try:
        folder = Path(mkdtemp(prefix="aicx-index-"))
    except OSError as error:
        raise CorpusDamaged(
            f"the lexical index in {index} cannot be opened, for neither it nor a temporary folder can be written:"
            f" {error.strerror or error}",
            hint="set TMPDIR to a folder that can be written",
        ) from error
    try:
        yield folder
    finally:
        # An open index keeps its files open, so the links may go at once. A thread of tantivy's looks for a newer
        # commit right after opening, and may leave its lock while they do.
        for _ in range(_TRIES):
            with suppress(OSError):
                shutil.rmtree(folder)
                break
