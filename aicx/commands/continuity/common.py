"""Shared by the actions: their options, the place they are about, and how notes are printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from aicx import console, options
from aicx.api.answers.continuity import (
    CHANGE_SCHEMA,
    ContinuityAuditEntry,
    ContinuityLoad,
    ContinuityRecovery,
    ContinuityStatus,
)
from aicx.commands.desk import Desk
from aicx.continuity.answering import change_of
from aicx.continuity.note import SCOPES, Layers, Scope
from aicx.errors import UsageError

if TYPE_CHECKING:
    from aicx.continuity.saving import Written

ScopeOption = Annotated[str, typer.Option("--scope", metavar="SCOPE", help="project, local (this worktree) or both.")]
Log = Annotated[
    str | None,
    typer.Option(
        "--log",
        metavar="PATH",
        click_type=options.PATH,
        help="The log of the session; by default the right one is found.",
    ),
]

# What the counts of an answer are called, one of each.
_COUNTED = {
    "successfulCommands": "passed command",
    "failedCommands": "failed attempt",
    "fileWrites": "changed file",
    "nextSteps": "next step",
    "results": "result",
    "untried": "untried idea",
    "decisions": "decision",
    "environment": "environment fact",
}


def scope_from(text: str) -> Scope:
    """Raises UsageError."""
    if text not in SCOPES:
        raise UsageError(f"there is no scope {text!r}", hint=f"one of {', '.join(SCOPES)}")
    return text


def answer(desk: Desk, written: Written, *, json: bool) -> None:
    """Prints what a save or a refresh did."""
    change = change_of(desk.settings, desk.place, written)
    if json:
        console.out_answer(CHANGE_SCHEMA, change)
        return
    selection = change.rolloutSelection
    console.out(f"{change.action}: from {written.entry.session} ({selection.kind})")
    for path in change.written:
        console.out(f"  {path}")
    if change.latestContinuityDiagnostics is not None:
        for warning in change.latestContinuityDiagnostics.warnings:
            console.warn(warning)
        if trimmed := change.latestContinuityDiagnostics.trimmedCounts:
            console.notify(f"no room for {_counts(trimmed)}")
    warn_of_recovery(change.pendingContinuityRecovery)


def warn_of_broken(layers: Layers) -> None:
    for one in layers.broken:
        console.warn(f"{one.path} cannot be understood and is left as it is: {one.why}")


def warn_of_recovery(found: Sequence[ContinuityRecovery]) -> None:
    for one in found:
        console.warn(f"a {one.entry.action} from {one.entry.sourceSessionId} failed: {one.failureMessage}")


def print_audit(shown: ContinuityLoad | ContinuityStatus) -> None:
    """How the notes came about, in a few lines."""
    latest = shown.latestContinuityAuditEntry
    if latest is not None:
        console.out(f"Written: {_line(latest)}, confidence {latest.diagnostics.confidence}")
        if counts := latest.diagnostics.evidenceCounts:
            console.out(f"Evidence: {_counts(counts)}")
        for warning in latest.diagnostics.warnings:
            console.warn(warning)
    for entry in shown.recentContinuityAuditEntries:
        console.out(console.style(f"Before: {_line(entry)}", fg="bright_black"))
    warn_of_recovery(shown.pendingContinuityRecovery)
    for note in shown.notes:
        console.warn(note)


def _line(entry: ContinuityAuditEntry) -> str:
    return f"{entry.generatedAt} by {entry.trigger}, {entry.scope}, from {entry.sourceSessionId or 'nothing'}"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(console.plural(count, _COUNTED[name]) for name, count in counts.items() if count) or "none"
