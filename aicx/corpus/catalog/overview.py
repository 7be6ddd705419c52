"""Overviews: raw logs per agent, stored chunks per project (`aicx.refs/1`), and the state of the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.filters import conditions
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.catalog.watermarks import fingerprints
from aicx.corpus.files import without_tool_facts
from aicx.filters import Filters
from aicx.paths import NON_REPOSITORY, Layout
from aicx.sources import every_agent, load_source
from aicx.sources.door import CleanSource, Door, fingerprint_of
from aicx.sources.items import BadRecord
from aicx.values import dataclass

SCHEMA = "aicx.refs/1"


@dataclass(frozen=True, slots=True)
class LogGroup:
    """The logs of one agent in one format."""

    agent: str
    format: Annotated[str, "their format"]
    logs: Annotated[int, "number of logs"]
    size: Annotated[int, "bytes"]
    stored: Annotated[int, "logs whose present content is stored"]


@dataclass(frozen=True, slots=True)
class LogList:
    """The raw logs that agents have on this machine."""

    sources: Annotated[list[LogGroup], "by agent and format"]
    problems: list[BadRecord]


def list_logs(settings: Settings, agents: tuple[str, ...] = ()) -> LogList:
    """Every raw log there is by agent and format, and what stood in its place and could not be read."""
    catalog = Catalog.open_for_reading(settings.layout.catalog)
    known = fingerprints(catalog) if catalog else {}
    if catalog:
        catalog.close()
    groups: dict[tuple[str, str], list[int]] = {}
    problems: list[BadRecord] = []
    from aicx.redaction import redact  # imported here: its rules take a while to compile

    door = Door(redact)
    for agent in agents or every_agent():
        for log in CleanSource(agent, door).discover(settings.homes):
            if isinstance(log, BadRecord):
                problems.append(log)
                continue
            group = groups.setdefault((agent, log.format), [0, 0, 0])
            group[0] += 1
            group[1] += log.size
            group[2] += fingerprint_of(known, log) == log.fingerprint
    return LogList([LogGroup(*key, *counts) for key, counts in groups.items()], problems)


@dataclass(frozen=True, slots=True)
class ProjectSummary:
    """The stored chunks of one project, summed up."""

    project: Annotated[str, "its name"]
    chunks: int
    sessions: int
    first_date: Annotated[str, "first day, in UTC"]
    last_date: Annotated[str, "last day, in UTC"]
    agents: Annotated[dict[str, int], "agent → chunks"]
    latest: Annotated[str, "time of the last message"]
    size: Annotated[int, "bytes of Markdown"]
    first: Annotated[str, "time of the first message"]
    folders: Annotated[dict[str, int], "working folder → sessions, the latest first, for `non-repository-contexts`"]


def list_projects(layout: Layout, filters: Filters) -> tuple[list[ProjectSummary], list[str]]:
    """The projects that have chunks within the filters, most recently active first, and notes on the filters."""
    with open_catalog(layout) as opened:
        where, values, notes = conditions(filters, opened.catalog)
        notes = [*opened.said, *notes]
        rows = opened.catalog.rows(
            "SELECT project, agent, count(*) AS chunks, count(DISTINCT session_id) AS sessions, min(date) AS first,"
            " max(date) AS last, max(completed_at) AS latest, sum(size) AS size, min(started_at) AS began"
            f" FROM chunks WHERE {where} GROUP BY project, agent ORDER BY project, agent",
            values,
        )
        folders = opened.catalog.rows(
            "SELECT cwd, count(DISTINCT agent || ':' || session_id) AS sessions FROM chunks"
            f" WHERE {where} AND project=? AND cwd IS NOT NULL GROUP BY cwd ORDER BY max(completed_at) DESC, cwd",
            (*values, NON_REPOSITORY),
        )
    by_project: dict[str, list[Any]] = {}
    for row in rows:
        by_project.setdefault(row["project"], []).append(row)
    found = [
        ProjectSummary(
            project=project,
            chunks=sum(row["chunks"] for row in group),
            sessions=sum(row["sessions"] for row in group),
            first_date=min(row["first"] for row in group),
            last_date=max(row["last"] for row in group),
            agents={row["agent"]: row["chunks"] for row in group},
            latest=max(row["latest"] for row in group),
            size=sum(row["size"] for row in group),
            first=min(row["began"] for row in group),
            folders={row["cwd"]: row["sessions"] for row in folders} if project == NON_REPOSITORY else {},
        )
        for project, group in by_project.items()
    ]
    return sorted(found, key=lambda item: item.latest, reverse=True), notes


def list_chunk_paths(layout: Layout, filters: Filters) -> list[str]:
    """The relative path of every chunk within the filters, newest first."""
    with open_catalog(layout) as opened:
        where, values, _ = conditions(filters, opened.catalog)
        rows = opened.catalog.rows(f"SELECT path FROM chunks WHERE {where} ORDER BY started_at DESC, id DESC", values)
    return [row["path"] for row in rows]


@dataclass(frozen=True, slots=True)
class State:
    """Counters of the corpus and its catalogue."""

    home: Annotated[str, "the corpus's folder"]
    chunks: int
    sessions: int
    messages: int
    redactions: Annotated[int, "secrets redacted"]
    corpus_bytes: Annotated[int, "bytes of Markdown"]
    ignored_chunks: Annotated[int, "chunks that `.aicxignore` hides"]
    chunks_without_tool_facts: Annotated[int, "chunks stored before the facts of tool calls were kept"]
    first: Annotated[str | None, "time of the first message"]
    last: Annotated[str | None, "time of the last message"]
    logs_read: Annotated[int, "logs that were read"]
    log_bytes_read: Annotated[int, "their size"]
    logs_with_bad_records: Annotated[int, "logs of which a record could not be read"]
    fallback_reason: str | None
    notes: list[str]


@dataclass(frozen=True, slots=True)
class LogsReset:
    reset: Annotated[int, "number of logs that will be read again"]


def state_of(layout: Layout, agents: tuple[str, ...] = ()) -> State:
    """Counters of the corpus and its catalogue, or of what ``agents`` have in them."""
    for agent in agents:
        load_source(agent)  # an unknown one is an error
    where = f" WHERE agent IN ({','.join('?' * len(agents))})" if agents else ""
    with open_catalog(layout) as opened:
        row = opened.catalog.rows(
            "SELECT count(*) AS chunks, count(DISTINCT agent || ':' || session_id) AS sessions,"
            " coalesce(sum(messages), 0) AS messages, coalesce(sum(redactions), 0) AS redactions,"
            " coalesce(sum(size), 0) AS corpus_bytes, coalesce(sum(ignored), 0) AS ignored_chunks,"
            " coalesce(sum(without_tool_facts), 0) AS chunks_without_tool_facts,"
            f" min(started_at) AS first, max(completed_at) AS last FROM chunks{where}",
            agents,
        )[0]
        sources = opened.catalog.rows(
            "SELECT count(*) AS logs_read, coalesce(sum(size), 0) AS log_bytes_read,"
            f" coalesce(sum(problems IS NOT NULL), 0) AS logs_with_bad_records FROM sources{where}",
            agents,
        )[0]
        lacking = row["chunks_without_tool_facts"]
        notes = [without_tool_facts(lacking)] if lacking else []
        counted = {"home": str(layout.home), **dict(row), **dict(sources)}
        return State(**counted, fallback_reason=opened.fallback_reason, notes=notes)


def forget_watermarks(layout: Layout, agents: tuple[str, ...]) -> int:
    """Makes the next run read logs again although they did not change; returns how many. The corpus stays as it is."""
    for agent in agents:
        load_source(agent)  # an unknown one is an error
    catalog = Catalog.open_for_writing(layout.catalog)
    try:
        marks = ",".join("?" * len(agents))
        condition = f"WHERE agent IN ({marks})" if agents else ""
        catalog.begin()
        cursor = catalog.connection.execute(f"DELETE FROM sources {condition}", agents)
        catalog.commit()
        return cursor.rowcount
    finally:
        catalog.close()


@dataclass(frozen=True, slots=True)
class RefsAnswer:
    """The projects that have chunks within the filters."""

    projects: Annotated[Sequence[ProjectSummary], "most recently active first"]
    notes: Sequence[str]
