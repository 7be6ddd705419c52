"""One stored session as the catalogue knows it: where it worked, and the chunks that hold it."""

from __future__ import annotations

from hashlib import sha256

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.views.references import find_target
from aicx.errors import NotFound, UsageError
from aicx.evidence.sessions import short_ids
from aicx.git import Roots, repository_of
from aicx.paths import NON_REPOSITORY
from aicx.refs import Ref
from aicx.values import dataclass
from aicx.work.session_facts import SessionPart


@dataclass(frozen=True, slots=True)
class StoredSession(SessionPart):
    """A session and its chunks in order, as ids and as paths below the home. ``digest`` is another for other texts.

    ``project`` is the repository that it worked in first, or the folder where that has no name.
    """

    started_at: str
    ended_at: str
    chunks: tuple[str, ...]
    paths: tuple[str, ...]
    roots: Roots
    digest: str


def find_stored(catalog: Catalog, text: str) -> StoredSession:
    """The session that ``text`` names: its id or the beginning of it, ``agent:id``, ``session:…``, or ``…#w3`` of one.

    Raises NotFound with the nearest ones, UsageError where several fit, or where something else is named.
    """
    ref = Ref.parse(text.partition("#w")[0])
    if ref.kind not in ("name", "session"):
        raise UsageError(f"{text!r} does not name a session", hint="`aicx sessions` lists what there is")
    target = find_target(ref, catalog)
    if isinstance(target, str):
        raise UsageError(f"{text!r} names a chunk", hint="write its session's id, or the beginning of it")
    return load_stored(catalog, *target)


def load_stored(catalog: Catalog, agent: str, session_id: str) -> StoredSession:
    """The session of this id. Raises NotFound where nothing of it is stored, or `.aicxignore` hides all of it."""
    rows = catalog.rows(
        "SELECT id, path, sidecar_sha256, project, cwd, branch, lane, started_at, completed_at FROM chunks"
        " WHERE agent=? AND session_id=? AND stream='' AND ignored=0 ORDER BY number",
        [agent, session_id],
    )
    if not rows:
        raise NotFound(f"nothing of session {session_id} is stored", hint="`aicx store` adds what is new")
    folders = [row["cwd"] for row in rows if row["cwd"]]
    first = rows[0]["project"]
    automated = catalog.rows(
        "SELECT 1 FROM sessions WHERE agent=? AND session_id=? AND automated_why IS NOT NULL", [agent, session_id]
    )
    return StoredSession(
        agent,
        session_id,
        folders[0] if first == NON_REPOSITORY and folders else first,
        folders[0] if folders else None,
        next((row["branch"] for row in reversed(rows) if row["branch"]), None),
        "subagent" if any(row["lane"] == "subagent" for row in rows) else "primary",
        bool(automated),
        catalog.session_title(agent, session_id),
        min(row["started_at"] for row in rows),
        max(row["completed_at"] for row in rows),
        tuple(row["id"] for row in rows),
        tuple(row["path"] for row in rows),
        Roots.of(map(repository_of, dict.fromkeys(folders))),
        sha256("\n".join(f"{row['id']} {row['sidecar_sha256']}" for row in rows).encode()).hexdigest(),
    )


def short_refs(settings: Settings, session: StoredSession) -> dict[str, str]:
    """How the references of a session's chunks are written where it was named: `aicx show` takes them."""
    with open_catalog(settings.layout) as opened:
        name = short_ids(opened.catalog, [session.session_id]).get(session.session_id, session.session_id)
    return {str(Ref("chunk", chunk)): f"{name}:{chunk.rpartition(':')[2]}" for chunk in session.chunks}
