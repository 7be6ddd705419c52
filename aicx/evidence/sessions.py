"""Lists the sessions of one repository, from the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from aicx.corpus.catalog import Catalog
from aicx.folders import relative
from aicx.paths import NON_REPOSITORY
from aicx.refs import Ref
from aicx.text import instant
from aicx.values import dataclass, regex

# The newest sessions that are looked at; older ones come in through recall alone.
MAX_SESSIONS = 60
# Chunks looked through before the whole repository is: in most of them the newest sessions are all among these.
_NEWEST_CHUNKS = 2500
_UUID = regex(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# Of a long session the beginning (what was wanted) and the end (where it stands) are read.
_FIRST_CHUNKS, _LAST_CHUNKS = 2, 58
# Ids that begin with the time need more signs to differ.
_PREFIXES = (8, 13, 18, 23)


@dataclass(frozen=True, slots=True)
class RepositoryScope:
    """A repository as sessions are filed: by project, or by the folders they worked in where none was known.

    Without ``below`` a folder stands for itself alone: not everything below a home folder belongs together. ``also``
    are further projects whose sessions count as its own.
    """

    project: str | None
    folders: tuple[str, ...] = ()
    below: bool = True
    also: tuple[str, ...] = ()

    @property
    def projects(self) -> tuple[str, ...]:
        return (self.project, *self.also) if self.project is not None else self.also

    def holds(self, project: str, cwd: str | None) -> bool:
        """Whether a chunk belongs to the repository."""
        if project != NON_REPOSITORY:
            return project in self.projects
        if cwd is None:
            return False
        return any(found == "" or (found and self.below) for found in (relative(cwd, one) for one in self.folders))


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as the catalogue knows it. ``files`` are the paths its tools named, as they stand there."""

    agent: str
    session_id: str
    project: str
    title: str | None
    cwd: str | None
    branch: str | None
    lane: str
    parent: str | None
    started_at: datetime
    completed_at: datetime
    files: tuple[str, ...] = ()
    automated_why: str | None = None  # the evidence that a program ran it; None where a person did
    branches: tuple[str, ...] = ()  # all that it was on

    def was_on(self, branch: str | None) -> bool:
        """Whether a session worked on a branch, at its end or before."""
        return branch is not None and (branch == self.branch or branch in self.branches)

    @property
    def ref(self) -> str:
        return str(Ref.of_session(self.agent, self.session_id))


def list_sessions(
    catalog: Catalog,
    scope: RepositoryScope,
    now: datetime,
    since: datetime | None = None,
    limit: int | None = MAX_SESSIONS,
) -> list[SessionRow]:
    """The sessions of a repository that had begun by ``now``, the last active first."""
    after, conditions = instant(since) if since else "", _conditions(scope)
    last: dict[tuple[str, str], str] = {}
    if limit is not None and conditions:
        last = _among_newest(catalog, conditions, instant(now), after)
    if limit is None or len(last) < limit:
        last = _among_all(catalog, conditions, instant(now), after)
    named = sorted(last, key=lambda key: (last[key], key), reverse=True)[:limit]
    return load_sessions(catalog, named, now)


def count_sessions(catalog: Catalog, scope: RepositoryScope, now: datetime, *, but: str | None = None) -> int:
    """How many sessions of a repository had begun by ``now``, without subagents and without the session ``but``."""
    found: set[tuple[str, str]] = set()
    for where, values in _conditions(scope):
        rows = catalog.rows(
            f"SELECT DISTINCT agent, session_id FROM chunks WHERE ignored=0 AND {where} AND stream=''"
            " AND +started_at<=? AND coalesce(lane, 'primary')<>'subagent'",
            [*values, instant(now)],
        )
        found.update((row["agent"], row["session_id"]) for row in rows if row["session_id"] != but)
    return len(found)


