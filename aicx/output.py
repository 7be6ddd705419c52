"""Files made for people: written whole or not at all, readable by their owner only, and never over somebody's own."""

from __future__ import annotations

import os
from pathlib import Path

from aicx.errors import UsageError

_MARK_WITHIN = 4096


def check_target(path: Path, mark: bytes, *, command: str, force: bool) -> None:
    """Refuses to replace what ``command`` has not written, which has ``mark`` near its beginning."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder", hint="name the file to write")
    if force or not os.path.lexists(path):
        return
    try:
        with path.open("rb") as stream:
            ours = mark in stream.read(_MARK_WITHIN)
    except OSError:
        ours = False
    if not ours:
        raise UsageError(f"{path} exists and was not written by {command}", hint="--force replaces it")
