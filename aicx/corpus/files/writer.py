"""How a chunk is staged for the store: its sidecar first, so that a chunk is never visible without one."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from aicx.paths import NON_REPOSITORY, Layout
from aicx.storage.atomic import UNFINISHED, clear_unfinished
from aicx.storage.journal import Writer


def stage_chunk(writer: Writer, stem: str, markdown: bytes, sidecar: bytes) -> None:
    """Stages both files of a chunk."""
    writer.stage(f"{stem}.meta.json", sidecar)
    writer.stage(f"{stem}.md", markdown)


def drop_empty_folders(layout: Layout, removed: Iterable[str]) -> None:
    """Removes the folders of the store that nothing is left in after ``removed`` chunks are gone."""
    tops = (layout.store, layout.home / NON_REPOSITORY)
    for folder in {layout.inside(path).parent for path in removed}:
        with suppress(OSError):  # not empty
            while folder not in tops:
                with suppress(FileNotFoundError):  # by an earlier call that was killed
                    folder.rmdir()
                folder = folder.parent


def remove_unfinished(layout: Layout) -> None:
    """Deletes what killed processes left half written anywhere in the home."""
    for folder, folders, names in os.walk(layout.home):
        if Path(folder) == layout.home:  # chunks are staged elsewhere, and there are many
            folders[:] = [name for name in folders if name not in (layout.store.name, NON_REPOSITORY)]
        clear_unfinished(Path(folder, name) for name in names if name.endswith(UNFINISHED))
