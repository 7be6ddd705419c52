"""Makes what a run writes visible: files through the journal, then the catalogue, which records them."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from aicx.corpus.catalog.chunks import is_last, put_chunk
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.messages import duplicates_of
from aicx.corpus.catalog.summary import apply_ignore_file, write_summary
from aicx.corpus.files.read import load_markdown, load_sidecar, sidecar_path
from aicx.corpus.files.sidecar import encode_sidecar
from aicx.corpus.files.writer import stage_chunk
from aicx.corpus.ingest.catch_up import caught_up
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import Layout
from aicx.storage.journal import Writer


class Publisher:
    """The files of one run, inside the caller's transaction of the catalogue. A dry run has none.

    ``touched`` are the ids of chunks that were stored before something was learned about them, ``notes`` what could not
    be brought up to date.
    """

    def __init__(self, layout: Layout, catalog: Catalog, notes: list[str], *, dry_run: bool = False) -> None:
        self.writer = Writer(layout)
        self.touched: set[str] = set()
        self._layout = layout
        self._catalog = catalog
        self._notes = notes
        self._dry_run = dry_run

    def stage(self, stem: str, markdown: bytes, sidecar: bytes) -> bool:
        """Has a chunk written with the next publication; says whether it will be."""
        if not self._dry_run:
            stage_chunk(self.writer, stem, markdown, sidecar)
        return not self._dry_run

    def remove(self, path: str) -> None:
        """Has both files of a chunk removed with the next publication."""
        if not self._dry_run:
            self.writer.stage_removal(path)
            self.writer.stage_removal(sidecar_path(path))

    def publish(self) -> None:
        """Makes what is staged visible, records it and ends the transaction."""
        if not self._dry_run:
            self._place()
            self._record()

    def publish_and_begin(self) -> None:
        """`publish` for a part of a run."""
        self.publish()
        self._catalog.begin()

    def publish_last(self, *, catch_up: bool) -> None:
        """`publish` for the end of a run, with the summary; also brings sidecars of earlier versions up to date."""
        if self._dry_run:
            return
        self._place()
        if catch_up:
            for path, fields in caught_up(self._layout, self._catalog, self.writer.publish):
                self._put_sidecar(path, fields, load_markdown(self._layout, path))
                if self.writer.full:
                    self.writer.publish()
            self.writer.publish()
        self._record(last=True)

    def _place(self) -> None:
        self.writer.publish()
        if self.touched:
            self._update_touched()
            self.writer.publish()

    def _record(self, *, last: bool = False) -> None:
        # With every batch: a reader must not meet between two of them what is to be hidden.
        apply_ignore_file(self._layout, self._catalog)
        if last:
            write_summary(self._layout, self._catalog)
        self._catalog.commit()
        self.writer.finish()

    def _update_touched(self) -> None:
        """Chunks that were stored before something was learned about them: copies that turned up, a late title."""
        for chunk_id in sorted(self.touched):
            path = self._catalog.path_of(chunk_id)
            if path is None:
                continue
            try:
                stored = load_sidecar(self._layout, path).fields
                markdown = load_markdown(self._layout, path)
            except (NotFound, CorpusDamaged) as error:
                self._notes.append(f"{path} could not be brought up to date: {error}; `aicx doctor` says more")
                continue
            fields = dict(stored)
            keys = dict.fromkeys(item["key"] for item in fields.get("messages") or () if not item.get("repeated"))
            duplicates = duplicates_of(self._catalog, list(keys))
            fields["duplicates"] = [copy for key in keys for copy in duplicates.get(key, ())]
            if is_last(self._catalog, chunk_id):
                fields["session_title"] = self._catalog.late_title(fields["agent"], fields["session_id"])
            if encode_sidecar(fields) == encode_sidecar(stored):
                continue
            self._put_sidecar(path, fields, markdown)
        self.touched.clear()

    def _put_sidecar(self, path: str, fields: dict[str, Any], markdown: bytes) -> None:
        sidecar = encode_sidecar(fields)
        self.writer.stage(sidecar_path(path), sidecar)
        put_chunk(self._catalog, fields, path, sha256(sidecar).hexdigest(), markdown)
