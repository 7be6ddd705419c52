"""The files of a repository that its map covers, and detecting changes to them."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from aicx import git as gitcall
from aicx.errors import AicxError, UsageError
from aicx.git.identity import Repository, endless_file
from aicx.text import is_plain_name
from aicx.values import dataclass

if TYPE_CHECKING:
    import subprocess

# A folder without git is walked by hand; one with more files is a home or a disk rather than a project.
MAX_FILES_WITHOUT_GIT = 50_000
_SKIPPED_FOLDERS = frozenset({"build", "dist", "node_modules", "target", "venv", "__pycache__"})
# Names that could not be printed as they are, or not at all.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
GIT_SECONDS = 60.0

Source = Literal["git", "scan"]
# What tells whether a file may have changed, without opening it: size, modification and change time.
Stamp = tuple[int, int, int]


@dataclass(slots=True)
class FileListing:
    """The files that count, with what tells whether they changed, and how many entries do not count, by reason."""

    stamps: dict[str, Stamp] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def discovered(self) -> int:
        return len(self.stamps) + self.skipped.total()


def list_files(
    repository: Repository, *, git_seconds: float = GIT_SECONDS, max_without_git: int = MAX_FILES_WITHOUT_GIT
) -> FileListing:
    """Lists the files to map: tracked files, and untracked ones that are not ignored. Links are never followed."""
    listing = FileListing()
    root = repository.root
    paths = _from_git(repository, git_seconds) if repository.common else _from_scan(root, max_without_git)
    folders = _Folders(str(root))
    seen: set[str] = set()
    for path in paths:
        if path in seen:  # a conflict is listed once for each side
            continue
        seen.add(path)
        found = folders.look(path)
        if type(found) is tuple:
            listing.stamps[path] = found
        elif type(found) is str:
            listing.skipped[found] += 1
    for path in _with_secrets(listing.stamps):
        del listing.stamps[path]
        listing.skipped["secret in its name"] += 1
    return listing


def _with_secrets(paths: Iterable[str]) -> list[str]:
    """The paths that hold a secret, which no map may keep."""
    if not (unusual := [path for path in paths if not is_plain_name(path)]):
        return []
    from aicx.redaction import redact  # imported here: its rules take a while to compile, and few names need them

    return [path for path in unusual if redact(path).counts]


def is_inside(root: Path, path: str) -> bool:
    """Whether ``path`` is a file that now lies in the repository, without a link on the way to it."""
    return isinstance(_Folders(str(root)).look(path), tuple)


def stamp_of(status: os.stat_result) -> Stamp:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


class _Folders:
    """Looks at files, and at each folder above them once: git lists paths that a link may since have led astray."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._safe = {"": True}

    def look(self, path: str) -> Stamp | str | None:
        """The stamp of a file; the reason why it does not count; None when it is not there."""
        if not path.isprintable() and _UNPRINTABLE.search(path):
            return "unprintable name"
        try:
            folder = path.rpartition("/")[0]
            if not (self._safe.get(folder) or self._is_safe(folder)):
                return "link"
            status = os.lstat(f"{self._root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError:
            return "unreadable"
        if stat.S_ISREG(status.st_mode):
            return stamp_of(status)
        if stat.S_ISDIR(status.st_mode):
            return "repository within"
        return "link" if stat.S_ISLNK(status.st_mode) else "special file"

    def _is_safe(self, folder: str) -> bool:
        known = self._safe.get(folder)
        if known is None:
            known = self._is_safe(folder.rpartition("/")[0])
            known = known and not stat.S_ISLNK(os.lstat(f"{self._root}/{folder}").st_mode)
            self._safe[folder] = known
        return known


def _from_git(repository: Repository, seconds: float) -> Iterator[str]:
    """Tracked paths, then untracked ones, which take git longest: it looks for them while the first are used."""
    import subprocess  # not for a question that a stored map answers

    root = repository.root
    if (file := endless_file(repository)) is not None:
        raise AicxError(f"git cannot list the files of {root}: {file} is not a regular file", hint=f"rm {file}")
    asked = [_git(root, "ls-files", "-z", "--cached"), _git(root, "ls-files", "-z", "--others", "--exclude-standard")]
    try:
        for process in asked:
            try:
                names, complaint = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired as error:
                raise AicxError(
                    f"git did not list the files of {root} within {seconds:g} s", hint=f"git -C {root} status"
                ) from error
            if process.returncode != 0:
                reason = complaint.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
                raise AicxError(f"git cannot list the files of {root}: {reason}", hint=f"git -C {root} status")
            yield from filter(None, os.fsdecode(names).split("\0"))
    finally:
        for process in asked:
            process.kill()
            process.communicate()


def _git(root: Path, *arguments: str) -> subprocess.Popen[bytes]:
    import subprocess  # not for a question that a stored map answers

    try:
        return subprocess.Popen(
            gitcall.command(root, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=gitcall.environment(),
        )
    except OSError as error:
        raise AicxError(f"git does not start: {error.strerror or error}", hint="install git") from error


def _from_scan(root: Path, most: int) -> Iterator[str]:
    """The files below a folder that is no repository, without what tools leave behind and what is hidden."""
    pending = [""]
    count = 0
    while pending:
        folder = pending.pop()
        try:
            entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                if not entry.name.startswith(".") and entry.name not in _SKIPPED_FOLDERS:
                    pending.append(path)
                continue
            count += 1
            if count > most:
                raise UsageError(
                    f"{root} is not a git repository and holds more than {most:,} files",
                    hint="name a folder further down with --repo, or make it a repository: git init",
                )
            yield path
