"""Opens files that somebody else may have written: regular, of bounded size, never by a link that leads out."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from aicx.system import STRICT

Refusal = Literal["unsafe_symlink", "unreadable", "over_budget"]


class Refused(Exception):
    """A file whose content is not used, and why."""

    def __init__(self, reason: Refusal) -> None:
        super().__init__(reason)
        self.reason: Refusal = reason


class Content(NamedTuple):
    """A file's bytes as they were when it was opened, with the time of its last change."""

    body: bytes
    mtime: datetime


def exists(path: Path) -> bool:
    """Whether there is anything under this name: also a link that leads nowhere, and a name that may not be read."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        return True
    return True


def resolve_inside(path: Path, top: Path) -> Path:
    """``path`` without links. Raises Refused where it is not below ``top``, or is a part of git's own folder."""
    try:
        root = top.resolve(strict=True)
        if not path.resolve().is_relative_to(root):
            raise Refused("unsafe_symlink")
        place = path.resolve(strict=True)
        if ".git" in place.relative_to(root).parts:
            raise Refused("unsafe_symlink")
    except (OSError, RuntimeError, ValueError) as error:
        raise Refused("unreadable") from error
    return place


def read_regular(place: Path, limit: int) -> Content:
    """A resolved file's content. Raises Refused for what is no regular file, is larger than ``limit`` or unreadable."""
    try:
        # Never waits for a pipe, and never follows a link that took the file's place since it was resolved.
        handle = os.open(place, os.O_RDONLY | STRICT)
    except (OSError, ValueError) as error:
        raise Refused("unreadable") from error
    with os.fdopen(handle, "rb") as stream:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            raise Refused("unreadable")
        try:
            body = stream.read(limit + 1)
        except OSError as error:
            raise Refused("unreadable") from error
    if len(body) > limit:
        raise Refused("over_budget")
    return Content(body, datetime.fromtimestamp(about.st_mtime, UTC))
