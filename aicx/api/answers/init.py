"""`aicx.init/1`, `aicx.clean/1`, `aicx.uninstall/1`: changes to the files of agents."""

from __future__ import annotations

from typing import Annotated, Literal

from aicx.values import dataclass

SCHEMA = "aicx.init/1"
CLEAN_SCHEMA = "aicx.clean/1"
UNINSTALL_SCHEMA = "aicx.uninstall/1"


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file, as it was changed or would be."""

    file: Annotated[str, "its path"]
    action: Annotated[Literal["created", "changed", "deleted", "unchanged"], "what was done to the file"]
    diff: Annotated[list[str], "lines of a unified diff, secrets replaced"]


@dataclass(frozen=True, slots=True)
class InitAnswer:
    """The files of one repository's agents."""

    folder: Annotated[str, "the repository's working folder"]
    agents: Annotated[list[str], "the agents that are set up in it; none after `clean`"]
    dry_run: bool
    files: Annotated[list[FileChange], "each file"]
    next: Annotated[list[str], "what a person has to do for each agent"]
    continuity: Annotated[bool, "whether notes of continuity are saved and shown by themselves"] = False
    shared: Annotated[bool, "whether the files are meant to be committed"] = False


@dataclass(frozen=True, slots=True)
class UninstallAnswer:
    """Everything that `aicx init` and `aicx install` put anywhere."""

    folders: Annotated[list[str], "working folders from which everything was taken out"]
    dry_run: bool
    files: Annotated[list[FileChange], "each file"]
    failed: Annotated[list[str], "what could not be changed, and why"]
