"""Whether the vector index and its models are as they were written."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from aicx.config import Settings
from aicx.engine.index_manifest import read_manifest
from aicx.engine.vector_place import present_address, table_of
from aicx.errors import CorpusDamaged, StoreLocked
from aicx.paths import Layout
from aicx.storage.checksums import SUFFIX, find_damage, is_recorded, is_untouched, record, record_of, renew
from aicx.storage.lock import writer_lock

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
        shutil.rmtree(folder, ignore_errors=True)
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
