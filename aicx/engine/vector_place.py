"""Where the vector index is: in the home itself unless the user named an address.

What the manifest records must hold in a copied, moved or linked home too: nothing for the home's own place, a path
relative to the home for a folder inside it, and else the address as the user gave it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from aicx.config import Settings
from aicx.engine.index_manifest import read_manifest, write_manifest
from aicx.errors import NotFound, StoreLocked, UsageError
from aicx.paths import Layout
from aicx.storage.lock import writer_lock

# Where the table may be: while one of the two answers, the next one is made in the other place.
TABLES = ("vectors", "vectors-b")
_FILE = "file://"


class InAnotherHome(NotFound):
    """The recorded index belongs to another home, as after a copy without its vectors."""


def chosen_address(settings: Settings) -> str:
    """Where `aicx index` writes. Raises UsageError when ``index_uri`` names a part of another home."""
    named = settings.embedding.index_uri
    address = _address(settings.layout, named)
    if (other := _other_home(settings.layout, address)) is not None:
        if named is None:
            raise InAnotherHome(
                f"{address} leads into another home, {other}",
                hint=f"delete the link {address}, then aicx index; nothing is lost, since the index is made anew",
            )
        raise UsageError(
            f"index_uri names {address}, which is a part of another home, {other}",
            hint="remove index_uri from config.toml, or name a folder outside any home, then aicx index",
        )
    return address


def to_record(layout: Layout, address: str) -> str | None:
    """``address`` as the manifest keeps it; None for the home's own place."""
    if "://" in address:
        return address
    place, home = Path(address).resolve(), layout.home.resolve()
    if place == _own(layout).resolve():
        return None
    return str(place.relative_to(home)) if place.is_relative_to(home) else address


def recorded_address(settings: Settings, made: Mapping[str, Any]) -> str:
    """Where the index is that a manifest tells of, also one of earlier versions, which named the own place in full.

    A table at the home's own place goes before one in another home and before one that is gone: that is what a copy
    or a move leaves behind. Raises InAnotherHome when there is a table in another home only.
    """
    layout, named = settings.layout, made.get("uri")
    address = _address(layout, named)
    other = _other_home(layout, address)
    chosen = address == _address(layout, settings.embedding.index_uri)
    gone = "://" not in address and not chosen and not _holds_table(Path(address))
    if (other is not None or gone) and _holds_table(own := _own(layout)) and _other_home(layout, str(own)) is None:
        return str(own)
    if other is not None:
        raise InAnotherHome(
            f"this home has no vector index: the one it was copied with, {address}, is of another home",
            hint="aicx index",
        )
    return address


def table_of(made: Mapping[str, Any]) -> str:
    """The table that answers by what the manifest tells."""
    named = made.get("table")
    return named if named in TABLES else TABLES[0]


def heal_record(settings: Settings) -> bool:
    """Whether an earlier version had recorded a place of this home in full, which is put right."""
    layout = settings.layout
    if not isinstance(read_manifest(layout).get("vectors", {}).get("uri"), str):
        return False
    with suppress(InAnotherHome, StoreLocked), writer_lock(layout.locks, 0.0, lambda _: None, name="vectors"):
        made = read_manifest(layout).get("vectors", {})
        record = to_record(layout, recorded_address(settings, made))
        if record != made.get("uri"):
            write_manifest(layout, "vectors", made | {"uri": record})
            return True
    return False


def present_address(settings: Settings) -> str | None:
    """Where this home's vector index is by the manifest; None when there is none."""
    made = read_manifest(settings.layout).get("vectors", {})
    try:
        return recorded_address(settings, made) if {"embedder", "uri"} <= made.keys() else None
    except InAnotherHome:
        return None


def _own(layout: Layout) -> Path:
    return layout.index_manifest.parent


def _address(layout: Layout, named: object) -> str:
    if not isinstance(named, str) or not named:
        return str(_own(layout))
    text = named.removeprefix(_FILE)
    # A folder given without a root is one of the home: where a command happens to be run decides nothing.
    return text if "://" in text else str(layout.home / Path(text).expanduser())


def _holds_table(folder: Path) -> bool:
    return any((folder / f"{table}.lance").exists() for table in TABLES)


def _other_home(layout: Layout, address: str) -> Path | None:
    """The home that the table at ``address`` belongs to; None for this one, and for what is in no home."""
    if "://" in address:
        return None
    home = layout.home.resolve()
    for table in TABLES:
        folders = Path(address, f"{table}.lance").resolve().parents
        nearest = next((folder for folder in folders if folder == home or _is_home(folder)), None)
        if nearest not in (None, home):
            return nearest
    return None


def _is_home(folder: Path) -> bool:
    return (folder / "locks" / "writer.lock").exists() or (folder / "catalog.sqlite").exists()
