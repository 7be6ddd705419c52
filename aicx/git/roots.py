"""Paths as the repository knows them: relative to its root, whichever working tree they were written in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from aicx.values import dataclass

# Working trees that agents and people put inside the repository.
_INNER_TREE = re.compile(r"(?P<root>.+?)/(?:\.worktrees|\.claude/worktrees)/[^/]+")
_TREE_BESIDE = re.compile(r"[._-]{1,2}worktrees?/[^/]+/")
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders that stand for the repository's root, longest first."""

    folders: tuple[str, ...]

    @classmethod
    def of(cls, folders: Iterable[str]) -> Roots:
        """The roots among working folders of one repository: one below another is a part of it."""
        plain = sorted({folder.rstrip("/") for folder in folders if folder.startswith("/")}, key=len)
        roots: list[str] = []
        for folder in plain:
            inside = next((root for root in roots if folder.startswith(f"{root}/")), None)
            if inside is None or _is_tree_in(folder, inside):
                roots.append(folder)
        return cls(tuple(sorted(roots, key=len, reverse=True)))

    def relative(self, path: str, folder: str | None = None) -> str | None:
        """``path`` relative to the root; None when it lies outside or names no file.

        A relative path is taken from ``folder``, where the session worked.
        """
        if not path or "\0" in path or "\n" in path or path.startswith("~") or "://" in path or _DRIVE.match(path):
            return None
        if not path.startswith("/"):
            place = self.relative(folder) if folder and folder.startswith("/") and folder not in self.folders else ""
            path = f"{place}/{path}" if place else path
            return _plain(path)
        root = next((root for root in self.folders if path == root or path.startswith(f"{root}/")), None)
        if root is None:
            return self._beside(path)
        inner = _INNER_TREE.match(path)
        if inner and inner["root"] == root:
            path = root + path[inner.end() :]
        return _plain(path[len(root) + 1 :])

    def _beside(self, path: str) -> str | None:
        """The same for a working tree that lies beside the repository and is named after it."""
        for root in self.folders:
            if path.startswith(root) and (found := _TREE_BESIDE.match(path, len(root))):
                return _plain(path[found.end() :])
        return None


def repository_of(folder: str) -> str:
    """The repository's own folder for a working tree that lies inside it; else ``folder``."""
    found = _INNER_TREE.match(folder)
    return found["root"] if found else folder


def inside(root: Path, path: str) -> bool:
    """Whether ``path`` names a file that is there, in the repository, after following links."""
    try:
        place = (root / path).resolve(strict=True)
        top = root.resolve()
        return place.is_file() and place.is_relative_to(top) and ".git" not in place.relative_to(top).parts
    except (OSError, RuntimeError, ValueError):
        return False


def _plain(path: str) -> str | None:
    """``path`` without detours; None for one that leads out."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or None


def _is_tree_in(folder: str, root: str) -> bool:
    return folder[len(root) :].startswith(("/.worktrees/", "/.claude/worktrees/"))
