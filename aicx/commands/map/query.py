"""`aicx map query`: the files and symbols to look at first."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.api.answers.map import SCHEMA, MapAnswer
from aicx.commands.map.output import Repo, printable
from aicx.config import load_settings
from aicx.errors import UsageError
from aicx.paths import user_path
from aicx.repomap import Answer, EntryPoint, open_map


def command(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to look for.")] = "",
    repo: Repo = ".",
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=100, metavar="N", help="Maximum number of results.")
    ] = 10,
    near: Annotated[
        list[str] | None,
        typer.Option(
            "--near", metavar="PATH", help="A relevant file, relative to the repository; may be given several times."
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Find the files and symbols to look at first.

    Without a map, names and headings are searched.

    Example: aicx map query "where are retries limited"
    """
    if not text.strip():
        raise UsageError("there is nothing to look for", hint='aicx map query "what you look for"')
    settings = load_settings()
    answer = open_map(settings.layout, user_path(repo)).answer(text, limit, near or ())
    _print_answer(text, printable(answer, settings), json=json)


def _print_answer(text: str, answer: Answer, *, json: bool) -> None:
    if json:
        console.out_answer(SCHEMA, MapAnswer(text, answer.basis, answer.entries, answer.notes))
        return
    for rank, entry in enumerate(answer.entries, 1):
        _print(rank, entry)
    for note in answer.notes:
        console.warn(note)
    if not answer.entries:
        console.notify("Nothing in this repository matches. Fewer or other words may.")


def _print(rank: int, entry: EntryPoint) -> None:
    style = console.style
    where = f"{entry.path}:{entry.line}" if entry.line else entry.path
    what = f"  {entry.kind} {entry.symbol}" if entry.symbol else ""
    console.out(f"{style(f'{rank:>2}', fg='yellow')}  {style(where, bold=True)}{style(what, fg='cyan')}")
    console.out(f"    {style(f'{entry.score:.2f}', dim=True)} {style(' · '.join(entry.reasons), dim=True)}")
