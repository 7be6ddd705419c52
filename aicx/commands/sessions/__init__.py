"""`aicx sessions`: which sessions there are, where each came from, and where it stands."""

from __future__ import annotations

HELP = """List sessions, find one, see what it came from and what came of it, and say where it stands.

Without an action, `aicx sessions` lists the stored sessions with their titles, the newest first.

A session continues another, was forked from one or was started by one. Where the logs say so, that is an edge with
origin log; where sessions of a repository share their goal, files or commits, it is derived, with a reason and a
confidence; what you state yourself counts before both. Nothing of it is a second store: edges and states are worked out
from what is stored and from the event log of work.

A session is named by its id or the beginning of it. Where none is named, the one is meant that asks: AICX_SESSION_ID,
then what the agent put into its commands' environment, then the session that `aicx sessions open` began in this working
folder, then the terminal.

Example: aicx sessions --since 7d
Example: aicx show --about 4f2a81c0
Example: aicx sessions chain --session 4f2a81c0 --depth 5
Example: aicx search --in sessions why exports lost their header
Example: aicx sessions close --status ok
"""
COMMANDS = {
    "list": "aicx.commands.sessions.finding:list_sessions",
    "show": "aicx.commands.sessions.showing:show",
    "search": "aicx.commands.sessions.showing:search_sessions",
    "recall": "aicx.commands.sessions.finding:recall_windows",
    "chain": "aicx.commands.sessions.showing:chain",
    "windows": "aicx.commands.sessions.showing:windows",
    "summarize": "aicx.commands.sessions.summarize:summarize_session",
    "restore": "aicx.commands.sessions.summarize:restore_context",
    "open": "aicx.commands.sessions.stated:open_",
    "fork": "aicx.commands.sessions.stated:fork",
    "close": "aicx.commands.sessions.stated:close",
    "link": "aicx.commands.sessions.stated:link",
    "stats": "aicx.commands.sessions.showing:count_sessions",
}
DEFAULT = "list"
