"""The inputs of `doctor`, with every stored chunk and what is wrong with it. Nothing here writes to the home."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

import orjson

from aicx.config import Settings
from aicx.corpus.catalog import DAMAGED, Catalog
from aicx.corpus.files import SCHEMA, WITHOUT_TOOL_FACTS, Sidecar, decode_sidecar, lacks_tool_facts
from aicx.corpus.files.read import is_altered, load_markdown, sidecar_path, take_inventory
from aicx.corpus.forget.blanking import message_texts
from aicx.errors import AicxError, UsageError
from aicx.paths import Layout
from aicx.sources import every_agent, load_source
from aicx.sources.items import BadRecord, LogFile
from aicx.storage.derived import find_damage
from aicx.storage.lock import holder_of
from aicx.types import AgentHomes
from aicx.values import dataclass

FIX = "aicx doctor --fix"
REDACT_AGAIN = "aicx store --redact-again; what it finds is replaced for good"
STORE = "aicx store"
MAX_NAMED = 5

Severity = Literal["green", "warning", "critical", "skipped"]


@dataclass(frozen=True, slots=True)
class Check:
    """The finding of one check."""

    name: Annotated[str, "what was looked at"]
    severity: Annotated[Severity, "how bad it is"]
    detail: Annotated[str, "what was found"]
    recommendation: Annotated[str | None, "what to do, or null"] = None


@dataclass(frozen=True, slots=True)
class DoctorInputs:
    """Everything the checks look at, gathered once."""

    settings: Settings
    config_error: UsageError | None
    now: datetime
    quick: bool
    writer: str | None  # the process that is writing right now
    survey: Survey
    catalog: Catalog | None
    catalog_problem: str | None
    logs: Sequence[LogFile]
    unreadable: Sequence[BadRecord]

    @property
    def layout(self) -> Layout:
        return self.settings.layout


def current_writer(layout: Layout, name: str = "writer") -> str | None:
    """The process that holds the writer lock, or that of the index called ``name``; None when it is free."""
    return holder_of(layout.locks / f"{name}.lock")


@contextmanager
def catalog_copy(layout: Layout, *, full: bool = False) -> Iterator[tuple[Catalog | None, str | None]]:
    """The catalogue, or None and what is wrong with it.

    ``full`` compares every byte with its checksum. It is a copy: SQLite makes files beside a database even for those
    who only read.
    """
    if not layout.catalog.exists():
        yield None, "there is none"
        return
    if current_writer(layout) is None and (damage := find_damage(layout.catalog, full=full)):
        yield None, f"it is damaged: {damage}"
        return
    with TemporaryDirectory(prefix="aicx-doctor-") as folder:
        copy = Path(folder) / layout.catalog.name
        try:
            for suffix in ("", "-wal"):
                source = layout.catalog.with_name(layout.catalog.name + suffix)
                if source.exists():
                    shutil.copyfile(source, copy.with_name(copy.name + suffix))
            catalog = Catalog.open_for_reading(copy)
        except OSError as error:
            yield None, f"it cannot be read: {error.strerror or error}"
            return
        if catalog is None:
            yield None, "it is damaged, unfinished or from another version"
            return
        try:
            found = catalog.rows("PRAGMA integrity_check(1)")[0][0] if full else "ok"
        except DAMAGED as error:
            found = str(error)
        if found != "ok":
            catalog.close()
            yield None, f"it is damaged: {found}"
            return
        try:
            yield catalog, None
        finally:
            catalog.close()


def compare_catalog(catalog: Catalog, survey: Survey) -> dict[str, list[str]]:
    """Paths by how the catalogue differs from the store: ``missing`` and ``changed`` in it, ``extra`` in it."""
    rows = {
        row["path"]: (row["id"], row["content_sha256"], row["sidecar_sha256"])
        for row in catalog.rows("SELECT path, id, content_sha256, sidecar_sha256 FROM chunks")
    }
    stored = {path: (seen.id, seen.content_sha256, seen.sidecar_sha256) for path, seen in survey.chunks.items()}
    broken = {*survey.broken, *survey.newer}
    return {
        "missing": sorted(stored.keys() - rows.keys() - broken),
        "changed": sorted(path for path in stored.keys() & rows.keys() if stored[path] != rows[path]),
        "extra": sorted(rows.keys() - stored.keys() - broken),
    }


def discover_logs(homes: AgentHomes) -> tuple[list[LogFile], list[BadRecord]]:
    logs: list[LogFile] = []
    unreadable: list[BadRecord] = []
    for agent in every_agent():
        for item in load_source(agent).discover(homes):
            if isinstance(item, LogFile):
                logs.append(item)
            else:
                unreadable.append(item)
    return logs, unreadable


def while_nobody_writes(name: str) -> Callable[[Callable[[DoctorInputs], Check]], Callable[[DoctorInputs], Check]]:
    """Skips the check called ``name`` while a run is changing what it would judge."""

    def guard(check: Callable[[DoctorInputs], Check]) -> Callable[[DoctorInputs], Check]:
        def guarded(facts: DoctorInputs) -> Check:
            if facts.writer is not None:
                return Check(name, "skipped", f"process {facts.writer} is writing; look again when it is done")
            return check(facts)

        return guarded

    return guard


def counted(noun: str, found: Sequence[str], what: str) -> str:
    """``2 chunks without a sidecar (a, b)``; empty when there are none."""
    if not found:
        return ""
    named = ", ".join([*found[:MAX_NAMED], *more(len(found))])
    return f"{len(found):,} {noun}{'' if len(found) == 1 else 's'} {what} ({named})"


def more(count: int) -> list[str]:
    return [f"and {count - MAX_NAMED:,} more"] if count > MAX_NAMED else []


@dataclass(frozen=True, slots=True)
class SurveyedChunk:
    """A chunk as it is on disk, in what the catalogue records of it."""

    id: str
    agent: str
    session_id: str
    project: str
    cwd: str | None
    content_sha256: str
    sidecar_sha256: str
    log_without_facts: str | None  # the log that may have the tool facts which the chunk lacks


@dataclass(slots=True)
class Survey:
    """The store as it is. Every chunk is in ``chunks`` or has its sidecar named as the trouble."""

    chunks: dict[str, SurveyedChunk] = field(default_factory=dict)
    without_sidecar: list[str] = field(default_factory=list)
    without_chunk: list[str] = field(default_factory=list)
    damaged: dict[str, str] = field(default_factory=dict)  # path -> what is wrong with its sidecar
    newer: dict[str, str] = field(default_factory=dict)  # path -> the schema this version does not know
    misfiled: dict[str, str] = field(default_factory=dict)  # path -> where its sidecar says it belongs
    altered: list[str] = field(default_factory=list)  # the content is not what the sidecar says
    strays: list[str] = field(default_factory=list)
    hashed: int = 0

    @property
    def broken(self) -> list[str]:
        """Chunks of which one file is missing or damaged."""
        return sorted({*self.without_sidecar, *self.without_chunk, *self.damaged})


def survey_store(layout: Layout, *, quick: bool = False) -> Survey:
    """Looks at every chunk and sidecar; ``quick`` leaves the chunks themselves unread."""
    items, strays = take_inventory(layout)
    survey = Survey(strays=strays)
    for path, (has_chunk, has_sidecar) in items.items():
        if not has_sidecar:
            survey.without_sidecar.append(path)
            continue
        if not has_chunk:
            survey.without_chunk.append(path)
        try:
            _look(layout, survey, path, read_chunk=has_chunk and not quick)
        except AicxError as error:
            survey.damaged[path] = error.message
        except (OSError, KeyError, TypeError, ValueError) as error:
            survey.damaged[path] = f"{sidecar_path(path)}: {type(error).__name__}: {error}"
    return survey


def _look(layout: Layout, survey: Survey, path: str, *, read_chunk: bool) -> None:
    body = layout.inside(sidecar_path(path)).read_bytes()
    if (schema := _newer_schema(body)) is not None:
        survey.newer[path] = schema
        return
    sidecar = decode_sidecar(body, sidecar_path(path))
    expected = _place(sidecar)
    if expected != path:
        survey.misfiled[path] = expected
    if read_chunk:
        markdown = load_markdown(layout, path)
        survey.hashed += 1
        if is_altered(sidecar, markdown):
            survey.altered.append(path)
        else:
            message_texts(markdown, sidecar.fields)
    survey.chunks[path] = SurveyedChunk(
        sidecar.id,
        sidecar.agent,
        sidecar.session_id,
        sidecar.project,
        sidecar.get("cwd"),
        sidecar.content_sha256,
        sha256(body).hexdigest(),
        sidecar.fields["source"]["path"] if lacks_tool_facts(sidecar.fields) else None,
    )


def _newer_schema(body: bytes) -> str | None:
    """The schema of a sidecar that is whole, but from a version that writes them differently."""
    fields = orjson.loads(body)
    schema = fields.get("schema") if isinstance(fields, dict) else None
    known = schema in (SCHEMA, WITHOUT_TOOL_FACTS)
    return schema if isinstance(schema, str) and not known and schema.startswith("aicx.") else None


def _place(sidecar: Sidecar) -> str:
    """Where a chunk lies by what its sidecar says; its id has to say the same."""
    stream = f"~{sidecar.stream}" if sidecar.stream else ""
    if sidecar.id != f"{sidecar.agent}:{sidecar.session_id}{stream}:{sidecar.number:03d}":
        raise ValueError(f"the id {sidecar.id!r} does not fit the session")
    return f"{sidecar.stem}.md"
