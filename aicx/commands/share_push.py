"""`aicx share push` and `build`: send the sessions of chosen projects, as they change or all at once."""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import replace
from typing import Annotated, Literal

from aicx import console, options
from aicx.config import load_settings
from aicx.errors import UsageError
from aicx.questions import Option
from aicx.share.answers import SCHEMA, SharePushed, share_pushed
from aicx.share.build import build, find_choice, in_process
from aicx.share.membership import need_membership, write_membership
from aicx.share.push import plan_push, preview, push
from aicx.share.shares import own_database
from aicx.share.ssh import Carried, carry, said
from aicx.share.upkeep import is_due, maintain
from aicx.storage.lock import writer_lock


def push_projects(
    project: Annotated[
        list[str] | None,
        Option("--project", "-p", metavar="GLOB", help="Also share these projects from now on; * and ? work."),
    ] = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Only show what would go: counts, and ten passages as they would.")
    ] = False,
    yes: Annotated[bool, Option("--yes", help="Do not ask.")] = False,
) -> options.Answered:
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
            if dry_run:
                yield SCHEMA, looked
            if not options.wants_json():
                _show(looked)
            if dry_run:
                return
            confirm_push(looked.chunks)
        # From here on a later push sends them too, also when this one is killed.
        write_membership(settings.layout, chosen)
        with console.progress_bar("Sharing") as bar:
            pushed = push(settings, chosen, database, plan, options.now(), bar)
        if is_due(database):
            pushed.notes += left_out(maintain(settings.layout, chosen, database))
        carried = carry(chosen)
    yield from tell(share_pushed(plan, pushed, dry_run=False), carried if chosen.is_ssh else None)


def left_out(why: str | None) -> list[str]:
    """The line that says why rows are not in the indexes yet, if they are not."""
    return [f"not folded into the indexes: {why}"] if why else []


def tell(done: SharePushed, carried: Carried | None) -> options.Answered:
    """Says what was sent, and which files were carried."""
    yield SCHEMA, done
    console.notify(f"{console.style('Shared:', fg='green', bold=True)} {_counts(done)}.")
    if carried is not None:
        console.notify(f"{said(carried).capitalize()}.")
    console.notify_notes([*done.unreadable, *done.notes])


def confirm_push(chunks: int) -> None:
    """Asks whether others may read so many chunks. Raises UsageError where nobody can answer."""
    options.need_person(
        "others will read this, so it needs a confirmation", "add --yes; aicx share push --dry-run looks"
    )
    console.confirm(f"Share {console.plural(chunks, 'chunk')}? Others can read them then")


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


def build_share(
    project: Annotated[
        list[str] | None,
        Option("--project", "-p", metavar="GLOB", help="Also share these projects from now on; * and ? work."),
    ] = None,
    engine: Annotated[
        Literal["process", "ray"], Option("--engine", help="One process, or Ray, which needs the optional part [ray].")
    ] = "process",
    address: Annotated[
        str | None, Option("--address", metavar="ADDRESS", help="The Ray cluster; by default this machine's cores.")
    ] = None,
    workers: Annotated[
        int | None, Option("--workers", min=1, metavar="N", help="How many cores of this machine Ray may use.")
    ] = None,
    env: Annotated[
        list[str] | None,
        Option("--env", metavar="NAME", help="Give a cluster's workers this variable of your environment."),
    ] = None,
    yes: Annotated[bool, Option("--yes", help="Do not ask.")] = False,
) -> options.Answered:
    """Send all of the chosen projects at once, with vectors made on the way: for a first share of a long history.

    `aicx share push --dry-run` shows what would go. It is what a push would send, but without an index of your own, in
    one commit, and seen only when it is whole. A machine of a cluster has to reach your corpus by the same path. If the
    cluster wants a token, put it into RAY_AUTH_TOKEN, or the name of a file that has it into RAY_AUTH_TOKEN_PATH.

    Example: aicx share build --project 'acme/*' --yes
    Example: aicx share build --engine ray --workers 4 --yes
    """
    if engine == "process" and (address or workers):
        raise UsageError("--address and --workers are for Ray", hint="add --engine ray")
    if address and workers:
        raise UsageError("a cluster has as many workers as it has", hint="leave out --workers")
    if env and not address:
        raise UsageError("--env is for the workers of a cluster", hint="add --address")
    if missing := [name for name in env or () if name not in os.environ]:
        raise UsageError(f"your environment has no {', '.join(missing)}")
    settings = load_settings()
    membership = need_membership(settings.layout)
    chosen = replace(membership, projects=tuple(dict.fromkeys((*membership.projects, *(project or ())))))
    with writer_lock(settings.layout.locks, settings.lock_wait_seconds, console.notify, name="share"):
        database = own_database(chosen)
        choice = find_choice(settings, database, console.notify)
        if choice is None:
            console.notify(f"the share's model, {database.model.name}, cannot be had here: sharing without vectors")
        plan = plan_push(settings, chosen, database, database.model.fingerprint if choice else "")
        if not yes:
            confirm_push(sum(len(session.chunks) for session in plan.going))
        # From here on a later push sends them too, also when this one is killed.
        write_membership(settings.layout, chosen)
        if engine == "ray":
            from aicx.share.cluster import check_address, connected  # imported here: Ray is an optional part

            check_address(database)
        handed = {name: os.environ[name] for name in env or ()}
        cluster = connected(address, workers, handed) if engine == "ray" else nullcontext()
        with cluster as ray, console.count_bar("Sharing") as bar:
            run = ray.write if ray else in_process
            pushed = build(settings, chosen, database, plan, choice, options.now(), run, bar)
            index = ray.index if ray else None
            pushed.notes += left_out(maintain(settings.layout, chosen, database, index=index))
        carried = carry(chosen)
    yield from tell(share_pushed(plan, pushed, dry_run=False), carried if chosen.is_ssh else None)
