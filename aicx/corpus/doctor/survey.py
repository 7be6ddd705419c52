"""Reads every stored chunk once and notes what is wrong with it."""

from __future__ import annotations

from dataclasses import field
from hashlib import sha256

import orjson

from aicx.corpus.files.read import is_altered, load_markdown, sidecar_path, take_inventory
from aicx.corpus.files.sidecar import SCHEMA, WITHOUT_TOOL_FACTS, Sidecar, decode_sidecar, lacks_tool_facts
from aicx.corpus.forget.blanking import message_texts
from aicx.errors import AicxError
from aicx.paths import NON_REPOSITORY, Layout, chunk_stem
from aicx.values import dataclass


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
    inventory = take_inventory(layout)
    survey = Survey(strays=inventory.strays)
    for item in inventory.items:
        if not item.has_sidecar:
            survey.without_sidecar.append(item.path)
            continue
        if not item.has_chunk:
            survey.without_chunk.append(item.path)
        try:
            _look(layout, survey, item.path, read_chunk=item.has_chunk and not quick)
        except AicxError as error:
            survey.damaged[item.path] = error.message
        except (OSError, KeyError, TypeError, ValueError) as error:
            survey.damaged[item.path] = f"{sidecar_path(item.path)}: {type(error).__name__}: {error}"
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
    project = None if sidecar.project == NON_REPOSITORY else sidecar.project
    stream = f"~{sidecar.stream}" if sidecar.stream else ""
    if sidecar.id != f"{sidecar.agent}:{sidecar.session_id}{stream}:{sidecar.number:03d}":
        raise ValueError(f"the id {sidecar.id!r} does not fit the session")
    stem = chunk_stem(
        project, sidecar.date, sidecar.kind, sidecar.agent, sidecar.session_id, sidecar.number, sidecar.stream
    )
    return f"{stem}.md"
