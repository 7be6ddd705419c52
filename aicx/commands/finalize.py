"""`aicx finalize`: keeps the end of a session."""

from __future__ import annotations

import os
from typing import Annotated

from aicx import console, options
from aicx.commands.prepare import AgentId, SessionId
from aicx.config import load_settings
from aicx.lifecycle.answers import FINALIZE_SCHEMA
from aicx.questions import PATH, Option
from aicx.work.record import Outcome


def command(
    status: Annotated[Outcome, Option("--status", help="Whether the session reached what it was for.")],
    summary: Annotated[str, Option("--summary", metavar="TEXT", help="What was reached, or what was not.")],
    task: Annotated[
        str, Option("--task", "-t", metavar="GOAL", help="Its goal; by default that of the open task.")
    ] = "",
    files_opened: Annotated[
        list[str] | None, Option("--files-opened", metavar="PATH", click_type=PATH, help="A file that was read.")
    ] = None,
    files_edited: Annotated[
        list[str] | None, Option("--files-edited", metavar="PATH", click_type=PATH, help="A file that was changed.")
    ] = None,
    commands_executed: Annotated[
        list[str] | None, Option("--commands-executed", metavar="COMMAND", help="A command that was run.")
    ] = None,
    tests_executed: Annotated[
        list[str] | None, Option("--tests-executed", metavar="COMMAND", help="A test that was run.")
    ] = None,
    notable_errors: Annotated[
        list[str] | None, Option("--notable-errors", "--error", metavar="LINE", help="An error as a tool printed it.")
    ] = None,
    next_: Annotated[list[str] | None, Option("--next", metavar="TEXT", help="What is to be done next.")] = None,
    decision: Annotated[
        list[str] | None, Option("--decision", metavar="TEXT", help="What was decided, with its reason.")
    ] = None,
    agent_id: AgentId = None,
    session_id: SessionId = None,
    repo: options.Repo = None,
) -> options.Answered:
    """End a session: keep a handoff, tell the open task, and say how the contract was kept.

    What is listed here is added to what the session's own log says. Every list option may be given several times.
    Nothing is stopped or undone by a contract that was not kept.

    Example: aicx finalize --status success --summary "The export handles empty files" --tests-executed "pytest -q"
    Example: aicx finalize --status failure --summary "Two tests still fail" --next "look at test_export_empty" --json
    """
    from aicx.lifecycle.finalize import Ending, finalize
    from aicx.lifecycle.identity import find_asker_at
    from aicx.work.record import Stated

    stated = Stated(
        tuple(files_opened or ()),
        tuple(files_edited or ()),
        tuple(commands_executed or ()),
        tuple(tests_executed or ()),
        tuple(notable_errors or ()),
    )
    ending = Ending(status, summary, task, stated, next_ or [], decision or [])
    folder = options.folder(repo)
    settings, now = load_settings(), options.now()
    asker = find_asker_at(settings, os.environ, agent_id, session_id)
    found = finalize(settings, folder, asker, ending, now, notify=console.notify)
    yield FINALIZE_SCHEMA, found
    console.out(found.agent_summary_text)
    if found.summary_note is not None:
        console.notify(f"note: {found.summary_note}")
    if found.task_skipped:
        console.warn(f"no task was changed; {found.task_skipped}")
    if found.decisions_proposed:
        console.notify(
            f"Proposed to the memory: {', '.join(found.decisions_proposed)}. `aicx memory accept REF --by NAME` agrees."
        )
    console.notify_notes(found.notes)
