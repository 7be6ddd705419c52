"""`aicx resume --start --explain`: what a session would begin with here, and why."""

from __future__ import annotations

import os

from aicx import console, options
from aicx.commands.prepare import AgentId, SessionId
from aicx.config import load_settings
from aicx.lifecycle.answers import BOOT_SCHEMA, BootAnswer, SessionAnswer

_NO_SUMMARY = "no session has been finalized here yet"


def command(
    agent_id: AgentId = None,
    session_id: SessionId = None,
    repo: options.Repo = None,
    utc: options.Utc = False,
) -> options.Answered:
    """Show what aicx knows of this place and of who asks: for a look at why a session begins as it does.

    Writes nothing.

    Example: aicx resume --start --explain --json
    Example: aicx resume --start --explain
    """
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
