"""The share beside one's own corpus, for every command and server: asked where the caller or the settings want it.

Most homes are part of no share, so what asks one is imported here only then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aicx.config import Settings

if TYPE_CHECKING:
    from aicx.corpus.catalog.query import MetadataAnswer
    from aicx.filters import Filters
    from aicx.share.asking import AskedShare
    from aicx.share.sessions import SharedSessions


def passages_of_team(settings: Settings, *, team: bool) -> AskedShare | None:
    """The share for one search; None where it is not wanted. Raises NotFound where the home is part of none."""
    if not (team or settings.team):
        return None
    from aicx.share.asking import asked_share

    return asked_share(settings)


def sessions_of_team(settings: Settings, *, team: bool) -> SharedSessions | None:
    """The same for the sessions that a brief or a reason names."""
    if not (team or settings.team):
        return None
    from aicx.share.sessions import shared_sessions

    return shared_sessions(settings)


def list_chunks(settings: Settings, filters: Filters, limit: int, *, team: bool) -> MetadataAnswer:
    """The newest chunks that the filters let through, with those of other members where they are wanted."""
    if not (team or settings.team):
        from aicx.corpus.catalog.query import steer

        return steer(settings.layout, filters, limit)
    from aicx.share.listing import steer_team

    return steer_team(settings, filters, limit)
