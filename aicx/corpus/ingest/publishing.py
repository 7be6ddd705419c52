"""Makes what a run writes visible: files through the journal, then the catalogue, which records them.

A run also brings sidecars up to date that no log was read for: who spoke, what it is called, which run it belongs to.
Only the sidecar changes; the Markdown and everything that refers to it stays as it was stored.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from aicx.corpus.catalog import RULES, TITLE_RULES, Catalog
from aicx.corpus.catalog.chunks import duplicates_of, is_last, put_chunk
from aicx.corpus.catalog.query import apply_ignore_file, write_summary
from aicx.corpus.catalog.session_facts import settle_all
from aicx.corpus.files import encode_sidecar
from aicx.corpus.files.read import load_markdown, load_sidecar, read_intact, sidecar_path
from aicx.corpus.ingest.names import NAMES, Naming, name_chunk, own_texts
from aicx.corpus.ingest.segments import run_after, run_behind, run_of_caller
from aicx.corpus.ingest.session_chunks import clip_prompt
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import NON_REPOSITORY, Layout
from aicx.sources.voices import speaker_of
from aicx.storage import UNFINISHED, clear_unfinished
from aicx.storage.journal import Writer
from aicx.types import PROMPTS


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


Renewed = tuple[str, dict[str, Any]]  # the path of a chunk, and the fields of its sidecar

_MAX_OPENINGS = 4
_STREAMS = "SELECT DISTINCT agent, session_id, stream FROM chunks"
_BEHIND = f"{_STREAMS} WHERE rowid IN (SELECT chunk FROM names WHERE topic_from IS NULL)"
_CHUNKS = "SELECT path, stream FROM chunks WHERE agent=? AND session_id=? AND stream=? ORDER BY number"


def caught_up(layout: Layout, catalog: Catalog, publish: Callable[[], object]) -> Iterator[Renewed]:
    """Every chunk whose sidecar lacks something, perhaps twice: its path, and the fields that the sidecar is to have.

    The caller records each in the catalogue before it asks for the next; ``publish`` makes those on disk current.
    """
    is_due = catalog.meta(TITLE_RULES) != RULES
    yield from _named(layout, catalog, is_due=is_due)
    publish()
    if is_due:
        settle_all(catalog.connection)
        catalog.set_meta(TITLE_RULES, RULES)
    yield from _in_runs(layout, catalog)


def _named(layout: Layout, catalog: Catalog, *, is_due: bool) -> Iterator[Renewed]:
    """The path of each chunk whose sidecar lacks its names, and the fields that the sidecar is to have.

    With ``is_due`` also of each whose names are of other rules, as far as a stream holds each message whole. A chunk
    that is damaged or was altered is left as it is; `doctor` names it.
    """
    for session in catalog.rows(_STREAMS if is_due else _BEHIND):
        naming = Naming()
        said: list[str] = []  # what the session began with
        last_prompt: str | None = None
        for row in catalog.rows(_CHUNKS, tuple(session)):
            try:
                stored = read_intact(layout, row["path"])
            except (NotFound, CorpusDamaged):
                continue
            fields = stored.sidecar.fields
            is_behind = "topic_from" not in fields
            if not is_behind and any((one.get("part") or (1, 1))[1] > 1 for one in fields["messages"]):
                break
            fields = _with_speakers(fields, stored.markdown) if is_behind else fields
            own = list(own_texts(fields, stored.markdown))
            said += [" ".join(one.text.split()) for one in own if one.role == "user"][: _MAX_OPENINGS - len(said)]
            title = fields.get("title") if is_behind else None
            # What an earlier version made of the first prompt is not a title that somebody gave.
            if title and any(title.removesuffix("…") in text for text in said):
                title = None
            if not is_behind and fields["topic_from"] == "agent":
                title = fields["topic"]
            names, naming = name_chunk(own, title, naming)
            opening = own[0].text if own and own[0].origin in PROMPTS else last_prompt
            last_prompt = next((one.text for one in reversed(own) if one.origin in PROMPTS), last_prompt)
            if is_behind:
                yield row["path"], {**fields, **names, "prompt": clip_prompt(opening) if opening else None}
            elif is_due and not fields.get("forgotten"):
                # What was found at the end of a turn that goes on in another chunk was known when it was read.
                kept = () if names.get("work") or fields.get("work_from") != "result" else ("work", "work_from")
                left = {name: value for name, value in fields.items() if name not in NAMES or name in kept}
                renewed = {**left, **names}
                if encode_sidecar(renewed) != encode_sidecar(fields):
                    yield row["path"], renewed


def _with_speakers(fields: Mapping[str, Any], markdown: bytes) -> dict[str, Any]:
    """The fields with the true origin of every message that is said to be typed."""
    origins: dict[str, str] = {}
    messages = []
    for message in fields.get("messages") or ():
        if message["origin"] == "typed":
            low, high = message["span"]
            key = message["key"]
            if key not in origins:
                origins[key] = speaker_of(markdown[low:high].decode("utf-8", "replace")) or "typed"
            message = message | {"origin": origins[key]}
        messages.append(message)
    return {**fields, "messages": messages}


def _in_runs(layout: Layout, catalog: Catalog) -> Iterator[Renewed]:
    """The path of each stored chunk that belongs to a run and does not name it yet, and its fields with the run.

    Each is recorded before the next: a subagent may have started another.
    """
    tried: set[str] = set()
    while found := [path for path in _paths_without_run(catalog) if path not in tried]:
        tried.update(found)
        ended: dict[tuple[str, str], dict[str, Any]] = {}
        for path in found:
            try:
                fields = dict(load_sidecar(layout, path).fields)
                session, number = str(fields["id"]).rsplit(":", 1)
                before = catalog.path_of(f"{session}:{int(number) - 1:03d}")
                run = ended.get((session, number)) or (run_after(layout, before) if before else {})
                if not run and fields.get("parent_session"):
                    run = run_of_caller(catalog, fields["agent"], fields["parent_session"], fields["started_at"])
                ended[session, f"{int(number) + 1:03d}"] = run_behind(layout, path, fields | run)
            except (NotFound, CorpusDamaged):
                continue
            if run and not fields.get("forgotten"):
                yield path, fields | run


def _paths_without_run(catalog: Catalog) -> list[str]:
    """Chunks, session by session in order, that name no run although they belong to one.

    An earlier chunk of their session names it, or the session that started theirs. They were stored by an earlier
    version, or before that session was.
    """
    rows = catalog.connection.execute(
        """WITH runs AS (
            SELECT agent, session_id, stream, min(number) AS number, min(started_at) AS started_at FROM chunks
            WHERE run_id IS NOT NULL OR prompt_id IS NOT NULL GROUP BY 1, 2, 3
        )
        SELECT c.agent, c.session_id, c.number, c.path FROM runs JOIN chunks c USING (agent, session_id, stream)
        WHERE c.number > runs.number AND c.run_id IS NULL AND c.prompt_id IS NULL
        UNION
        SELECT c.agent, c.session_id, c.number, c.path FROM runs JOIN chunks c
        ON c.agent = runs.agent AND c.parent_session = runs.session_id AND c.started_at >= runs.started_at
        WHERE runs.stream = '' AND c.lane = 'subagent' AND c.run_id IS NULL AND c.prompt_id IS NULL
        AND NOT EXISTS (SELECT 1 FROM chunks earlier WHERE earlier.agent = c.agent
            AND earlier.session_id = c.session_id AND earlier.stream = c.stream AND earlier.number < c.number)
        ORDER BY 1, 2, 3"""
    )
    return [row[3] for row in rows]


def stage_chunk(writer: Writer, stem: str, markdown: bytes, sidecar: bytes) -> None:
    """Stages both files of a chunk: its sidecar first, so that a chunk is never visible without one."""
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
