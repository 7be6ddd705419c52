"""What the shell offers where an option takes a project, an agent or a session: those that are stored.

Nothing is offered, and nothing said, where nothing is stored or it cannot be read: a shell has no place for an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

_MAX_OFFERED = 50

Offer = list[tuple[str, str]]  # what is offered, and a word on it


def projects(incomplete: str) -> Offer:
    """Stored projects, the most recently active first."""
    rows = _rows(
        "SELECT project, count(DISTINCT session_id) || ' sessions' FROM chunks WHERE ignored=0"
        " GROUP BY project ORDER BY max(completed_at) DESC"
    )
    return _offered((name, said) for name, said in rows if name.startswith(incomplete))


def agents(incomplete: str) -> Offer:
    rows = _rows(
        "SELECT agent, count(DISTINCT session_id) || ' sessions' FROM chunks WHERE ignored=0 GROUP BY agent ORDER BY 1"
    )
    return _offered((name, said) for name, said in rows if name.startswith(incomplete))


def sessions(incomplete: str) -> Offer:
    """The newest sessions whose id begins so, with their titles."""
    return _offered(
        _rows(
            "SELECT session_id, sessions.title FROM chunks LEFT JOIN sessions USING (agent, session_id)"
            " WHERE ignored=0 AND substr(session_id, 1, length(?1)) = ?1"
            f" GROUP BY session_id ORDER BY max(completed_at) DESC LIMIT {_MAX_OFFERED}",
            incomplete,
        )
    )


OFFERS: Mapping[str, Callable[[str], Offer]] = {
    "project": projects, "agent": agents, "session": sessions, "exclude_session": sessions,
}  # fmt: skip


def _offered(rows: Iterable[tuple[str, str | None]]) -> Offer:
    return [(name, said or "") for name, said in rows]


def _rows(query: str, *values: str) -> list[tuple[str, str | None]]:
    from aicx.config import load_settings
    from aicx.corpus.catalog.query import open_catalog
    from aicx.errors import AicxError

    try:
        with open_catalog(load_settings().layout) as opened:
            return [tuple(row) for row in opened.catalog.rows(query, values)]
    except (AicxError, OSError):
        return []
