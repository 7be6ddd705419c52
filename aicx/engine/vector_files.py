"""Where the vector index is, and whether it and its models are as they were written.

It is in the home itself unless the user named an address. What the manifest records must hold in a copied, moved or
linked home too: nothing for the home's own place, a path relative to the home for a folder inside it, and else the
address as the user gave it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from aicx.config import Settings
from aicx.engine.index_manifest import read_manifest, write_manifest
from aicx.errors import CorpusDamaged, NotFound, StoreLocked, UsageError
from aicx.paths import Layout
from aicx.storage.derived import SUFFIX, find_damage, is_recorded, is_untouched, record, record_of, renew
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


FIX = "aicx doctor --fix"


def table_folder(uri: str, table: str) -> Path | None:
    """The folder of a table of vectors; None where it is not a local one, and what holds it checks its own bytes."""
    return None if "://" in uri else Path(uri, f"{table}.lance")


def recorded_table(settings: Settings) -> Path | None:
    """The local table that answers by what the manifest tells; None where there is none."""
    address = present_address(settings)
    if address is None or "://" in address:
        return None
    return table_folder(address, table_of(read_manifest(settings.layout).get("vectors", {})))


def require_sound_vectors(settings: Settings) -> None:
    """Raises CorpusDamaged for a table that is not as `aicx index` left it, by size and times of its files."""
    folder = recorded_table(settings)
    if folder is not None and (reason := find_damage(folder)):
        raise CorpusDamaged(f"the vector index is damaged: {reason}", hint=FIX)


def verify_model(folder: Path) -> None:
    """Raises CorpusDamaged for an exported model that is not as it was written."""
    if reason := find_damage(folder):
        raise CorpusDamaged(f"the model in {folder} is damaged: {reason}", hint=FIX)


def damaged_models(layout: Layout, *, full: bool) -> dict[Path, str]:
    """The folders of exported models that are not as they were written, with the reason for each."""
    records = sorted(layout.models.glob(f"[!.]*{SUFFIX}"))
    folders = [path.with_name(path.name.removesuffix(SUFFIX)) for path in records]
    return {folder: reason for folder in folders if (reason := find_damage(folder, full=full))}


def remove_damaged_models(layout: Layout, *, full: bool) -> list[Path]:
    """Deletes damaged models, which are made again when they are next needed; returns their folders."""
    found = list(damaged_models(layout, full=full))
    for folder in found:
        from shutil import rmtree  # imported here: a question removes nothing

        rmtree(folder, ignore_errors=True)
        record_of(folder).unlink(missing_ok=True)
    return found


def damaged_maps(layout: Layout, *, full: bool) -> dict[Path, str]:
    """The maps of repositories that are not as they were written, with the reason for each."""
    records = sorted(layout.repomap.glob(f"*/*{SUFFIX}"))
    maps = [path.with_name(path.name.removesuffix(SUFFIX)) for path in records]
    return {path: reason for path in maps if (reason := find_damage(path, full=full))}


def remove_damaged_maps(layout: Layout) -> list[Path]:
    """Deletes damaged maps, which `aicx map refresh` makes again; returns which."""
    found = list(damaged_maps(layout, full=True))
    for path in found:
        for ending in ("", "-wal", "-shm", SUFFIX):
            path.with_name(path.name + ending).unlink(missing_ok=True)
    return found


def record_model(folder: Path) -> None:
    """Records a model that was just exported. One from before there were checksums is taken as it is."""
    if not is_recorded(folder):
        record(folder)


def vector_damage(settings: Settings, *, full: bool) -> str | None:
    """Describes damage of the vector index and its models; None where all is as it was written."""
    table = recorded_table(settings)
    reasons = [find_damage(table, full=full) if table else None]
    reasons += [
        f"the model {folder.name}: {reason}" for folder, reason in damaged_models(settings.layout, full=full).items()
    ]
    return "; ".join(filter(None, reasons)) or None


def renew_copied(settings: Settings) -> None:
    """Records the times of a home that was copied as its own, so that questions need not read whole files again."""
    folders = [path.parent for path in settings.layout.models.glob("[!.]*/model.json")]
    if table := recorded_table(settings):
        folders.append(table)
    copied = [folder for folder in folders if is_recorded(folder) and not is_untouched(folder)]
    if copied:
        # Whoever is indexing at this moment records it anyway.
        with suppress(StoreLocked), writer_lock(settings.layout.locks, 0.0, lambda _: None, name="vectors"):
            for folder in copied:
                renew(folder)
