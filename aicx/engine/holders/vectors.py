"""The index by meaning, and the models exported for it. It loses single chunks and keeps the rest."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.doctor.inputs import Check, DoctorInputs, current_writer
from aicx.corpus.doctor.repair import Repair
from aicx.corpus.forget.redact_again import Redaction
from aicx.corpus.forget.run import Forgetting
from aicx.engine.holders import Holder, Notify
from aicx.engine.index_manifest import manifest_files, read_manifest, write_manifest
from aicx.engine.vector_files import (
    FIX,
    TABLES,
    heal_record,
    present_address,
    recorded_table,
    remove_damaged_models,
    table_folder,
    to_record,
    vector_damage,
)
from aicx.errors import AicxError, CorpusDamaged, MissingExtra
from aicx.paths import Layout
from aicx.storage import unwritable
from aicx.storage.derived import changing, find_damage, is_recorded, record_of, withdraw
from aicx.storage.lock import writer_lock
from aicx.text import plural
from retrieval.mapped import MappedTable, open_copy


class _Vectors(Holder):
    name = "vector_index"
    own = frozenset({"index", "models"})

    def kept(self, settings: Settings, notify: Notify) -> frozenset[str]:
        """The names below ``index/`` that stay when something is forgotten: the vector index and the record of it.

        The caller holds the locks of both indexes. Raises an AicxError when an index at another address cannot be read:
        nothing must seem forgotten that is still there. One of the home's own that cannot be read does not stay.
        """
        from indexer.vector_table import Location, table_status

        layout = settings.layout
        address = present_address(settings)
        if address is None:
            return frozenset()
        try:
            # One outside the home must be open to change before anything is forgotten, so it is asked itself.
            own = to_record(layout, address) is None
            present = [
                table
                for table in TABLES
                if (own and _sound_copy(address, table)) or table_status(Location(address, table)) is not None
            ]
        except (CorpusDamaged, MissingExtra) as error:
            if to_record(layout, address) is not None:
                raise
            notify(_deleted(error))
            return frozenset()
        if not present:
            return frozenset()
        write_manifest(layout, "lexical", None)
        folders = [Path(f"{table}.lance") for table in present]
        names = [path.name for folder in folders for path in (folder, record_of(folder))]
        return frozenset({*(path.name for path in manifest_files(layout)), *names})

    def follow(self, settings: Settings, catalog: Catalog, begun: Forgetting, notify: Notify) -> None:
        layout = settings.layout
        versions = {row["id"]: row["content_sha256"] for row in catalog.rows("SELECT id, content_sha256 FROM chunks")}
        rows = catalog.rows("SELECT id, path FROM chunks")
        rewritten = {row["id"] for row in rows if row["path"] in begun.plan.rewritten}

        def unwanted(held: Mapping[str, str]) -> list[str]:
            return sorted(
                name for name in held if name not in versions or (name in rewritten and held[name] != versions[name])
            )

        address = present_address(settings)
        if address is not None:
            try:
                _erase(address, unwanted)
            except (CorpusDamaged, MissingExtra) as error:
                if to_record(layout, address) is not None:
                    raise
                notify(_deleted(error))
                _delete_vectors(layout)

    def redact(self, settings: Settings, notify: Notify, report: Redaction) -> None:
        """Takes the passages of every chunk that changed out of the vector index; `aicx index` embeds the new ones."""
        layout = settings.layout
        address = present_address(settings)
        if address is None:
            return
        with open_catalog(layout) as opened:
            rows = opened.catalog.rows("SELECT id, content_sha256 FROM chunks WHERE ignored=0")
        versions = {row["id"]: row["content_sha256"] for row in rows}
        lacks = set(versions)

        def unwanted(held: Mapping[str, str]) -> list[str]:
            lacks.difference_update(name for name, version in held.items() if versions.get(name) == version)
            return [name for name, version in held.items() if versions.get(name) != version]

        with writer_lock(layout.locks, settings.lock_wait_seconds, notify, name="vectors"):
            _erase(address, unwanted)
        if lacks:
            report.notes.append("changed chunks are searched by their words alone until `aicx index` has run")

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        return (self._check(facts),)

    def mend(self, settings: Settings, notify: Notify, done: Repair) -> None:
        if heal_record(settings):
            done.applied.append("recorded the place of the vector index as this home's own")
        if vector_damage(settings, full=True):
            try:
                done.applied.append(_mend(settings, notify))
            except AicxError as error:
                done.refused.append(f"the vector index: {error.message}")

    def _check(self, facts: DoctorInputs) -> Check:
        name, settings = self.name, facts.settings
        table = recorded_table(settings)
        if current_writer(settings.layout, "vectors") is not None:
            return Check(name, "skipped", "it is being written; look again when that is done")
        if reason := vector_damage(settings, full=not facts.quick):
            return Check(name, "critical", f"it is damaged: {reason}", FIX)
        if table is None:
            if "vectors" in read_manifest(settings.layout):
                return Check(name, "skipped", "it is at another address, whose service looks after its bytes")
            return Check(name, "green", "there is none, and searches look for words")
        if not is_recorded(table):
            detail = "it has no checksums: aicx index was interrupted, or an earlier version made it"
            return Check(name, "warning", detail, "aicx index")
        return Check(name, "green", "as it was written")


def _sound_copy(address: str, table: str) -> MappedTable | None:
    """The mapped copy of a table that is as it was written, which is read without LanceDB."""
    folder = table_folder(address, table)
    return open_copy(folder) if folder and is_recorded(folder) and not find_damage(folder) else None


def _erase(address: str, unwanted: Callable[[Mapping[str, str]], Sequence[str]]) -> None:
    """Takes documents out of every table, also of one that is only half made."""
    from indexer.vector_table import Location, erase_documents

    for table in TABLES:
        copy = _sound_copy(address, table)
        if copy and copy.is_everything() and not unwanted(copy.versions()):
            continue  # without LanceDB, which takes a second to import
        with changing(folder) if (folder := table_folder(address, table)) else nullcontext():
            erase_documents(Location(address, table), unwanted)


def _delete_vectors(layout: Layout) -> None:
    write_manifest(layout, "vectors", None)
    for table in TABLES:
        folder = layout.index_manifest.parent / f"{table}.lance"
        withdraw(folder)
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise unwritable(folder, error) from error


def _deleted(error: AicxError) -> str:
    return f"the vector index is deleted whole, as it cannot be opened: {error.message} (next: aicx index)"


def _mend(settings: Settings, notify: Notify) -> str:
    """Makes damaged vectors and models again; returns what was done."""
    if recorded_table(settings) is None:
        removed = remove_damaged_models(settings.layout, full=True)
        return f"removed {plural(len(removed), 'damaged model')}, which the next aicx index makes again"
    from aicx.engine.vector_index import build_vectors
    from aicx.engine.vector_state import made_with

    synced = build_vectors(
        settings, made_with(settings), rebuild=False, on_progress=lambda _: None, notify=notify, full=True
    )
    return f"mended the vector index ({synced.added + synced.changed} of its chunks embedded again)"


HOLDER = _Vectors()
