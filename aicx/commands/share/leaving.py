"""`aicx share forget` and `leave`: takes what this machine shared out again."""

from __future__ import annotations

import sys
from shutil import rmtree
from typing import Annotated

import typer

from aicx import console, options
from aicx.config import load_settings
from aicx.errors import UsageError
from aicx.share.answers import SCHEMA, ShareLeft
from aicx.share.leaving import TakenOut, erase_everything, find_own, forget_shared, said
from aicx.share.membership import need_membership, remove_membership
from aicx.storage.lock import writer_lock

Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@options.either("session")
def command(
    session: Annotated[str | None, typer.Option("--session", "-s", metavar="ID", help="A session you shared.")] = None,
    project: Annotated[str | None, typer.Option("--project", "-p", metavar="GLOB", help="Projects you shared.")] = None,
    at_once: Annotated[
        bool,
        typer.Option("--at-once", help="Delete earlier states of the tables too, though others may be searching them."),
    ] = False,
    yes: Yes = False,
    json: options.Json = False,
) -> None:
    """Take a session or a project out of the share, and keep it out. Your own corpus keeps it.

    No search finds it from now on, also where another machine of yours shared it. What other members shared themselves
    stays, and is listed. `aicx forget` takes out of the share what it takes out of your corpus.

    Example: aicx share forget --session 3f2a9c
    Example: aicx share forget --project acme/widgets --yes
    """
    if (session is None) == (project is None):
        raise UsageError("name one thing to take out", hint="--session ID or --project GLOB")
    settings = load_settings()
    membership = need_membership(settings.layout)
    with writer_lock(settings.layout.locks, settings.lock_wait_seconds, console.notify, name="share"):
        seals = find_own(settings, membership, session=session, project=project)
        _confirm(f"Take {console.plural(len(seals), 'session')} out of the share", yes=yes, json=json)
        done = forget_shared(settings, membership, seals, options.now(), at_once=at_once)
    _print(done, json=json)


def leave(
    erase: Annotated[bool, typer.Option("--erase", help="First delete everything that this machine shared.")] = False,
    yes: Yes = False,
    json: options.Json = False,
) -> None:
    """Leave the share: this home no longer pushes to it nor searches it. With --erase, what it shared is deleted.

    Example: aicx share leave --yes
    Example: aicx share leave --erase --yes
    """
    settings = load_settings()
    membership = need_membership(settings.layout)
    _confirm(f"Leave the share at {membership.address}", yes=yes, json=json)
    done = None
    with writer_lock(settings.layout.locks, settings.lock_wait_seconds, console.notify, name="share"):
        if erase:
            done = erase_everything(settings, membership)
        remove_membership(settings.layout)
        if membership.is_ssh:
            rmtree(membership.root, ignore_errors=True)
    if json:
        console.out_answer(SCHEMA, ShareLeft(membership.address, done))
        return
    if done is not None:
        _print(done, json=False)
    console.notify(f"This home is no longer part of the share at {membership.address}.")
    if done is None:
        console.notify("What it shared stays there; to take it out, join again and call aicx share leave --erase.")


def _confirm(what: str, *, yes: bool, json: bool) -> None:
    if yes:
        return
    if json or not sys.stdin.isatty():
        raise UsageError("this cannot be undone and needs a confirmation", hint="add --yes")
    typer.confirm(f"{what}?", abort=True, err=True)


def _print(done: TakenOut, *, json: bool) -> None:
    if json:
        console.out_answer(SCHEMA, done)
        return
    for line in said(done):
        console.notify(line)
    console.notify_notes(done.notes)
