"""Moves stored chunks to where today's evidence files them. No log is needed: path, sidecar and heading change.

A move is published by the journal of the writer, so a kill leaves each chunk in its old place or in its new one. Ids,
references and message keys stay; the catalogue numbers a move as a change, which the indexes follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from hashlib import sha256
from typing import Any

from aicx.corpus.catalog.chunks import put_chunk
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.files.read import ALTERED, is_altered, load_markdown, load_sidecar, sidecar_path
from aicx.corpus.files.sidecar import Sidecar, encode_sidecar
from aicx.corpus.files.tombstones import Tombstones
from aicx.corpus.files.writer import stage_chunk
from aicx.corpus.places.evidence import Session
from aicx.corpus.places.identity import RepositoryIdentity
from aicx.corpus.places.places import Places
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import NON_REPOSITORY, Layout, chunk_stem
from aicx.storage.journal import Writer
from aicx.values import dataclass

# How the line below a title names the project of a chunk that has none.
UNKNOWN = "no repository"


@dataclass(frozen=True, slots=True)
class Move:
    """One chunk that is in another project's folder now: its paths before and after, and whose it was and is."""

    before: str
    after: str
    agent: str
    old_project: str
    new_project: str


@dataclass(slots=True)
class Filing:
    """What a pass over the stored chunks did."""

    moves: list[Move] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def moved(self) -> int:
        return len(self.moves)

    @property
    def left(self) -> list[str]:
        """The places where moved chunks were."""
        return [move.before for move in self.moves]


def file_again(
    layout: Layout,
    catalog: Catalog,
    places: Places,
    writer: Writer,
    tombstones: Tombstones,
    on_full: Callable[[], None],
) -> Filing:
    """Stages the move of every stored chunk that is taken for another project's today, and records it in the catalogue.

    Inside the caller's transaction; ``on_full`` publishes what is staged so far when a batch is full.
    """
    filing = Filing()
    for session in changed_sessions(catalog, places):
        rows = catalog.rows(
            "SELECT path, stream FROM chunks WHERE agent=? AND session_id=? ORDER BY stream, number", session
        )
        # A chunk without a known folder goes with the one before it, as when a session is cut into chunks.
        before: dict[str, RepositoryIdentity | None] = {}
        for row in rows:
            try:
                sidecar = load_sidecar(layout, row["path"])
                folders = {cwd: places.resolve(cwd, session) for cwd in sidecar.get("folders") or ()}
                located = next(filter(None, folders.values()), before.get(row["stream"]))
                before[row["stream"]] = located
                _file(layout, catalog, writer, tombstones, row["path"], sidecar, folders, located, filing)
            except (NotFound, CorpusDamaged) as error:
                filing.notes.append(f"{row['path']} is left where it is: {error.message}; `aicx doctor` says more")
            if writer.full:
                on_full()
    return filing


def changed_sessions(catalog: Catalog, places: Places) -> list[Session]:
    """The sessions with a folder that is taken for something else today than when it was filed."""
    changed: dict[Session, None] = {}
    rows = catalog.rows(
        "SELECT DISTINCT agent, session_id, folders.cwd AS cwd, folders.project AS project,"
        " folders.repo_source AS source FROM folders JOIN chunks ON chunks.rowid=chunk ORDER BY agent, session_id"
    )
    for row in rows:
        session = (row["agent"], row["session_id"])
        found = places.resolve(row["cwd"], session)
        if ((found.project, found.source) if found else (None, None)) != (row["project"], row["source"]):
            changed[session] = None
    return list(changed)


def forgotten_since(catalog: Catalog, places: Places, tombstones: Tombstones) -> list[str]:
    """A line for every stored chunk that ``places`` take for a forgotten project's. They may know more than is stored:
    what is forgotten leaves no evidence."""
    found = []
    for session in changed_sessions(catalog, places) if tombstones.projects else ():
        for row in catalog.rows("SELECT path, cwd FROM chunks WHERE agent=? AND session_id=? ORDER BY path", session):
            located = places.resolve(row["cwd"], session)
            if located and tombstones.covers(located.project, row["cwd"], located.source):
                found.append(_is_forgotten(row["path"], located.project))
    return found


def _is_forgotten(path: str, project: str | None) -> str:
    return f"{path} is of {project}, which you had forgotten: `aicx forget --project` removes it for good"


def _file(
    layout: Layout,
    catalog: Catalog,
    writer: Writer,
    tombstones: Tombstones,
    path: str,
    sidecar: Sidecar,
    folders: Mapping[str, RepositoryIdentity | None],
    located: RepositoryIdentity | None,
    filing: Filing,
) -> None:
    project = located.project if located else None
    fields = dict(sidecar.fields)
    fields["folders"] = folder_fields(folders)
    if fields["folders"] == (sidecar.get("folders") or {}) and (project or NON_REPOSITORY) == sidecar.project:
        return
    source = located.source if located else None
    if tombstones.covers(project or NON_REPOSITORY, sidecar.get("cwd"), source):
        filing.notes.append(_is_forgotten(path, project))
        return
    markdown = load_markdown(layout, path)
    if is_altered(sidecar, markdown):
        raise CorpusDamaged(f"it was {ALTERED}", hint="aicx doctor --fix")
    old = sidecar.project if sidecar.project != NON_REPOSITORY else None
    moved = _renamed(markdown, old, project)
    shift = len(moved) - len(markdown)
    fields |= {"project": project or NON_REPOSITORY, "repo_source": source, "content_sha256": sha256(moved).hexdigest()}
    fields["messages"] = [message | {"span": [end + shift for end in message["span"]]} for message in sidecar.messages]
    stem = chunk_stem(
        project, sidecar.date, sidecar.kind, sidecar.agent, sidecar.session_id, sidecar.number, sidecar.stream
    )
    encoded = encode_sidecar(fields)
    stage_chunk(writer, stem, moved, encoded)
    if f"{stem}.md" != path:
        filing.moves.append(Move(path, f"{stem}.md", sidecar.agent, sidecar.project, fields["project"]))
        writer.stage_removal(path)
        writer.stage_removal(sidecar_path(path))
    put_chunk(catalog, fields, f"{stem}.md", sha256(encoded).hexdigest(), moved)


def _renamed(markdown: bytes, old: str | None, new: str | None) -> bytes:
    """The chunk with the name of its project in the line below its title, the only words of it that filing wrote."""
    title, blank, rest = markdown.partition(b"\n\n")
    before, after = ((name or UNKNOWN).encode() for name in (old, new))
    return title + blank + after + rest[len(before) :] if rest.startswith(before + b" ") else markdown


def folder_fields(folders: Mapping[str, RepositoryIdentity | None]) -> dict[str, Any]:
    """Returns the repository of each folder, as the sidecar's ``folders``."""
    return {
        cwd: {"project": found.project, "repo_source": found.source} if found else None
        for cwd, found in folders.items()
    }
