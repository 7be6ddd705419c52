"""`aicx show --summarize` and `aicx resume --restore`: what a session came to, for a person or the next one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

from aicx import console, options
from aicx.config import load_settings
from aicx.errors import UsageError
from aicx.questions import Argument, Option

if TYPE_CHECKING:
    from aicx.sessions.summarize import SessionSummaryAnswer
    from aicx.sessions.summary import Counted
    from aicx.work.session_facts import Said


_PARTS = (
    ("accomplished", "Done"),
    ("next", "Next"),
    ("questions", "Open"),
    ("failed", "Tried without success, or still failing"),
    ("decisions", "Decided"),
    ("gotchas", "Gotchas"),
    ("preferences", "What the person wants, in general"),
)


@options.either("session", "--session", "-s")
def summarize_session(
    session: Annotated[
        str, Argument(metavar="SESSION", help="A session's id, or the beginning of it, or session:…#w2.")
    ],
    window: Annotated[
        int | None, Option("--window", "-w", min=0, metavar="N", help="One context window, from 0.")
    ] = None,
    force: Annotated[bool, Option("--force", help="Make it again, also where there is one of this text.")] = False,
    mode: Annotated[
        Literal["summary", "seed"], Option("--mode", help="A summary, or a prompt that a new session begins with.")
    ] = "summary",
    how: Annotated[
        Literal["deterministic", "llm"] | None,
        Option("--summary", help="By rules alone, or by summarizer_command too, the default where there is one."),
    ] = None,
    query: Annotated[
        str, Option("--query", "-q", metavar="TEXT", help="For a seed: which earlier windows it is about.")
    ] = "",
    max_chars: Annotated[
        int, Option("--max-chars", min=500, max=200_000, metavar="N", help="For a seed: its length.")
    ] = 12_000,
    top_windows: Annotated[
        int, Option("--top-windows", min=0, max=100, metavar="N", help="For a seed: how many earlier windows.")
    ] = 2,
) -> options.Answered:
    """Sum up a session, or one of its context windows: goal, what was done, decided and learnt, each with references.

    Rules do it, without a model. A configured summarizer adds claims, each of which names its evidence. A summary is
    made once for each text, and again when the session has grown. With --mode seed it is a prompt for a new session:
    the latest window, and those that --query is about.

    Example: aicx show --summarize 4f2a81c0
    Example: aicx show --summarize 4f2a81c0 --window 1 --json
    Example: aicx show --summarize 4f2a81c0 --mode seed --query "retry policy" --max-chars 8000
    """
    # Imported here: not needed for --help.
    from aicx.sessions.summarize import SCHEMA, summarize

    settings = load_settings()
    if mode == "seed":
        if window is not None:
            raise UsageError("--window is for a summary", hint="a seed takes the latest window, and those of --query")
        from aicx.sessions.seed import seed

        found = seed(settings, session, options.now(), query=query, max_chars=max_chars, top_windows=top_windows)
    else:
        found = summarize(settings, session, window=window, force=force, how=how)
    yield SCHEMA, found
    if found.seed_prompt is not None:
        console.out(found.seed_prompt.rstrip("\n"))
    else:
        _print(found)
    console.notify_notes(filter(None, (found.summary_note, *found.notes)))


def _print(found: SessionSummaryAnswer) -> None:
    style, parts = console.style, found.summary
    assert parts is not None
    console.out(style(console.title({"title": found.title}), bold=True))
    where = found.window.ref if found.window else found.session
    window = f"window {found.window.index} of {len(found.windows)}" if found.window else ""
    counts = window or console.plural(len(found.windows), "window")
    console.out(f"  {style(where, fg='green')} · {counts}")
    _print_lines("Summed up by a configured command", found.claims)
    _print_lines("Goal", [line for line in (parts.goal,) if line])
    _print_lines("Last asked", [line for line in (parts.asked,) if line])
    for name, title in _PARTS:
        _print_lines(title, getattr(parts, name))
    _print_counted("Files", parts.key_files)
    _print_counted("About", parts.tags)
    _print_counted("Tools", parts.tools)


def _print_lines(title: str, lines: Sequence[Said]) -> None:
    if lines:
        console.out(f"\n{title}")
    for line in lines:
        refs = console.style(f" [{', '.join(line.refs)}]", dim=True) if line.refs else ""
        console.out(f"  - {line.text}{refs}")


def _print_counted(title: str, found: Sequence[Counted]) -> None:
    if found:
        named = ", ".join(f"{one.name} ({one.times})" if one.times > 1 else one.name for one in found)
        console.out(f"\n{title}: {named}")


@options.either("session")
def restore_context(
    session: Annotated[
        str | None,
        Option("--session", "-s", metavar="ID", help="The session to restore: its id or the beginning of it."),
    ] = None,
    check_pending: Annotated[
        bool, Option("--check-pending", help="Only what a compaction marked, once; print nothing where nothing is.")
    ] = False,
    max_chars: Annotated[
        int, Option("--max-chars", min=1000, max=100_000, metavar="N", help="The most that is printed.")
    ] = 5000,
    repo: options.Repo = None,
) -> options.Answered:
    """Give a session back what it had before its context was compacted, or a new one what the last one left.

    Goal, next steps, what was tried without success, files, gotchas and decisions, each with the reference that proves
    it, and what the memory says to the goal, each record with its status. Everything from logs is between fences.
    Without --session it is the session that was compacted, else the one that asks, else the latest of this repository.

    The hooks of `aicx init` mark a session before its context is compacted. The next restore clears the mark; of two
    at once, one gets it.

    Example: aicx resume --restore
    Example: aicx resume --restore --session 4f2a81c0 --json
    Example: aicx resume --restore --check-pending
    """
    from aicx.lifecycle.identity import TERMINAL, Asker, find_session
    from aicx.sessions.restore import restore
    from aicx.sessions.restore_block import SCHEMA
    from aicx.work.place import find_place

    settings = load_settings()
    folder = options.folder(repo)
    asks = find_session(os.environ, settings.layout, find_place(settings, folder).root)
    found = restore(
        settings,
        folder,
        # A terminal is not a session of an agent, and nothing was marked by its name.
        asks if asks.rule != TERMINAL else Asker(asks.agent, None),
        options.now(),
        session=session,
        check_pending=check_pending,
        max_chars=max_chars,
        notify=console.notify,
    )
    yield SCHEMA, found
    if found.context:
        console.out(found.context.rstrip("\n"))
    console.notify_notes(found.notes)
    if not found.context and not check_pending:
        console.notify("Nothing is known of a session here. `aicx store` adds what is new.")
