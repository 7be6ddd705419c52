"""`aicx resume --start` and its `--explain`: everything a session needs at its start, and why it begins so."""

from __future__ import annotations

import os
from typing import Annotated

from aicx import console, options
from aicx.config import load_settings
from aicx.questions import Option

_TOKENS = 2000  # of the brief
AgentId = Annotated[
    str | None,
    Option("--agent-id", metavar="NAME", help="The asking agent; by default the one whose shell this is, as it says."),
]
SessionId = Annotated[
    str | None,
    Option(
        *("--session-id", "--session", "-s"),
        metavar="ID",
        help="The agent's own id of its session; by default as its shell says.",
    ),
]
_NO_SUMMARY = "no session has been finalized here yet"


def command(
    task: Annotated[
        str, Option("--task", "-t", metavar="GOAL", help="The goal of the session; without one, it goes on.")
    ] = "",
    agent_id: AgentId = None,
    session_id: SessionId = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Record nothing.")] = False,
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


def explain_start(
    agent_id: AgentId = None, session_id: SessionId = None, repo: options.Repo = None, utc: options.Utc = False
) -> options.Answered:
    """Show what aicx knows of this place and of who asks: for a look at why a session begins as it does.

    Writes nothing.

    Example: aicx resume --start --explain --json
    Example: aicx resume --start --explain
    """
    from aicx.lifecycle.answers import BOOT_SCHEMA, BootAnswer, SessionAnswer
    from aicx.lifecycle.identity import find_asker_at
    from aicx.lifecycle.prepare import prepare
    from aicx.resume.brief.json_brief import previous_answer
    from aicx.work.attempts import attempts_in
    from aicx.work.place import find_place

    settings, folder = load_settings(), options.folder(repo)
    asker = find_asker_at(settings, os.environ, agent_id, session_id)
    place = find_place(settings, folder)
    found = prepare(settings, folder, asker, options.now(), record=False)
    attempts = attempts_in(settings, place.folders)
    ended = (one.attempt.summary for one in attempts if one.attempt and one.attempt.summary)
    tasks = found.tasks
    answer = BootAnswer(
        repo_id=place.repo_id,
        worktree_id=place.worktree_id,
        root=str(place.root),
        project=found.report.project,
        session=SessionAnswer(asker.session, asker.agent, found.number),
        sessions_stored=found.number - 1,
        tasks={name: len(getattr(tasks, name)) for name in ("active", "skipped", "waiting", "damaged")},
        attempts=len(attempts),
        last_summary=next(ended, _NO_SUMMARY),
        previous_contract_result=previous_answer(found.previous),
    )
    yield BOOT_SCHEMA, answer
    style = console.style
    known = ", ".join(f"{count} {name}" for name, count in answer.tasks.items() if count) or "none"
    rows = (
        ("repository", f"{answer.project or answer.root} ({answer.repo_id}, worktree {answer.worktree_id})"),
        ("asking", f"{asker.agent}, session {asker.session or 'not named'}, #{found.number}"),
        ("sessions stored", f"{answer.sessions_stored:,}"),
        ("tasks", known),
        ("attempts", f"{answer.attempts:,}"),
        ("last summary", answer.last_summary),
        ("last contract", found.previous.compliance.compact_summary if found.previous else "none was evaluated"),
    )
    console.out_table([(style(name, dim=True), text) for name, text in rows], (16,))
    for warning in found.report.warnings:
        console.warn(warning)
