"""Where a command about work works: the repository of `--repo`, or of the current folder."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from aicx import options
from aicx.config import Settings, load_settings
from aicx.work.place import WorkPlace, find_place


class CommandDesk(NamedTuple):
    """A desk for one action of a command."""

    settings: Settings
    place: WorkPlace
    folder: Path
    now: datetime


def open_desk(repo: str | None) -> CommandDesk:
    """The repository of ``repo`` or of the current folder. Raises NotFound, UsageError."""
    settings, folder = load_settings(), options.folder(repo)
    return CommandDesk(settings, find_place(settings, folder), folder, options.now())
