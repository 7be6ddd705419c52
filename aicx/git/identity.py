"""The identity of a repository and of a worktree: one id each, for everything kept per repository. Its remotes are read
from its file of settings: no git is started, and nothing of it is obeyed.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Literal

from aicx.errors import NotFound, UsageError
from aicx.storage import is_endless
from aicx.values import dataclass, regex

_REMOTE = regex(r"(?:[a-z+]+://)?(?:[^@/\s]+@)?(?P<host>[^/:\s]+)(?::\d+)?[:/]+(?P<path>[^\s?#]+?)/?", re.IGNORECASE)
# What a proxy or a mirror puts before the path of a repository: the address itself, or the name of its forge.
_ADDRESS_INSIDE = regex(r"(?:^|/)https?:/+(?P<rest>[^/]+/.+)")
_FORGES = frozenset({"github.com", "gitlab.com", "bitbucket.org", "codeberg.org"})
_SHORT_FORGES = frozenset({"gh", "github"})
_LOOPBACK = regex(r"localhost|127\.[\d.]+|0\.0\.0\.0")
_HOST = regex(r"[a-z0-9]([a-z0-9.-]{0,100}[a-z0-9])?")
_SECTION = regex(r'\[\s*remote\s+"(?P<name>[^"]+)"\s*\]')
# Settings of a repository are some lines.
_MAX_BYTES = 1_000_000
# A pointer to git's folder is a path: what lies beyond is none.
_MAX_POINTER = 4096
# What git opens for almost every question: in its own folder, and at the top of the working folder.
_OPENED = (
    *("HEAD", "config", "config.worktree", "index", "packed-refs", "commondir", "shallow", "logs/HEAD"),
    *("info/exclude", "info/attributes", "info/grafts", "objects/info/alternates"),
)
_OPENED_AT_TOP = (".gitattributes", ".gitignore", ".mailmap", ".gitmodules")
_OPENED_AT_HOME = ("~/.gitconfig", "~/.config/git/config", "~/.config/git/ignore", "~/.config/git/attributes")
_MAX_REFS = 10_000  # refs; a repository with more keeps almost all of them in one file


def remote_urls(common: Path) -> list[str]:
    """The remotes' addresses, ``origin`` first; ``common`` is git's own folder. They may hold secrets."""
    config = common / "config"
    try:
        if not config.is_file():  # a pipe might never end
            return []
        with config.open("rb") as stream:
            lines = stream.read(_MAX_BYTES).decode("utf-8", "replace").splitlines()
    except (OSError, ValueError):
        return []
    urls: dict[str, str] = {}
    remote: str | None = None
    for line in map(str.strip, lines):
        if line.startswith("["):
            match = _SECTION.fullmatch(line)
            remote = match["name"] if match else None
        elif remote is not None and re.match(r"url\s*=", line):
            urls.setdefault(remote, line.split("=", 1)[1].strip())
    return [urls[name] for name in sorted(urls, key=lambda name: name != "origin")]


def parts_of(url: str) -> tuple[str, str] | None:
    """Organisation and repository of a remote in any of its spellings; None when the URL names none."""
    match = _REMOTE.fullmatch(url.strip())
    if not match or url.startswith(("/", ".", "file:")):
        return None
    if address := _ADDRESS_INSIDE.search(match["path"]):
        return parts_of(f"https://{address['rest']}")
    parts = [part for part in match["path"].removesuffix(".git").split("/") if part]
    if len(parts) > 2 and _is_proxy(match["host"].lower(), parts[0].lower()):
        del parts[0]
    # GitLab subgroups: everything before the repository is one organisation.
    return (".".join(parts[:-1]), parts[-1]) if len(parts) >= 2 else None


def is_short_forge(name: str) -> bool:
    """Whether the first part of an organisation is how a proxy abbreviates a forge."""
    return name.lower() in _SHORT_FORGES


def _is_proxy(host: str, first: str) -> bool:
    """Whether ``host`` only passes on what is at another one, which ``first`` names. A host of GitLab has subgroups."""
    if first in _FORGES or _LOOPBACK.fullmatch(host):
        return first in _FORGES or first in _SHORT_FORGES or first == "git"
    return first in _SHORT_FORGES and "gitlab" not in host


def host_of(common: Path) -> str | None:
    """The host of the first remote that names a repository, as it is compared; None where none does."""
    url = next((url for url in remote_urls(common) if parts_of(url)), "")
    match = _REMOTE.fullmatch(url.strip())
    if match is None:
        return None
    host = match["host"].lower().removeprefix("www.").removeprefix("ssh.")
    # What is no name of a host may be a secret in the wrong place.
    return host if _HOST.fullmatch(host) else sha256(host.encode("utf-8", "surrogateescape")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Repository:
    """A working folder, and git's own folder behind it, which worktrees share. Without git that is None."""

    root: Path
    common: Path | None

    @property
    def source(self) -> Literal["git", "scan"]:
        return "scan" if self.common is None else "git"

    @property
    def repo_id(self) -> str:
        """The repository's id on this machine: the same in all its worktrees, safe as a folder's name."""
        owner = self.common or self.root
        named = owner.parent if owner.name in (".git", ".bare") else owner
        return f"{_plain(named.name)}-{_hash(owner)}"

    @property
    def worktree_id(self) -> str:
        """This working folder's id: another in each worktree, safe as a file's name."""
        return f"{_plain(self.root.name)}-{_hash(self.root)}"


