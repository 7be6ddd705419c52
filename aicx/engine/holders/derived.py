"""Holders that are made from the store, but for vectors: catalogue, BM25 index, maps, benchmarks."""

from __future__ import annotations

import shutil
from collections.abc import Iterable

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.doctor.inputs import Check, DoctorInputs, current_writer
from aicx.corpus.doctor.repair import Repair
from aicx.corpus.doctor.stored import catalog_as_stored, index_json
from aicx.corpus.forget.holding import Erasure
from aicx.corpus.forget.redact_again import Redaction
from aicx.corpus.forget.run import Forgetting, tidy
from aicx.engine.holders import Holder, Notify
from aicx.engine.index_manifest import lexical_freshness, manifest_damage, write_manifest
from aicx.engine.lexical_index import refresh_lexical
from aicx.engine.vector_files import FIX, damaged_maps, remove_damaged_maps
from aicx.errors import StoreUnwritable, UnsafePath
from aicx.paths import Layout
from aicx.storage import unwritable
from aicx.storage.derived import find_damage, withdraw
from aicx.storage.lock import writer_lock
from aicx.text import plural


class _Catalogue(Holder):
    """The catalogue, and `index.json` made from it. What is forgotten leaves it in the same step as the store."""

    name = "catalogue"
    own = frozenset({"index.json"})

    def follow(self, settings: Settings, catalog: Catalog, begun: Forgetting, notify: Notify) -> None:
        tidy(settings.layout, catalog, begun.plan, notify)

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        return catalog_as_stored(facts), index_json(facts)


CATALOGUE = _Catalogue()


class _Lexical(Holder):
    """The BM25 index. It cannot lose single words, so it is deleted and made again."""

    name = "lexical_index"
    own = frozenset({"index"})

    def erase(self, erasure: Erasure) -> None:
        _delete_indexes(erasure.settings.layout, erasure.kept)

    def refresh(self, settings: Settings, notify: Notify) -> None:
        refresh_lexical(settings, notify)

    def redact(self, settings: Settings, notify: Notify, report: Redaction) -> None:
        _rebuild_lexical(settings, notify)

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        return (self._check(facts),)

    def mend(self, settings: Settings, notify: Notify, done: Repair) -> None:
        if written := refresh_lexical(settings, notify, full=True):
            done.applied.append(f"brought the search index up to date ({plural(written, 'chunk')})")

    def _check(self, facts: DoctorInputs) -> Check:
        layout, name = facts.layout, self.name
        if current_writer(layout, "lexical") is not None:
            return Check(name, "skipped", "it is being written; look again when that is done")
        if reason := manifest_damage(layout):
            return Check(name, "critical", f"the manifest of the indexes is damaged: {reason}", FIX)
        if reason := find_damage(layout.lexical_index, full=not facts.quick):
            return Check(name, "critical", f"it is damaged: {reason}", FIX)
        if facts.catalog is None or not facts.catalog.rows("SELECT 1 FROM chunks LIMIT 1"):
            return Check(name, "skipped", "there is no catalogue to compare it with")
        exists, behind = lexical_freshness(layout, facts.catalog)
        if not exists:
            return Check(name, "warning", "there is none; searches read the corpus itself", FIX)
        if behind is None:
            return Check(name, "warning", "it was made for another catalogue or by another version", FIX)
        if behind:
            return Check(name, "warning", f"{plural(behind, 'chunk')} behind the catalogue", FIX)
        return Check(name, "green", "up to date with the catalogue")


def _delete_indexes(layout: Layout, kept: frozenset[str]) -> None:
    """Deletes what is below ``index/``: a BM25 index that drops documents keeps their words until it is merged.

    It is put aside first, so that no question meets half of it, and where the next writer clears what a kill leaves.
    """
    index, aside = layout.index_manifest.parent, layout.staging / "index"
    if index.is_symlink():
        raise UnsafePath(
            f"{index} is a symbolic link, and what it leads to would keep what is forgotten",
            hint="delete both, then run the same command again; an index is made from the corpus, so nothing is lost",
        )
    try:
        if aside.exists():  # an earlier call could not delete all of it
            shutil.rmtree(aside)
        if index.exists():
            aside.mkdir(parents=True, mode=0o700)
            for path in index.iterdir():
                if path.name not in kept:
                    path.rename(aside / path.name)
            shutil.rmtree(aside)
    except OSError as error:
        raise StoreUnwritable(
            f"cannot delete the indexes in {aside if aside.exists() else index}: {error}",
            hint="check the permissions there, then run the same command again; until then nothing is forgotten",
        ) from error


def _rebuild_lexical(settings: Settings, notify: Notify) -> None:
    """Builds it anew: one that only replaces documents keeps their words until it is merged."""
    layout = settings.layout
    with writer_lock(layout.locks, settings.lock_wait_seconds, notify, name="lexical"):
        write_manifest(layout, "lexical", None)
        withdraw(layout.lexical_index)
        shutil.rmtree(layout.lexical_index, ignore_errors=True)
    refresh_lexical(settings, notify)


LEXICAL = _Lexical()


class _Maps(Holder):
    """The maps of repositories: derived from code, but what was redacted may be in the names they hold."""

    name = "maps"
    copies = ("repomap",)

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        if damaged := damaged_maps(facts.layout, full=not facts.quick):
            detail = "; ".join(f"{path.parent.name}: {reason}" for path, reason in damaged.items())
            return (Check(self.name, "critical", f"damaged: {detail}", FIX),)
        return (Check(self.name, "green", "as they were written"),)

    def mend(self, settings: Settings, notify: Notify, done: Repair) -> None:
        if removed := remove_damaged_maps(settings.layout):
            done.applied.append(f"removed {plural(len(removed), 'damaged map')}; aicx map refresh makes it again")


MAPS = _Maps()


class _Bench(Holder):
    """The results of `aicx bench`, and the stores and indexes it made of the same logs to measure with."""

    name = "bench"
    copies = ("bench/cache",)

    def erase(self, erasure: Erasure) -> None:
        # Made again by the next run: what was forgotten is not looked for in it.
        cache = erasure.settings.layout.home / self.copies[0]
        try:
            if cache.exists():
                shutil.rmtree(cache)
        except OSError as error:
            raise unwritable(cache, error) from error


BENCH = _Bench()
