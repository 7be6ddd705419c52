"""Copies of a client's configuration as it was before aicx was put into it: kept once each, beside the file."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from datetime import datetime
from glob import escape
from itertools import count
from pathlib import Path

from aicx.storage.atomic import create_private, part_of


def copies_of(target: Path) -> list[Path]:
    """The copies of the file that were kept, the newest first."""
    return sorted(target.parent.glob(f"{escape(target.name)}.aicx-*.bak"), reverse=True)


def keep(target: Path, body: bytes, now: datetime) -> Path:
    """A copy beside the file, with its mode and times: one that is there already, or one with a name that was free."""
    for copy in copies_of(target):
        if copy.read_bytes() == body:
            return copy
    temporary = part_of(target)
    with create_private(temporary) as stream:
        stream.write(body)
    shutil.copystat(target, temporary)
    for number in count(1):
        again = "" if number == 1 else f"-{number}"
        backup = target.with_name(f"{target.name}.aicx-{now:%Y%m%dT%H%M%S}{again}.bak")
        with suppress(FileExistsError):
            os.link(temporary, backup)
            break
    temporary.unlink()
    return backup