def _among_newest(
    catalog: Catalog, conditions: Sequence[tuple[str, list[str]]], now: str, after: str
) -> dict[tuple[str, str], str]:
    """When each session was last active, as far as the newest chunks of the corpus tell."""
    where = " OR ".join(f"({condition})" for condition, _ in conditions)
    rows = catalog.rows(
        "SELECT agent, session_id, max(completed_at) AS last FROM (SELECT agent, session_id, project, cwd, completed_at"
        " FROM chunks WHERE ignored=0 AND stream='' AND started_at<=? ORDER BY started_at DESC LIMIT ?)"
        f" WHERE ({where}) AND completed_at>=? GROUP BY agent, session_id",
        [now, _NEWEST_CHUNKS, *(value for _, values in conditions for value in values), after],
    )
    return {(row["agent"], row["session_id"]): row["last"] for row in rows}


def _among_all(
    catalog: Catalog, conditions: Sequence[tuple[str, list[str]]], now: str, after: str
) -> dict[tuple[str, str], str]:
    """When each session of the repository was last active."""
    last: dict[tuple[str, str], str] = {}
    for where, values in conditions:
        # One look-up in an index for each condition; for an OR of them every chunk would be looked at. The plus sign
        # keeps SQLite from taking the index on time, which nearly all chunks fit.
        for row in catalog.rows(
            f"SELECT agent, session_id, max(completed_at) AS last FROM chunks WHERE ignored=0 AND {where}"
            " AND stream='' AND +started_at<=? AND completed_at>=? GROUP BY agent, session_id",
            [*values, now, after],
        ):
            key = (row["agent"], row["session_id"])
            last[key] = max(row["last"], last.get(key, ""))
    return last


def load_sessions(catalog: Catalog, named: Sequence[tuple[str, str]], now: datetime) -> list[SessionRow]:
    """The named sessions as (agent, session id), as far as they had begun by ``now``."""
    ids = sorted({session_id for _, session_id in named})
    among = f"IN ({','.join('?' * len(ids))})"
    values = [*ids, instant(now)]
    files: dict[tuple[str, str], dict[str, None]] = {}
    for row in catalog.rows(
        "SELECT DISTINCT c.agent, c.session_id, f.path FROM chunks c JOIN files f ON f.chunk=c.rowid"
        f" WHERE c.session_id {among} AND c.stream='' AND +c.started_at<=? ORDER BY c.number",
        values,
    ):
        files.setdefault((row["agent"], row["session_id"]), {})[row["path"]] = None
    folders = {
        (row["agent"], row["session_id"]): row["cwd"]
        for row in catalog.rows(
            "SELECT agent, session_id, cwd, min(number) FROM chunks"
            f" WHERE session_id {among} AND stream='' AND cwd IS NOT NULL GROUP BY agent, session_id",
            ids,
        )
    }
    evidence = automated(catalog, ids)
    wanted = set(named)
    rows = catalog.rows(
        # Bare columns beside max() are those of the row that holds the maximum: the session's last chunk.
        "SELECT agent, session_id, project, branch, lane, parent_session, min(started_at) AS first,"
        " max(completed_at) AS last, group_concat(DISTINCT branch) AS branches"
        f" FROM chunks WHERE session_id {among} AND stream=''"
        " AND +ignored=0 AND +started_at<=? GROUP BY agent, session_id ORDER BY last DESC, agent, session_id",
        values,
    )
    return [
        SessionRow(
            agent=row["agent"],
            session_id=row["session_id"],
            project=row["project"],
            title=catalog.session_title(row["agent"], row["session_id"]),
            cwd=folders.get((row["agent"], row["session_id"])),
            branch=row["branch"],
            lane=row["lane"] or "primary",
            parent=row["parent_session"],
            started_at=datetime.fromisoformat(row["first"]),
            completed_at=datetime.fromisoformat(row["last"]),
            files=tuple(files.get((row["agent"], row["session_id"]), ())),
            automated_why=evidence.get((row["agent"], row["session_id"])),
            branches=tuple((row["branches"] or "").split(",")),
        )
        for row in rows
        if (row["agent"], row["session_id"]) in wanted
    ]


def automated(catalog: Catalog, session_ids: Sequence[str]) -> dict[tuple[str, str], str]:
    """For each session that a program ran, the evidence for it; empty for a catalogue that does not know of any."""
    if not catalog.rows("SELECT 1 FROM pragma_table_info('sessions') WHERE name='automated_why'"):
        return {}
    rows = catalog.rows(
        "SELECT agent, session_id, automated_why FROM sessions WHERE automated_why IS NOT NULL"
        f" AND session_id IN ({','.join('?' * len(session_ids))})",
        list(session_ids),
    )
    return {(row["agent"], row["session_id"]): row["automated_why"] for row in rows}


