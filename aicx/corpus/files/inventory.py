"""All files in the store: chunks, their sidecars, and files that are neither."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from aicx.corpus.files.read import sidecar_path
from aicx.paths import Layout, parse_chunk_name
from aicx.values import dataclass

_SIDECAR_SUFFIX = ".meta.json"


@dataclass(frozen=True, slots=True)
class InventoryItem:
    """One chunk by the path of its Markdown, and which of its two files are there."""

    path: str
    has_chunk: bool
    has_sidecar: bool

    @property
    def files(self) -> tuple[str, str]:
        return self.path, sidecar_path(self.path)


@dataclass(frozen=True, slots=True)
class Inventory:
    """The chunks, sorted by path, and the files among them that aicx did not name."""

    items: list[InventoryItem]
    strays: list[str]


def take_inventory(layout: Layout) -> Inventory:
    """Lists the store. Symbolic links are not followed; they count as strays."""
    found: dict[str, list[bool]] = {}
    strays: list[str] = []
    for top in (layout.store, layout.non_repository):
        for path, is_file in _walk(top, f"{top.name}/"):
            chunk = path.removesuffix(_SIDECAR_SUFFIX) + ".md" if path.endswith(_SIDECAR_SUFFIX) else path
            if is_file and parse_chunk_name(chunk.rpartition("/")[2]):
                found.setdefault(chunk, [False, False])[path != chunk] = True
            else:
                strays.append(path)
    return Inventory([InventoryItem(path, *found[path]) for path in sorted(found)], sorted(strays))


def _walk(folder: Path, prefix: str) -> Iterator[tuple[str, bool]]:
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path), f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry.is_file(follow_symlinks=False)
