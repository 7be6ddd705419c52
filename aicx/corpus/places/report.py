"""Reports on folders and their repositories: a list of all, and why a session is filed where it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from sqlite3 import Row
from typing import Annotated

from aicx.corpus.catalog import Catalog
from aicx.corpus.places.evidence import root_of
from aicx.fields import OPTIONAL
from aicx.values import dataclass

SCHEMA = "aicx.projects/1"
DECISION_SCHEMA = "aicx.projects-decision/1"


@dataclass(frozen=True, slots=True)
class ProjectsAnswer:
    """Every folder, those with the most sessions first."""

    projects: Annotated[list[WorkFolder], "folders; with `--unknown` only those without a repository"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class DecisionAnswer:
    """The outcome of a decision by hand."""

    moved: Annotated[int, "number of chunks that were moved"]
    notes: Annotated[list[str], "chunks that were left where they are, and why"]


_OWN = "the session's own log says so"
# In a catalogue that was made again, which has the reasons with the next run.
_FILED = "its sessions are filed there; `aicx store` says why"
_UNDECIDED = "not decided yet; `aicx store` does"


@dataclass(frozen=True, slots=True)
class ProjectEvidence:
    """One kind of evidence for a repository."""

    kind: Annotated[str, "what points to the repository"]
    repository: Annotated[str, "where it points"]
    sessions: Annotated[int, "number of sessions that gave it"]


@dataclass(frozen=True, slots=True)
class WorkFolder:
    """A folder where sessions worked, and the repository of it."""

    folder: Annotated[str, "working folder"]
    repository: Annotated[str | None, "null where it belongs to none"]
    source: Annotated[str | None, "as `repo_source` in [sidecars](on-disk-format.md), or null"]
    reason: Annotated[str, "in a sentence, also why it belongs to none"]
    evidence: Annotated[Sequence[ProjectEvidence] | None, "what points to which repository"] = field(
        default=None, metadata=OPTIONAL
    )
    sessions: Annotated[int | None, "number of sessions that worked there"] = field(default=None, metadata=OPTIONAL)


def list_places(catalog: Catalog) -> list[WorkFolder]:
    """Every folder, those with the most sessions first."""
    rows = catalog.rows(
        "SELECT folders.cwd AS cwd, count(DISTINCT agent || ':' || session_id) AS sessions,"
        " folders.project AS project, folders.repo_source AS repo_source, max(completed_at)"  # those of the latest
        " FROM folders JOIN chunks ON chunks.rowid=chunk GROUP BY 1 ORDER BY 2 DESC, 1"
    )
    return list(_places(catalog, rows))


def session_places(catalog: Catalog, agent: str, session_id: str) -> list[WorkFolder]:
    """The folders of one session and why each belongs where it does, the one it used most first; without evidence.

    Where the session is filed under another repository than its folder is in general, its own log had said so.
    """
    rows = catalog.rows(
        "SELECT folders.cwd, folders.project, folders.repo_source FROM folders JOIN chunks ON chunks.rowid=chunk"
        " WHERE agent=? AND session_id=? GROUP BY 1, 2 ORDER BY count(*) DESC, 1",
        (agent, session_id),
    )
    found = []
    for row in rows:
        claims = catalog.rows("SELECT project, reason FROM claims WHERE folder=?", (row["cwd"],))
        same = claims and claims[0]["project"] == row["project"]
        reason = claims[0]["reason"] if same else _OWN if claims else _unexplained(row)
        found.append(WorkFolder(row["cwd"], row["project"], row["repo_source"], reason))
    return found


def _unexplained(row: Row) -> str:
    return _FILED if row["project"] else _UNDECIDED


def _places(catalog: Catalog, folders: Iterable[Row]) -> Iterator[WorkFolder]:
    claims = {row["folder"]: row for row in catalog.rows("SELECT * FROM claims")}
    evidence: dict[str, dict[tuple[str, str], int]] = {}
    rows = catalog.rows(
        "SELECT folder, evidence.kind AS kind, said, count(DISTINCT agent || ':' || session_id) AS sessions"
        " FROM evidence JOIN chunks ON chunks.rowid=chunk GROUP BY folder, evidence.kind, said"
        " ORDER BY evidence.kind, said"
    )
    for row in rows:
        by_kind = evidence.setdefault(root_of(row["folder"]), {})
        one = (row["kind"], row["said"])
        by_kind[one] = by_kind.get(one, 0) + row["sessions"]
    for row in folders:
        claim = claims.get(row["cwd"])
        decided = claim or row
        yield WorkFolder(
            row["cwd"],
            decided["project"],
            decided["repo_source"],
            claim["reason"] if claim else _unexplained(row),
            tuple(ProjectEvidence(*one, count) for one, count in evidence.get(root_of(row["cwd"]), {}).items()),
            row["sessions"],
        )
