"""What the clone at hand lacks: the history before a shallow one, contents in a partial one, repositories inside it."""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import islice
from pathlib import Path
from shlex import quote

from aicx.errors import AicxError
from aicx.git.history import shallow_ends
from aicx.git.identity import find_repository
from aicx.git.state import Git, GitState


def without_ends(hashes: list[str], git: Git, state: GitState) -> tuple[frozenset[str], list[str]]:
    """Those at which a shallow clone ends, and the others: who wrote what they seem to add is not known here."""
    ends = _ends(git).intersection(hashes) if state.shallow else frozenset[str]()
    return ends, [commit for commit in hashes if commit not in ends]


def _ends(git: Git) -> frozenset[str]:
    common = find_repository(git.folder).common
    return shallow_ends(common) if common else frozenset()


def has_line(place: Path, number: int) -> bool:
    """Whether a file of the working tree has a line of that number."""
    with suppress(OSError, ValueError):
        if place.is_file():
            with place.open("rb") as stream:
                return sum(1 for _ in islice(stream, number)) == number
    return False


def inner_place(place: Path, text: str, state: GitState) -> str | None:
    """What to ask where a path is in a repository inside this one, such as a submodule."""
    with suppress(AicxError, OSError, ValueError):
        root = find_repository(place.parent).root
        if place.exists() and state.root is not None and os.path.realpath(root) != os.path.realpath(state.root):
            folder = os.path.relpath(os.path.realpath(place.parent), os.path.realpath(root))
            inner = Path(folder, text.rpartition("/")[2]).as_posix()
            return f"it is in a repository of its own: aicx why --repo {quote(str(root))} {quote(inner)}"
    return None
