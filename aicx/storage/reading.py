"""Reads small files of others: regular ones only, and no more than their beginning."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

_LIMIT = 1024 * 1024


def read_note(path: Path, limit: int = _LIMIT) -> bytes:
    """The first ``limit`` bytes of a file. Raises OSError, also for a pipe or a device, which might never end."""
    require_regular(path)
    with path.open("rb") as stream:
        return stream.read(limit)


def read_whole(path: Path) -> bytes:
    """All of a file that is going to be edited. Raises OSError as `read_note` does."""
    require_regular(path)
    return path.read_bytes()


def require_regular(path: Path) -> None:
    """Raises OSError for anything but a file, such as a pipe or a device."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "is not a regular file", str(path))


def is_endless(entry: os.DirEntry[str]) -> bool:
    """Whether it is a pipe or a device, or a link to one: who reads it might wait for ever."""
    if entry.is_file() or entry.is_dir():
        return False
    with suppress(OSError):  # a link to nothing
        mode = entry.stat().st_mode
        return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)
    return False


def endless_in(folder: Path) -> Path | None:
    """A pipe or a device directly in ``folder``; None also where there is no folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        return next((Path(entry.path) for entry in entries if is_endless(entry)), None)
    return None
