"""What the stages of `resume` share: what they go by, the report as it grows, and what only later stages need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING

from aicx.config import Settings
from aicx.corpus.catalog.database import Catalog
from aicx.evidence.commits import OtherRepositories
from aicx.evidence.sessions import SessionRow, other_folders
from aicx.evidence.statements import weigh
from aicx.git.branches import Branches, Landed
from aicx.git.state import Commit
from aicx.resume.contract import History
from aicx.resume.place import Place
from aicx.resume.query import ResumeQuery
from aicx.resume.select.ranking import Ask, Mentions, Scored
from aicx.resume.select.reader import SessionReader
from aicx.resume.select.recall import Passage, TermWeights
from aicx.resume.select.report import BriefedSession, Considered, ResumeReport
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.work.gone_on import Settled
    from aicx.work.place import WorkPlace


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
    latest: SessionRow | None = None
    landed: Landed | None = None  # what the head holds
    ask_commits: Callable[[], tuple[Sequence[Commit], int]] | None = None
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
        )

    @property
    def is_unsure(self) -> bool:
        """Whether no session is there that the work surely goes on from."""
        return self.report.resumed is None or self.report.resumed.confidence == "low"

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
