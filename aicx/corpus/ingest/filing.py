"""Files what is stored by today's evidence: what a person decides about a repository takes effect at once.

No log is needed: path, sidecar and heading change. A move is published by the journal of the writer, so a kill leaves
each chunk in its old place or in its new one. Ids, references and message keys stay; the catalogue numbers a move as a
change, which the indexes follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.chunks import put_chunk
from aicx.corpus.catalog.query import ignore_matcher
from aicx.corpus.catalog.rebuild import with_catalog
from aicx.corpus.files import Sidecar, encode_sidecar
from aicx.corpus.files.read import ALTERED, is_altered, load_markdown, load_sidecar, sidecar_path
from aicx.corpus.files.tombstones import Tombstones, read_tombstones
from aicx.corpus.ingest.publishing import Publisher, drop_empty_folders, stage_chunk
from aicx.corpus.ingest.render import UNKNOWN, folder_fields
from aicx.corpus.places.evidence import Session
from aicx.corpus.places.identity import RepositoryIdentity
from aicx.corpus.places.places import FolderDecisions, Places, load_decisions, save_decisions
from aicx.corpus.places.siblings import FolderHistory
from aicx.corpus.places.stored import find_histories, open_places, withdraw_filed, write_claims
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import NON_REPOSITORY, Layout
from aicx.storage.lock import writer_lock
from aicx.values import dataclass


def decide(
    settings: Settings, change: Callable[[FolderDecisions, Catalog], FolderDecisions], notify: Callable[[str], None]
) -> Filing:
    """Records the decisions that ``change`` makes of those in force, and moves the chunks that they concern.

    The decision is on disk first: after a kill the next `store` moves the rest. Raises what ``change`` raises, before
    anything is written, and StoreLocked or StoreUnwritable.
    """
    layout = settings.layout

    def work(catalog: Catalog) -> Filing:
        ignore_matcher(layout)  # a bad line in it stops this before it does anything
        before = load_decisions(layout.projects)
        decisions = change(before, catalog)
        if decisions != before:
            save_decisions(layout.projects, decisions)
        return file_stored(settings, catalog, decisions)

    with writer_lock(layout.locks, settings.lock_wait_seconds, notify):
        return with_catalog(layout, notify, work)


def file_stored(settings: Settings, catalog: Catalog, decisions: FolderDecisions) -> Filing:
    """Moves every stored chunk to where the evidence and ``decisions`` put it, and records why; commits.

    The caller holds the writer lock. A kill leaves the rest to the next `store`.
    """
    layout = settings.layout
    publisher = Publisher(layout, catalog, [])
    catalog.begin()
    withdraw_filed(catalog)
    tombstones = read_tombstones(layout.tombstones)
    filing = settle(layout, catalog, settings.user_home, decisions, tombstones, publisher, {})
    publisher.publish_last(catch_up=False)
    drop_empty_folders(layout, filing.left)
    return filing


def settle(
    layout: Layout,
    catalog: Catalog,
    user_home: Path,
    decisions: FolderDecisions,
    tombstones: Tombstones,
    publisher: Publisher,
    read: Mapping[str, FolderHistory],
) -> Filing:
    """Moves every stored chunk to where the evidence and ``decisions`` put it, and records why, until nothing is left.

    Only what the catalogue holds counts, as for everything that asks later: a second look finds nothing to move. The
    histories in common are recorded there too, and ``read`` adds the traces of logs that were just read to them. What
    is to be moved has to be on disk; inside the caller's transaction.
    """
    places = open_places(catalog, user_home, decisions)
    siblings = find_histories(places, catalog, read)
    filing = Filing(layout, catalog, tombstones, publisher)
    filing.run(places)
    write_claims(places, catalog, siblings, decisions)
    return filing


@dataclass(frozen=True, slots=True)
class Move:
    """One chunk that is in another project's folder now: its paths before and after, and whose it was and is."""

    before: str
    after: str
    agent: str
    old_project: str
    new_project: str