def find_repository(folder: Path) -> Repository:
    """The repository that ``folder`` lies in; the folder itself when it lies in none.

    Only reads names and pointers of git, so it is safe in a folder that somebody else wrote. Raises NotFound when
    there is no such folder, UsageError when it is one without working files.
    """
    try:
        start = folder.resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise NotFound(f"there is no folder {folder}", hint="aicx map status --repo FOLDER") from error
    if not start.is_dir():
        raise UsageError(f"{folder} is a file", hint="name the folder of a repository")
    for candidate in (start, *start.parents):
        if _has_git(candidate):
            return Repository(candidate, _common_folder(candidate / ".git"))
        if _is_git_folder(candidate):
            raise UsageError(
                f"{candidate} is a bare repository or git's own folder: it has no files to map",
                hint="go to a working copy, or make one: git worktree add FOLDER",
            )
    return Repository(start, None)


def endless_file(repository: Repository) -> Path | None:
    """A pipe or a device in the place of a file that git opens, which would have git wait for ever."""
    common = repository.common
    places = [common / name for name in _OPENED] if common and common.is_dir() else []
    places += [repository.root / name for name in _OPENED_AT_TOP]
    for path in (*places, *(Path(name).expanduser() for name in _OPENED_AT_HOME)):
        with suppress(OSError):
            mode = path.stat().st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                return path
    return _endless_below(common / "refs", common / "worktrees") if common else None


def _endless_below(*tops: Path) -> Path | None:
    folders, looked_at = list(tops), 0
    while folders and looked_at < _MAX_REFS:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                looked_at += 1
                if entry.is_dir(follow_symlinks=False):
                    folders.append(Path(entry.path))
                elif is_endless(entry):
                    return Path(entry.path)
    return None


def _has_git(folder: Path) -> bool:
    try:
        return (folder / ".git").exists()
    except OSError as error:
        raise UsageError(f"{folder} may not be read", hint="name the folder of a repository") from error


def _common_folder(git: Path) -> Path:
    """Git's folder that all worktrees share; ``.git`` itself where the pointers lead nowhere, and git will say so."""
    try:
        if git.is_dir():
            return git
        pointer = _read_pointer(git)
        folder = (git.parent / pointer.removeprefix("gitdir:").strip()).resolve()
        shared = folder / "commondir"
        if shared.is_file():
            folder = (folder / _read_pointer(shared)).resolve()
        return folder if folder.is_dir() else git
    except (OSError, ValueError, RuntimeError):
        return git


def _read_pointer(path: Path) -> str:
    """Raises OSError, also for a pipe or a device, which might never end."""
    if not path.is_file():
        raise OSError(errno.EINVAL, "is not a regular file", str(path))
    with path.open("rb") as stream:
        return os.fsdecode(stream.read(_MAX_POINTER)).strip()


def _is_git_folder(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:40] or "folder"


def _hash(path: Path) -> str:
    return sha256(os.fsencode(path)).hexdigest()[:16]
