"""A request to `forget`, its plan and its outcome, and what it needs of each holder of people's text.

The holders are handed in as values: which there are is the table `aicx.engine.holders`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from pathlib import Path
from typing import Annotated, Any, Protocol

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.names import SessionKey
from aicx.corpus.files.tombstones import read_tombstones
from aicx.corpus.forget.blanking import Targets
from aicx.errors import NotFound, UsageError
from aicx.git.identity import Repository
from aicx.paths import Layout
from aicx.values import dataclass

HeldFiles = tuple[Path, ...]  # of one thing that goes as a whole
# A copy of a forgotten message in a log: the sidecar's reference to it, and the key of the text it had.
LogCopy = tuple[dict[str, Any], str]


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """Exactly one of these says what to forget."""

    session: str | None = None
    project: str | None = None
    pattern: str | None = None


@dataclass(slots=True)
class Affected:
    """One session that loses something."""

    agent: str
    session_id: str
    project: str
    title: str
    started_at: str
    parent_session: Annotated[str | None, "the session that started it"] = None
    chunks: Annotated[int, "chunks that are affected"] = 0
    messages: Annotated[int, "messages that are affected"] = 0


@dataclass(slots=True)
class ForgetPlan:
    """The plan of a `forget`: what goes, what is rewritten, and what must be remembered so that nothing comes back."""

    removed: list[str] = field(default_factory=list)  # chunk paths
    rewritten: dict[str, Targets] = field(default_factory=dict)
    references: list[str] = field(default_factory=list)  # chunks that only lose references to forgotten sessions
    sessions: set[SessionKey] = field(default_factory=set)
    projects: set[str] = field(default_factory=set)
    messages: set[str] = field(default_factory=set)
    copies: list[LogCopy] = field(default_factory=list)
    held: dict[str, list[HeldFiles]] = field(default_factory=dict)  # by holder, what is deleted outside the store
    affected: dict[SessionKey, Affected] = field(default_factory=dict)
    blanked: int = 0
    shortened: int = 0  # tool texts whose middle is not in the corpus, so a pattern could not see it
    named: int = 0  # chunks whose project, session or log is called by something the pattern matches
    before: bool = False  # nothing is left to forget, because it was done before
    pattern: str | None = None  # as it was asked for; not recorded, so that it is not known after a kill
    stays: list[str] = field(default_factory=list)  # names of what goes on, because a person stated it
    loses: bool = False  # whether something that stays loses a part of itself

    @property
    def empty(self) -> bool:
        return not (self.removed or self.rewritten or self.loses or any(self.held.values()))

    @property
    def origins(self) -> frozenset[str]:
        """The sessions, ``agent:id`` each, of which everything derived goes, with those of a forgotten project."""
        affected = self.affected if self.projects else ()
        return frozenset(f"{agent}:{session}" for agent, session in (*self.sessions, *affected))

    @property
    def repositories(self) -> frozenset[str]:
        """The ids that the folders of forgotten projects have as repositories, by which work and notes are kept."""
        folders = [Path(name) for name in self.projects if name.startswith("/")]
        return frozenset(Repository(one, common).repo_id for one in folders for common in (one / ".git", None))


@dataclass(frozen=True, slots=True)
class Erasure:
    """Everything a holder needs to lose what is planned. ``kept`` are the names below ``index/`` that stay."""

    settings: Settings
    catalog: Catalog
    plan: ForgetPlan
    kept: frozenset[str]


class TextHolder(Protocol):
    """Something below the home that holds people's text."""

    @property
    def own(self) -> frozenset[str]:
        """The names at the top of the home that it redacts again by itself."""

    @property
    def copies(self) -> tuple[str, ...]:
        """Folders below the home that are made again when they are asked for: redacting again deletes them."""

    def plan(self, layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> None:
        """Adds to ``plan`` what it holds of ``request``. Raises NotFound when that is nothing."""

    def sessions(self, layout: Layout) -> Iterable[SessionKey]:
        """The sessions that it has something of, stored or not."""

    def kept(self, settings: Settings, notify: Callable[[str], None]) -> frozenset[str]:
        """The names below ``index/`` that stay; it loses single chunks later. Raises before anything goes."""

    def erase(self, erasure: Erasure) -> None:
        """Loses what is planned. Killed at any moment, it does so again."""


def plan_forget(layout: Layout, request: ForgetRequest, holders: Iterable[TextHolder]) -> ForgetPlan:
    """Plans the changes that ``request`` asks for.

    Raises NotFound when nothing stored fits, UsageError when the words do not.
    """
    wanted = (request.session, request.project, request.pattern)
    if sum(word is not None for word in wanted) != 1:
        raise UsageError(
            "name one thing to forget", hint="exactly one of --session ID, --project NAME, --pattern REGEX"
        )
    plan = ForgetPlan(pattern=request.pattern)
    missing: NotFound | None = None
    holders = tuple(holders)
    for number, holder in enumerate(holders):
        try:
            holder.plan(layout, request, plan)
        except NotFound as error:
            missing = missing or error
        if number == 0 and request.session and not plan.sessions:
            plan.sessions |= _known_elsewhere(layout, request.session, holders)
        elif number == 0 and request.project:
            plan.projects.add(request.project.rstrip("/"))
    if missing is not None and plan.empty:
        raise missing
    return plan


def _known_elsewhere(layout: Layout, wanted: str, holders: Iterable[TextHolder]) -> set[SessionKey]:
    """The session that is meant, where nothing of it is in the store but something was made of it."""
    known = {session for holder in holders for session in holder.sessions(layout)} | read_tombstones(
        layout.tombstones
    ).sessions
    fitting = {(agent, name) for agent, name in known if name.startswith(wanted) or f"{agent}:{name}" == wanted}
    exact = {(agent, name) for agent, name in fitting if wanted in (name, f"{agent}:{name}")}
    return exact or (fitting if len(fitting) == 1 else set())
