"""`aicx install`: adds aicx to the configuration of an MCP client."""

from __future__ import annotations

import sys
from enum import StrEnum
from importlib.util import find_spec
from typing import Annotated

import typer

from aicx import console, options
from aicx.api.answers.install import SCHEMA, InstallAnswer
from aicx.config import load_settings
from aicx.errors import MissingExtra, UsageError
from aicx.servers.clients.change import Change, diff, make, plan
from aicx.servers.clients.table import CLIENTS, entry

_COLORS = {"+": "green", "-": "red", "@": "cyan"}
_DONE = {"added": "can ask aicx now", "updated": "starts aicx as it is now", "removed": "no longer has aicx"}


class Name(StrEnum):
    claude = "claude"
    codex = "codex"
    gemini = "gemini"
    cursor = "cursor"


def command(
    client: Annotated[Name, typer.Argument(help="claude, codex, gemini, or cursor.")],
    remove: Annotated[bool, typer.Option("--remove", help="Remove aicx from the list again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the change without making it.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: options.Json = False,
) -> None:
    """Let a coding agent search the corpus: add aicx to its list of MCP servers.

    Shows the change, asks, and keeps a copy of the file as it was. Every other setting in it stays. A JSON file is laid
    out anew; one with comments is left alone, and the line to add by hand is printed. Running it again changes nothing,
    and --remove restores the file as it was.

    Example: aicx install claude
    Example: aicx install codex --dry-run
    Example: aicx install gemini --remove --yes
    """
    settings = load_settings()
    found = CLIENTS[client.value]
    if not remove and find_spec("mcp") is None:
        # The client would start a server that cannot run, and say little about why.
        raise MissingExtra("`aicx serve`, which the client is to start,", "mcp")
    change = plan(found, found.file(settings), None if remove else entry(found, settings))
    if not json:
        with console.may_stay_unread(yes):
            _show(change)
    backup = None
    if not dry_run and change.action != "unchanged":
        if not yes:
            _confirm(json)
        backup = make(change, options.now())
    if json:
        kept = str(backup) if backup else None
        answer = InstallAnswer(client.value, str(change.path), change.action, dry_run, kept, list(diff(change)))
        console.out_answer(SCHEMA, answer)
        return
    if change.action == "unchanged":
        console.notify(f"{found.title} {'does not have aicx' if remove else 'has aicx already'}; nothing to change.")
        return
    if dry_run:
        console.notify("Nothing was changed; without --dry-run it would be.")
        return
    if backup:
        console.notify(f"The file as it was: {backup}")
    console.notify(f"{found.title} {_DONE[change.action]}.{'' if remove else f' Next: {found.next}.'}")


def _confirm(json: bool) -> None:
    if json or not sys.stdin.isatty():
        raise UsageError("the change needs a confirmation", hint="add --yes, or --dry-run to look first")
    typer.confirm("Make this change?", abort=True, err=True)


def _show(change: Change) -> None:
    for line in diff(change):
        console.out(console.style(line, fg=_COLORS.get(line[:1])))
