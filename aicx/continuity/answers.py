"""`aicx.continuity-*/1`: the notes of a repository and of a worktree, and how they came about.

Fields are named as other tools that keep such notes name them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from aicx.continuity.context import ResumeContext
from aicx.continuity.logs import PassedOverSource
from aicx.continuity.note import NoteItem
from aicx.continuity.startup import StartupManifest
from aicx.values import dataclass

CHANGE_SCHEMA = "aicx.continuity-change/1"
LOAD_SCHEMA = "aicx.continuity/1"
STATUS_SCHEMA = "aicx.continuity-status/1"
CLEAR_SCHEMA = "aicx.continuity-clear/1"
OPEN_SCHEMA = "aicx.continuity-open/1"


@dataclass(frozen=True, slots=True)
class ContinuityNote:
    status: Annotated[str, "`active`, `paused` or `done`"]
    updatedAt: Annotated[str | None, "when aicx wrote it last"]
    sourceSessionId: Annotated[str | None, "the session that it was written from; null where a person wrote it"]
    goal: Annotated[NoteItem | None, "what is to be reached"]
    sections: Annotated[Mapping[str, Sequence[NoteItem]], "the items by their kinds, the newest first"]
    unknownText: Annotated[str, "Markdown that belongs to no section, as a person wrote it"]


@dataclass(frozen=True, slots=True)
class BrokenContinuityNote:
    layer: Annotated[str, "`project` or `local`"]
    path: Annotated[str, "its file, which is left as it is"]
    reason: Annotated[str, "why it cannot be understood"]


@dataclass(frozen=True, slots=True)
class RolloutSelection:
    kind: Annotated[str, "`explicit`, `recovery`, `audit` or `latest_primary`: the rule that chose the log"]
    rolloutPath: Annotated[str, "the log"]
    passedOver: Annotated[Sequence[PassedOverSource], "sources that come before it and did not fit"]


@dataclass(frozen=True, slots=True)
class ContinuityDiagnostics:
    """How a note came about. Counts are by kind."""

    generatedAt: Annotated[str, "when it was written"]
    rolloutPath: Annotated[str, "the log, from the person's home as `~/…`"]
    sourceSessionId: Annotated[str, "reference of the session"]
    preferredPath: Annotated[str, "`heuristic` or `summarizer`: what was to make it"]
    actualPath: Annotated[str, "`heuristic` or `summarizer`: what made it"]
    fallbackReason: Annotated[
        str | None,
        "`command-failed`, `invalid-json`, `invalid-structure`, `low-signal` (the summarizer), `configured-heuristic`"
        " (there is none), or null",
    ]
    confidence: Annotated[str, "`high`, `medium` or `low`"]
    warnings: Annotated[Sequence[str], "what to look out for, in words: contradictions of the session among it"]
    evidenceCounts: Annotated[
        Mapping[str, int], "`successfulCommands`, `failedCommands`, `fileWrites`, `nextSteps`, `untried` and others"
    ]
    trimmedCounts: Annotated[Mapping[str, int], "the same for what had no room"]
    settledCount: Annotated[int, "items taken out because their command ended otherwise since, or their work is done"]


@dataclass(frozen=True, slots=True)
class ContinuityAuditEntry:
    """One writing of a note, as the event log has it."""

    generatedAt: Annotated[str, "when"]
    action: Annotated[str, "`save`, `refresh` or `clear`"]
    trigger: Annotated[str, "`manual-save`, `manual-refresh`, `manual-clear` or `auto-save`"]
    writeMode: Annotated[str, "`merge` or `replace`"]
    scope: Annotated[str, "`project`, `local` or `both`"]
    projectId: Annotated[str, "id of the repository on this machine"]
    worktreeId: Annotated[str, "id of the worktree that it was written in"]
    rolloutPath: Annotated[str, "the log, from the person's home as `~/…`"]
    rolloutSelection: Annotated[str, "the rule that chose the log"]
    sourceSessionId: Annotated[str, "reference of the session"]
    provenanceKind: Annotated[str, "`primary` or `subagent`: the lane of the session"]
    diagnostics: Annotated[ContinuityDiagnostics, "how it came about"]
    writtenPaths: Annotated[Sequence[str], "the files, from the home or from the worktree"]
    count: Annotated[int, "how many equal writings it stands for"] = 1


@dataclass(frozen=True, slots=True)
class ContinuityRecovery:
    """A writing that failed. The next one for the same session and scope clears it."""

    entry: Annotated[ContinuityAuditEntry, "what was to be written"]
    failedStage: Annotated[str, "`writing` (it may still be under way), `summary-write`, `audit-write`, `interrupted`"]
    failureMessage: Annotated[str, "why"]
    path: Annotated[str, "the marker's file"]


@dataclass(frozen=True, slots=True)
class ContinuitySummary:
    sourceSessionId: Annotated[str, "reference of the session"]
    project: Annotated[ContinuityNote | None, "the project's note as it is now; null where it was not written"]
    projectLocal: Annotated[ContinuityNote | None, "the worktree's"]


@dataclass(frozen=True, slots=True)
class ContinuityChange:
    action: Annotated[str, "`save` or `refresh`"]
    writeMode: Annotated[str, "`merge` or `replace`"]
    scope: Annotated[str, "`project`, `local` or `both`"]
    rolloutSelection: Annotated[RolloutSelection, "which log it was made from, and why that one"]
    written: Annotated[Sequence[str], "the files that were written"]
    excludePath: Annotated[str | None, "git's list that hides the worktree's note"]
    summary: Annotated[ContinuitySummary, "the notes as they are now"]
    latestContinuityAuditEntry: Annotated[ContinuityAuditEntry | None, "this writing"]
    latestContinuityDiagnostics: Annotated[ContinuityDiagnostics | None, "how it came about"]
    recentContinuityAuditEntries: Annotated[Sequence[ContinuityAuditEntry], "former writings, equal neighbours as one"]
    pendingContinuityRecovery: Annotated[Sequence[ContinuityRecovery], "writings that failed"]
    continuityAuditPath: Annotated[str, "folder of the event log"]
    continuityRecoveryPath: Annotated[str, "folder of recovery markers"]


@dataclass(frozen=True, slots=True)
class ContinuityLoad:
    project: Annotated[ContinuityNote | None, "the project's note, which all worktrees share"]
    projectLocal: Annotated[ContinuityNote | None, "the worktree's"]
    merged: Annotated[ContinuityNote, "both as one: the worktree's goal, and its items first"]
    paths: Annotated[Mapping[str, str], "the files by their layers"]
    broken: Annotated[Sequence[BrokenContinuityNote], "notes that cannot be understood"]
    resumeContext: Annotated[ResumeContext, "what a session needs beside the notes"]
    startup: Annotated[StartupManifest, "what a session is shown at its start"]
    latestContinuityAuditEntry: Annotated[ContinuityAuditEntry | None, "the last writing"]
    latestContinuityDiagnostics: Annotated[ContinuityDiagnostics | None, "how it came about"]
    recentContinuityAuditEntries: Annotated[Sequence[ContinuityAuditEntry], "former writings, equal neighbours as one"]
    pendingContinuityRecovery: Annotated[Sequence[ContinuityRecovery], "writings that failed"]
    notes: Annotated[Sequence[str], "what could not be looked at, and settings of the repository that are ignored"]


@dataclass(frozen=True, slots=True)
class ContinuityStatus:
    paths: Annotated[Mapping[str, str], "the files by their layers, of notes that are there"]
    items: Annotated[Mapping[str, int], "items of both notes by their kinds"]
    status: Annotated[str, "`active`, `paused` or `done`"]
    updatedAt: Annotated[str | None, "when aicx wrote them last"]
    broken: Annotated[Sequence[BrokenContinuityNote], "notes that cannot be understood"]
    resumeContext: Annotated[ResumeContext, "what a session needs beside the notes"]
    latestContinuityAuditEntry: Annotated[ContinuityAuditEntry | None, "the last writing"]
    latestContinuityDiagnostics: Annotated[ContinuityDiagnostics | None, "how it came about"]
    recentContinuityAuditEntries: Annotated[Sequence[ContinuityAuditEntry], "former writings, equal neighbours as one"]
    pendingContinuityRecovery: Annotated[Sequence[ContinuityRecovery], "writings that failed"]
    notes: Annotated[Sequence[str], "what could not be looked at, and settings of the repository that are ignored"]
    automatic: Annotated[bool, "whether notes are saved and shown by themselves, as `aicx init` decided"] = False


@dataclass(frozen=True, slots=True)
class ContinuityCleared:
    scope: Annotated[str, "`project`, `local` or `both`"]
    cleared: Annotated[Sequence[str], "the files that are gone"]


@dataclass(frozen=True, slots=True)
class ContinuityPaths:
    paths: Annotated[Mapping[str, str], "the files by their layers"]
