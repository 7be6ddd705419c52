"""The name of a repository, from the address of a remote and from what git says of a folder on this machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from pathlib import Path

from aicx.git.identity import parts_of, remote_urls
from aicx.paths import safe_project
from aicx.sources.items import clean_project
from aicx.storage import read_note
from aicx.values import dataclass, regex

# Names that say where something lies rather than what it is.
_NO_NAMES = frozenset({"", "tmp", "temp", "src", "app", "lib", "docs", "workspace", "workspaces", "var", "home"})
_DATE_LIKE = regex(r"\d{4}[-_]?\d{2}[-_]?\d{2}.*")


@dataclass(frozen=True, slots=True)
class RepositoryIdentity:
    """A repository as ``org/repo``, which kind of evidence decided it (``repo_source`` in the sidecar), and why, in a
    few plain words."""

    project: str
    source: str
    reason: str = field(default="", compare=False)


def from_remote(url: str) -> str | None:
    """``org/repo`` of a git remote in any of its spellings; None when the URL names none."""
    parts = parts_of(url)
    return _named(*parts) if parts else None


def _named(organisation: str, repository: str) -> str | None:
    """``org/repo`` as it may be stored: a git folder and its remotes are read here, and may be named after a secret."""
    from aicx.redaction import redact  # imported here: its rules take a while to compile

    project = safe_project(organisation, repository)
    return project and clean_project(project, redact)


def from_git(folder: str, stop: Callable[[str], bool]) -> RepositoryIdentity | None:
    """Reads git's own files on ``folder`` on this machine; None where there is no repository, or no folder any more.

    ``stop`` names the folders above that own nothing below them: a dotfiles repository in a home folder does not own
    every folder that has vanished below it.
    """
    start = Path(folder)
    if not start.is_absolute() or ".." in start.parts or "\0" in folder:
        return None
    for place in (start, *start.parents):
        if place != start and stop(str(place)):
            return None
        try:
            found = (place / ".git").exists()
        except OSError:
            continue
        if found:
            return _identity(place)
    return None


def _identity(root: Path) -> RepositoryIdentity | None:
    """The repository of a folder with a ``.git``, read as files: fast, and safe in a folder somebody else wrote."""
    common = _common(root)
    if common is None:
        return None
    for url in remote_urls(common):
        if project := from_remote(url):
            return RepositoryIdentity(project, "git-remote", f"git on this machine names it as the remote of {root}")
    # A worktree is named after the repository it belongs to, not after its own folder.
    name = root.name
    if common.name in (".git", ".bare"):
        name = common.parent.name
    elif common.name.endswith(".git"):
        name = common.name.removesuffix(".git")
    if name.lower() in _NO_NAMES or _DATE_LIKE.fullmatch(name):
        return None
    project = _named("local", name)
    reason = f"{root} is a git repository without a remote"
    return RepositoryIdentity(project, "git-local", reason) if project else None


def _common(root: Path) -> Path | None:
    """The folder of git's own that all worktrees of a repository share."""
    git = root / ".git"
    try:
        if git.is_dir():
            return git
        pointer = read_note(git).decode("utf-8", "replace").strip()
        if not pointer.startswith("gitdir:"):
            return None
        folder = (root / pointer.removeprefix("gitdir:").strip()).resolve()
        shared = folder / "commondir"
        return (folder / read_note(shared).decode("utf-8", "replace").strip()).resolve() if shared.exists() else folder
    except (OSError, ValueError, RuntimeError):  # also for a name with a NUL byte, and a circle of links
        return None
