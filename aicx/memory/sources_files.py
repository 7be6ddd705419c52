"""The files of live sources: where they are looked for, and how they are opened.

Somebody else may have written them: only regular ones of bounded size are read, and none by a link that leads out.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Literal

from aicx.errors import NotFound, UsageError
from aicx.system import STRICT
from aicx.types import AgentHomes
from aicx.values import dataclass

Refusal = Literal["unsafe_symlink", "unreadable", "over_budget"]


class Refused(Exception):
    """A file whose content is not used, and why."""

    def __init__(self, reason: Refusal) -> None:
        super().__init__(reason)
        self.reason: Refusal = reason


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


def read_regular(place: Path, limit: int) -> tuple[bytes, datetime]:
    """A resolved file's bytes as it was opened, and when it changed last.

    Raises Refused for what is no regular file, is larger than ``limit`` or unreadable.
    """
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
    return body, datetime.fromtimestamp(about.st_mtime, UTC)


SourceKind = Literal["instructions", "rules", "memory"]

# Every file that is looked for, whose it is, and what it is for. Nothing else of a repository is read.
LISTED: tuple[tuple[str, str, SourceKind], ...] = (
    ("CLAUDE.md", "claude", "instructions"),
    (".claude/CLAUDE.md", "claude", "instructions"),
    (".claude/memory.md", "claude", "memory"),
    ("AGENTS.md", "codex", "instructions"),
    (".codex/AGENTS.md", "codex", "instructions"),
    (".codex/memory.md", "codex", "memory"),
    ("GEMINI.md", "gemini", "instructions"),
    (".cursor/rules", "cursor", "rules"),
    (".cursor/rules.md", "cursor", "rules"),
    (".cursorrules", "cursor", "rules"),
    (".github/copilot-instructions.md", "copilot", "instructions"),
)
_FOLDER = ".cursor/rules"  # the one that may be a folder
MAX_FILES = 128  # of a folder; the rest is listed and not opened
_MAX_NAMES = 2000  # of a folder that are looked at
_ENDINGS = (".md", ".mdc")
_OWNER = re.compile(r"[a-z][a-z0-9-]{0,31}")


# A file or folder outside the repository that a person named, and whose it is; None where they did not say.
Named = tuple[Path, str | None]


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A file to look at: by its name, its path for people, and the folder that it must not leave."""

    path: Path
    shown: str
    source: str
    kind: SourceKind
    top: Path | None
    id: str
    over_budget: bool = False


def listed(repository: Path) -> Iterator[SourcePlace]:
    for name, source, kind in LISTED:
        path = repository / name
        if not exists(path):
            continue
        place = SourcePlace(path, name, source, kind, repository, f"live:{source}:{name}")
        yield from _in_folder(place) if name == _FOLDER and os.path.isdir(path) else (place,)  # noqa: PTH112


def named_places(repository: Path | None, named: Iterable[Named], homes: AgentHomes | None) -> Iterator[SourcePlace]:
    for given, source in named:
        # The folder without links, to see whether it is in the repository; the file's own link is looked at later.
        path = Path(os.path.realpath(given.parent), given.name)
        if not exists(path):
            raise NotFound(f"there is no {given}", hint="name a file or a folder with --path")
        owner = source or _owner(path, homes)
        if not _OWNER.fullmatch(owner):
            raise UsageError(f"{owner!r} is not the name of a source", hint="use letters, digits and hyphens")
        if repository and path.is_relative_to(repository.resolve()):
            shown = path.relative_to(repository.resolve()).as_posix()
            place = SourcePlace(path, shown, owner, "memory", repository, f"live:{owner}:{shown}")
        else:
            place = SourcePlace(path, str(path), owner, "memory", None, _outside_id(owner, path))
        if os.path.isdir(path):  # noqa: PTH112  Path.is_dir raises for what may not be read
            # What is linked from inside a named folder was not named.
            yield from _in_folder(replace(place, top=place.top or path))
        else:
            yield place


def _outside_id(owner: str, path: Path) -> str:
    return f"live:{owner}:global:{sha256(os.fsencode(path)).hexdigest()[:12]}"


def _owner(path: Path, homes: AgentHomes | None) -> str:
    """Whose a file is that lies below an agent's own folder; ``file`` elsewhere."""
    known = {"claude": homes.claude, "codex": homes.codex, "gemini": homes.gemini} if homes else {}
    return next((agent for agent, home in known.items() if path.is_relative_to(home.resolve())), "file")


def _in_folder(folder: SourcePlace) -> Iterator[SourcePlace]:
    """The Markdown files below a folder in the order of their names. Links to folders are not followed."""
    try:
        if folder.top is not None:
            resolve_inside(folder.path, folder.top)
    except Refused:
        yield folder
        return
    found: list[Path] = []
    unreadable: list[Path] = []
    for parent, folders, files in os.walk(folder.path, onerror=lambda error: unreadable.append(Path(error.filename))):
        folders.sort()
        links = (name for name in folders if Path(parent, name).is_symlink())
        found += (Path(parent, name) for name in sorted([*files, *links]) if name.endswith(_ENDINGS))
        if len(found) >= _MAX_NAMES:
            break
    for number, path in enumerate([*sorted(found)[:_MAX_NAMES], *unreadable]):
        shown = f"{folder.shown}/{path.relative_to(folder.path).as_posix()}"
        identity = _outside_id(folder.source, path) if ":global:" in folder.id else f"live:{folder.source}:{shown}"
        yield replace(folder, path=path, shown=shown, id=identity, over_budget=number >= MAX_FILES)
