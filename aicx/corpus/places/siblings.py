"""Folders of one history: clones and worktrees that share commits, branches and files with a folder that is known.

A commit is shared when git listed the same hash and subject in both. A branch counts when its name is one that hardly
comes twice, a file when it lies deep. Teams use one branch name in several repositories and one layout in many, so
neither is enough alone; a name in common only ever adds to something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import PurePosixPath
from posixpath import normpath

from aicx.corpus.places.identity import RepositoryIdentity
from aicx.folders import is_absolute, relative, slashed
from aicx.values import dataclass, regex

_COMMIT, _BRANCH, _NAME = 3, 2, 1
_MAX_FILE_POINTS = 3
_ENOUGH = 5
_OUTWEIGHS = 2
# Of the deep files seen in a folder, this share has to be among those of the other, or they only have a layout alike.
_FILES_IN_COMMON = 0.5
_ROUNDS = 4

_INNER_TREE = regex(r"(?:\.worktrees|\.claude/worktrees|\.git/worktrees)/[^/]+/")
_TELLING_BRANCH = regex(r"(?!dependabot|renovate|release|revert)(?=.{12})[\w.]+(?:[/_-]+[\w.]+){2,}")


@dataclass(slots=True)
class FolderHistory:
    """The known history in one folder."""

    commits: set[str] = field(default_factory=set)
    branches: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)


def is_telling_branch(name: str) -> bool:
    """Whether two folders on a branch of this name are likely to be of one repository, or of one team."""
    return _TELLING_BRANCH.fullmatch(name) is not None


def is_deep(path: str) -> bool:
    return path.count("/") >= 2 and not path.startswith(("/", ".."))


def find_siblings(
    traces: Mapping[str, FolderHistory], known: Mapping[str, str], wanted: set[str], files: Callable[[str], set[str]]
) -> dict[str, RepositoryIdentity]:
    """The repository of each of the ``wanted`` folders whose history is that of ``known`` ones (folder -> project).

    ``files`` gives the deep files of a folder; it is only asked about repositories that have something in common.
    """
    histories: dict[str, _History] = {}
    for folder, project in known.items():
        histories.setdefault(project, _History(project)).add(folder, traces)
    found: dict[str, RepositoryIdentity] = {}
    for _ in range(_ROUNDS):
        new = {
            folder: match
            for folder in sorted(wanted - found.keys())
            if folder in traces and (match := _match(folder, traces[folder], histories.values(), files)) is not None
        }
        if not new:
            break
        for folder, project in new.items():
            common = histories[project].shared(folder, traces[folder], files)
            nearest = histories[project].nearest(traces[folder], traces)
            found[folder] = RepositoryIdentity(project, "learned", _reason(common, nearest))
        for folder, project in new.items():
            histories[project].add(folder, traces)
    return found


@dataclass(slots=True)
class _History:
    """All that is known of one repository's history, over its folders."""

    project: str
    folders: list[str] = field(default_factory=list)
    traces: FolderHistory = field(default_factory=FolderHistory)

    def add(self, folder: str, traces: Mapping[str, FolderHistory]) -> None:
        self.folders.append(folder)
        if folder in traces:
            self.traces.commits |= traces[folder].commits
            self.traces.branches |= traces[folder].branches

    def shared(self, folder: str, own: FolderHistory, files: Callable[[str], set[str]]) -> FolderHistory:
        common = FolderHistory(own.commits & self.traces.commits, own.branches & self.traces.branches)
        if common.commits or common.branches or _same_name(folder, self.project):
            deep = files(folder)
            common.files = {path for other in self.folders for path in deep & files(other)}
        return common

    def nearest(self, own: FolderHistory, traces: Mapping[str, FolderHistory]) -> str:
        """The folder with the most in common."""

        def shared(folder: str) -> tuple[int, int, str]:
            theirs = traces.get(folder, FolderHistory())
            return len(own.commits & theirs.commits), len(own.branches & theirs.branches), folder

        return max(self.folders, key=shared)


def _match(
    folder: str, own: FolderHistory, histories: Iterable[_History], files: Callable[[str], set[str]]
) -> str | None:
    """The one repository whose history ``folder`` shares clearly enough."""
    points = {one.project: _points(folder, one.project, one.shared(folder, own, files), files) for one in histories}
    order = sorted(points, key=lambda project: (-points[project], project))
    if not order or points[order[0]] < _ENOUGH:
        return None
    contested = len(order) > 1 and points[order[0]] < _OUTWEIGHS * points[order[1]]
    return None if contested else order[0]


def _points(folder: str, project: str, common: FolderHistory, files: Callable[[str], set[str]]) -> int:
    alike = len(common.files)
    if not common.commits and alike < _FILES_IN_COMMON * len(files(folder)):
        alike = 0
    points = _COMMIT * len(common.commits) + _BRANCH * len(common.branches) + min(alike, _MAX_FILE_POINTS)
    return points + (_same_name(folder, project) if points else 0)


def _same_name(folder: str, project: str) -> int:
    """How many parts of ``owner/repo`` the folder's path ends with."""
    path, (owner, repository) = PurePosixPath(folder.lower()), project.lower().split("/")
    return 0 if path.name != repository else _NAME * (2 if path.parent.name == owner else 1)


def _reason(common: FolderHistory, nearest: str) -> str:
    counts = [("commit", "s", common.commits), ("branch", "es", common.branches), ("file", "s", common.files)]
    said = [f"{len(found)} {noun}{'' if len(found) == 1 else ending}" for noun, ending, found in counts if found]
    return f"has {' and '.join(said)} in common with {nearest}"


def relative_to(root: str, cwd: str, path: str) -> str | None:
    """``path``, as it was named in ``cwd``, relative to ``root``; None where it lies outside."""
    path = path if is_absolute(path) else f"{slashed(cwd)}/{path}"
    inside = root_relative(root, path)
    return inside and normpath(inside)


def root_relative(root: str, path: str) -> str | None:
    """``path`` relative to ``root`` or to the worktree in it that holds it."""
    inside = relative(path, root)
    return _INNER_TREE.sub("", inside) if inside else None
