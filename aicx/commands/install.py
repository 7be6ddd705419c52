"""`aicx init --mcp`: adds aicx to the configuration of an MCP client."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated, Literal

from aicx import console, options
from aicx.agents.change import diff, make
from aicx.agents.mcp_entry import keep_copy, plan_entry
from aicx.agents.table import AGENTS, SERVERS, entry
from aicx.commands.init import confirm, show
from aicx.config import load_settings
from aicx.errors import MissingExtra
from aicx.questions import Argument, Option
from aicx.values import dataclass

SCHEMA = "aicx.install/1"


@dataclass(frozen=True, slots=True)
class InstallAnswer:
    """The change, made or only shown."""

    client: Annotated[str, "the client's name"]
    file: Annotated[str, "the file changed"]
    action: Annotated[Literal["added", "updated", "removed", "unchanged"], "what was done"]
    dry_run: bool
    backup: Annotated[str | None, "the file as it was before; null with `--remove` and where there was no file"]
    diff: Annotated[list[str], "lines of a unified diff, secrets replaced"]


_DONE = {"added": "can ask aicx now", "updated": "starts aicx as it is now", "removed": "no longer has aicx"}


def command(
    client: Annotated[
        Literal["claude", "codex", "gemini", "cursor"], Argument(help="claude, codex, gemini, or cursor.")
    ],
    remove: Annotated[bool, Option("--remove", help="Remove aicx from the list again.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show the change without making it.")] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Do not ask.")] = False,
    json: options.Json = False,
) -> None:
    """Let a coding agent search the corpus: add aicx to its list of MCP servers.

    Shows the change, asks, and keeps a copy of the file as it was. Everything else in it stays, comments and layout
    included. Running it again changes nothing, and --remove restores the file as it was.

    Example: aicx init --mcp claude
    Example: aicx init --mcp codex --dry-run
    Example: aicx init --mcp gemini --remove --yes
    """
    settings = load_settings()
    title, servers = AGENTS[client].title, SERVERS[client]
    if not remove and find_spec("mcp") is None:
        # The client would start a server that cannot run, and say little about why.
        raise MissingExtra("`aicx serve`, which the client is to start,", "mcp")
    action, change = plan_entry(servers, servers.file(settings), None if remove else entry(servers, settings))
    if not json:
        with console.may_stay_unread(yes):
            show([change])
    backup = None
    if not dry_run and action != "unchanged":
        confirm([change], yes=yes)
        backup = None if remove else keep_copy(change, options.now())
        make([change])
    if json:
        kept = str(backup) if backup else None
        console.out_answer(SCHEMA, InstallAnswer(client, str(change.path), action, dry_run, kept, list(diff(change))))
    elif action == "unchanged":
        console.notify(f"{title} {'does not have aicx' if remove else 'has aicx already'}; nothing to change.")
    elif dry_run:
        console.notify("Nothing was changed; without --dry-run it would be.")
    else:
        if backup:
            console.notify(f"The file as it was: {backup}")
        console.notify(f"{title} {_DONE[action]}.{'' if remove else f' Next: {servers.next}.'}")
