"""`aicx status --logs`: the raw logs the agents have on this machine."""

from __future__ import annotations

from aicx import console, options
from aicx.config import load_settings
from aicx.corpus.catalog.overview import list_logs

SCHEMA = "aicx.list/1"


def command(agent: options.Agents = None) -> options.Answered:
    """List the raw logs of every agent with counts and sizes, and how many of them are stored.

    Example: aicx status --logs
    Example: aicx status --logs -a codex --json
    """
    found = list_logs(load_settings(), tuple(agent or ()))
    groups = found.sources
    yield SCHEMA, found
    rows = []
    for group in groups:
        waiting = group.logs - group.stored
        stored = (
            console.style("all stored", fg="green")
            if not waiting
            else console.style(f"{waiting} to store", fg="yellow")
        )
        sizes = (console.plural(group.logs, "log"), console.size(group.size))
        rows.append((console.style(group.agent, bold=True), group.format, *sizes, f"  {stored}"))
    console.out_table(rows, (0, 22, 13, 11), right=(2, 3))
    for problem in found.problems:
        console.warn(f"{problem.path}: {problem.reason}")
    if not groups:
        console.notify("No agent logs found. CLAUDE_CONFIG_DIR and CODEX_HOME say where else to look.")
    elif any(group.logs > group.stored for group in groups):
        console.notify("Next: aicx store")
