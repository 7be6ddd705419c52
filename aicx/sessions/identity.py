"""The identity file: which session an agent is in, in one working folder, for commands that nothing else tells it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

import orjson

from aicx.paths import Layout
from aicx.storage import replace_file, unwritable
from aicx.storage.typed import from_json
from aicx.values import dataclass

_MAX_BYTES = 20_000


@dataclass(frozen=True, slots=True)
class SessionIdentity:
    """The session of an agent in a working folder. ``parent_id`` is the one it was forked from."""

    session_id: str
    workspace: str
    agent_id: str
    started_at: str
    parent_id: str | None = None


def workspace_hash(workspace: Path) -> str:
    """Returns what a working folder's files are called by: 16 digits of the SHA-256 of its path."""
    return sha256(str(workspace).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def identity_path(layout: Layout, workspace: Path, agent: str) -> Path:
    return layout.session_identities / f"{workspace_hash(workspace)}-{agent}.json"


def read_identity(path: Path) -> SessionIdentity | None:
    """Returns what an identity file says; None where there is none, or it is not one."""
    try:
        with path.open("rb") as stream:
            found = from_json(SessionIdentity, orjson.loads(stream.read(_MAX_BYTES)))
    except (OSError, ValueError, TypeError, LookupError):
        return None
    return found if found.session_id else None


def identity_at(layout: Layout, workspace: Path, agent: str | None) -> SessionIdentity | None:
    """The session of ``agent`` in a working folder; where no agent is named, the one that was begun there last."""
    names = f"{workspace_hash(workspace)}-{agent or '*'}.json"
    found = (one for path in layout.session_identities.glob(names) if (one := read_identity(path)) is not None)
    here = [one for one in found if one.workspace == str(workspace)]
    return max(here, key=lambda one: (one.started_at, one.agent_id), default=None)


def write_identity(layout: Layout, identity: SessionIdentity) -> Path:
    """Writes the file, for its owner alone. Raises StoreUnwritable."""
    path = identity_path(layout, Path(identity.workspace), identity.agent_id)
    replace_file(path, orjson.dumps(asdict(identity), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return path


def remove_identities(layout: Layout, session_id: str, agent: str) -> None:
    """Removes the files that name a session, wherever it was begun. Raises StoreUnwritable."""
    for path, identity in every_identity(layout):
        if identity is not None and (identity.agent_id, identity.session_id) == (agent, session_id):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise unwritable(path, error) from error


def every_identity(layout: Layout) -> Iterator[tuple[Path, SessionIdentity | None]]:
    for path in sorted(layout.session_identities.glob("*.json")):
        yield path, read_identity(path)
