"""Where `resume` is asked: the repository as git knows it and as the corpus does."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.places.identity import from_remote
from aicx.corpus.places.places import load_decisions
from aicx.corpus.places.stored import place_of
from aicx.errors import UsageError
from aicx.evidence.sessions import RepositoryScope, known_folders
from aicx.git.roots import Roots, repository_of
from aicx.git.state import Git, GitProbe, GitState
from aicx.paths import safe_project
from aicx.resume.query import ResumeQuery
from aicx.values import dataclass

_NO_FOLDER = GitState("unavailable")


@dataclass(frozen=True, slots=True)
class Place:
    """Where the question is asked: the repository as git and as the corpus know it."""

    look: GitProbe | None
    scope: RepositoryScope
    roots: Roots
    folder: str | None

    @property
    def state(self) -> GitState:
        """All that git says; waits until it has said it."""
        return self.look.state if self.look else _NO_FOLDER


def require_folder(folder: Path) -> None:
    hint = "--repo takes a folder in a repository"
    with suppress(PermissionError):  # of a folder above it
        if not folder.is_dir():
            raise UsageError(f"{folder} is no folder", hint=hint)
        if os.access(folder, os.R_OK | os.X_OK):
            return
    raise UsageError(f"{folder} may not be read", hint=hint)


def locate(settings: Settings, query: ResumeQuery, catalog: Catalog, look: GitProbe | None) -> Place:
    state = look.place if look else _NO_FOLDER
    folder = str(look.git.folder) if look else None
    top = state.root or folder
    project = query.project
    if project is not None and project.startswith("/"):
        # Named by the folder it is worked on in, which need not exist here.
        top, project = project.rstrip("/"), None
    elif project is None and look is not None:
        decisions = load_decisions(settings.layout.projects)
        identity = place_of(catalog, settings.user_home, decisions, folder)
        project = identity.project if identity else _bare_project(look.git) if state.kind == "bare" else None
    trees = [tree.path for tree in state.worktrees]
    folders = tuple(dict.fromkeys([*([repository_of(top), top] if top else []), *trees]))
    is_home = top is not None and settings.user_home.is_relative_to(top) and not state.usable
    named = [name for name in query.also if not name.startswith("/")]
    folders += tuple(name.rstrip("/") for name in query.also if name.startswith("/"))
    scope = RepositoryScope(project, folders, below=not is_home, also=tuple(named))
    return Place(look, scope, Roots.of([*folders, *known_folders(catalog, scope)]), top)


def _bare_project(git: Git) -> str | None:
    """The identity of a bare repository, whose working trees are filed under the same."""
    url = git.ask("config", "--get", "remote.origin.url")
    if url and (project := from_remote(url.strip())):
        return project
    return safe_project("local", git.folder.name.removesuffix(".git"))
