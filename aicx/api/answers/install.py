"""`aicx.install/1`: a change to the configuration of an MCP client."""

from __future__ import annotations

from typing import Annotated, Literal

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
