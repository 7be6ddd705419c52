"""How a chunk is staged for the store: its sidecar first, so that a chunk is never visible without one."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from aicx.paths import NON_REPOSITORY, Layout
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
