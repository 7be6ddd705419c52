"""`aicx task note`: the notes that a session leaves to the next one, for people to edit."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import click

from aicx import console, options
from aicx.agents.records import has_continuity, of_repository
from aicx.commands.desk import CommandDesk, open_desk
from aicx.continuity.answering import change_of, load_of, status_of
from aicx.continuity.answers import (
    CHANGE_SCHEMA,
    CLEAR_SCHEMA,
    LOAD_SCHEMA,
    OPEN_SCHEMA,
    STATUS_SCHEMA,
    ContinuityAuditEntry,
    ContinuityCleared,
    ContinuityLoad,
    ContinuityPaths,
    ContinuityRecovery,
    ContinuityStatus,
)
from aicx.continuity.note import LAYERS, SCOPES, Layers, Scope, layers_of
from aicx.continuity.reading import read_layers
from aicx.errors import NotFound, UsageError
from aicx.paths import user_path
from aicx.questions import PATH, Option

if TYPE_CHECKING:
    from aicx.continuity.logs import WriteMode
    from aicx.continuity.saving import SavedNotes


ScopeOption = Annotated[str, Option("--scope", metavar="SCOPE", help="project, local (this worktree) or both.")]
Log = Annotated[
    str | None,
    Option("--log", metavar="PATH", click_type=PATH, help="The log of the session; by default the right one is found."),
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


def answer(desk: CommandDesk, written: SavedNotes) -> options.Answered:
    """Prints what a save or a refresh did."""
    change = change_of(desk.settings, desk.place, written)
    yield CHANGE_SCHEMA, change
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
    for layer, why in layers.broken.items():
        console.warn(f"{layers.paths[layer]} cannot be understood and is left as it is: {why}")


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


def status(repo: options.Repo = None) -> options.Answered:
    """Show which notes there are, what is wanted and next, and how they came about. Nothing is written.

    Example: aicx task note status
    Example: aicx task note status --json
    """
    desk = open_desk(repo)
    layers = read_layers(desk.settings, desk.place)
    known = of_repository(desk.settings.layout, desk.place.repository)
    found = replace(status_of(desk.settings, desk.place, layers, desk.now), automatic=has_continuity(known))
    yield STATUS_SCHEMA, found
    for layer, path in found.paths.items():
        console.out(f"{layer}: {path}")
    console.out("Saved and shown by itself: " + ("yes" if found.automatic else "no (aicx init --continuity)"))
    if found.resumeContext.goal:
        console.out(f"Goal: {found.resumeContext.goal}")
    for step in found.resumeContext.nextSteps:
        console.out(f"Next: {step}")
    warn_of_broken(layers)
    print_audit(found)
    if not layers.paths:
        console.notify("There is no note here yet. Make one from the latest session: aicx task note save")


def load_notes(repo: options.Repo = None) -> options.Answered:
    """Show the notes of the project and of this worktree, and how they came about. Nothing is written.

    Example: aicx resume --note
    Example: aicx resume --note --json
    """
    desk = open_desk(repo)
    layers = read_layers(desk.settings, desk.place)
    found = load_of(desk.settings, desk.place, layers, desk.now)
    yield LOAD_SCHEMA, found
    # Imported here: its parser of Markdown takes a while to load.
    from aicx.continuity.markdown import render

    notes = {"project": layers.project, "local": layers.local}
    for layer in LAYERS:
        if (note := notes[layer]) is not None:
            console.out(render(note, layer))
    warn_of_broken(layers)
    print_audit(found)
    if not layers.paths:
        console.notify("There is no note here yet. Make one from the latest session: aicx task note save")


def open_notes(scope: ScopeOption = "both", repo: options.Repo = None) -> options.Answered:
    """Open the notes in your editor: VISUAL, else EDITOR. Without a terminal, and with --json, their paths are printed.

    Example: aicx task note open --scope local
    Example: aicx task note open --scope local --json
    """
    desk = open_desk(repo)
    wanted = layers_of(scope_from(scope))
    found = read_layers(desk.settings, desk.place)
    paths: dict[str, str] = {layer: str(found.paths[layer]) for layer in wanted if layer in found.paths}
    if not paths:
        raise NotFound("there is no note here yet", hint="aicx task note save")
    yield OPEN_SCHEMA, ContinuityPaths(paths)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        for path in paths.values():
            console.out(path)
        return
    click.edit(filename=list(paths.values()))
    warn_of_broken(read_layers(desk.settings, desk.place))


def save(scope: ScopeOption = "both", log: Log = None, repo: options.Repo = None) -> options.Answered:
    """Add what a session says to the notes, and keep what you wrote, changed or took out in them.

    The session is the one of --log; else the one of a save that failed here; else the latest of this worktree; else the
    one that was saved last. A source that is there and cannot be read is an error: no other one takes its place.

    Example: aicx task note save
    Example: aicx task note save --scope local --json
    """
    yield from _write("merge", scope, log, repo)


def refresh(scope: ScopeOption = "both", log: Log = None, repo: options.Repo = None) -> options.Answered:
    """Make the notes anew from one session. What they said before is gone, what you wrote in them too.

    The session is the one of --log; else the one of a refresh that failed here; else the one that was saved last in
    this worktree and scope; else the latest of this worktree. A source that is there and cannot be read is an error: no
    other one takes its place, and the notes stay as they are.

    Example: aicx task note refresh
    Example: aicx task note refresh --scope local --json
    """
    yield from _write("replace", scope, log, repo)


def clear(scope: ScopeOption = "both", repo: options.Repo = None) -> options.Answered:
    """Delete the notes, also what you wrote in them. The sessions that they were made from stay.

    Example: aicx task note clear --scope local
    Example: aicx task note clear --scope local --json
    """
    from aicx.continuity import saving  # imported here: notes are mostly read

    desk = open_desk(repo)
    cleared = saving.clear(desk.settings, desk.place, scope_from(scope), desk.now, notify=console.notify)
    gone = [str(path) for path in cleared]
    yield CLEAR_SCHEMA, ContinuityCleared(scope, gone)
    for path in gone:
        console.out(f"deleted: {path}")
    if not gone:
        console.notify("there was no note to delete")


def _write(mode: WriteMode, scope: str, log: str | None, repo: str | None) -> options.Answered:
    from aicx.continuity import saving  # imported here: notes are mostly read

    desk = open_desk(repo)
    path = user_path(log) if log else None
    written = saving.save(
        desk.settings, desk.place, scope_from(scope), desk.now, mode=mode, log=path, notify=console.notify
    )
    yield from answer(desk, written)
