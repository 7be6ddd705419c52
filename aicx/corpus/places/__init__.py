"""Where sessions happened: which repository a working folder belongs to, from all that is known of it.

Here is the repository that somebody stands in, and how surely a session worked there: folders, names, files' paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aicx.corpus.catalog import Catalog
from aicx.errors import NotFound, UsageError
from aicx.folders import folded, relative, slashed
from aicx.git.identity import find_repository
from aicx.paths import NON_REPOSITORY, safe_project
from aicx.values import dataclass

# How surely a session is one of this repository where only the name of its folder says so.
_BY_NAME = 0.7


@dataclass(frozen=True, slots=True)
class LocalRepository:
    """A repository: its identity and the folders of its working trees, first the one that is asked about.

    Without ``below`` a folder stands for itself alone: not everything below a home folder belongs together.
    """

    project: str | None
    folders: tuple[str, ...]
    below: bool = True
    common: Path | None = None  # git's own folder, which worktrees share

    @property
    def root(self) -> Path:
        """The folder that git is asked in."""
        return Path(self.folders[0])

    @property
    def name(self) -> str:
        """As answers name it: the project, or its folder where none is stored."""
        return self.project or self.folders[0]

    def share(self, project: str, cwd: str | None) -> float | None:
        """How surely a session worked here, from 0 to 1; None where it is known to have worked elsewhere."""
        if cwd and any(
            found == "" or (found and self.below) for found in (relative(cwd, folder) for folder in self.folders)
        ):
            return 1.0
        if project != NON_REPOSITORY and self.project is not None:
            if project == self.project:
                return 1.0
            # A fork, or the same repository on another machine without its remote.
            return _BY_NAME if _name(project) == _name(self.project) else None
        names = {_name(place) for place in (self.project, *self.folders) if place and self.below}
        return _BY_NAME if cwd and names & set(slashed(cwd).split("/")) else 0.0


def find_place(catalog: Catalog, user_home: Path, folder: Path) -> LocalRepository | None:
    """The repository around ``folder``, as the last run filed it; None where there is none, or no working files.

    Reads a few small files and the catalogue, and starts nothing: it is asked before every search.
    """
    try:
        repository = find_repository(folder)
    except (NotFound, UsageError, OSError):
        return None
    if repository.common is None:
        return None
    shared = repository.common.parent if repository.common.name == ".git" else repository.root
    folders = tuple(dict.fromkeys(map(str, (repository.root, shared))))
    below = not user_home.is_relative_to(repository.root)
    return LocalRepository(_project(catalog, folders, repository.common), folders, below, repository.common)


def same_file(named: str, path: str, cwd: str | None) -> bool:
    """Whether a tool's path means a file of the repository. A file at the top has to be in the working folder."""
    if named == path:
        return True
    if "\\" in named:  # of Windows, and perhaps written in another case
        return same_file(folded(named.replace("\\", "/")), path.lower(), cwd and folded(cwd))
    if not named.endswith(f"/{path}"):
        return False
    return "/" in path or cwd is None or named.removesuffix(f"/{path}") in (cwd, ".")


def _project(catalog: Catalog, folders: Sequence[str], common: Path) -> str | None:
    """The identity under which sessions of these folders are filed; where none is, one that a remote names.

    A remote's name is only taken if it is that of stored chunks: theirs hold no secrets.
    """
    marks = ",".join("?" * len(folders))
    claims = {
        row["folder"]: row["project"]
        for row in catalog.rows(f"SELECT folder, project FROM claims WHERE folder IN ({marks})", folders)
    }
    if project := next((claims[folder] for folder in folders if claims.get(folder)), None):
        return str(project)
    # Imported here: the repositories that people ask in have sessions.
    from aicx.git.identity import parts_of, remote_urls

    named = (safe_project(*parts) for url in remote_urls(common) if (parts := parts_of(url)))
    for name in filter(None, named):
        renamed = catalog.rows("SELECT new FROM renames WHERE old=?", (name,))
        project = renamed[0]["new"] if renamed else name
        if catalog.rows("SELECT 1 FROM chunks WHERE ignored=0 AND project=? LIMIT 1", (project,)):
            return str(project)
    return None


def _name(place: str) -> str:
    return place.rstrip("/").rpartition("/")[2]
