"""Copies of a client's configuration as it was before aicx was put into it: kept once each, beside the file."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from datetime import datetime
from glob import escape
from itertools import count
from pathlib import Path


def copies_of(target: Path) -> list[Path]:
    """The copies of the file that were kept, the newest first."""
    return sorted(target.parent.glob(f"{escape(target.name)}.aicx-*.bak"), reverse=True)


def keep(target: Path, body: bytes, now: datetime) -> Path:
    """A copy beside the file, with its mode and times: one that is there already, or one with a name that was free."""
    for copy in copies_of(target):
        if copy.read_bytes() == body:
            return copy
    for number in count(1):
        again = "" if number == 1 else f"-{number}"
        backup = target.with_name(f"{target.name}.aicx-{now:%Y%m%dT%H%M%S}{again}.bak")
        with suppress(FileExistsError):
            write_new(backup, body)
            break
    shutil.copystat(target, backup)
    return backup


def write_new(path: Path, body: bytes) -> None:
    """Writes a file that is not there yet, whole or not at all; nobody else can read it, even for a moment."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(body)
            stream.flush()
            os.fsync(descriptor)
    except OSError:
        path.unlink()
        raise
