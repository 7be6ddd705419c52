"""`aicx map refresh`: reads what changed in a repository."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.api.answers.map import SCHEMA
from aicx.commands.map.output import Repo, counts_line, printable, warn_of_problems
from aicx.config import load_settings
from aicx.paths import user_path


def command(
    repo: Repo = ".",
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Start over.")] = False,
    json: options.Json = False,
) -> None:
    """Bring the map of a repository up to date. Needs the optional part [code].

    Example: aicx map refresh
    """
    from aicx.repomap.refresh import refresh_map

    settings = load_settings()
    with console.count_bar("Mapping") as bar:
        done = refresh_map(
            settings.layout,
            user_path(repo),
            workers=settings.workers,
            rebuild=rebuild,
            wait_seconds=settings.lock_wait_seconds,
            on_progress=bar,
            notify=console.notify,
        )
    done = printable(done, settings)
    if json:
        console.out_answer(SCHEMA, done)
        return
    head = console.style("Mapped", fg="green", bold=True)
    console.notify(
        f"{head} {console.plural(done.files_indexed, 'file')} with {console.plural(done.symbols_indexed, 'symbol')}"
        f" in {done.seconds:.1f} s: {done.parsed:,} read anew, {done.removed:,} gone."
    )
    if done.from_worktree:
        console.notify("It began with the map of another worktree of this repository.")
    if done.skipped:
        console.notify(f"Left out: {counts_line(done.skipped)}.")
    warn_of_problems(done.problems)
    console.notify('Next: aicx map query "what you look for"')
