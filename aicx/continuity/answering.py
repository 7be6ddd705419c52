"""Notes and their records as the classes of `aicx.continuity.answers`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.config import Settings
from aicx.continuity.answers import (
    BrokenContinuityNote,
    ContinuityAuditEntry,
    ContinuityChange,
    ContinuityDiagnostics,
    ContinuityLoad,
    ContinuityNote,
    ContinuityRecovery,
    ContinuityStatus,
    ContinuitySummary,
    RolloutSelection,
)
from aicx.continuity.audit import AuditEntry, audit_entries, preview
from aicx.continuity.context import resume_context
from aicx.continuity.note import KINDS, Layers, Note
from aicx.continuity.places import note_places
from aicx.continuity.publishing import pendings
from aicx.continuity.startup import startup_of
from aicx.redaction import redact
from aicx.text import instant
from aicx.work.place import WorkPlace

if TYPE_CHECKING:
    # Looking at notes does without what writes them.
    from aicx.continuity.saving import SavedNotes

# What the counts of the kinds are called.
_COUNTED = {
    "confirmed": "successfulCommands",
    "failed": "failedCommands",
    "file": "fileWrites",
    "next": "nextSteps",
    "result": "results",
    "untried": "untried",
    "decision": "decisions",
    "environment": "environment",
}


def change_of(settings: Settings, place: WorkPlace, written: SavedNotes) -> ContinuityChange:
    entry, selected = written.entry, written.selected
    latest, recent = _audit(settings, place)
    continuity = note_places(settings, place).continuity
    return ContinuityChange(
        action=entry.action,
        writeMode=entry.mode,
        scope=entry.scope,
        rolloutSelection=RolloutSelection(selected.kind, _shown(selected.file.path), selected.passed_over),
        written=[_shown(path) for path in written.paths.values()],
        excludePath=None if written.ignored_by is None else _shown(written.ignored_by),
        summary=ContinuitySummary(
            entry.session, _note_or_none(written.notes.get("project")), _note_or_none(written.notes.get("local"))
        ),
        latestContinuityAuditEntry=latest,
        latestContinuityDiagnostics=_diagnostics(entry),
        recentContinuityAuditEntries=recent,
        pendingContinuityRecovery=recoveries(settings, place),
        continuityAuditPath=_shown(continuity.parent),
        continuityRecoveryPath=_shown(continuity),
    )


def load_of(settings: Settings, place: WorkPlace, layers: Layers, now: datetime) -> ContinuityLoad:
    latest, recent = _audit(settings, place)
    context, notes = resume_context(settings, place, layers.merged, now)
    return ContinuityLoad(
        project=_note_or_none(layers.project),
        projectLocal=_note_or_none(layers.local),
        merged=note_of(layers.merged),
        paths=_paths(layers),
        broken=_broken(layers),
        resumeContext=context,
        startup=startup_of(settings, place.root, layers, now),
        latestContinuityAuditEntry=latest,
        latestContinuityDiagnostics=None if latest is None else latest.diagnostics,
        recentContinuityAuditEntries=recent,
        pendingContinuityRecovery=recoveries(settings, place),
        notes=notes,
    )


def status_of(settings: Settings, place: WorkPlace, layers: Layers, now: datetime) -> ContinuityStatus:
    latest, recent = _audit(settings, place)
    context, notes = resume_context(settings, place, layers.merged, now)
    merged = layers.merged
    return ContinuityStatus(
        paths=_paths(layers),
        items={kind: len(merged.sections.get(kind, ())) for kind in KINDS},
        status=merged.status,
        updatedAt=_instant(merged.updated_at),
        broken=_broken(layers),
        resumeContext=context,
        latestContinuityAuditEntry=latest,
        latestContinuityDiagnostics=None if latest is None else latest.diagnostics,
        recentContinuityAuditEntries=recent,
        pendingContinuityRecovery=recoveries(settings, place),
        notes=notes,
    )


def note_of(note: Note) -> ContinuityNote:
    return ContinuityNote(
        status=note.status,
        updatedAt=_instant(note.updated_at),
        sourceSessionId=redact(note.source).text or None,
        goal=note.goal,
        sections={kind: note.sections.get(kind, ()) for kind in KINDS},
        unknownText=note.unknown_text,
    )


def recoveries(settings: Settings, place: WorkPlace) -> list[ContinuityRecovery]:
    """The markers of writings that failed, of all worktrees."""
    found = pendings(note_places(settings, place).continuity)
    return [
        ContinuityRecovery(_entry(place, one.entry, 1), one.stage, redact(one.message).text, _shown(one.path))
        for one in found
    ]


def _audit(settings: Settings, place: WorkPlace) -> tuple[ContinuityAuditEntry | None, Sequence[ContinuityAuditEntry]]:
    """The last writing, and the preview of those before."""
    entries = audit_entries(settings, place)
    latest = _entry(place, entries[-1], 1) if entries else None
    return latest, [_entry(place, entry, count) for entry, count in preview(entries)]


def _entry(place: WorkPlace, entry: AuditEntry, count: int) -> ContinuityAuditEntry:
    return ContinuityAuditEntry(
        generatedAt=entry.at,
        action=entry.action,
        trigger=entry.trigger,
        writeMode=entry.mode,
        scope=entry.scope,
        projectId=place.repo_id,
        worktreeId=entry.worktree,
        rolloutPath=redact(entry.log).text,
        rolloutSelection=entry.selection,
        sourceSessionId=entry.session,
        provenanceKind=entry.lane,
        diagnostics=_diagnostics(entry),
        writtenPaths=list(entry.files),
        count=count,
    )


def _diagnostics(entry: AuditEntry) -> ContinuityDiagnostics:
    return ContinuityDiagnostics(
        generatedAt=entry.at,
        rolloutPath=redact(entry.log).text,
        sourceSessionId=entry.session,
        preferredPath=entry.preferred,
        actualPath=entry.actual,
        fallbackReason=entry.fallback,
        confidence=entry.confidence,
        warnings=entry.said,
        evidenceCounts=_named(entry.counts),
        trimmedCounts=_named(entry.trimmed),
        settledCount=entry.settled,
    )


def _named(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: counts[kind] for kind, name in _COUNTED.items() if kind in counts}


def _note_or_none(note: Note | None) -> ContinuityNote | None:
    return None if note is None else note_of(note)


def _paths(layers: Layers) -> dict[str, str]:
    return {layer: _shown(path) for layer, path in layers.paths.items()}


def _broken(layers: Layers) -> list[BrokenContinuityNote]:
    return [BrokenContinuityNote(layer, _shown(layers.paths[layer]), why) for layer, why in layers.broken.items()]


def _shown(path: Path) -> str:
    return redact(str(path).encode("utf-8", "replace").decode()).text


def _instant(at: datetime | None) -> str | None:
    return None if at is None else instant(at)
