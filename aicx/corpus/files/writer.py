"""How a chunk is staged for the store: its sidecar first, so that a chunk is never visible without one."""

from __future__ import annotations

from aicx.storage.journal import Writer


def stage_chunk(writer: Writer, stem: str, markdown: bytes, sidecar: bytes) -> None:
    """Stages both files of a chunk."""
    writer.stage(f"{stem}.meta.json", sidecar)
    writer.stage(f"{stem}.md", markdown)