def chunk_paths(catalog: Catalog, session: SessionRow, now: datetime) -> list[str]:
    """Where the chunks of a session lie that had begun by ``now``, in order."""
    rows = catalog.rows(
        "SELECT path FROM chunks WHERE agent=? AND session_id=? AND stream='' AND +ignored=0 AND +started_at<=?"
        " ORDER BY number",
        [session.agent, session.session_id, instant(now)],
    )
    return [row["path"] for row in rows]


def telling_chunks(catalog: Catalog, session: SessionRow, now: datetime) -> list[str]:
    """The same, of a long session only those from which a brief of it is made."""
    paths = chunk_paths(catalog, session, now)
    return paths if len(paths) <= _FIRST_CHUNKS + _LAST_CHUNKS else paths[:_FIRST_CHUNKS] + paths[-_LAST_CHUNKS:]


def short_ids(catalog: Catalog, session_ids: Iterable[str]) -> dict[str, str]:
    """For each UUID the beginning that no other session's id has, of eight signs or more; other ids are left out."""
    found: dict[str, str] = {}
    for session_id in set(session_ids):
        if not _UUID.fullmatch(session_id):
            continue
        for length in _PREFIXES:
            prefix = session_id[:length]
            rows = catalog.rows(
                "SELECT DISTINCT session_id FROM chunks WHERE session_id>=? AND session_id<? LIMIT 2",
                [prefix, prefix + "\U0010ffff"],
            )
            if len(rows) == 1:
                found[session_id] = prefix
                break
    return found


def known_folders(catalog: Catalog, scope: RepositoryScope) -> list[str]:
    """Every folder that sessions of a repository worked in."""
    found: dict[str, None] = {}
    for where, values in _conditions(scope, nowhere="project IS NULL"):
        found |= {row["cwd"]: None for row in catalog.rows(f"SELECT DISTINCT cwd FROM folders WHERE {where}", values)}
    return list(found)


def other_folders(catalog: Catalog, scope: RepositoryScope) -> list[str]:
    """Every folder that is known to belong to another repository than this one."""
    rows = catalog.rows(
        f"SELECT DISTINCT cwd FROM folders WHERE project NOT IN ({','.join('?' * len(scope.projects))})",
        list(scope.projects),
    )
    return [row["cwd"] for row in rows]


def related_projects(catalog: Catalog, project: str) -> dict[str, str]:
    """Other repositories that have to do with one, and why: ``same_session``, ``same_name`` or ``same_owner``."""
    owner, _, name = project.partition("/")
    found: dict[str, str] = {}
    rows = catalog.rows(
        "SELECT DISTINCT folders.project AS project FROM folders JOIN chunks ON chunks.rowid=chunk"
        " WHERE (agent, session_id) IN (SELECT agent, session_id FROM folders JOIN chunks ON chunks.rowid=chunk"
        " WHERE folders.project=?) AND folders.project IS NOT NULL AND folders.project<>?",
        [project, project],
    )
    for row in rows:
        found[row["project"]] = "same_session"
    for row in catalog.rows("SELECT DISTINCT project FROM chunks WHERE ignored=0 AND project<>?", [project]):
        other_owner, _, other_name = row["project"].partition("/")
        if other_name == name:
            found.setdefault(row["project"], "same_name")
        elif other_owner == owner and owner != "local" and other_name:
            found.setdefault(row["project"], "same_owner")
    found.pop(NON_REPOSITORY, None)
    return found


def _conditions(scope: RepositoryScope, nowhere: str = f"project='{NON_REPOSITORY}'") -> list[tuple[str, list[str]]]:
    """SQL conditions, any of which holds for what belongs to a repository; ``nowhere`` says that none was known."""
    found: list[tuple[str, list[str]]] = []
    found += (("project=?", [project]) for project in scope.projects)
    for folder in scope.folders:
        # The half-open range holds every folder below this one: "0" follows "/".
        values = [folder, f"{folder}/", f"{folder}0" if scope.below else ""]
        found.append((f"{nowhere} AND (cwd=? OR (cwd>=? AND cwd<?))", values))
    return found
