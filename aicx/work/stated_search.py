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
from aicx.work.left import by_of, goal_of, last_statements, stated_items
from aicx.work.record import WorkRecord
from retrieval.analysis import analyze

# How many statements are answered.
_MOST = 3
# The share of a question's words that a statement has to have.
_ENOUGH = 0.5


def search_and_stated(
    settings: Settings, query: SearchQuery, search: Callable[[SearchQuery], SearchReport]
) -> tuple[SearchReport, list[StatedMatch]]:
    """What ``search`` answers, and what was stated about the question, also where nothing is stored yet.

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
    wanted = set(_terms(question))
    if not wanted or not layout.work.is_dir() or not _may_answer(filters):
        return []
    found: list[tuple[float, int, StatedMatch]] = []
    for record in last_statements(layout):
        share = nearness(question, record)
        if share and record.updated_at <= now and _fits(record, filters):
            telling = [line for line in _lines(record) if wanted & set(_terms(line))]
            found.append((-share, -record.sequence, _match(record, telling, now)))
    return [match for *_, match in sorted(found, key=lambda one: one[:2])[:_MOST]]


def nearness(question: str, record: WorkRecord) -> float:
    """The share of the words of ``question`` that a statement has; 0 for less than enough."""
    wanted = set(_terms(question))
    share = len(wanted & set(_terms("\n".join(_lines(record))))) / len(wanted) if wanted else 0.0
    return share if share >= _ENOUGH else 0.0


def _match(record: WorkRecord, lines: list[str], now: datetime) -> StatedMatch:
    return StatedMatch(
        ref=record.ref,
        by=by_of(record),
        at=instant(record.updated_at, "seconds"),
        age=ago(record.updated_at, now),
        project=record.project,
        lines=lines,
    )


def _lines(record: WorkRecord) -> list[str]:
    """What a statement says, each line with what it is."""
    attempt = record.attempt
    outcome = attempt.outcome if attempt is not None and attempt.outcome else "stated"
    named = {"next_steps": "next", "decisions": "decided (candidate)", "failing": "fails"}
    said = [f"goal: {goal_of(record)}"] if goal_of(record) and record.goal_source == "stated" else []
    said += [f"{outcome}: {record.closing_note}"] if record.closing_note else []
    return said + [f"{named[item.section]}: {item.text}" for item in stated_items(record) if item.section in named]


def _terms(text: str) -> list[str]:
    terms = analyze(text, "")
    return [*terms.words, *terms.names]


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
