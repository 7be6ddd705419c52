"""Options that several commands share, so that one word means one thing everywhere."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer
from click.types import StringParamType

from aicx.types import KINDS


class PathText(StringParamType):
    """Text that names what is on disk, with the bytes that are no UTF-8 as Python has them: lone surrogates."""


PATH = PathText()
FILTERS = "Which chunks"
OUTPUT = "Output"

Json = Annotated[bool, typer.Option("--json", "-j", help="Print one JSON object.", rich_help_panel=OUTPUT)]
Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, metavar="N", help="Maximum number of results.")]
Project = Annotated[
    str | None,
    typer.Option(
        "--project",
        "-p",
        metavar="NAME",
        help="Repository (owner/repo, repo, owner/) or working folder; * and ? work.",
        rich_help_panel=FILTERS,
    ),
]
Agent = Annotated[
    str | None,
    typer.Option("--agent", "-a", metavar="AGENT", help="One agent, such as claude or codex.", rich_help_panel=FILTERS),
]
Agents = Annotated[
    list[str] | None,
    typer.Option("--agent", "-a", metavar="AGENT", help="Only this agent; may be given several times."),
]
Kind = Annotated[
    str | None,
    typer.Option("--kind", "-k", metavar="KIND", help=f"One of {', '.join(KINDS)}.", rich_help_panel=FILTERS),
]
Session = Annotated[
    str | None,
    typer.Option(
        "--session", "-s", metavar="ID", help="A session, or the beginning of its id.", rich_help_panel=FILTERS
    ),
]
RunId = Annotated[
    str | None, typer.Option("--run-id", metavar="ID", help="Exactly this run id.", rich_help_panel=FILTERS)
]
PromptId = Annotated[
    str | None, typer.Option("--prompt-id", metavar="ID", help="Exactly this prompt id.", rich_help_panel=FILTERS)
]
Date = Annotated[
    str | None,
    typer.Option(
        "--date",
        "-d",
        metavar="RANGE",
        help="A day, such as yesterday, or a range: 2026-01-01..2026-01-31.",
        rich_help_panel=FILTERS,
    ),
]
Since = Annotated[
    str | None,
    typer.Option(
        "--since", metavar="WHEN", help="Earliest time: 2026-01-31, yesterday, 36h, 7d, 2w.", rich_help_panel=FILTERS
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        "--until", metavar="WHEN", help="Latest time, inclusive; same formats as --since.", rich_help_panel=FILTERS
    ),
]
Branch = Annotated[
    str | None, typer.Option("--branch", "-b", metavar="NAME", help="Git branch; * works.", rich_help_panel=FILTERS)
]
File = Annotated[
    str | None,
    typer.Option(
        "--file",
        "-f",
        metavar="PATH",
        help="Sessions that touched a file; any part of the path matches.",
        rich_help_panel=FILTERS,
    ),
]
Hours = Annotated[
    float | None,
    typer.Option(
        "--hours",
        "-H",
        min=0,
        max=10_000_000,
        metavar="N",
        help="Only sessions active in the last N hours; 0 means all.",
    ),
]
NoRedact = Annotated[
    bool,
    typer.Option(
        "--no-redact-secrets",
        help="Store secrets as they are. Every agent that may read the corpus can then read them.",
    ),
]


def now() -> datetime:
    """The clock of the command line."""
    return datetime.now(UTC)
