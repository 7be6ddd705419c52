"""The configuration that a repository tracks in `.aicx/config.toml`: what a team may decide for all its machines.

Whatever decides about a person's own machine is left out, and said: a clone must not switch anything on by itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from aicx.config import LOCAL_ONLY, Settings
from aicx.memory.sources_files import Refused, exists, read_regular, resolve_inside
from aicx.text import shorten
from aicx.values import dataclass

FOLDER, NAME = ".aicx", "config.toml"
# Lists of files of the repository, which the startup block names and does not quote.
SHARED = ("instruction_files", "team_files")
_MAX_BYTES = 64 * 1024
_MAX_FILES = 20
_MAX_NAME = 60  # characters of a key or a path in a warning


@dataclass(frozen=True, slots=True)
class Tracked:
    """Paths from the repository's root, in the order of the file. ``warnings`` name the file and the key."""

    instruction_files: tuple[str, ...] = ()
    team_files: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def tracked_settings(settings: Settings, root: Path) -> Tracked:
    """What the repository at ``root`` tracks. What cannot be used of the file is a warning, never an error."""
    path = root / FOLDER / NAME
    if not exists(path) or path.parent.resolve() == settings.layout.home.resolve():
        return Tracked()
    shown = f"{FOLDER}/{NAME}"
    try:
        table = _table(path, root)
    except (Refused, ValueError, RecursionError) as error:
        return Tracked(warnings=(f"{shown} is ignored: {_why(error)}",))
    warnings = [f"{shown}: {_unused(key)}" for key in table if key not in SHARED]
    found: dict[str, tuple[str, ...]] = {}
    for key in SHARED:
        files, wrong = _files(root, table.get(key, []))
        found[key] = files
        warnings += [f"{shown}: {key}: {why}" for why in wrong]
    return Tracked(**found, warnings=tuple(warnings))


def _table(path: Path, root: Path) -> dict[str, Any]:
    import tomllib  # imported here: most repositories have no such file

    return tomllib.loads(read_regular(resolve_inside(path, root), _MAX_BYTES).body.decode("utf-8"))


def _why(error: Exception) -> str:
    if isinstance(error, Refused):
        return {"unsafe_symlink": "it is a link that leads out of the repository", "over_budget": "it is too long"}.get(
            error.reason, "it cannot be read as a file"
        )
    return f"it is not TOML ({shorten(str(error), 2 * _MAX_NAME)})"


def _unused(key: str) -> str:
    name = shorten(key, _MAX_NAME)
    if key in LOCAL_ONLY:
        return f"{name} is ignored, since each person decides it for a machine of their own"
    return f"{name} is not a setting of a repository; there are {', '.join(SHARED)}"


def _files(root: Path, given: object) -> tuple[tuple[str, ...], list[str]]:
    """The files of a list that are there, and what is wrong with the others."""
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        return (), ["it must be a list of paths"]
    found, wrong = [], []
    for name in dict.fromkeys(given[:_MAX_FILES]):
        try:
            if not resolve_inside(root / name, root).is_file():
                raise Refused("unreadable")
        except Refused:
            wrong.append(f"{shorten(name, _MAX_NAME)} is not a file of the repository")
        else:
            found.append(name)
    if len(given) > _MAX_FILES:
        wrong.append(f"only the first {_MAX_FILES} paths are used")
    return tuple(found), wrong
