"""`aicx task handoffs`: what earlier sessions left."""

from __future__ import annotations

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.lifecycle.answers import HANDOFFS_SCHEMA, HandoffsAnswer
from aicx.text import shorten
from aicx.work.handoff import HandoffAnswer

_LISTS = (
    ("claims", "Summed up"),
    ("done", "Done"),
    ("failing", "Fails"),
    ("next", "Next"),
    ("questions", "Open"),
    ("decisions", "Decided"),
    ("starting_points", "Begin at"),
    ("commits", "Commits"),
    ("tests", "Tests"),
)

_GOAL = 160  # characters; a prompt may be long


def command(limit: options.Limit = 5, repo: options.Repo = None, utc: options.Utc = False) -> options.Answered:
    """List what the sessions of this repository left to the next one, the newest first.

    A handoff is derived from each session's log, or stated with `aicx finalize`. Subagents and sessions that a program
    ran leave none. The newest one whose branch is part of what is checked out is offered.

    Example: aicx task handoffs --limit 1
    Example: aicx task handoffs
    """
    from aicx.lifecycle.handoffs import handoffs

    desk = open_desk(repo)
    with console.count_bar("Reading sessions") as bar:
        items, total, notes = handoffs(desk.settings, desk.folder, desk.now, limit, lambda done, of: bar(done, of, ""))
    yield HANDOFFS_SCHEMA, HandoffsAnswer(items, total, notes)
    for item in items:
        _print(item)
    console.notify_notes(notes)
    if not items:
        console.notify("No session of this repository is stored. `aicx store` adds them.")


def _print(item: HandoffAnswer) -> None:
    style = console.style
    offered = style("  offered here", fg="green") if item.offered else ""
    title = item.goal or (item.summary if item.origin == "stated" else "") or "no goal was said"
    console.out(f"{style(shorten(title, _GOAL), bold=True)}{offered}")
    facts = [item.outcome, item.agent or "", console.when(item.at)]
    facts += [f"on {item.branch}"] if item.branch else []
    facts += ["not part of what is checked out"] if item.compatible is False else []
    if item.origin == "stated":
        facts.insert(0, "stated")
    console.out(f"  {' · '.join(filter(None, facts))}  {style(item.ref, fg='green')}")
    if item.summary and shorten(title, _GOAL) != item.summary:
        console.out(f"  {item.summary}")
    said: set[str] = set()
    for name, heading in _LISTS:
        texts = [text for text in getattr(item, name) if text not in said and not _repeats(item, text)]
        console.out_list(heading, texts)
        said.update(texts)
    console.out()


def _repeats(item: HandoffAnswer, text: str) -> bool:
    return text in item.summary or any(text in one for one in item.done if one != text)
