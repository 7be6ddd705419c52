"""`aicx search --worth`: orders a project's chunks by their share of decisions, reasons and results."""

from __future__ import annotations

import sys
from datetime import timedelta
from shutil import get_terminal_size
from typing import Annotated

from aicx import console, options
from aicx.commands.results import print_lines
from aicx.config import load_settings
from aicx.corpus.files.read import ALTERED
from aicx.corpus.views.rank import MAX_RANKED, STRICT_SCORE, rank_chunks
from aicx.filters import EVERYTHING, Filters
from aicx.questions import Option
from aicx.text import local, shorten
from retrieval.lines import ShortenedLine

_TITLE_COLUMN = len("10.0 MEDIUM 2026-01-31 claude   ")
_COLORS = {"HIGH": "green", "MEDIUM": "yellow"}


@options.filtered("agent", "automated")
def command(
    project: Annotated[str, Option("--project", "-p", metavar="NAME", help="Repository or working folder.")],
    hours: Annotated[
        float, Option("--hours", "-H", min=0, max=10_000_000, metavar="N", help="Only the last N hours; 0 means all.")
    ] = 72,
    strict: Annotated[bool, Option("--strict", help=f"Only scores of {STRICT_SCORE} or more.")] = False,
    top: Annotated[
        int, Option("--top", "-n", min=1, max=MAX_RANKED, metavar="N", help="Maximum number of results.")
    ] = 10,
    filters: Filters = EVERYTHING,
    json: options.Json = False,
) -> None:
    """Rank a project's chunks by their share of decisions, reasons and results.

    Each is printed with the sentences that say most.

    Example: aicx search --worth -p myrepo -H 0 --strict
    Example: aicx search --worth -p myrepo -H 0 --strict --json
    """
    layout = load_settings().layout
    since = options.now() - timedelta(hours=hours) if hours else None
    ranked = rank_chunks(
        layout, project, since=since, agents=filters.agent, strict=strict, top=top, automated=bool(filters.automated)
    )
    if json:
        from aicx.engine.steer_answer import RANK_SCHEMA, rank_answer

        console.out_answer(RANK_SCHEMA, rank_answer(ranked, project, hours, strict))
        return
    heads = []
    for item in ranked.items:
        label = console.style(item["label"], fg=_COLORS.get(item["label"], "white"))
        day = f"{local(item['timestamp']):%Y-%m-%d}"
        title = console.title(item)
        if sys.stdout.isatty():
            title = shorten(title, get_terminal_size().columns - _TITLE_COLUMN)
        heads.append((f"{item['score']:>4.1f}", label, day, item["agent"], title))
    for item, head in zip(ranked.items, console.in_columns(heads, (5, 7, 11, 9)), strict=True):
        console.out(head)
        if item["altered"]:
            console.out(f"     {console.style(ALTERED, fg='red')}")
        print_lines([ShortenedLine(sentence) for sentence in item["sentences"]])
        facts = [f"{item['density']} of {item['total']} lines", *console.runs(item["runs"]), item["id"]]
        console.out(console.style(f"     {' · '.join(facts)}", dim=True))
    if ranked.oracle_status["fallback_reason"]:
        console.warn(ranked.oracle_status["fallback_reason"])
    console.notify_notes(ranked.notes)
    if ranked.items:
        console.say_zone()
    else:
        # Only what was not asked for already.
        hints = ["-H 0 takes all time."] if hours else []
        hints += ["Without --strict lower scores are listed, too."] if strict else []
        console.notify(" ".join(["Nothing to rank.", *hints, "`aicx status --projects` lists the projects there are."]))
