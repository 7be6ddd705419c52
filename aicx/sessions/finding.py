"""Sessions that answer a question: the search of the engine, one answer a session."""

from __future__ import annotations

from aicx.config import Settings
from aicx.engine.search import SearchQuery, search
from aicx.sessions.answers import FoundSession, SessionSearchAnswer
from aicx.sessions.view import Viewer
from aicx.work.facts_index import facts_so_far


def find_sessions(settings: Settings, query: SearchQuery, viewer: Viewer) -> SessionSearchAnswer:
    """The sessions that answer, the best first. ``query`` is grouped by session. Raises UsageError, NotFound."""
    report = search(settings, query)
    items = []
    for hit in report.hits:
        fields = hit.sidecar.fields
        key = (str(fields["agent"]), str(fields["session_id"]))
        known, _ = facts_so_far(settings.layout, viewer.catalog, "agent=? AND session_id=?", list(key))
        items.append(
            FoundSession(
                score=hit.score,
                chunk=hit.ref,
                node=viewer.node(key),
                goal=next((facts.goal.text for facts in known if facts.goal), None),
                lines=[line.text for line in hit.lines],
            )
        )
    return SessionSearchAnswer(
        query=query.text,
        results=len(items),
        matched=report.matched,
        items=items,
        rankers=list(report.oracle_status["rankers"]),
        evidence=report.evidence,
        notes=[*report.notes, *viewer.notes()],
    )
