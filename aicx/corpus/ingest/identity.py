"""Decides which repository a working folder belongs to, from the folder and never from the conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from aicx.paths import safe_project
from aicx.sources.door import clean_project
from aicx.sources.records import read_note

# Folders under which people keep `<org>/<repo>` checkouts.
_LAYOUT_FOLDERS = frozenset({"hosted", "repos", "repositories", "github", "git", "github.com", "gitlab.com"})
# Names that say where something lies rather than what it is.
_NO_NAMES = frozenset({"", "tmp", "temp", "src", "app", "lib", "docs", "workspace", "workspaces", "var", "home"})
_DATE_LIKE = re.compile(r"\d{4}[-_]?\d{2}[-_]?\d{2}.*")
# Worktree folders that agents and people put inside or beside the repository they belong to.
_WORKTREE = re.compile(r"(?P<root>.+?)/(?:\.worktrees|\.claude/worktrees|\.git/worktrees)/.+")
_REMOTE = re.compile(
    r"(?:[a-z+]+://)?(?:[^@/\s]+@)?(?P<host>[^/:\s]+)(?::\d+)?[:/]+(?P<path>[^\s?#]+?)/?", re.IGNORECASE
)
_SECTION = re.compile(r'\[\s*remote\s+"(?P<name>[^"]+)"\s*\]')


@dataclass(frozen=True, slots=True)
class Identity:
    """A repository as ``org/repo``, and which evidence decided it (``repo_source`` in the sidecar)."""

    project: str
    source: str


def from_remote(url: str) -> str | None:
    """``org/repo`` of a git remote in any of its spellings; None when the URL names none."""
    match = _REMOTE.fullmatch(url.strip())
    if not match or url.startswith(("/", ".", "file:")):
        return None
    parts = [part for part in match["path"].removesuffix(".git").split("/") if part]
    if len(parts) < 2:
        return None
    # GitLab subgroups: everything before the repository is one organisation.
    return _named(".".join(parts[:-1]), parts[-1])


def _named(organisation: str, repository: str) -> str | None:
    """``org/repo`` as it may be stored: a git folder and its remotes are read here, and may be named after a secret."""
    from aicx.redaction import redact  # imported here: its rules take a while to compile

    project = safe_project(organisation, repository)
    return project and clean_project(project, redact)


class Resolver:
    """Resolves working folders; remembers what it has seen, and what earlier runs learned."""

    def __init__(self, user_home: Path, learned: Mapping[str, str], stated: Mapping[str, str] | None = None) -> None:
        self._above = frozenset(map(str, (user_home, *user_home.parents)))
        self._learned = dict(learned)
        # Folder -> what a log recorded as its remote, in this run or an earlier one: both must decide alike.
        self._stated = {cwd: Identity(project, "log-remote") for cwd, project in (stated or {}).items()}
        self._cache: dict[str, Identity | None] = {}
        self._new: dict[str, str] = {}

    def take_new(self) -> dict[str, str]:
        """Folder -> project, for what was learned since the last call."""
        new, self._new = self._new, {}
        return new

    def learn(self, cwd: str, project: str) -> None:
        """Remembers that ``cwd`` belongs to ``project``, for logs that do not say so themselves."""
        if self._learned.get(cwd) != project:
            self._learned[cwd] = project
            self._new[cwd] = project
            self._cache.clear()

    def learn_remote(self, cwd: str, url: str) -> Identity | None:
        """What a remote recorded in a log says of ``cwd``. The folder itself, where it still exists, knows better."""
        found = self._from_git(cwd)
        project = from_remote(url)
        if found is not None and found.source == "git-remote":
            return found
        if project is None:
            return found
        self.learn(cwd, project)
        self._stated[cwd] = self._cache[cwd] = identity = Identity(project, "log-remote")
        return identity

    def resolve(self, cwd: str | None) -> Identity | None:
        if not cwd:
            return None
        if cwd not in self._cache:
            self._cache[cwd] = self._decide(cwd)
        return self._cache[cwd]

    def _decide(self, cwd: str) -> Identity | None:
        found = self._from_git(cwd)
        if cwd in self._stated and (found is None or found.source != "git-remote"):
            return self._stated[cwd]
        if found is not None:
            self._learned[cwd] = self._new[cwd] = found.project
            return found
        roots = [cwd]
        if match := _WORKTREE.fullmatch(cwd):
            roots.append(match["root"])
            if (found := self._from_git(match["root"])) is not None:
                return found
        for root in roots:
            for folder in (root, *map(str, PurePosixPath(root).parents)):
                if folder in self._learned and (folder == root or not self._is_home_or_above(folder)):
                    return Identity(self._learned[folder], "learned")
        for root in reversed(roots):
            if project := _from_layout(root):
                return Identity(project, "layout")
        return None

    def _is_home_or_above(self, folder: str) -> bool:
        """A dotfiles repository in the home folder does not own every folder that has vanished below it."""
        return folder in self._above

    def _from_git(self, cwd: str) -> Identity | None:
        start = Path(cwd)
        if not start.is_absolute() or ".." in start.parts or "\0" in cwd:
            return None
        for folder in (start, *start.parents):
            if folder != start and self._is_home_or_above(str(folder)):
                return None
            git = _GitFolder(folder)
            if git.exists:
                return git.identity
        return None


@dataclass(frozen=True)
class _GitFolder:
    """The git administration of one folder, read as files: fast, and safe in a folder somebody else wrote."""

    root: Path

    @cached_property
    def exists(self) -> bool:
        try:
            return (self.root / ".git").exists()
        except OSError:
            return False

    @property
    def identity(self) -> Identity | None:
        common = self._common
        if common is None:
            return None
        for url in _remote_urls(common / "config"):
            if project := from_remote(url):
                return Identity(project, "git-remote")
        # A worktree is named after the repository it belongs to, not after its own folder.
        name = self.root.name
        if common.name in (".git", ".bare"):
            name = common.parent.name
        elif common.name.endswith(".git"):
            name = common.name.removesuffix(".git")
        if name.lower() in _NO_NAMES or _DATE_LIKE.fullmatch(name):
            return None
        project = _named("local", name)
        return Identity(project, "git-local") if project else None

    @cached_property
    def _common(self) -> Path | None:
        git = self.root / ".git"
        try:
            if git.is_dir():
                return git
            pointer = read_note(git).decode("utf-8", "replace").strip()
            if not pointer.startswith("gitdir:"):
                return None
            folder = (self.root / pointer.removeprefix("gitdir:").strip()).resolve()
            shared = folder / "commondir"
            return (
                (folder / read_note(shared).decode("utf-8", "replace").strip()).resolve() if shared.exists() else folder
            )
        except (OSError, ValueError, RuntimeError):  # also for a name with a NUL byte, and a circle of links
            return None


def _remote_urls(config: Path) -> list[str]:
    """The remotes' addresses, ``origin`` first."""
    try:
        lines = read_note(config).decode("utf-8", "replace").splitlines()
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


def _from_layout(cwd: str) -> str | None:
    parts = PurePosixPath(cwd).parts
    for index, part in enumerate(parts):
        following = parts[index + 1 : index + 3]
        if (
            part.lower() in _LAYOUT_FOLDERS
            and len(following) == 2
            and not any(name.lower() in _NO_NAMES or _DATE_LIKE.fullmatch(name) for name in following)
        ):
            return _named(*following)
    return None
