"""Briefs a new session from the memory: what is agreed, and what the instruction files say to the task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from aicx.config import Settings
from aicx.memory.answers import MemoryEntry, entry_of
from aicx.memory.assess import LIVE_FILE, freshness_of
from aicx.memory.index import RecordIndex
from aicx.memory.policy_records import of_records, policy_in
from aicx.memory.reading import Memory, Scope
from aicx.memory.recall.asking import DegradedLane, ExcludedEntry, RecallQuery
from aicx.memory.recall.run import recall
from aicx.memory.recall.table import asked
from aicx.memory.sources import Live, read_live
from aicx.text import instant, plural
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class Briefing:
    """``agreed`` is the baseline, ``guidance`` what files advise; ``excluded`` is what was considered besides."""

    agreed: tuple[MemoryEntry, ...] = ()
    guidance: tuple[MemoryEntry, ...] = ()
    excluded: tuple[ExcludedEntry, ...] = ()
    degraded: tuple[DegradedLane, ...] = ()


def brief(
    settings: Settings, scope: Scope, task: str, now: datetime, limit: int, index: RecordIndex | None = None
) -> Briefing:
    """At most ``limit`` statements each of what is agreed and what is guidance, those that fit the task first.

    Nothing where nothing was ever remembered. ``index`` is read, where there is no task, in place of the one in the
    home. Raises MalformedPolicy.
    """
    if not settings.layout.memory.is_dir():
        return Briefing()
    if not asked(task):
        return _without_task(settings, scope, now, limit, index)
    answer = recall(settings, RecallQuery(task, now, scope, 2 * limit))
    agreed = [entry for entry in answer.entries if entry.baseline]
    guidance = [entry for entry in answer.entries if entry.status == "advisory"]
    shown = {entry.ref for entry in (*agreed[:limit], *guidance[:limit])}
    rest = [_excluded(entry) for entry in answer.entries if entry.ref not in shown]
    return Briefing(tuple(agreed[:limit]), tuple(guidance[:limit]), (*rest, *answer.excluded), tuple(answer.degraded))


def _without_task(settings: Settings, scope: Scope, now: datetime, limit: int, index: RecordIndex | None) -> Briefing:
    """The strongest of what is agreed, and each instruction file as one line."""
    policy = policy_in(settings, scope)
    with Memory(settings, scope, now, of_records(policy, settings, scope), index) as memory:
        entries = [entry_of(found) for found in memory.assessed()]
    entries.sort(key=lambda entry: (not entry.baseline, entry.tier, entry.topic.casefold(), entry.ref))
    agreed = [entry for entry in entries if entry.baseline][:limit]
    rest = [_excluded(entry) for entry in entries if entry.ref not in {one.ref for one in agreed}]
    homes, redacting = settings.homes, settings.redact_secrets
    live = read_live(scope.root, policy, homes=homes, redact_secrets=redacting) if scope.root else Live((), (), ())
    guidance, unused = _files(live, scope, now)
    return Briefing(tuple(agreed), tuple(guidance[:limit]), (*rest, *map(_excluded, guidance[limit:]), *unused))


def _files(live: Live, scope: Scope, now: datetime) -> tuple[list[MemoryEntry], Sequence[ExcludedEntry]]:
    counts = Counter(one.source.id for one in live.statements)
    found, unused = [], []
    for source in live.sources:
        if source.reason is not None or source.mtime is None:
            status = "advisory" if source.reason == "duplicate" else "policy_blocked"
            unused.append(ExcludedEntry(source.id, status, [source.reason or "unreadable"], []))
            continue
        where = {"class": "instruction_file", "at": instant(source.mtime), "path": source.path, "agent": source.source}
        entry = MemoryEntry(
            source.id, None, "policy", "", plural(counts[source.id], "statement"), "advisory",
            freshness_of(now - source.mtime), LIVE_FILE, "guidance", False, ["advisory_source"], [], None,
            {**where, "lane": "primary", "sha256": source.sha256}, [], None, scope.repository, 1, False, 1,
        )  # fmt: skip
        found.append(entry)
    unused += [ExcludedEntry(one.ref, "policy_blocked", [one.reason], []) for one in live.blocked]
    return found, unused


def _excluded(entry: MemoryEntry) -> ExcludedEntry:
    """An entry that is not shown: for want of room where it is agreed or guidance, else because of its status."""
    believed = entry.baseline or entry.status == "advisory"
    return ExcludedEntry(
        entry.ref, entry.status, ["over_limit", *entry.reasons] if believed else entry.reasons, entry.because
    )
