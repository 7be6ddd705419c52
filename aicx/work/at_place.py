"""The facts of the sessions of a place: of the repository that a folder is in, or of all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.places.stored import chunks_of
from aicx.git.identity import find_repository
from aicx.work.facts_index import refresh_facts, session_facts
from aicx.work.session_facts import SessionFacts


def facts_at(
    settings: Settings, folder: Path | None, progress: Callable[[int, int], None] | None = None
) -> tuple[list[SessionFacts], list[str]]:
    """The facts of the stored sessions, the last ended first, and notes on what could not be read.

    Raises NotFound where nothing is stored yet, or there is no such folder.
    """
    root = find_repository(folder).root if folder else None
    with open_catalog(settings.layout) as opened:
        where, values = chunks_of(opened.catalog, settings, root) if root else ("1", [])
        found = session_facts(settings.layout, opened.catalog, where, values, progress)
        return found, [*([opened.fallback_reason] if opened.fallback_reason else []), *opened.notes]


def refresh_all(settings: Settings, progress: Callable[[int, int], None] | None = None) -> None:
    """Reads every stored session that is new or changed, so that whoever asks next need not wait for it."""
    with open_catalog(settings.layout) as opened:
        refresh_facts(settings.layout, opened.catalog, progress, workers=settings.workers)
