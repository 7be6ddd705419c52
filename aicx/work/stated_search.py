"""Statements of sessions' ends that a question is about: they are in no log, and so in no index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from aicx.config import Settings
from aicx.engine.search import SearchQuery, SearchReport, nothing_found
from aicx.engine.search_answer import StatedMatch
from aicx.errors import NotFound
from aicx.filters import EVERYTHING, Filters
from aicx.paths import Layout
from aicx.text import ago, instant
from aicx.work.left import by_of, last_statements, lines_of, nearness, terms_of
from aicx.work.record import WorkRecord

# How many statements are answered.
_MAX_FOUND = 3


def search_and_stated(
    settings: Settings, query: SearchQuery, search: Callable[[SearchQuery], SearchReport]
) -> tuple[SearchReport, list[StatedMatch]]:
    """Returns what ``search`` answers, and what was stated about the question, also where nothing is stored yet.

    Raises NotFound where neither is there.
    """
    stated = stated_about(settings.layout, query.text, query.filters, query.now)
    try:
        return search(query), stated
    except NotFound as error:
        if not stated:
            raise
        return nothing_found(settings, query, f"{error} (next: aicx store)"), stated


def stated_about(layout: Layout, question: str, filters: Filters, now: datetime) -> list[StatedMatch]:
    """Of the last statements of all repositories those with most words of ``question``, at least half of them.

    Of equals the latest comes first. None where a filter asks for what only a stored session has.
    """
    wanted = set(terms_of(question))
    if not wanted or not layout.work.is_dir() or not _may_answer(filters):
        return []
    found: list[tuple[float, int, StatedMatch]] = []
    for record in last_statements(layout):
        share = nearness(wanted, record)
        if share and record.updated_at <= now and _fits(record, filters):
            telling = [line for line in lines_of(record) if wanted & set(terms_of(line))]
            found.append((-share, -record.sequence, _match(record, telling, now)))
    return [match for *_, match in sorted(found, key=lambda one: one[:2])[:_MAX_FOUND]]


def _match(record: WorkRecord, lines: list[str], now: datetime) -> StatedMatch:
    return StatedMatch(
        ref=record.ref,
        by=by_of(record),
        at=instant(record.updated_at, "seconds"),
        age=ago(record.updated_at, now),
        project=record.project,
        lines=lines,
    )


def _may_answer(filters: Filters) -> bool:
    names = ("project", "agent", "session", "exclude_session", "since", "until", "hours", "automated")
    return replace(filters, **{name: getattr(EVERYTHING, name) for name in names}) == EVERYTHING


def _fits(record: WorkRecord, filters: Filters) -> bool:
    name = record.project or ""
    attempt = record.attempt
    session = attempt.session or "" if attempt is not None else ""
    begins = [at for at in (filters.since, filters.hours) if at is not None]
    return (
        (not filters.project or any(name == one or name.endswith(f"/{one}") for one in filters.project))
        and (not filters.agent or (attempt is not None and attempt.agent in filters.agent))
        and (not filters.session or session.startswith(filters.session))
        and not session.startswith(filters.exclude_session)
        and all(record.updated_at >= at for at in begins)
        and (filters.until is None or record.updated_at <= filters.until)
    )
