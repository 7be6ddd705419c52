"""`aicx hook`: what the hooks of agents call. `aicx.__main__` runs it without this module, which describes it."""

from __future__ import annotations

from typing import Annotated

from aicx.agents.hook import main
from aicx.questions import Argument, Option


def command(
    event: Annotated[
        str,
        Argument(
            metavar="EVENT",
            help="session-start, pre-compact, session-end, stop, notify, user-prompt, post-tool or pre-tool.",
        ),
    ],
    given: Annotated[
        str, Argument(metavar="JSON", help="What the agent says of the event; by default on standard input.")
    ] = "",
    agent: Annotated[str, Option("--agent", metavar="AGENT", help="claude, codex or gemini.")] = "",
) -> None:
    """Answer a hook of an agent; `aicx init` writes the calls into its settings.

    At the start of a session prints the agent's own JSON with a banner, the notes of continuity, what a compaction
    lost, and the brief of `aicx resume`. At the other events starts `aicx store` in the background, which at the end of
    a session and before a compaction also saves the notes. At user-prompt, post-tool and pre-tool it prints one line of
    history where the evidence is strong, and else nothing. Gives up after 2 seconds. Whatever goes wrong, it ends with
    0 and adds a line to agents/hooks.log in the corpus's folder.

    Example: aicx hook session-start --agent claude
    """
    main([event, "--agent", agent, *([given] if given else [])])
