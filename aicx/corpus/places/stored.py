"""Places as the catalogue knows them: read from the evidence of all stored chunks, and the claims written back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from itertools import permutations
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.places.evidence import CONFIGURED, Ledger, Session, root_of
from aicx.corpus.places.identity import RepositoryIdentity
from aicx.corpus.places.places import FolderDecisions, Places, load_decisions
from aicx.corpus.places.siblings import FolderHistory, find_siblings, is_deep, is_telling_branch, relative_to
from aicx.errors import CorpusDamaged
from aicx.folders import FolderClue
from aicx.paths import NON_REPOSITORY
from aicx.values import batches, dataclass

_MAX_FOLDERS = 400  # in one query
_FILED = "filed"


def open_places(catalog: Catalog, user_home: Path, decisions: FolderDecisions) -> Places:
    """The places as all runs so far know them, with the histories that the last run found in common."""
    ledger = Ledger()
    rows = catalog.rows(
        "SELECT DISTINCT agent, session_id, folder, evidence.kind AS kind, said"
        " FROM evidence JOIN chunks ON chunks.rowid=chunk ORDER BY completed_at, folder, evidence.kind, said"
    )
    for row in rows:
        ledger.add((row["agent"], row["session_id"]), FolderClue(row["folder"], row["kind"], row["said"]))
    for old, new in renamed_in_place(catalog):
        ledger.moved.setdefault(old, new)
    places = Places(user_home, ledger, decisions)
    history = catalog.rows("SELECT folder, project, reason FROM claims WHERE history=1")
    places.learn_siblings(
        {row["folder"]: RepositoryIdentity(row["project"], "learned", row["reason"]) for row in history}
    )
    return places


def find_histories(
    places: Places, catalog: Catalog, read: Mapping[str, FolderHistory]
) -> dict[str, RepositoryIdentity]:
    """Compares the folders that are unknown with those that are known, and has ``places`` learn what comes of it.

    ``read`` are the traces of sessions that are not stored yet.
    """
    places.learn_siblings({})
    folders = stored_folders(catalog)
    cwds = {*folders, *read}
    known = places.known(cwds)
    wanted = {root for cwd in cwds if (root := root_of(cwd)) not in known and places.resolve(cwd) is None}
    wanted -= {root for root in wanted if places.is_ignored(root)}
    if not wanted or not known:
        return {}
    traces = {root: FolderHistory(set(own.commits), set(own.branches)) for root, own in read.items()}
    for row in catalog.rows("SELECT DISTINCT folder, mark FROM commits"):
        traces.setdefault(root_of(row["folder"]), FolderHistory()).commits.add(row["mark"])
    for row in catalog.rows("SELECT DISTINCT cwd, branch FROM chunks WHERE cwd IS NOT NULL AND branch IS NOT NULL"):
        if is_telling_branch(row["branch"]):
            traces.setdefault(root_of(row["cwd"]), FolderHistory()).branches.add(row["branch"])
    by_root: dict[str, list[str]] = {}
    for cwd in folders:
        by_root.setdefault(root_of(cwd), []).append(cwd)

    @cache
    def files(root: str) -> set[str]:
        unread = read[root].files if root in read else set()
        return unread | _stored_files(catalog, root, by_root.get(root, ()))

    siblings = find_siblings(traces, known, wanted, files)
    places.learn_siblings(siblings)
    return siblings


def stored_folders(catalog: Catalog) -> list[str]:
    return [row["cwd"] for row in catalog.rows("SELECT DISTINCT cwd FROM folders ORDER BY cwd")]


def write_claims(
    places: Places, catalog: Catalog, siblings: Mapping[str, RepositoryIdentity], decisions: FolderDecisions
) -> None:
    """Records what every folder is taken for and why, and the names that repositories had before."""
    rows: dict[str, tuple[str | None, str | None, str, int]] = {}
    for folder in stored_folders(catalog):
        found = places.resolve(folder)
        rows[folder] = (
            (found.project, found.source, found.reason, 0) if found else (None, None, places.why_not(folder), 0)
        )
    for folder, identity in siblings.items():
        rows[folder] = (identity.project, identity.source, identity.reason, 1)
    _replace(catalog, "claims", sorted((folder, *row) for folder, row in rows.items()))
    through = (project for project in places.ledger.projects if places.ledger.direct(project))
    names = {old: places.canonical(old) for old in (*places.ledger.moved, *decisions.renamed, *through)}
    _replace(catalog, "renames", sorted(names.items()))
    catalog.set_meta(_FILED, _digest(decisions))


def is_filed(catalog: Catalog, decisions: FolderDecisions) -> bool:
    """Whether every stored chunk was compared with the evidence and with these decisions since either changed."""
    return catalog.meta(_FILED) == _digest(decisions)


def withdraw_filed(catalog: Catalog) -> None:
    """Says that chunks are being stored or moved, so that a run that is killed is finished by the next one."""
    if catalog.meta(_FILED) is not None:
        catalog.connection.execute("DELETE FROM meta WHERE name=?", (_FILED,))


def place_of(
    catalog: Catalog | None, user_home: Path, decisions: FolderDecisions, folder: str | None
) -> RepositoryIdentity | None:
    """The repository of one folder as the last run decided it, without weighing all evidence again.

    Without a catalogue, which no run has made yet, what the folder itself says.
    """
    if folder is None:
        return None
    places = Places(user_home, Ledger(), decisions)
    now = places.resolve(folder)
    if catalog is None or places.is_ignored(folder) or (now is not None and now.source != "git-local"):
        return now
    for place in (folder, *places.chain(folder)):
        rows = catalog.rows("SELECT project, repo_source, reason FROM claims WHERE folder=?", (place,))
        if rows and rows[0]["project"]:
            return RepositoryIdentity(*rows[0])
    return now


def name_in(settings: Settings, folder: str) -> str | None:
    """Returns the corpus's name for the repository of a folder; None where it has no name for it, or cannot be read."""
    identity = identity_in(settings, folder)
    return identity.project if identity else None


