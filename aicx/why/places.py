"""What ties a session to a repository and to a commit's author: folders, names of folders, files' paths."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from aicx.git.history import Change
from aicx.paths import NON_REPOSITORY

_HOME = re.compile(r"(?:/Users|/home|[A-Za-z]:[\\/]Users)[\\/]([^\\/]+)")
_WORD = re.compile(r"[^\W_]+")
_MIN_NAME = 3


@dataclass(frozen=True, slots=True)
class Place:
    """A repository: its identity and the folders of its working trees."""

    project: str | None
    folders: tuple[str, ...]

    def share(self, project: str, cwd: str | None) -> float | None:
        """How surely a session worked here, from 0 to 1; None where it is known to have worked elsewhere."""
        if cwd and any(cwd == folder or cwd.startswith(f"{folder}/") for folder in self.folders):
            return 1.0
        if project != NON_REPOSITORY and self.project is not None:
            if project == self.project:
                return 1.0
            # A fork, or the same repository on another machine without its remote.
            return 0.7 if _name(project) == _name(self.project) else None
        names = {_name(place) for place in (self.project, *self.folders) if place}
        return 0.7 if cwd and names & set(cwd.split("/")) else 0.0


def same_file(named: str, path: str, cwd: str | None) -> bool:
    """Whether a tool's path means a file of the repository. A file at the top has to be in the working folder."""
    if named == path:
        return True
    if not named.endswith(f"/{path}"):
        return False
    return "/" in path or cwd is None or named.removesuffix(f"/{path}") in (cwd, ".")


def is_author(change: Change, cwd: str | None) -> bool:
    """Whether the home folder that a session worked in bears the name of a commit's author."""
    home = _HOME.match(cwd or "")
    if home is None:
        return False
    local = change.email.partition("@")[0].rpartition("+")[2]
    names = {*_words(change.author), *_words(local), "".join(_words(change.author)), local.casefold()}
    return home[1].casefold() in {name for name in names if len(name) >= _MIN_NAME}


def _words(text: str) -> Iterable[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _name(place: str) -> str:
    return place.rstrip("/").rpartition("/")[2]
