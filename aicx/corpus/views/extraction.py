"""Reads one log, or one session from all its logs, for a report: redacted, selected, and nothing stored."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.names import ambiguous, match_sessions
from aicx.corpus.ingest.leaf_titles import title_among
from aicx.corpus.ingest.names import Naming, NamingMessage, name_chunk
from aicx.corpus.ingest.reading import LogReading, make_plan, read_logs
from aicx.corpus.places.evidence import Ledger
from aicx.corpus.places.places import Places, load_decisions
from aicx.corpus.places.stored import open_places
from aicx.errors import NotFound, SourceUnreadable
from aicx.redaction import redactor
from aicx.sources import every_agent, load_source
from aicx.sources.items import BadRecord, LogFile, TimelineEntry
from aicx.titles import name_of_session
from aicx.types import PROMPTS
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class LogSelection:
    """The parts of a log that go into the report."""

    user_only: bool = False
    conversation: bool = False
    max_message_chars: int = 0
    redact_secrets: bool = True


@dataclass(frozen=True, slots=True)
class Extract:
    """A log as read and made ready to be shown: entries are redacted, selected and shortened, paths redacted."""

    title: str
    format: str
    logs: list[Path]  # as they are, to be compared rather than shown
    paths: list[str]
    entries: list[TimelineEntry]
    total: int  # entries in the log before the selection
    projects: dict[str, str]  # redacted cwd -> org/repo
    problems: list[BadRecord]
    skipped: dict[str, int]
    notes: list[str]


def extract_log(settings: Settings, path: Path, format: str | None, selection: LogSelection) -> Extract:
    """The log at ``path``. Raises SourceUnreadable when it is no log, or one without a single message."""
    # Imported here: it loads every source, and a session's own agent may be all that is needed.
    from aicx.sources.detect import detect_log

    log = detect_log(path, format)
    return _prepare(settings, [log], read_logs(log.agent, [log], selection.redact_secrets), selection, str(path))


def extract_session(settings: Settings, session: str, format: str | None, selection: LogSelection) -> Extract:
    """The session with this id or beginning of an id, from all its logs.

    Raises NotFound, and UsageError where several sessions fit.
    """
    if format is not None:
        load_source(format)
    clean = redactor(selection.redact_secrets)
    agents = [format] if format else list(every_agent())
    with closing(Catalog.in_memory()) as nothing_known:
        plan = make_plan(settings.homes, agents, nothing_known, clean, full_rescan=True)
    by_key = {(found.agent, found.session_id): found for found in plan.sessions}
    matches = match_sessions(session, sorted(by_key))
    if len(matches) > 1:
        raise ambiguous(session, matches)
    if matches:
        one = by_key[matches[0]]
        logs = [log for log, _ in one.logs]
        return _prepare(
            settings, logs, read_logs(one.agent, logs, selection.redact_secrets), selection, f"session {one.session_id}"
        )
    return _prepare(settings, *_from_histories(plan.shared, session, selection), selection, f"session {session}")


def _from_histories(
    histories: Sequence[LogFile], session: str, selection: LogSelection
) -> tuple[list[LogFile], LogReading]:
    """Reads a session whose own log is gone from a prompt history."""
    for log in histories:
        reading = read_logs(log.agent, [log], selection.redact_secrets)
        matches = match_sessions(session, {(log.agent, draft.entry.session_id) for draft in reading.drafts})
        if len(matches) > 1:
            raise ambiguous(session, sorted(matches))
        if matches:
            reading.drafts = [draft for draft in reading.drafts if draft.entry.session_id == matches[0][1]]
            return [log], reading
    raise NotFound(
        f"no agent's log holds a session {session!r}",
        hint="`aicx show` knows stored sessions whose logs are gone; `aicx status --logs` names the logs there are",
    )


def _prepare(
    settings: Settings, logs: Sequence[LogFile], reading: LogReading, selection: LogSelection, name: str
) -> Extract:
    problems = [problem for found in reading.problems.values() for problem in found]
    if not reading.drafts:
        raise SourceUnreadable(f"{name} holds no message", hint=_why_empty(problems, reading.skipped, logs[0]))
    clean = redactor(selection.redact_secrets)
    entries = [draft.entry for draft in reading.drafts]
    kept = [entry for entry in entries if _is_wanted(entry, selection)]
    if selection.max_message_chars and not selection.conversation:
        kept = [_shortened(entry, selection.max_message_chars) for entry in kept]
    projects, notes = _projects(settings, reading)
    return Extract(
        title=_title(reading, entries),
        format=logs[0].format,
        logs=[log.path for log in logs],
        paths=[_shown(clean(str(log.path)).text) for log in logs],
        entries=kept,
        total=len(entries),
        projects=projects,
        problems=[replace(problem, path=_shown(problem.path)) for problem in problems],
        skipped=reading.skipped,
        notes=notes,
    )


def _why_empty(problems: Sequence[BadRecord], skipped: dict[str, int], log: LogFile) -> str:
    if problems:
        line = "" if problems[0].line is None else f"line {problems[0].line} "
        return f"read as {log.format}: {line}{problems[0].reason}; --format names another agent"
    held = ", ".join(f"{reason} {count}" for reason, count in skipped.items())
    return f"read as {log.format}, it holds only {held or 'facts'}; --format names another agent"


def _shown(path: str) -> str:
    """A path as text; a byte in it that is none shows as a question mark."""
    return path.encode("utf-8", "replace").decode()


def _is_wanted(entry: TimelineEntry, selection: LogSelection) -> bool:
    if selection.user_only:
        return entry.role == "user" and entry.origin in PROMPTS
    return not selection.conversation or entry.role in ("user", "assistant")


def _shortened(entry: TimelineEntry, limit: int) -> TimelineEntry:
    left_out = len(entry.text) - limit
    if left_out <= 0:
        return entry
    return replace(entry, text=f"{entry.text[:limit]}\n[… {left_out} characters left out …]")


def _title(reading: LogReading, entries: Sequence[TimelineEntry]) -> str:
    sessions = {entry.session_id for entry in entries}
    if len(sessions) > 1:
        return f"Prompts of {len(sessions)} sessions"
    given = next((fact.title for _, fact in reversed(reading.facts) if fact.title and not fact.title_of_record), None)
    given = given or title_among(reading.leaf_titles, reading.records)
    fields, _ = name_chunk([NamingMessage.of(draft) for draft in reading.drafts], given, Naming())
    title = (
        name_of_session(fields["topic"], fields["topic_from"], fields.get("work"), fields.get("work_from"))
        or fields["title"]
    )
    return title or f"Session {entries[0].session_id}"


def _projects(settings: Settings, reading: LogReading) -> tuple[dict[str, str], list[str]]:
    """Repository of each working folder, decided as `store` would decide it; and what stood in the way."""
    places, notes = _places(settings)
    folders = list(dict.fromkeys(cwd for draft in reading.drafts if (cwd := draft.entry.cwd)))
    places.observe(("", ""), [seen for found in reading.seen.values() for seen in found])
    projects = {cwd: identity.project for cwd in folders if (identity := places.resolve(cwd))}
    return projects, notes


def _places(settings: Settings) -> tuple[Places, list[str]]:
    """Opens what the corpus knows of folders, also of those that are gone."""
    layout = settings.layout
    decisions = load_decisions(layout.projects)
    if layout.catalog.exists():
        # Any other way of reading leaves SQLite's shared-memory file beside a catalogue that nobody writes to.
        address = f"{layout.catalog.absolute().as_uri()}?immutable=1"
        try:
            with closing(sqlite3.connect(address, uri=True)) as connection:
                return open_places(Catalog(connection), settings.user_home, decisions), []
        except sqlite3.DatabaseError as error:
            note = f"{layout.catalog} cannot be read ({error}); folders that are gone may lack their project"
            return Places(settings.user_home, Ledger(), decisions), [note]
    return Places(settings.user_home, Ledger(), decisions), []
