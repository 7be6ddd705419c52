"""`aicx map status`: the content of a repository's map and how far it is behind."""

from __future__ import annotations

from aicx import console, options
from aicx.api.answers.map import SCHEMA
from aicx.commands.map.output import Repo, counts_line, printable, warn_of_problems
from aicx.config import load_settings
from aicx.paths import user_path
from aicx.repomap import MapStatus, open_map


def command(repo: Repo = ".", json: options.Json = False) -> None:
    """Show the content of a repository's map and how far it is behind.

    Example: aicx map status --repo ../other
    """
    settings = load_settings()
    _print_status(printable(open_map(settings.layout, user_path(repo)).status(), settings), json=json)


def _print_status(status: MapStatus, *, json: bool) -> None:
    if json:
        console.out_answer(SCHEMA, status)
        return
    console.out(f"repository  {status.root} ({'git' if status.source == 'git' else 'no git: its folders are listed'})")
    for name in ("provider", "index", "query", "refresh"):
        available = getattr(status, f"{name}_available")
        console.out(f"{name:<12}{console.style('available', fg='green') if available else 'not available'}")
    when = f", {status.last_refresh_at} in {status.last_refresh_seconds:.1f} s" if status.last_refresh_at else ""
    console.out(f"refreshed   {status.last_refresh_status}{when}")
    if status.index_available:
        console.out(
            f"files       {status.files_indexed:,} of {status.files_discovered:,}, {counts_line(status.languages)}"
        )
        console.out(f"symbols     {status.symbols_indexed:,}")
        if status.skipped:
            console.out(f"left out    {counts_line(status.skipped)}")
        if status.with_syntax_errors:
            console.out(f"in part     {console.plural(status.with_syntax_errors, 'file')} with syntax errors")
    if status.changes is not None:
        counted = status.changes
        console.out(f"since then  {counted.added:,} added, {counted.changed:,} changed, {counted.removed:,} removed")
    warn_of_problems(status.problems)
    for warning in status.warnings:
        console.warn(warning)
    if status.refresh_available and (not status.index_available or (status.changes and status.changes.total)):
        console.notify("Next: aicx map refresh")
