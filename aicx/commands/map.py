"""`aicx map`: refreshes, shows and asks the map of a repository."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Annotated, Any

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.errors import UsageError
from aicx.paths import user_path
from aicx.questions import PATH, Argument, Option
from aicx.repomap import EntryPoint, MapAnswer, MapStatus, open_map
from aicx.repomap.map import SCHEMA
from aicx.terminal import invisible, without_controls
from aicx.types import Unread

_MAX_PROBLEMS = 5

Repo = Annotated[
    str, Option("--repo", "-r", metavar="FOLDER", click_type=PATH, help="The repository, or any folder in it.")
]


def printable(value: Any, settings: Settings) -> Any:
    """``value`` as it may be shown: a file's name may hold a secret, and signs that hide or turn text."""
    from aicx.redaction import redact_plain  # imported here: its rules take a while to compile

    if isinstance(value, str):
        plain = value.translate(invisible())
        return redact_plain(plain).text if settings.redact_secrets else without_controls(plain)
    if isinstance(value, list | tuple):
        return type(value)(printable(item, settings) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{part.name: printable(getattr(value, part.name), settings) for part in fields(value)})
    return value


def counts_line(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def warn_of_problems(problems: list[Unread]) -> None:
    for problem in problems[:_MAX_PROBLEMS]:
        console.warn(f"{problem.path}: {problem.reason}")
    if len(problems) > _MAX_PROBLEMS:
        console.warn(f"and {len(problems) - _MAX_PROBLEMS:,} more; --json has them all")


def query_map(
    text: Annotated[str, Argument(metavar="TEXT", help="What to look for.")] = "",
    repo: Repo = ".",
    limit: Annotated[int, Option("--limit", "-n", min=1, max=100, metavar="N", help="Maximum number of results.")] = 10,
    near: Annotated[
        list[str] | None,
        Option(
            "--near", metavar="PATH", help="A relevant file, relative to the repository; may be given several times."
        ),
    ] = None,
) -> options.Answered:
    """Find the files and symbols to look at first.

    Without a map, names and headings are searched.

    Example: aicx search --in map "where are retries limited"
    Example: aicx search --in map "where are retries limited" --json
    """
    if not text.strip():
        raise UsageError("there is nothing to look for", hint='aicx search --in map "what you look for"')
    settings = load_settings()
    answer = open_map(settings.layout, user_path(repo)).answer(text, limit, near or ())
    yield from _print_answer(replace(printable(answer, settings), query=text))


def _print_answer(answer: MapAnswer) -> options.Answered:
    yield SCHEMA, answer
    for rank, entry in enumerate(answer.items, 1):
        _print(rank, entry)
    for note in answer.notes:
        console.warn(note)
    if not answer.items:
        console.notify("Nothing in this repository matches. Fewer or other words may.")


def _print(rank: int, entry: EntryPoint) -> None:
    style = console.style
    where = f"{entry.path}:{entry.line}" if entry.line else entry.path
    what = f"  {entry.kind} {entry.symbol}" if entry.symbol else ""
    console.out(f"{style(f'{rank:>2}', fg='yellow')}  {style(where, bold=True)}{style(what, fg='cyan')}")
    console.out(f"    {style(f'{entry.score:.2f}', dim=True)} {style(' · '.join(entry.reasons), dim=True)}")


def refresh(
    repo: Repo = ".", rebuild: Annotated[bool, Option("--rebuild", help="Start over.")] = False
) -> options.Answered:
    """Bring the map of a repository up to date. Needs the optional part [code].

    Example: aicx map refresh
    Example: aicx map refresh --rebuild
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
    yield SCHEMA, done
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
    console.notify('Next: aicx search --in map "what you look for"')


def show_status(repo: Repo = ".") -> options.Answered:
    """Show the content of a repository's map and how far it is behind.

    Example: aicx map status --repo ../other
    Example: aicx map status
    """
    settings = load_settings()
    yield from _print_status(printable(open_map(settings.layout, user_path(repo)).status(), settings))


def _print_status(status: MapStatus) -> options.Answered:
    yield SCHEMA, status
    console.out(f"repository  {status.root} ({'git' if status.source == 'git' else 'no git: its folders are listed'})")
    for name in ("provider", "index", "query", "refresh"):
        available = getattr(status, f"{name}_available")
        console.out_table([(name, console.style("available", fg="green") if available else "not available")], (12,))
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