def identity_in(settings: Settings, folder: str) -> RepositoryIdentity | None:
    """Returns the repository that the corpus has for a folder; None where it has no name for it, or cannot be read."""
    catalog = Catalog.open_for_reading(settings.layout.catalog) if settings.layout.catalog.exists() else None
    identity = None
    try:
        decisions = load_decisions(settings.layout.projects)
        identity = place_of(catalog, settings.user_home, decisions, folder)
    except CorpusDamaged:  # what was decided by hand cannot be read, and then nothing is called by it
        pass
    finally:
        if catalog is not None:
            catalog.close()
    return identity


def _replace(catalog: Catalog, table: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Makes ``rows`` all that ``table`` holds; where it does already, nothing counts as changed."""
    if [tuple(row) for row in catalog.rows(f"SELECT * FROM {table} ORDER BY 1")] == list(rows):
        return
    catalog.connection.execute(f"DELETE FROM {table}")
    marks = ",".join("?" * len(rows[0])) if rows else ""
    catalog.connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def _digest(decisions: FolderDecisions) -> str:
    parts = (sorted(decisions.assigned.items()), sorted(decisions.ignored), sorted(decisions.renamed.items()))
    return sha256(repr(parts).encode("utf-8", "surrogateescape")).hexdigest()


def _stored_files(catalog: Catalog, root: str, cwds: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for part in batches(cwds, _MAX_FOLDERS):
        marks = ",".join("?" * len(part))
        rows = catalog.rows(
            f"SELECT DISTINCT cwd, files.path FROM chunks JOIN files ON chunk=chunks.rowid WHERE cwd IN ({marks})", part
        )
        relative = (relative_to(root, row["cwd"], row["path"]) for row in rows)
        found.update(path for path in relative if path and is_deep(path))
    return found


def chunks_of(catalog: Catalog, settings: Settings, root: Path) -> tuple[str, list[str]]:
    """A condition in SQL, with its values, on the chunks of the repository at ``root``; by folder where it has no name.

    Raises CorpusDamaged where what was decided by hand cannot be read.
    """
    identity = place_of(catalog, settings.user_home, load_decisions(settings.layout.projects), str(root))
    if identity is not None:
        return "project=?", [identity.project]
    # The half-open range holds every folder below this one: "0" follows "/".
    where = f"project='{NON_REPOSITORY}' AND (cwd=? OR (cwd>=? AND cwd<?))"
    return where, [str(root), f"{root}/", f"{root}0"]


@dataclass(slots=True)
class _NamedRemote:
    """When the remote of a folder had one name, and the sessions that saw it."""

    first: str
    last: str
    sessions: set[Session]


def renamed_in_place(catalog: Catalog) -> Iterator[tuple[str, str]]:
    """The old and the new name of each repository that was renamed without a forge saying so, in a settled order.

    One owner cannot have a fork of a repository of its own. So where a folder's remote is one of them until a day and
    another one from then on, with a commit that git listed before and after, both are names of the same repository.
    """
    for root, names in sorted(_names_by_root(catalog).items()):
        pairs = [
            (old, new)
            for old, new in permutations(sorted(names), 2)
            if _owner(old) == _owner(new) and names[old].last < names[new].first
        ]
        marks = _marks_by_session(catalog, root) if pairs else {}
        for old, new in pairs:
            before, after = (set().union(*(marks.get(one, ()) for one in names[it].sessions)) for it in (old, new))
            if before & after:
                yield old, new


def _names_by_root(catalog: Catalog) -> dict[str, dict[str, _NamedRemote]]:
    marks = ",".join("?" * len(CONFIGURED))
    rows = catalog.rows(
        "SELECT folder, said, agent, session_id, min(started_at) AS first, max(completed_at) AS last"
        f" FROM evidence JOIN chunks ON chunks.rowid=chunk WHERE evidence.kind IN ({marks}) GROUP BY 1, 2, 3, 4",
        sorted(CONFIGURED),
    )
    found: dict[str, dict[str, _NamedRemote]] = {}
    for row in rows:
        names = found.setdefault(root_of(row["folder"]), {})
        named = names.setdefault(row["said"], _NamedRemote(row["first"], row["last"], set()))
        named.first, named.last = min(named.first, row["first"]), max(named.last, row["last"])
        named.sessions.add((row["agent"], row["session_id"]))
    return {root: names for root, names in found.items() if len(names) > 1}


def _marks_by_session(catalog: Catalog, root: str) -> dict[Session, set[str]]:
    found: dict[Session, set[str]] = {}
    for row in catalog.rows("SELECT agent, session_id, folder, mark FROM commits JOIN chunks ON chunks.rowid=chunk"):
        if root_of(row["folder"]) == root:
            found.setdefault((row["agent"], row["session_id"]), set()).add(row["mark"])
    return found


def _owner(project: str) -> str:
    return project.partition("/")[0].lower()
