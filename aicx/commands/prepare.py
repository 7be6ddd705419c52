"""`aicx resume --start`: everything a session needs at its start."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from aicx import console, options
from aicx.config import load_settings

_TOKENS = 2000  # of the brief
AgentId = Annotated[
    str | None,
    typer.Option(
        "--agent-id", metavar="NAME", help="The asking agent; by default the one whose shell this is, as it says."
    ),
]
SessionId = Annotated[
    str | None,
    typer.Option(
        *("--session-id", "--session", "-s"),
        metavar="ID",
        help="The agent's own id of its session; by default as its shell says.",
    ),
]


def command(
    task: Annotated[
        str, typer.Option("--task", "-t", metavar="GOAL", help="The goal of the session; without one, it goes on.")
    ] = "",
    agent_id: AgentId = None,
    session_id: SessionId = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Record nothing.")] = False,
    repo: options.Repo = None,
    utc: options.Utc = False,
    json: options.Json = False,
) -> None:
    """Begin a session: banner, open tasks, the brief of what went before, and a contract to keep to.

    Hooks of `aicx init` do the same by themselves. That the session began is recorded with its contract, so that
    `aicx finalize`, or the session's own log, can later say how it was kept.

    Example: aicx resume --start --task "fix the flaky login test" --json
    Example: aicx resume --start --dry-run
    """
    # Imported here: not needed for --help.
    from aicx.lifecycle.identity import find_asker_at
    from aicx.lifecycle.prepare import prepare
    from aicx.resume.brief.banner import opening
    from aicx.resume.brief.output import markdown_brief

    folder = options.folder(repo)
    settings = load_settings()
    asker = find_asker_at(settings, os.environ, agent_id, session_id)
    found = prepare(settings, folder, asker, options.now(), task=task, record=not dry_run)
    brief = markdown_brief(settings, found.report, _TOKENS)
    if json:
        # Imported here: text does without the classes of the answer.
        from aicx.lifecycle.answers import PREPARE_SCHEMA, prepared_answer

        console.out_answer(PREPARE_SCHEMA, prepared_answer(found, brief.text.decode()))
        return
    if not found.already_shown:
        console.out(f"{opening(found.banner)}\n")
    console.out_bytes(brief.text)
    console.notify_notes(filter(None, (*found.notes, found.report.arbiter_note, found.report.summary_note)))
    if found.previous is not None:
        console.notify(f"The last contract was {found.previous.compliance.compact_summary}.")
