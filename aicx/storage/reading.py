"""Reads small files of others: regular ones only, and no more than their beginning."""

from __future__ import annotations

import errno
import stat
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
