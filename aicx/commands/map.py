"""`aicx map`: which files of a repository to look at for something."""

from __future__ import annotations

from dataclasses import asdict, fields, is_dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.errors import UsageError
from aicx.paths import user_path
from aicx.repomap import Answer, EntryPoint, MapStatus, open_map
from aicx.terminal import unseen, without_controls

if TYPE_CHECKING:
    from aicx.repomap.refresh import Refreshed

SCHEMA = "aicx.map/1"
_MOST_PROBLEMS = 5


class Action(StrEnum):
    refresh = "refresh"
    status = "status"
    query = "query"


def command(
    action: Annotated[Action, typer.Argument(help="refresh, status, or query; without one, status.")] = Action.status,
    text: Annotated[str | None, typer.Argument(metavar="TEXT", help="What to look for, with query.")] = None,
    repo: Annotated[
        str, typer.Option("--repo", "-r", metavar="FOLDER", help="The repository; any folder in it will do.")
    ] = ".",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, metavar="N", help="At most so many.")] = 10,
    near: Annotated[
        list[str] | None,
        typer.Option("--near", metavar="PATH", help="A file known to matter, relative to the repository; repeatable."),
    ] = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="With refresh: start over.")] = False,
    json: options.Json = False,
) -> None:
    """Map a repository, so that a question leads to the files and symbols it is about.

    The map knows what the files that git does not ignore define and import, and their headings. It lies below
    AICX_HOME; nothing is written to the repository. Refreshing reads what changed and needs the optional part [code];
    asking does not, and without a map looks at names and headings.

    Example: aicx map refresh
    Example: aicx map query "where are retries limited"
    Example: aicx map status --repo ../other
    """
    if action is Action.query and not (text and text.strip()):
        raise UsageError("there is nothing to look for", hint='aicx map query "what you look for"')
    if action is not Action.query and text is not None:
        raise UsageError(f"{action} takes no text", hint=f'aicx map query "{text}"')
    if rebuild and action is not Action.refresh:
        raise UsageError("only a refresh starts over", hint="aicx map refresh --rebuild")
    folder = user_path(repo)
    settings = load_settings()
    if action is Action.refresh:
        _refresh(settings, folder, rebuild=rebuild, json=json)
    elif action is Action.status:
        _show_status(_shown(open_map(settings.layout, folder).status(), settings), json=json)
    else:
        answer = open_map(settings.layout, folder).answer(text or "", limit, near or ())
        _show_answer(text or "", _shown(answer, settings), json=json)


def _refresh(settings: Settings, folder: Path, *, rebuild: bool, json: bool) -> None:
    from aicx.repomap.refresh import refresh_map

    with console.count_bar("Mapping") as bar:
        done = refresh_map(
            settings.layout,
            folder,
            workers=settings.workers,
            rebuild=rebuild,
            wait_seconds=settings.lock_wait_seconds,
            tell=bar,
            say=console.say,
        )
    done = _shown(done, settings)
    if json:
        console.out_json(SCHEMA, _fields(done))
        return
    head = console.style("Mapped", fg="green", bold=True)
    console.say(
        f"{head} {console.plural(done.files_indexed, 'file')} with {console.plural(done.symbols_indexed, 'symbol')}"
        f" in {done.seconds:.1f} s: {done.parsed:,} read anew, {done.removed:,} gone."
    )
    if done.from_worktree:
        console.say("It began with the map of another worktree of this repository.")
    if done.skipped:
        console.say(f"Left out: {_counts(done.skipped)}.")
    _warn_of_problems(done.problems)
    console.say('Next: aicx map query "what you look for"')


def _show_status(status: MapStatus, *, json: bool) -> None:
    if json:
        console.out_json(SCHEMA, _fields(status))
        return
    console.out(f"repository  {status.root} ({'git' if status.source == 'git' else 'no git: its folders are listed'})")
    for name in ("provider", "index", "query", "refresh"):
        available = getattr(status, f"{name}_available")
        console.out(f"{name:<12}{console.style('available', fg='green') if available else 'not available'}")
    when = f", {status.last_refresh_at} in {status.last_refresh_seconds:.1f} s" if status.last_refresh_at else ""
    console.out(f"refreshed   {status.last_refresh_status}{when}")
    if status.index_available:
        console.out(f"files       {status.files_indexed:,} of {status.files_discovered:,}, {_counts(status.languages)}")
        console.out(f"symbols     {status.symbols_indexed:,}")
        if status.skipped:
            console.out(f"left out    {_counts(status.skipped)}")
        if status.with_syntax_errors:
            console.out(f"in part     {console.plural(status.with_syntax_errors, 'file')} with syntax errors")
    if status.changes is not None:
        counted = status.changes
        console.out(f"since then  {counted.added:,} added, {counted.changed:,} changed, {counted.removed:,} removed")
    _warn_of_problems(status.problems)
    for warning in status.warnings:
        console.warn(warning)
    if status.refresh_available and (not status.index_available or (status.changes and status.changes.total)):
        console.say("Next: aicx map refresh")


def _show_answer(text: str, answer: Answer, *, json: bool) -> None:
    if json:
        entries = [asdict(entry) for entry in answer.entries]
        console.out_json(SCHEMA, {"query": text, "basis": answer.basis, "items": entries, "notes": answer.notes})
        return
    for rank, entry in enumerate(answer.entries, 1):
        _print(rank, entry)
    for note in answer.notes:
        console.warn(note)
    if not answer.entries:
        console.say("Nothing in this repository matches. Fewer or other words may.")


def _print(rank: int, entry: EntryPoint) -> None:
    style = console.style
    where = f"{entry.path}:{entry.line}" if entry.line else entry.path
    what = f"  {entry.kind} {entry.symbol}" if entry.symbol else ""
    console.out(f"{style(f'{rank:>2}', fg='yellow')}  {style(where, bold=True)}{style(what, fg='cyan')}")
    console.out(f"    {style(f'{entry.score:.2f}', dim=True)} {style(' · '.join(entry.reasons), dim=True)}")


def _shown(value: Any, settings: Settings) -> Any:
    """``value`` as it may be shown: a file's name may hold a secret, and signs that hide or turn text."""
    from aicx.redaction import redact_plain  # imported here: its rules take a while to compile

    if isinstance(value, str):
        plain = value.translate(unseen())
        return redact_plain(plain).text if settings.redact_secrets else without_controls(plain)
    if isinstance(value, list | tuple):
        return type(value)(_shown(item, settings) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{part.name: _shown(getattr(value, part.name), settings) for part in fields(value)})
    return value


def _fields(found: Refreshed | MapStatus) -> dict[str, Any]:
    """A dataclass as JSON has it."""
    fields = asdict(found)
    fields["problems"] = [{"path": path, "reason": reason} for path, reason in found.problems]
    return fields


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in counts.items())


def _warn_of_problems(problems: list[tuple[str, str]]) -> None:
    for path, reason in problems[:_MOST_PROBLEMS]:
        console.warn(f"{path}: {reason}")
    if len(problems) > _MOST_PROBLEMS:
        console.warn(f"and {len(problems) - _MOST_PROBLEMS:,} more; --json has them all")
