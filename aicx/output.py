"""Files made for people: written whole or not at all, readable by their owner only, never over somebody's own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from aicx.errors import UnsafePath, UsageError

_MARK_WITHIN = 4096


def check_outside(path: Path, corpus: Iterable[Path], but: Path | None = None) -> None:
    """Refuses a file or folder to write that is in one of the ``corpus`` folders, whatever ``..`` and links lead there.

    ``but`` is the folder below the home that a command keeps its own results in. Raises UnsafePath.
    """
    if but is not None and _is_within(path, but):
        return
    if any(_is_within(path, folder) for folder in corpus):
        raise UnsafePath(f"{path} is in the corpus", hint="choose a place outside AICX_HOME")


def _is_within(path: Path, folder: Path) -> bool:
    """Whether writing ``path`` would write into ``folder``, by name or by being the same place on disk."""
    try:
        whole, top = path.absolute().resolve(), folder.absolute().resolve()
    except (OSError, RuntimeError) as error:
        raise UnsafePath(f"{path} cannot be followed: {error}", hint="choose another place") from error
    if whole.is_relative_to(top):
        return True
    # Another spelling where capitals do not count, or a folder that is mounted twice.
    return top.exists() and any(each.exists() and each.samefile(top) for each in (whole, *whole.parents))


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
        raise UsageError(
            f"{path} exists and was not written by {command}", hint="--force replaces it; what it holds now is lost"
        )
