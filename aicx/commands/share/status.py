"""`aicx share status` and `verify`: what a share holds, and whether its rows are those that its seals name."""

from __future__ import annotations

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.errors import CorpusDamaged, NotFound
from aicx.share.answers import SCHEMA, ShareStatus, ShareVerified
from aicx.share.checking import count_unindexed, list_parts, verify_database
from aicx.share.membership import Membership, need_membership
from aicx.share.seals import read_seals
from aicx.share.shares import databases
from aicx.share.ssh import carry
from aicx.storage.lock import writer_lock

_PUSH_AGAIN = "aicx share push --yes on the machine that pushed it sends it again"


def command() -> options.Answered:
    """Show what each member shares, and what this home gives.

    Example: aicx share status
    Example: aicx share status --json
    """
    settings = load_settings()
    membership = _fetched(settings)
    opened, notes = databases(membership)
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
    opened, notes = databases(_fetched(settings))
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