class Filing:
    """A pass over the stored chunks, and its outcome. Inside the caller's transaction."""

    def __init__(self, layout: Layout, catalog: Catalog, tombstones: Tombstones, publisher: Publisher) -> None:
        self.moves: list[Move] = []
        self.notes: list[str] = []
        self._layout, self._catalog, self._tombstones, self._publisher = layout, catalog, tombstones, publisher

    @property
    def moved(self) -> int:
        return len(self.moves)

    @property
    def left(self) -> list[str]:
        """The places where moved chunks were."""
        return [move.before for move in self.moves]

    def run(self, places: Places) -> None:
        """Stages the move of every chunk that is taken for another project's today, and records it in the catalogue.

        What is staged so far is published when a batch is full.
        """
        for session in changed_sessions(self._catalog, places):
            rows = self._catalog.rows(
                "SELECT path, stream FROM chunks WHERE agent=? AND session_id=? ORDER BY stream, number", session
            )
            # A chunk without a known folder goes with the one before it, as when a session is cut into chunks.
            before: dict[str, RepositoryIdentity | None] = {}
            for row in rows:
                path = row["path"]
                try:
                    sidecar = load_sidecar(self._layout, path)
                    folders = {cwd: places.resolve(cwd, session) for cwd in sidecar.get("folders") or ()}
                    located = next(filter(None, folders.values()), before.get(row["stream"]))
                    before[row["stream"]] = located
                    self._file(path, sidecar, folders, located)
                except (NotFound, CorpusDamaged) as error:
                    self.notes.append(f"{path} is left where it is: {error.message}; `aicx doctor` says more")
                if self._publisher.writer.full:
                    self._publisher.publish_and_begin()

    def _file(
        self,
        path: str,
        sidecar: Sidecar,
        folders: Mapping[str, RepositoryIdentity | None],
        located: RepositoryIdentity | None,
    ) -> None:
        project = located.project if located else None
        fields = dict(sidecar.fields)
        fields["folders"] = folder_fields(folders)
        if fields["folders"] == (sidecar.get("folders") or {}) and (project or NON_REPOSITORY) == sidecar.project:
            return
        source = located.source if located else None
        if self._tombstones.covers(project or NON_REPOSITORY, sidecar.get("cwd"), source):
            self.notes.append(_is_forgotten(path, project))
            return
        markdown = load_markdown(self._layout, path)
        if is_altered(sidecar, markdown):
            raise CorpusDamaged(f"it was {ALTERED}", hint="aicx doctor --fix")
        old = sidecar.project if sidecar.project != NON_REPOSITORY else None
        moved = _renamed(markdown, old, project)
        shift = len(moved) - len(markdown)
        fields |= {
            "project": project or NON_REPOSITORY,
            "repo_source": source,
            "content_sha256": sha256(moved).hexdigest(),
        }
        fields["messages"] = [
            message | {"span": [end + shift for end in message["span"]]} for message in sidecar.messages
        ]
        stem = Sidecar(fields).stem
        encoded = encode_sidecar(fields)
        writer = self._publisher.writer
        stage_chunk(writer, stem, moved, encoded)
        if f"{stem}.md" != path:
            self.moves.append(Move(path, f"{stem}.md", sidecar.agent, sidecar.project, fields["project"]))
            writer.stage_removal(path)
            writer.stage_removal(sidecar_path(path))
        put_chunk(self._catalog, fields, f"{stem}.md", sha256(encoded).hexdigest(), moved)


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


def _renamed(markdown: bytes, old: str | None, new: str | None) -> bytes:
    """The chunk with the name of its project in the line below its title, the only words of it that filing wrote."""
    title, blank, rest = markdown.partition(b"\n\n")
    before, after = ((name or UNKNOWN).encode() for name in (old, new))
    return title + blank + after + rest[len(before) :] if rest.startswith(before + b" ") else markdown
