"""The table of MCP clients: the file with their servers, its format, and the form of an entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from aicx.config import Settings
from aicx.installation import program
from aicx.values import dataclass

NAME = "aicx"


@dataclass(frozen=True, slots=True)
class Client:
    """``key`` names the table of servers in the file; ``extra`` is what the client wants in an entry besides a command.

    ``next`` says what makes it notice.
    """

    title: str
    file: Callable[[Settings], Path]
    format: Literal["json", "toml"]
    key: str
    extra: Mapping[str, Any]
    next: str


def _claude_file(settings: Settings) -> Path:
    """Beside the folder of settings by default; inside it where CLAUDE_CONFIG_DIR names another."""
    default = settings.user_home / ".claude"
    folder = settings.user_home if settings.homes.claude == default else settings.homes.claude
    return folder / ".claude.json"


CLIENTS = {
    "claude": Client(
        "Claude Code", _claude_file, "json", "mcpServers", {"type": "stdio"}, "start a new session; /mcp lists it"
    ),
    "codex": Client(
        "Codex",
        lambda settings: settings.homes.codex / "config.toml",
        "toml",
        "mcp_servers",
        {},
        "start a new session; /mcp lists it",
    ),
    "gemini": Client(
        "Gemini CLI",
        lambda settings: settings.homes.gemini / "settings.json",
        "json",
        "mcpServers",
        {},
        "start a new session; /mcp lists it",
    ),
    "cursor": Client(
        "Cursor",
        lambda settings: settings.user_home / ".cursor" / "mcp.json",
        "json",
        "mcpServers",
        {"type": "stdio"},
        "look for it in Cursor's settings, under MCP",
    ),
}


def entry(client: Client, settings: Settings) -> dict[str, Any]:
    """What makes the client start this very aicx on this very corpus, whatever its PATH and environment are."""
    command, *arguments = program()
    found = {**client.extra, "command": command, "args": [*arguments, "serve"]}
    if settings.layout.home != settings.user_home / ".aicx":
        found["env"] = {"AICX_HOME": str(settings.layout.home.absolute())}
    return found
