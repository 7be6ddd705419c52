"""Opens a tantivy index for reading, also where nothing can be written."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def open_index(folder: Path) -> Any:
    """The index in ``folder``, as it is now.

    tantivy locks a file in the folder while it opens the index, which on read-only media, or in a home of somebody
    else, it cannot. There it is shown a private folder of links instead, with a lock that nobody else takes. Raises
    ValueError for an index that is damaged, OSError without a place for that folder.
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
    from tempfile import TemporaryDirectory

    import tantivy

    # An open index keeps its files open, so the links may go at once.
    with TemporaryDirectory(prefix="aicx-index-") as links:
        for name in os.listdir(folder):
            if not name.endswith(".lock"):
                os.symlink(folder.absolute() / name, Path(links, name))
        return tantivy.Index.open(links)
