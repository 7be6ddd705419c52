"""Paths as the repository knows them: relative to its root, whichever working tree they were written in."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from aicx.folders import folded, is_absolute, relative, slashed
from aicx.values import dataclass, regex

# Working trees that agents and people put inside the repository.
_INNER_TREE = regex(r"(?P<root>.+?)/(?:\.worktrees|\.claude/worktrees)/[^/]+")
_TREE_INSIDE = regex(r"(?:\.worktrees|\.claude/worktrees)/[^/]+(?:/|$)")
_TREE_BESIDE = regex(r"[._-]{1,2}worktrees?/[^/]+/")


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders that stand for the repository's root, longest first."""

    folders: tuple[str, ...]

    @classmethod
    def of(cls, folders: Iterable[str]) -> Roots:
        """The roots among working folders of one repository: one below another is a part of it."""
        plain = {folded(folder): slashed(folder).rstrip("/") for folder in folders if is_absolute(folder)}
        roots: list[str] = []
        for folder in sorted(plain.values(), key=len):
            # A folder of a working tree inside the repository is a part of that, and not another root.
            below = [below for root in roots if (below := relative(folder, root))]
            if all(map(_TREE_INSIDE.match, below)):
                roots.append(folder)
        return cls(tuple(sorted(roots, key=len, reverse=True)))

    def relative(self, path: str, folder: str | None = None) -> str | None:
        """``path`` relative to the root; None when it lies outside or names no file.

        A relative path is taken from ``folder``, where the session worked.
        """
        if not path or "\0" in path or "\n" in path or path.startswith("~") or "://" in path:
            return None
        if not is_absolute(path):
            if folder and is_absolute(folder):
                place = self.relative(folder) if folder not in self.folders else ""
                path = path if folder.startswith("/") else path.replace("\\", "/")
                path = f"{place}/{path}" if place else path
            return _plain(path)
        for root in self.folders:
            if (below := relative(path, root)) is not None:
                return _plain(_TREE_INSIDE.sub("", below, count=1) if _TREE_INSIDE.match(below) else below)
        return self._beside(path)

    def _beside(self, path: str) -> str | None:
        """The same for a working tree that lies beside the repository and is named after it."""
        for root in self.folders:
            above, _, name = root.rpartition("/")
            below = relative(path, above) if above else path.lstrip("/")
            named = below and folded(f"{above}/{below[: len(name)]}") == folded(root)
            if below and named and (found := _TREE_BESIDE.match(below, len(name))):
                return _plain(below[found.end() :])
        return None


def repository_of(folder: str) -> str:
    """The repository's own folder for a working tree that lies inside it; else ``folder``."""
    found = _INNER_TREE.match(slashed(folder))
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
