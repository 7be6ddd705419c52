"""`aicx share push`: sends the sessions of chosen projects, or shows what would go."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Annotated

import typer

from aicx import console, options
from aicx.config import load_settings
from aicx.errors import UsageError
from aicx.share.answers import SCHEMA, SharePushed, share_pushed
from aicx.share.membership import need_membership, write_membership
from aicx.share.push import plan_push, preview, push
from aicx.share.shares import own_database
from aicx.share.ssh import Carried, carry, said
from aicx.share.upkeep import is_due, maintain
from aicx.storage.lock import writer_lock


def command(
    project: Annotated[
        list[str] | None,
        typer.Option("--project", "-p", metavar="GLOB", help="Also share these projects from now on; * and ? work."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would go: counts, and ten passages as they would.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: options.Json = False,
) -> None:
    """Send what is new of the chosen projects to the share. No project is chosen until you name one.

    Everything is redacted a second time before it leaves this machine. Only sessions that changed are sent; those that
    your corpus no longer has are taken out. A push that is killed shows nothing, and the next one puts it right.

    Example: aicx share push --project 'acme/*' --dry-run
    Example: aicx share push --project acme/widgets --yes
    """
    settings = load_settings()
    membership = need_membership(settings.layout)
    chosen = replace(membership, projects=tuple(dict.fromkeys((*membership.projects, *(project or ())))))
    with writer_lock(settings.layout.locks, settings.lock_wait_seconds, console.notify, name="share"):
        database = own_database(chosen)
        plan = plan_push(settings, chosen, database)
        if dry_run or not yes:
            looked = share_pushed(plan, preview(settings, chosen, database, plan), dry_run=True)
            if dry_run and json:
                console.out_answer(SCHEMA, looked)
                return
            if not json:
                _show(looked)
            if dry_run:
                return
            confirm(looked.chunks, json=json)
        # From here on a later push sends them too, also when this one is killed.
        write_membership(settings.layout, chosen)
        with console.progress_bar("Sharing") as bar:
            pushed = push(settings, chosen, database, plan, options.now(), bar)
        if is_due(database):
            pushed.notes += left_out(maintain(settings.layout, chosen, database))
        carried = carry(chosen)
    tell(share_pushed(plan, pushed, dry_run=False), carried if chosen.is_ssh else None, json=json)


def left_out(why: str | None) -> list[str]:
    """The line that says why rows are not in the indexes yet, if they are not."""
    return [f"not folded into the indexes: {why}"] if why else []


def tell(done: SharePushed, carried: Carried | None, *, json: bool) -> None:
    """Says what was sent, and which files were carried."""
    if json:
        console.out_answer(SCHEMA, done)
        return
    console.notify(f"{console.style('Shared:', fg='green', bold=True)} {_counts(done)}.")
    if carried is not None:
        console.notify(f"{said(carried).capitalize()}.")
    console.notify_notes([*done.unreadable, *done.notes])


def confirm(chunks: int, *, json: bool) -> None:
    """Asks whether others may read so many chunks. Raises UsageError where nobody can answer."""
    if json or not sys.stdin.isatty():
        raise UsageError(
            "others will read this, so it needs a confirmation", hint="add --yes; aicx share push --dry-run looks"
        )
    typer.confirm(f"Share {console.plural(chunks, 'chunk')}? Others can read them then", abort=True, err=True)


def _show(looked: SharePushed) -> None:
    for name, chunks in looked.projects.items():
        console.out(f"{console.style(name, bold=True)}  {console.plural(chunks, 'chunk')}")
    for sample in looked.samples:
        console.out(f"\n{console.style(sample.chunk, fg='green')} {console.style(sample.project, fg='cyan')}")
        for line in sample.text.splitlines():
            console.out(f"  {line}")
    console.notify(f"Would share: {_counts(looked)}, {console.size(looked.bytes)} of text.")
    console.notify_notes([*looked.unreadable, *looked.notes])


def _counts(done: SharePushed) -> str:
    sessions = f"{console.plural(done.new, 'new session')}, {done.changed:,} changed, {done.unchanged:,} as they were"
    parts = [sessions, f"{console.plural(done.chunks, 'chunk')} ({done.vectors:,} with vectors)"]
    if removed := done.withdrawn + done.forgotten:
        parts.append(f"{console.plural(removed, 'session')} taken out")
    if done.held_back:
        parts.append(f"{console.plural(done.held_back, 'session')} held back as forgotten")
    if done.redacted:
        parts.append(f"{console.plural(done.redacted, 'secret')} redacted by the second pass")
    return "; ".join(parts)
