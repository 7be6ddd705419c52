"""`aicx share init`, `status`, `verify`, `forget` and `leave`: an index that machines, or a team, search together."""

from __future__ import annotations

from shutil import rmtree
from typing import Annotated

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.errors import CorpusDamaged, NotFound, UsageError
from aicx.questions import Argument, Option
from aicx.share.answers import SCHEMA, ShareLeft, ShareStatus, ShareVerified
from aicx.share.leaving import TakenOut, erase_everything, find_own, forget_shared, said
from aicx.share.membership import Membership, find_membership, need_membership, new_membership, write_membership
from aicx.share.seals import list_parts, read_seals, verify_database
from aicx.share.shares import create_share, databases
from aicx.share.ssh import carry
from aicx.share.upkeep import count_unindexed
from aicx.storage.lock import writer_lock

_PUSH_AGAIN = "aicx share push --yes on the machine that pushed it sends it again"
Yes = Annotated[bool, Option("--yes", help="Do not ask.")]


def join_share(
    address: Annotated[str, Argument(help="A folder, or s3://, gs://, az://, db://, ssh:// with a path in it.")],
    member: Annotated[
        str | None, Option("--member", metavar="NAME", help="Whose rows come from here; by default your login.")
    ] = None,
    carried: Annotated[
        bool, Option("--carried", help="The folder's files are carried between machines, as Syncthing and rsync do.")
    ] = False,
) -> options.Answered:
    """Make a shared index at an address, or join the one that is there. Nothing is shared by this.

    An object store has to keep two writers apart (conditional writes): that is tried out, and one that does not is
    refused. Credentials come from the environment or from the cloud's own chain, and are never written down.

    Example: aicx share init s3://bucket/team --member ada
    Example: aicx share init ~/Sync/aicx --carried
    Example: aicx share init ssh://desktop/~/aicx-share
    """
    settings = load_settings()
    before = find_membership(settings.layout)
    membership = new_membership(address, member, carried=carried, before=before).within(settings.layout)
    carry(membership)
    create_share(settings, membership, console.notify)
    write_membership(settings.layout, membership)
    yield SCHEMA, membership
    console.notify(f"This home is {membership.own} in the share at {membership.address}. Nothing of it is shared yet.")
    console.notify("Next: aicx share push --project GLOB --dry-run")


def show_status() -> options.Answered:
    """Show what each member shares, and what this home gives.

    Example: aicx share status
    Example: aicx share status --json
    """
    settings = load_settings()
    membership = _fetched(settings)
    notes: list[str] = []
    opened = databases(membership, notes)
    parts = [part for database in opened for part in list_parts(read_seals(database))]
    unindexed = sum(map(count_unindexed, opened))
    answer = ShareStatus(
        membership.address, membership.member, membership.machine, list(membership.projects), parts, unindexed, notes
    )
    yield SCHEMA, answer
    console.out(f"address   {answer.address}")
    console.out(f"here      {membership.own}")
    console.out(f"projects  {', '.join(answer.projects) or 'none chosen'}")
    for part in parts:
        sizes = f"{console.plural(part.sessions, 'session')}, {console.plural(part.chunks, 'chunk')}"
        console.out(f"{console.style(part.member, bold=True)}  {part.machine}: {sizes}, last push {part.pushed_at}")
    if unindexed:
        console.out(f"{console.plural(unindexed, 'row')} not in the indexes yet; they are searched one by one")
    console.notify_notes(notes)


def verify(json: options.Json = False) -> None:
    """Compare every session with its seal: number of rows, keys, and digests. Exit 7 where one differs.

    Example: aicx share verify
    Example: aicx share verify --json
    """
    settings = load_settings()
    notes: list[str] = []
    opened = databases(_fetched(settings), notes)
    if not opened:
        raise NotFound("the share holds nothing yet", hint="aicx share push --project GLOB")
    found = [verify_database(database) for database in opened]
    unsound = [one for _, _, wrong in found for one in wrong]
    answer = ShareVerified(sum(one for one, _, _ in found), sum(one for _, one, _ in found), unsound, notes)
    if json:
        console.out_answer(SCHEMA, answer)
    else:
        for one in unsound:
            console.out(f"{one.key}  {one.reason}")
        sizes = f"{console.plural(answer.sessions, 'session')}, {console.plural(answer.rows, 'row')}"
        console.notify(f"Compared {sizes}: {console.plural(len(unsound), 'session')} not as sealed.")
        console.notify_notes(notes)
    if unsound:
        raise CorpusDamaged(f"{console.plural(len(unsound), 'session')} of the share not as sealed", hint=_PUSH_AGAIN)


def _fetched(settings: Settings) -> Membership:
    """The membership of this home, once what others sent to another machine was fetched."""
    membership = need_membership(settings.layout)
    if membership.is_ssh:
        with writer_lock(settings.layout.locks, settings.lock_wait_seconds, console.notify, name="share"):
            carry(membership, send=False)
    return membership


@options.either("session")
def forget_here(
    session: Annotated[str | None, Option("--session", "-s", metavar="ID", help="A session you shared.")] = None,
    project: Annotated[str | None, Option("--project", "-p", metavar="GLOB", help="Projects you shared.")] = None,
    at_once: Annotated[
        bool, Option("--at-once", help="Delete earlier states of the tables too, though others may be searching them.")
    ] = False,
    yes: Yes = False,
) -> options.Answered:
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
        _confirm(f"Take {console.plural(len(seals), 'session')} out of the share", yes=yes)
        done = forget_shared(membership, seals, options.now(), at_once=at_once)
    yield SCHEMA, done
    _print(done)


def leave(
    erase: Annotated[bool, Option("--erase", help="First delete everything that this machine shared.")] = False,
    yes: Yes = False,
) -> options.Answered:
    """Leave the share: this home no longer pushes to it nor searches it. With --erase, what it shared is deleted.

    Example: aicx share leave --yes
    Example: aicx share leave --erase --yes
    """
    settings = load_settings()
    membership = need_membership(settings.layout)
    _confirm(f"Leave the share at {membership.address}", yes=yes)
    done = None
    with writer_lock(settings.layout.locks, settings.lock_wait_seconds, console.notify, name="share"):
        if erase:
            done = erase_everything(membership)
        settings.layout.share.unlink(missing_ok=True)
        if membership.is_ssh:
            rmtree(membership.root, ignore_errors=True)
    yield SCHEMA, ShareLeft(membership.address, done)
    if done is not None:
        _print(done)
    console.notify(f"This home is no longer part of the share at {membership.address}.")
    if done is None:
        console.notify("What it shared stays there; to take it out, join again and call aicx share leave --erase.")


def _confirm(what: str, *, yes: bool) -> None:
    if not yes:
        options.need_person("this cannot be undone and needs a confirmation", "add --yes")
        console.confirm(f"{what}?")


def _print(done: TakenOut) -> None:
    for line in said(done):
        console.notify(line)
    console.notify_notes(done.notes)
