"""Applies the redaction rules of today to everything that is stored, whether its log still exists or not.

A kill at any moment leaves each chunk as it was or as it has to be. A file in ``locks`` says that a pass has begun; it
goes when the indexes have followed, and until then `store` or the same call does all of it again.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import orjson

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.chunks import put_chunk, remove_chunk
from aicx.corpus.catalog.query import apply_ignore_file, write_summary
from aicx.corpus.catalog.rebuild import with_catalog
from aicx.corpus.catalog.watermarks import drop_places
from aicx.corpus.files import encode_sidecar
from aicx.corpus.files.read import load_markdown, load_sidecar, sidecar_path, walk_chunks
from aicx.corpus.forget.blanking import message_texts
from aicx.corpus.forget.holding import TextHolder
from aicx.corpus.forget.redacting import ChunkText, redact_session, redact_value
from aicx.corpus.forget.run import scrub
from aicx.corpus.ingest.publishing import stage_chunk
from aicx.corpus.ingest.workers import map_in_order
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import Layout
from aicx.redaction import redact
from aicx.sources.items import clean_id, clean_project
from aicx.storage import replace_file
from aicx.storage.journal import Writer
from aicx.storage.lock import writer_lock
from aicx.values import batches, dataclass

Notify = Callable[[str], None]
# Of a session: its chunks as they are and as they have to be, what `redact_session` counts, and chunks that are left.
_Redacted = tuple[list[tuple[ChunkText, ChunkText]], Counter[str], Counter[str], list[str]]

# People's text outside the store: benchmark results, chunks set apart. What else there is holds no text of logs.
_TEXTS = (".md", ".json", ".jsonl", ".html", ".txt")
_PER_TASK = 8  # sessions
_WORTH_WORKERS = 64


@dataclass(slots=True)
class Redaction:
    """The outcome of one pass."""

    chunks: Annotated[int, "stored chunks"] = 0
    chunks_changed: Annotated[int, "how many of them changed"] = 0
    texts: Annotated[
        dict[str, int], "rule → secrets found in messages; a message that a later chunk repeats counts once"
    ] = field(default_factory=dict)
    names: Annotated[dict[str, int], "rule → secrets found in names, titles, commands and other fields of chunks"] = (
        field(default_factory=dict)
    )
    elsewhere: Annotated[int, "changed rows of the catalogue and changed files beside the store"] = 0
    notes: Annotated[list[str], "unreadable chunks, which stay as they are, and the next step for the vector index"] = (
        field(default_factory=list)
    )

    @property
    def changed(self) -> bool:
        return bool(self.chunks_changed or self.elsewhere)


def redact_again(
    settings: Settings, on_progress: Callable[[int, int], None], notify: Notify, holders: Sequence[TextHolder]
) -> Redaction:
    """Redacts the corpus and what else below the home holds people's text; the caller makes the indexes follow.

    Text files of no holder, or of one that does not redact its own, are redacted as they are.

    Raises StoreLocked when another writer does not finish, StoreUnwritable when the disk refuses.
    """
    with writer_lock(settings.layout.locks, settings.lock_wait_seconds, notify):
        return with_catalog(
            settings.layout, notify, lambda catalog: _Pass(settings, catalog, on_progress, holders).all()
        )


def finish(settings: Settings, notify: Notify) -> None:
    """Says that the indexes hold nothing any more that was redacted."""
    layout = settings.layout
    with writer_lock(layout.locks, settings.lock_wait_seconds, notify):

        def work(catalog: Catalog) -> None:
            # The names of chunks that an index had to drop; now none has them.
            catalog.begin()
            gone = [(row["id"],) for row in catalog.rows("SELECT id FROM removed") if redact(row["id"]).counts]
            catalog.connection.executemany("DELETE FROM removed WHERE id=?", gone)
            catalog.commit()
            scrub(catalog, notify)

        with_catalog(layout, notify, work)
        layout.redacting.unlink(missing_ok=True)


class _Pass:
    def __init__(
        self,
        settings: Settings,
        catalog: Catalog,
        on_progress: Callable[[int, int], None],
        holders: Sequence[TextHolder],
    ) -> None:
        self._holders = holders
        self._layout = settings.layout
        self._workers = settings.workers
        self._catalog = catalog
        self._tell = on_progress
        self._writer = Writer(settings.layout)
        self._texts, self._names = Counter[str](), Counter[str]()
        self._report = Redaction()

    def all(self) -> Redaction:
        report = self._report
        sessions = self._sessions()
        report.chunks = sum(map(len, sessions))
        self._catalog.begin()
        for done, (cleaned, texts, names, problems) in enumerate(self._redacted(sessions), 1):
            self._texts += texts
            self._names += names
            report.notes += problems
            for before, chunk in cleaned:
                self._stage(before, chunk)
            self._tell(done, len(sessions))
            if self._writer.full:
                self._publish()
                self._catalog.begin()
        self._clean_tables()
        self._clean_files()
        self._publish()
        self._drop_folders()
        report.texts, report.names = dict(self._texts.most_common()), dict(self._names.most_common())
        return report

    def _sessions(self) -> list[list[str]]:
        sessions: dict[tuple[str, str, str], list[str]] = {}
        rows = self._catalog.rows("SELECT agent, session_id, stream, path FROM chunks ORDER BY number")
        name = cache(_id)  # one that was stored before under its own name and since under the cleaned one is one
        for row in rows:
            sessions.setdefault((row["agent"], name(row["session_id"]), row["stream"]), []).append(row["path"])
        unknown = set(walk_chunks(self._layout)) - {row["path"] for row in rows}
        self._report.notes += [f"{path} is left as it is: the catalogue lacks it" for path in sorted(unknown)]
        return list(sessions.values())

    def _redacted(self, sessions: list[list[str]]) -> Iterator[_Redacted]:
        tasks = [*batches(sessions, _PER_TASK)]
        workers = self._workers if len(sessions) >= _WORTH_WORKERS else 1
        for results in map_in_order(partial(_redact_sessions, self._layout), tasks, workers):
            yield from results

    def _begin(self) -> None:
        """Before anything changes: from here on the pass has to be brought to its end."""
        if not self._layout.redacting.exists():
            replace_file(self._layout.redacting, b"")

    def _stage(self, before: ChunkText, chunk: ChunkText) -> None:
        self._begin()
        self._report.chunks_changed += 1
        sidecar = encode_sidecar(chunk.fields)
        stage_chunk(self._writer, chunk.path.removesuffix(".md"), chunk.markdown, sidecar)
        if chunk.path != before.path:
            self._writer.stage_removal(before.path)
            self._writer.stage_removal(sidecar_path(before.path))
        if chunk.fields["id"] != before.fields["id"]:
            remove_chunk(self._catalog, before.fields["id"])
        put_chunk(self._catalog, chunk.fields, chunk.path, sha256(sidecar).hexdigest(), chunk.markdown)

    def _publish(self) -> None:
        self._writer.publish()
        apply_ignore_file(self._layout, self._catalog)
        write_summary(self._layout, self._catalog)
        self._catalog.commit()
        self._writer.finish()

    def _drop_folders(self) -> None:
        """Empty folders that were named after a secret; their chunks have moved."""
        home = self._layout.home
        for top in (self._layout.store, self._layout.non_repository):
            for folder, _, _ in os.walk(top, topdown=False):
                if redact(os.path.relpath(folder, home)).counts:
                    with suppress(OSError):  # not empty: a chunk in it could not be read
                        Path(folder).rmdir()

    # What lies beside the chunks --------------------------------------------------------------------------------------

    def _clean_tables(self) -> None:
        """Redacts what only the catalogue's tables hold: no sidecar says it, or one said it before."""
        drop_places(self._catalog)
        for table, columns in _TABLES.items():
            for row in self._catalog.rows(f"SELECT * FROM {table}"):
                new = [
                    columns[name](value) if name in columns and value else value
                    for name, value in zip(row.keys(), row, strict=True)
                ]
                if new == list(row):
                    continue
                self._begin()
                self._report.elsewhere += 1
                named = " AND ".join(f"{name} IS ?" for name in row.keys())  # noqa: SIM118 - a Row iterates over values
                self._catalog.connection.execute(f"DELETE FROM {table} WHERE {named}", tuple(row))
                marks = ",".join("?" * len(new))
                self._catalog.connection.execute(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", new)

    def _clean_files(self) -> None:
        home = self._layout.home
        for name in (name for holder in self._holders for name in holder.copies):
            if (home / name).is_dir():
                self._begin()
                with suppress(FileNotFoundError):
                    shutil.rmtree(home / name)
        if self._layout.tombstones.exists():
            self._replace(self._layout.tombstones, _clean_tombstones(self._layout.tombstones.read_bytes()))
        own = frozenset({self._layout.locks.name}).union(*(holder.own for holder in self._holders))
        tops = [path for path in sorted(home.iterdir()) if path.name not in own and not path.is_symlink()]
        for top in tops:
            for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
                if path.suffix in _TEXTS and path.is_file() and not path.is_symlink():
                    self._replace(path, _clean_text(path.read_bytes(), path.suffix))

    def _replace(self, path: Path, body: bytes) -> None:
        if body != path.read_bytes():
            self._begin()
            self._report.elsewhere += 1
            replace_file(path, body)


def _redact_sessions(layout: Layout, sessions: list[list[str]]) -> list[_Redacted]:
    """The sessions redacted, and a line for each chunk that cannot be; runs in a worker."""
    results = []
    for paths in sessions:
        chunks, problems = [], []
        for path in paths:
            try:
                chunks.append(_load(layout, path))
            except (CorpusDamaged, NotFound) as error:
                problems.append(f"{path} is left as it is: {error.message}")
        results.append((*redact_session(chunks, redact), problems))
    return results


def _load(layout: Layout, path: str) -> ChunkText:
    fields, markdown = dict(load_sidecar(layout, path).fields), load_markdown(layout, path)
    # Its messages could be anywhere, and a new hash would make it look whole.
    if sha256(markdown).hexdigest() != fields["content_sha256"]:
        raise CorpusDamaged(f"{path} is not what was stored", hint="aicx doctor --fix")
    message_texts(markdown, fields)
    return ChunkText(path, markdown, fields)


def _text(text: str) -> str:
    return redact(text).text


def _id(text: str) -> str:
    return clean_id(text, redact)


def _project(text: str) -> str:
    return clean_project(text, redact)


def _reference(text: str) -> str:
    copy = orjson.loads(text)
    copy |= {"path": _text(copy["path"]), "session_id": _id(copy["session_id"])}
    return orjson.dumps(copy).decode()


_TABLES: dict[str, dict[str, Callable[[str], str]]] = {
    "sources": {"path": _id, "session_id": _id, "problems": _text},
    "claims": {"folder": _text, "project": _project, "reason": _text},
    "renames": {"old": _project, "new": _project},
    "late_titles": {"session_id": _id, "title": _text},
    "sessions": {"session_id": _id, "title": _text, "base": _text, "work": _text},
    "names": {"topic": _text, "work": _text},
    "duplicates": {"path": _text, "reference": _reference},
}


def _clean_tombstones(body: bytes) -> bytes:
    """The tombstones with the ids, projects and folders by which what they name is known from now on."""
    lines = []
    for line in body.splitlines(keepends=True):
        row = orjson.loads(line) if line.strip() else {}
        new = dict(row)
        if "session" in row:
            new["session"] = _id(row["session"])
        elif "project" in row:
            new["project"] = _text(row["project"]) if row["project"].startswith("/") else _project(row["project"])
        lines.append(line if new == row else orjson.dumps(new, option=orjson.OPT_APPEND_NEWLINE))
    return b"".join(lines)


def _clean_text(body: bytes, suffix: str) -> bytes:
    """The body of a text file without secrets; one that has none is the same, byte for byte."""
    text = body.decode("utf-8", "surrogateescape")
    if suffix == ".jsonl":
        return b"".join(_clean_json(line) for line in body.splitlines(keepends=True))
    if suffix == ".json":
        return _clean_json(body)
    return _text(text).encode("utf-8", "surrogateescape")


def _clean_json(body: bytes) -> bytes:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError:
        return _clean_text(body, "")
    new = redact_value(value, redact)
    if new == value:
        return body
    layout = orjson.OPT_INDENT_2 if b"\n" in body.strip() else 0
    return orjson.dumps(new, option=layout | (orjson.OPT_APPEND_NEWLINE if body.endswith(b"\n") else 0))
