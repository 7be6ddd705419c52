"""Everything that is known of one session: what it did, its windows, its edges, and whether it is open."""

from __future__ import annotations

from aicx.config import Settings
from aicx.corpus.catalog.session_names import SessionKey
from aicx.sessions.answers import SessionAnswer
from aicx.sessions.summarize import open_session, windows_answer
from aicx.sessions.view import Viewer, turns_of, work_of


def about_session(settings: Settings, viewer: Viewer, key: SessionKey, found_by: str, *, turns: bool) -> SessionAnswer:
    """What is known of a session, stored or not; its turns only if they are wanted."""
    node = viewer.node(key)
    reader = open_session(settings, ":".join(key)) if node.stored else None
    return SessionAnswer(
        found_by=found_by,
        node=node,
        kept=viewer.kept(key),
        work=work_of(settings.layout, viewer.catalog, key),
        windows=windows_answer(reader).windows if reader else [],
        turns=turns_of([step for part in reader.steps for step in part]) if reader and turns else [],
        older=viewer.family.older([node.ref]),
        newer=viewer.family.newer(node.ref),
        notes=viewer.notes(),
    )
