"""`aicx steer`: lists chunks by their metadata."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from aicx import console, options
from aicx.api.filters import EVERYTHING, Filters
from aicx.config import load_settings
from aicx.corpus.catalog.query import steer


@options.filtered()
def command(
    filters: Filters = EVERYTHING,
    limit: options.Limit = 20,
    json: options.Json = False,
) -> None:
    """List stored chunks by project, agent, date, session, branch or file, newest first.

    Every filter has to hold. One that takes a name may be given several times, and then any of the names will do.

    Example: aicx steer -p myrepo --since 7d
    Example: aicx steer --file src/parser.py --agent codex
    Example: aicx steer -p api -p web --failed --tool Bash
    Example: aicx steer --run-id r-2026-01-31 --json
    """
    found = steer(load_settings().layout, filters, limit)
    if json:
        from aicx.api.answers.steer import SCHEMA, steer_answer

        console.out_answer(SCHEMA, steer_answer(found))
        return
    for item in found.items:
        _print(item)
    if found.oracle_status["fallback_reason"]:
        console.warn(found.oracle_status["fallback_reason"])
    for note in found.notes:
        console.notify(f"note: {note}")
    if not found.items:
        console.notify("Nothing matches. `aicx refs` lists the projects there are; `aicx store` adds new sessions.")
    elif found.matched > len(found.items):
        console.notify(f"{len(found.items)} of {found.matched} shown; --limit shows more.")


def _print(item: dict[str, Any]) -> None:
    style = console.style
    started = datetime.fromisoformat(item["started_at"]).astimezone()
    title = console.title(item)
    facts = [console.place(item["project"], item.get("cwd")), item["agent"], item["kind"]]
    if item.get("branch"):
        facts.append(f"branch {item['branch']}")
    if item.get("lane") == "subagent":
        facts.append("subagent")
    if item.get("errors"):
        facts.append(console.plural(len(item["errors"]), "error"))
    console.out(f"{style(f'{started:%Y-%m-%d %H:%M}', fg='cyan')}  {style(title, bold=True)}")
    console.out(f"  {' · '.join(facts)} · {style(item['id'], fg='green')}")
    console.out(style(f"  {item['path']}", dim=True))
