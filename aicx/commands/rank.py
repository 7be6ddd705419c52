"""`aicx rank`: which chunks of a project are worth reading."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

import typer

from aicx import console, options
from aicx.config import load_settings
from aicx.corpus.density import measure
from aicx.corpus.documents import load_document
from aicx.corpus.query import steer
from aicx.types import Filters

SCHEMA = "aicx.rank/1"
_STRICT_SCORE = 5
# More chunks than this in the window are ranked newest first.
_MOST = 10_000
_COLORS = {"HIGH": "green", "MEDIUM": "yellow"}


def command(
    project: Annotated[str, typer.Option("--project", "-p", metavar="NAME", help="Repository or working folder.")],
    hours: Annotated[
        float,
        typer.Option("--hours", "-H", min=0, max=10_000_000, metavar="N", help="The last N hours; 0 is all."),
    ] = 72,
    strict: Annotated[bool, typer.Option("--strict", help=f"Only scores of {_STRICT_SCORE} and more.")] = False,
    top: Annotated[int, typer.Option("--top", "-n", min=1, max=_MOST, metavar="N", help="At most so many.")] = 10,
    agent: options.Agent = None,
    json: options.Json = False,
) -> None:
    """Rank a project's chunks by how much of them is decisions, reasons and results rather than noise.

    Example: aicx rank -p myrepo -H 0 --strict
    """
    layout = load_settings().layout
    since = options.now() - timedelta(hours=hours) if hours else None
    found = steer(layout, Filters(project=project, agent=agent, since=since), _MOST)
    items: list[dict[str, Any]] = []
    for item in found.items:
        document = load_document(layout, item["path"].removeprefix(f"{layout.home}/"))
        if document is None:
            continue
        # What tools printed says little of how much was decided, and there is far more of it than of anything else.
        density = measure("\n".join(part.text for part in document.parts if part.field != "tool"))
        if strict and density.score < _STRICT_SCORE:
            continue
        items.append(
            {
                "file": item["path"],
                "id": item["id"],
                "title": item.get("title"),
                "project": item["project"],
                "date": item["date"],
                "timestamp": item["started_at"],
                "kind": item["kind"],
                "agent": item["agent"],
                "score": density.score,
                "label": density.label,
                "signal": density.signal,
                "noise": density.noise,
                "total": density.total,
                "density": f"{density.share:.0%}",
            }
        )
    items.sort(key=lambda item: (-item["score"], -item["signal"], item["id"]))
    items = items[:top]
    if json:
        fields = {"project": project, "hours": hours, "strict": strict, "results": len(items), "items": items}
        console.out_json(SCHEMA, fields | {"notes": found.notes, "oracle_status": found.oracle_status})
        return
    for item in items:
        label = console.style(f"{item['label']:<6}", fg=_COLORS.get(item["label"], "white"))
        console.out(f"{item['score']:>4.1f} {label} {item['date']} {item['agent']:<8} {item['title'] or '(no title)'}")
        console.out(console.style(f"     {item['density']} of {item['total']} lines · {item['id']}", dim=True))
    for note in found.notes:
        console.say(f"note: {note}")
    if not items:
        console.say("Nothing to rank. -H 0 takes all time; `aicx refs` lists the projects there are.")
