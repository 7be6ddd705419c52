"""A tool, what it answers with, and the repository that its caller means."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from aicx.config import Settings
from aicx.engine.search import Searcher
from aicx.errors import UsageError
from aicx.memory.reading import Scope
from aicx.memory.recall.run import Recaller
from aicx.servers.mcp.arguments import SearchArguments, SteerArguments
from aicx.servers.mcp.replies import ReplyBounds, ToolReply
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool answers with: the thread's own searcher, the settings, the clock, and where the client works."""

    settings: Settings
    searcher: Searcher
    now: datetime
    folder: Path | None
    recaller: Recaller
    bounds: ReplyBounds


@dataclass(frozen=True, slots=True)
class ToolHandler:
    """``answer`` takes the means and a value of ``arguments``."""

    name: str
    title: str
    description: str
    arguments: type
    answer: Callable[[ToolContext, Any], ToolReply]
    only_reads: bool = True


def scope_of(means: ToolContext, repo: str | None) -> Scope:
    """The repository that is meant; without one, what holds everywhere."""
    folder = folder_of(repo) if repo else means.folder
    return means.recaller.scope(folder) if folder else Scope()


def place(means: ToolContext, asked: SearchArguments | SteerArguments) -> Path | None:
    """The folder whose repository counts more."""
    if asked.everywhere:
        return None
    return folder_of(asked.repo) if asked.repo else means.folder


def folder_of(repo: str) -> Path:
    folder = Path(repo)
    if not folder.is_absolute():
        raise UsageError("repo is not an absolute path", hint="write the whole path of a folder in the repository")
    return folder
