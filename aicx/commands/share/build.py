"""`aicx share build`: sends the sessions of chosen projects all at once, embedded on the way, on one core or many."""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import replace
from typing import Annotated, Literal

import typer

from aicx import console, options
from aicx.commands.share.push import confirm, left_out, tell
from aicx.config import load_settings
from aicx.errors import UsageError
from aicx.share.answers import share_pushed
from aicx.share.build import build, find_choice, in_process
from aicx.share.membership import need_membership, write_membership
from aicx.share.push import plan_push
from aicx.share.shares import own_database
from aicx.share.ssh import carry
from aicx.share.upkeep import maintain
from aicx.storage.lock import writer_lock


def command(
    project: Annotated[
        list[str] | None,
        typer.Option("--project", "-p", metavar="GLOB", help="Also share these projects from now on; * and ? work."),
    ] = None,
    engine: Annotated[
        Literal["process", "ray"],
        typer.Option("--engine", help="One process, or Ray, which needs the optional part [ray]."),
    ] = "process",
    address: Annotated[
        str | None,
        typer.Option("--address", metavar="ADDRESS", help="The Ray cluster; by default this machine's cores."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, metavar="N", help="How many cores of this machine Ray may use.")
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option("--env", metavar="NAME", help="Give a cluster's workers this variable of your environment."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: options.Json = False,
) -> None:
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
            confirm(sum(len(session.chunks) for session in plan.going), json=json)
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
    tell(share_pushed(plan, pushed, dry_run=False), carried if chosen.is_ssh else None, json=json)
