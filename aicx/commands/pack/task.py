"""`aicx pack task`: all that is known of a task."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from aicx import console, options
from aicx.api.answers.pack import PackNote
from aicx.commands.pack import common
from aicx.config import Settings, load_settings
from aicx.continuity.note import Kind
from aicx.continuity.reading import read_layers
from aicx.packs.query import Limits
from aicx.text import instant
from aicx.work.place import find_place

_LIMITS = Limits()
# What a reader of a pack can use, the most useful first. The files are in the pack as such.
_KINDS: tuple[Kind, ...] = ("result", "next", "failed", "untried", "decision", "environment", "confirmed")


def _count(name: str, what: str) -> Any:
    return typer.Option(name, metavar="N", min=0, max=1000, help=f"At most this many {what}.")


@options.either("task", "--task", "-t")
def command(
    task: Annotated[
        str | None,
        typer.Argument(metavar="[TASK]", help="A task's id or title, or a session; by default what is worked on here."),
    ] = None,
    focus: common.Focus = "",
    first: common.From = None,
    last: common.To = None,
    scope: common.ScopeOption = "auto",
    budget: common.Budget = None,
    summary: common.SummaryOption = "deterministic",
    sessions: Annotated[int, _count("--sessions", "sessions")] = _LIMITS.sessions,
    handoffs: Annotated[int, _count("--handoffs", "handoffs")] = _LIMITS.handoffs,
    files: Annotated[int, _count("--files", "files")] = _LIMITS.files,
    commits: Annotated[int, _count("--commits-per-file", "commits of each file")] = _LIMITS.commits_per_file,
    anchors: Annotated[int, _count("--anchors", "places of the repository map")] = _LIMITS.anchors,
    notes: Annotated[int, _count("--notes", "notes of closed tasks")] = _LIMITS.notes,
    hook: Annotated[
        bool, typer.Option("--hook", help="Print what a hook gives to an agent: JSON, or nothing without a task.")
    ] = False,
    now: common.Now = None,
    repo: options.Repo = None,
    utc: options.Utc = False,
    json: options.Json = False,
) -> None:
    """Bundle a task with its handoffs, sessions, files, commits, places in the code and memory, under one digest.

    Without TASK it is what is worked on here: a task of this working folder before others, one in progress before one
    that is blocked or paused, the last begun first; without any, the latest session that was left open. Each session
    says why it is in. A pack that quotes a forgotten session is deleted.

    Example: aicx pack task
    Example: aicx pack task fix-the-export --budget 800
    Example: aicx pack task session:codex:019f68cf --json
    """
    # Imported here: not needed for --help.
    from aicx.packs.hook import hook_output
    from aicx.packs.making import make

    settings = load_settings()
    mode = common.mode_of(summary)
    limits = replace(
        _LIMITS,
        sessions=sessions,
        handoffs=handoffs,
        files=files,
        commits_per_file=commits,
        anchors=anchors,
        notes=notes,
    )
    query = common.query_of(repo, task=task, focus=focus, first=first, last=last, scope=scope, now=now, limits=limits)
    query = replace(query, notes=noted(settings, query.folder))
    if hook:
        output = hook_output(
            settings, query.folder, query.now, task=task, scope=query.scope, budget=budget, notes=query.notes
        )
        if output is not None:
            console.out(orjson.dumps(output).decode())
        return
    with console.count_bar("Reading sessions") as bar:
        query = replace(query, progress=lambda done, of: bar(done, of, ""))
        found = make(settings, "task", query, budget=budget, mode=mode, notify=console.notify)
    common.answer(found, json=json)


def noted(settings: Settings, folder: Path) -> list[PackNote]:
    """What the note of a place says, but what came from subagents. Raises NotFound where there is no such folder."""
    sections = read_layers(settings, find_place(settings, folder)).merged.sections
    return [
        PackNote(kind, item.text, instant(item.at, "seconds") if item.at else None, list(item.evidence))
        for kind in _KINDS
        for item in sections.get(kind, ())
        if item.lane == "primary"
    ]
