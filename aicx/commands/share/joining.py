"""`aicx share init`: makes a share, or joins one that is there."""

from __future__ import annotations

from typing import Annotated

import typer

from aicx import console, options
from aicx.config import load_settings
from aicx.share.answers import SCHEMA, joined
from aicx.share.membership import find_membership, new_membership, write_membership
from aicx.share.shares import create_share
from aicx.share.ssh import carry


def command(
    address: Annotated[str, typer.Argument(help="A folder, or s3://, gs://, az://, db://, ssh:// with a path in it.")],
    member: Annotated[
        str | None, typer.Option("--member", metavar="NAME", help="Whose rows come from here; by default your login.")
    ] = None,
    carried: Annotated[
        bool,
        typer.Option("--carried", help="The folder's files are carried between machines, as Syncthing and rsync do."),
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
    yield SCHEMA, joined(membership)
    console.notify(f"This home is {membership.own} in the share at {membership.address}. Nothing of it is shared yet.")
    console.notify("Next: aicx share push --project GLOB --dry-run")
