"""`aicx run`: a program with its context, recorded as a session."""

from __future__ import annotations

from typing import Annotated

from aicx import console, options
from aicx.caller import caller
from aicx.config import load_settings
from aicx.questions import PATH, Argument, Option


def command(
    words: Annotated[
        list[str], Argument(metavar="-- COMMAND...", click_type=PATH, help="The program and its arguments.")
    ],
    task: Annotated[
        str, Option("--task", "-t", metavar="GOAL", help="The goal of the session; without one, it goes on.")
    ] = "",
    agent_id: Annotated[
        str | None, Option("--agent-id", metavar="NAME", help="What the program is called; by default by its own name.")
    ] = None,
) -> None:
    """Run a program with what it should know of the work here, and record what it did.

    Its brief is in the file that AICX_CONTEXT_FILE names, with a manifest beside it. Streams, terminal, signals and
    exit code are the program's own. What it printed becomes a session of the agent `run`, unless the program keeps
    logs that `aicx store` reads (claude, codex, gemini). Files and commits that it made are recorded.

    Example: aicx run --task "fix the flaky login test" -- aider
    Example: aicx run -- make test
    """
    from aicx.lifecycle.run import RunRequest, current_folder, run

    started_by = caller()
    request = RunRequest(words, current_folder(started_by.environment), task, agent_id)
    code = run(load_settings(), request, started_by, options.now, lambda text: console.warn(f"aicx run: {text}"))
    raise SystemExit(code)  # as it is: 130 of a program does not mean that aicx was interrupted
