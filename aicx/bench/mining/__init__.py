"""Makes questions with known answers out of a stored corpus, without a model.

Here are the stored sessions as mining uses them: messages with speaker and time, and touched files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import datetime

from aicx.bench.dataset import session_key
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.files import Sidecar
from aicx.corpus.files.read import read_intact
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import Layout
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt that a person typed to an agent."""

    session: str
    at: datetime
    text: str


@dataclass(slots=True)
class MinedSession:
    """A session by its key. ``files`` says on which days (ISO) each file was touched; ``texts`` are all it holds."""

    key: str
    started_at: datetime
    completed_at: datetime
    parent: str | None
    folders: set[str] = field(default_factory=set)
    projects: set[str] = field(default_factory=set)  # owner/name
    files: dict[str, set[str]] = field(default_factory=dict)
    prompts: list[Prompt] = field(default_factory=list)
    tool_texts: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


def read_sessions(layout: Layout, newest: int | None = None) -> list[MinedSession]:
    """Every session of a store, oldest first. A chunk that cannot be read is left out, as every index leaves it out.

    With ``newest`` only so many chunks are read, the newest ones.
    """
    sessions: dict[str, MinedSession] = {}
    for sidecar, markdown in _chunks(layout, newest):
        key = session_key(sidecar.session_id)
        completed = datetime.fromisoformat(sidecar.fields["completed_at"])
        parent = sidecar.get("parent_session")
        session = sessions.setdefault(
            key, MinedSession(key, sidecar.started_at, completed, session_key(parent) if parent else None)
        )
        session.started_at = min(session.started_at, sidecar.started_at)
        session.completed_at = max(session.completed_at, completed)
        if sidecar.get("cwd"):
            session.folders.add(sidecar.get("cwd"))
        if sidecar.get("project"):
            session.projects.add(sidecar.get("project"))
        for path in sidecar.get("files") or ():
            session.files.setdefault(path, set()).add(sidecar.date)
        for message in sidecar.messages:
            if message.get("repeated") or message.get("echo"):
                continue
            low, high = message["span"]
            text = markdown[low:high].decode("utf-8", "replace")
            session.texts.append(text)
            if message["role"] == "tool":
                session.tool_texts.append(text)
            elif message["role"] == "user" and message["origin"] == "typed" and not message.get("part"):
                session.prompts.append(Prompt(key, datetime.fromisoformat(message["at"]), text))
    return sorted(sessions.values(), key=lambda session: (session.started_at, session.key))


def related(first: MinedSession, second: MinedSession) -> bool:
    """Whether one was started by the other, so that what one holds the other is about as well."""
    return first.parent == second.key or second.parent == first.key


def latest(sessions: Sequence[MinedSession]) -> datetime:
    return max(session.completed_at for session in sessions)


def _chunks(layout: Layout, newest: int | None) -> Iterator[tuple[Sidecar, bytes]]:
    with open_catalog(layout) as opened:
        most = -1 if newest is None else newest  # SQLite's word for all
        rows = opened.catalog.rows(
            "SELECT path FROM chunks WHERE ignored=0 ORDER BY started_at DESC, id DESC LIMIT ?", [most]
        )
        for row in reversed(rows):
            try:
                found = read_intact(layout, row["path"])
            except (CorpusDamaged, NotFound):
                continue
            yield found.sidecar, found.markdown
