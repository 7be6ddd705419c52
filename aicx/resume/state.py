"""The state that the stages of `resume` share: where it is asked, the report as it grows, and what is needed later."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.places.identity import from_remote
from aicx.corpus.places.places import load_decisions
from aicx.corpus.places.stored import place_of
from aicx.errors import UsageError
from aicx.evidence.calls import OtherRepositories, merged_by
from aicx.evidence.sessions import RepositoryScope, SessionRow, known_folders, other_folders
from aicx.evidence.statements import weigh
from aicx.git import Roots, repository_of
from aicx.git.branches import Branches, Landed
from aicx.git.state import Git, GitProbe, GitState
from aicx.paths import safe_project
from aicx.resume import ResumeQuery
from aicx.resume.contract import History
from aicx.resume.ranking import Ask, Mentions, Scored
from aicx.resume.reader import SessionReader
from aicx.resume.recall import TermWeights
from aicx.resume.report import BriefedSession, Considered, Passage, ResumeReport
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.work.gone_on import Settled
    from aicx.work.place import WorkPlace


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


@dataclass(eq=False, repr=False)
class ResumeState:
    """One run. A stage puts what it finds in here, and what it looked at into ``considered``."""

    settings: Settings
    query: ResumeQuery
    catalog: Catalog
    place: Place
    reader: SessionReader
    history: History
    topic: str  # the task; empty for "make a pr for this", which goes on where work stopped, as no task does
    report: ResumeReport
    warnings: list[str] = field(default_factory=list)
    unavailable: list[str] = field(default_factory=list)
    considered: list[Considered] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)  # the parts that have to be gone without, and why
    sessions: list[SessionRow] = field(default_factory=list)  # of the repository, the newest first
    helpers: list[SessionRow] = field(default_factory=list)  # subagents among them, which are not gone on from
    latest: SessionRow | None = None
    landed: Landed | None = None  # what the head holds
    has_landed: dict[str, bool] = field(default_factory=dict)  # whether the head holds a session's work, by reference
    rarity: TermWeights = TermWeights((), ())  # of the topic's words, once it was searched for
    passages: Sequence[Passage] = ()  # that the search gave for the task
    chosen: Sequence[Passage] = ()
    ask: Ask = field(init=False)
    mentions: Mentions = field(init=False)
    ranked: Sequence[Scored] = ()
    coverages: Mapping[tuple[str, str], float] = field(default_factory=dict)  # by session, of the task's words
    branches: Branches | None = None  # where git can say how those of the best sessions stand
    unmerged: list[BriefedSession] = field(default_factory=list)  # would have come first, had they been merged

    @classmethod
    def of(cls, settings: Settings, query: ResumeQuery, catalog: Catalog, place: Place) -> ResumeState:
        elsewhere = OtherRepositories(place.scope.project, place.roots, tuple(other_folders(catalog, place.scope)))
        return cls(
            settings,
            query,
            catalog,
            place,
            SessionReader(settings.layout, catalog, query.now, elsewhere),
            History(settings.layout, catalog, place.scope.projects, query.now, query.exclude_session),
            query.task if weigh(query.task).level > 1 else "",
            ResumeReport(query.task, query.now, query.agent, place.scope.project, place.folder),
            landed=Landed(place.look.git) if place.look else None,
        )

    @property
    def is_unsure(self) -> bool:
        """Whether no session is there that the work surely goes on from."""
        return self.report.resumed is None or self.report.resumed.confidence == "low"

    @cached_property
    def merged(self) -> set[str]:
        """The numbers of the pull requests that the head holds."""
        return merged_by(one.subject for one in self.landed.commits) if self.landed else set()

    @cached_property
    def work_place(self) -> WorkPlace | None:
        """The place that tasks are kept of; None where nothing ever was recorded."""
        folder = self.query.folder
        if folder is None or self.place.state.kind == "bare" or not self.settings.layout.work.is_dir():
            return None
        from aicx.work.place import find_place  # imported here: most never begin a task

        return find_place(self.settings, folder)

    @cached_property
    def settled(self) -> Settled:
        """The tasks that were closed for good here; each costs reading a file."""
        if self.work_place is None:
            return []
        from aicx.work.derived import settled_tasks

        return settled_tasks(self.settings, self.work_place)


Stage = Callable[[ResumeState], None]
