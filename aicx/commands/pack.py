"""`aicx pack`: bundles under one digest, the options that they share, and how a pack is printed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import orjson

from aicx import console, options
from aicx.commands.cas import Digest
from aicx.config import Settings, load_settings
from aicx.continuity.note import Kind
from aicx.continuity.reading import read_layers
from aicx.errors import UsageError
from aicx.packs.answers import SCHEMA, PackAnswer, PackNote
from aicx.packs.query import MODES, SCOPES, Mode, PackLimits, PackQuery, Period
from aicx.packs.rendering import BUDGET, MIN_BUDGET
from aicx.questions import Argument, Option
from aicx.text import instant
from aicx.work.place import find_place

Focus = Annotated[
    str, Option("--focus-query", metavar="WORDS", help="What it is to be about: sessions that say so come first.")
]
From = Annotated[str | None, Option("--date-from", metavar="DAY", help="The first day, such as 2026-03-01.")]
To = Annotated[str | None, Option("--date-to", metavar="DAY", help="The last day, which counts too.")]
ScopeOption = Annotated[
    str,
    Option(
        "--scope",
        metavar="SCOPE",
        help="workspace (this working folder), family (all worktrees), or auto: the first that has something.",
    ),
]
Budget = Annotated[
    int | None,
    Option(
        *("--budget", "-b"),
        metavar="N",
        min=MIN_BUDGET,
        max=100_000,
        help=f"Tokens that the summary may have; by default {BUDGET:,}.",
    ),
]
SummaryOption = Annotated[
    str,
    Option(
        "--summary",
        metavar="HOW",
        help="deterministic (by rules), llm (the configured summarizer), or llm_cleanup (both).",
    ),
]
Now = Annotated[
    str | None,
    Option("--now", metavar="INSTANT", help="The clock, such as 2026-03-31T12:00:00Z; by default the real one."),
]
_LIMITS = PackLimits()
# What a reader of a pack can use, the most useful first. The files are in the pack as such.
_KINDS: tuple[Kind, ...] = ("result", "next", "failed", "untried", "decision", "environment", "confirmed")


def query_of(
    repo: str | None,
    *,
    task: str | None = None,
    focus: str,
    first: str | None,
    last: str | None,
    scope: str,
    now: str | None,
    limits: PackLimits,
) -> PackQuery:
    """Returns what the options ask for. Raises UsageError."""
    return PackQuery(
        folder=options.folder(repo),
        now=clock(now),
        task=task,
        focus=" ".join(focus.split()),
        period=Period.of(first, last),
        scope=options.one_of(scope, SCOPES, "is not a scope", "--scope"),
        limits=limits,
    )


def mode_of(text: str) -> Mode:
    """Raises UsageError."""
    return options.one_of(text, MODES, "is not a way to sum up", "--summary")


def answer(found: PackAnswer) -> options.Answered:
    """Prints a pack: its summary, or everything."""
    yield SCHEMA, found
    console.out(found.summary.text.rstrip("\n"))
    console.notify_notes(filter(None, (*found.pack["remarks"], found.summary.note)))
    size = f"{found.summary.tokens:,} of {found.summary.budget:,} tokens"
    console.notify(f"{console.style('Pack:', fg='green', bold=True)} {found.artifact}; summary of {size}.")


def clock(text: str | None) -> datetime:
    """The instant that is written, else now. Raises UsageError."""
    if text is None:
        return options.now()
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is not an instant", hint="write --now 2026-03-31T12:00:00Z") from error
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)


def _count(name: str, what: str) -> Any:
    return Option(name, metavar="N", min=0, max=1000, help=f"At most this many {what}.")


@options.either("task", "--task", "-t")
def task(
    task: Annotated[
        str | None,
        Argument(metavar="[TASK]", help="A task's id or title, or a session; by default what is worked on here."),
    ] = None,
    focus: Focus = "",
    first: From = None,
    last: To = None,
    scope: ScopeOption = "auto",
    budget: Budget = None,
    summary: SummaryOption = "deterministic",
    sessions: Annotated[int, _count("--sessions", "sessions")] = _LIMITS.sessions,
    handoffs: Annotated[int, _count("--handoffs", "handoffs")] = _LIMITS.handoffs,
    files: Annotated[int, _count("--files", "files")] = _LIMITS.files,
    commits: Annotated[int, _count("--commits-per-file", "commits of each file")] = _LIMITS.commits_per_file,
    anchors: Annotated[int, _count("--anchors", "places of the repository map")] = _LIMITS.anchors,
    notes: Annotated[int, _count("--notes", "notes of closed tasks")] = _LIMITS.notes,
    hook: Annotated[
        bool, Option("--hook", help="Print what a hook gives to an agent: JSON, or nothing without a task.")
    ] = False,
    now: Now = None,
    repo: options.Repo = None,
    utc: options.Utc = False,
) -> options.Answered:
    """Bundle a task with its handoffs, sessions, files, commits, places in the code and memory, under one digest.

    Without TASK it is what is worked on here: a task of this working folder before others, one in progress before one
    that is blocked or paused, the last begun first; without any, the latest session that was left open. Each session
    says why it is in. A pack that quotes a forgotten session is deleted.

    Example: aicx pack task
    Example: aicx pack task fix-the-export --budget 800
    Example: aicx pack task session:codex:019f68cf --json
    """
    from aicx.packs.making import hook_output, make

    settings = load_settings()
    mode = mode_of(summary)
    limits = replace(
        _LIMITS,
        sessions=sessions,
        handoffs=handoffs,
        files=files,
        commits_per_file=commits,
        anchors=anchors,
        notes=notes,
    )
    query = query_of(repo, task=task, focus=focus, first=first, last=last, scope=scope, now=now, limits=limits)
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
    yield from answer(found)


def noted(settings: Settings, folder: Path) -> list[PackNote]:
    """Returns what the note of a place says, but what came from subagents. Raises NotFound where there is no folder."""
    sections = read_layers(settings, find_place(settings, folder)).merged.sections
    return [
        PackNote(kind, item.text, instant(item.at, "seconds") if item.at else None, list(item.evidence))
        for kind in _KINDS
        for item in sections.get(kind, ())
        if item.lane == "primary"
    ]


def family(
    focus: Focus = "",
    first: From = None,
    last: To = None,
    scope: ScopeOption = "auto",
    budget: Budget = None,
    summary: SummaryOption = "deterministic",
    items: Annotated[
        int, Option("--items", metavar="N", min=1, max=1000, help="At most this many lines in each list.")
    ] = _LIMITS.items,
    chosen: Annotated[
        int, Option("--owners", metavar="N", min=0, max=1000, help="Tasks and sessions that the summary names.")
    ] = _LIMITS.chosen,
    now: Now = None,
    repo: options.Repo = None,
    utc: options.Utc = False,
) -> options.Answered:
    """Bundle what the tasks and sessions of a repository say: what is open, changed, learned, feared and still to do.

    Each line says how many tasks and sessions it rests on, when it was said last, and which these are. A session of a
    task counts as that task. Days are those of this machine's clock; both ends count.

    Example: aicx pack family
    Example: aicx pack family --focus-query "token refresh" --date-from 2026-03-01 --date-to 2026-03-31
    """
    from aicx.packs.making import make

    mode = mode_of(summary)
    limits = replace(_LIMITS, items=items, chosen=chosen)
    query = query_of(repo, focus=focus, first=first, last=last, scope=scope, now=now, limits=limits)
    with console.count_bar("Reading sessions") as bar:
        query = replace(query, progress=lambda done, of: bar(done, of, ""))
        found = make(load_settings(), "family", query, budget=budget, mode=mode, notify=console.notify)
    yield from answer(found)


@options.either("digest", "--digest")
def show_again(digest: Digest, budget: Budget = None, summary: SummaryOption = "deterministic") -> options.Answered:
    """Sum a stored pack up again. What it says is as it was; only the budget and the way to sum up may differ.

    Example: aicx show --pack sha256:3fa29c01 --budget 4000
    Example: aicx show --pack sha256:3fa29c01
    """
    from aicx.packs.making import show

    mode = mode_of(summary)
    yield from answer(show(load_settings(), digest, budget=budget, mode=mode))
