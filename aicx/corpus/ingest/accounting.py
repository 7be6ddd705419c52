"""What a run reports of the logs that it read, and what they say of their session as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from aicx.corpus.ingest.drafts import MessageDraft
from aicx.corpus.ingest.filing import Move
from aicx.corpus.ingest.plan import SessionLogs
from aicx.corpus.ingest.reading import LogReading
from aicx.corpus.ingest.report import StoreReport
from aicx.sources.items import BadRecord, LogFile
from aicx.sources.naming import Redact
from aicx.types import Lane


def account(report: StoreReport, reading: LogReading, logs: Sequence[LogFile]) -> None:
    """Counts what was read, and what could not be."""
    report.logs_read += len(logs)
    report.bytes_read += sum(log.size for log in logs) - (reading.since.start if reading.since else 0)
    for problems in reading.problems.values():
        report.problems += problems
    for reason, count in reading.skipped.items():
        report.skipped[reason] = report.skipped.get(reason, 0) + count
    report.notes += [f"{path} grew while it was read; the next run takes the rest" for path in reading.grown]


def silent_logs(
    session: SessionLogs, reading: LogReading, own: Sequence[MessageDraft], redact: Redact
) -> Iterator[BadRecord]:
    """The logs of a session that hold nothing, or nothing that is not stored with another session."""
    kept, told = ({draft.entry.ref.path for draft in drafts} for drafts in (own, reading.drafts))
    for log, _ in session.logs:
        path = redact(str(log.path)).text
        reason = reading.silent.get(str(log.path))
        if reason is None and not reading.unreadable(log) and not _holds(path, kept):
            reason = "holds only copies of messages that are stored already"
            if not _holds(path, told):
                reason = "holds no message with a text"
        if reason:
            yield BadRecord(path, reason)


def _holds(log: str, files: Set[str]) -> bool:
    """Whether one of the files is the log, or lies in it where the log is a folder."""
    return log in files or any(file.startswith(f"{log}/") for file in files)


def lineage(session: SessionLogs, reading: LogReading) -> tuple[Lane, str | None]:
    """Lane and parent: what the log's place says, else what its records say."""
    lane: Lane = "primary"
    parent: str | None = None
    for _, identity in session.logs:
        if identity.lane == "subagent":
            lane = "subagent"
        parent = parent or identity.parent_session
    for _, fact in reading.facts:
        lane = fact.lane or lane
        parent = parent or fact.parent_session
    return lane, parent if parent != session.session_id else None


def account_moves(report: StoreReport, moves: Iterable[Move]) -> None:
    """Counts moved chunks: one that this run wrote as written where it is now, any other as moved."""
    moved = {move.before: move for move in moves}
    report.chunks_moved = len(moved.keys() - set(report.paths))
    for number, path in enumerate(report.paths):
        if (move := moved.get(path)) is None:
            continue
        report.paths[number] = move.after
        for project, change in ((move.old_project, -1), (move.new_project, 1)):
            agents = report.buckets.setdefault(project, {})
            agents[move.agent] = agents.get(move.agent, 0) + change
    left = {project: {agent: n for agent, n in agents.items() if n} for project, agents in report.buckets.items()}
    report.buckets = {project: agents for project, agents in left.items() if agents}
