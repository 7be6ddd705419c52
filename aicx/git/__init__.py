"""Git: which repository and worktree a folder belongs to, and the state of its branches, always read-only.

Here is how git is called for a look at a repository that somebody else may have set up: running nothing that it names.
And paths as the repository knows them: relative to its root, whichever working tree they were written in.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
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


# A repository's own settings may name programs that git would run for a mere look; and a look writes nothing.
_FLAGS = (
    "--no-optional-locks",
    "--no-pager",
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
    *("-c", "core.quotePath=0"),
)
# A clone may hold a folder that git takes for a bare repository, with settings that came with the clone.
_NO_BARE = ("-c", "safe.bareRepository=explicit")
# A look must not fetch either: a partial clone names where from, and by which program.
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
# Set inside hooks, where they would lead every question to another repository; `git rev-parse --local-env-vars` lists
# them. GIT_CONFIG would have `git config` read another file than the rest of git does.
_MISLEADING = frozenset(
    {
        *("GIT_COMMON_DIR", "GIT_CONFIG", "GIT_DIR", "GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY"),
        *("GIT_PREFIX", "GIT_WORK_TREE"),
    }
)
# Names of all settings in force, from every file that git reads them from. Asking runs nothing.
LIST_SETTINGS = ("config", "--null", "--name-only", "--list")
# Empty, a filter does nothing; and one that is not required may do nothing.
_FILTER_OFF = {"clean": "", "process": "", "smudge": "", "required": "false"}


def command(folder: Path, *arguments: str, bare: bool = False) -> list[str]:
    """``git arguments`` at ``folder``; ``bare`` lets git take it for a bare repository."""
    return ["git", "-C", str(folder), *_FLAGS, *(() if bare else _NO_BARE), *arguments]


def environment() -> dict[str, str]:
    """Returns the environment that git runs in: nothing of another repository, and no key that aicx was given."""
    kept = {name: value for name, value in os.environ.items() if name not in _MISLEADING and name[:5] != "AICX_"}
    return kept | _ENVIRONMENT


def without_filters(environ: Mapping[str, str], listed: str) -> dict[str, str]:
    """``environ`` with every filter of the settings turned off, for a call of git that compares files with the index.

    ``listed`` is what `LIST_SETTINGS` printed at the same folder. The user's own filters are off too: git-lfs would in
    turn run what the repository's settings name.
    """
    given = environ.get("GIT_CONFIG_COUNT", "")
    count = int(given) if given.isdecimal() else 0
    found = dict(environ)
    for name in sorted(set(listed.split("\0"))):
        last = name.rpartition(".")[2]
        if name.startswith("filter.") and last in _FILTER_OFF:
            found[f"GIT_CONFIG_KEY_{count}"] = name
            found[f"GIT_CONFIG_VALUE_{count}"] = _FILTER_OFF[last]
            count += 1
    return found | {"GIT_CONFIG_COUNT": str(count)}
