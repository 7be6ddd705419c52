"""Where work happens: a repository with its folder below ``work/``, and what git says of it now."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.config import Settings
from aicx.errors import NotFound, UsageError
from aicx.git.branches import Branches
from aicx.git.identity import Repository, find_repository
from aicx.git.roots import Roots
from aicx.git.state import Git, GitProbe, GitState
from aicx.text import is_plain_name, shorten
from aicx.values import dataclass
from aicx.work.loading import Loading, evaluate
from aicx.work.record import MAX_CHANGED, MAX_REF, MAX_TEXT, GitContext, Kind, WorkRecord, clean, title_of

if TYPE_CHECKING:
    from aicx.evidence.session_brief import SessionBrief
    from aicx.evidence.sessions import SessionRow

# Git that hangs may cost a command this much and no more, in seconds: for one question, and for all of them.
TIMEOUT, IN_ALL = 2.0, 4.0
# Commits whose place in the history is asked for; tasks beyond are taken for unmerged.
_MAX_COMMITS = 64


@dataclass(frozen=True, slots=True)
class WorkPlace:
    """A working folder and where its tasks are. ``folders`` are names below ``work/``, that of new tasks first.

    There are two where tasks were started before the folder became a repository.
    """

    repository: Repository
    folders: tuple[str, ...]

    @property
    def repo_id(self) -> str:
        return self.folders[0]

    @property
    def worktree_id(self) -> str:
        return self.repository.worktree_id

    @property
    def root(self) -> Path:
        return self.repository.root

    def relative(self, path: str, folder: Path | None = None) -> str | None:
        """``path`` from the repository's root; None where it is outside. A relative one is taken from ``folder``."""
        return Roots.of([str(self.root)]).relative(path, str(folder or self.root))


def find_place(settings: Settings, folder: Path) -> WorkPlace:
    """The place of ``folder``. Raises NotFound where there is no such folder, UsageError for a bare repository."""
    hint = "--repo takes a folder in a working copy"
    try:
        repository = find_repository(folder)
    except NotFound as error:
        raise NotFound(error.message, hint=hint) from error
    except UsageError as error:
        raise UsageError(error.message.removesuffix(": it has no files to map"), hint=hint) from error
    work = settings.layout.work
    plain = Repository(repository.root, None).repo_id
    if repository.common is not None:
        before = (plain,) if (work / plain).is_dir() else ()
        return WorkPlace(repository, (repository.repo_id, *before))
    # Without git nothing marks the top of a project but the tasks that were started there.
    for above in (repository.root, *repository.root.parents):
        if above == settings.user_home or above == above.parent:
            break
        candidate = Repository(above, None)
        if (work / candidate.repo_id).is_dir():
            return WorkPlace(candidate, (candidate.repo_id,))
    return WorkPlace(repository, (plain,))


def project_of(settings: Settings, place: WorkPlace) -> str | None:
    """What the corpus calls the repository."""
    # Imported here: reading does without it.
    from aicx.corpus.places.stored import name_in

    return name_in(settings, str(place.root))


def new_record(
    place: WorkPlace, kind: Kind, name: str, goal: str, now: datetime, context: GitContext, project: str | None
) -> WorkRecord:
    """A record that begins at ``place`` now, where git says ``context``. ``name`` is its id, ``goal`` clean already."""
    return WorkRecord(
        id=name,
        kind=kind,
        title=title_of(goal),
        goal=goal,
        repo_id=place.repo_id,
        worktree_id=place.worktree_id,
        created_at=now,
        updated_at=now,
        project=project,
        git_context=saved(context),
    )


@dataclass(slots=True)
class Present:
    """The repository as git knows it at one moment. Close it, or use it as `looking` gives it."""

    context: GitContext
    state: GitState
    _git: Git | None
    _known: dict[str, bool | None] = field(default_factory=dict)

    def loading(self, record: WorkRecord) -> Loading:
        """What the loading table says of a record here and now."""
        return evaluate(record.git_context, self.context, self.is_ancestor)

    def branches(self, names: Iterable[str]) -> Branches | None:
        """How branches stand towards the head; None where git says nothing."""
        return Branches(self._git, self.state, names) if self._git is not None and self.context.available else None

    def unfinished(self, session: SessionRow, brief: SessionBrief) -> tuple[str, str]:
        """What git is in the middle of here, and what else it shows that a session left; each may be empty."""
        if self._git is None or not self.context.available:
            return "", ""
        from aicx.work.gone_on import git_shows  # imported here: reading sessions takes the corpus

        return git_shows(self._git, self.state, session, brief)

    def is_ancestor(self, commit: str) -> bool | None:
        """Whether a commit is part of the head; None where it is not known, and beyond what is asked for at once."""
        if commit == self.context.head:
            return True
        if commit not in self._known:
            asked = self._git is not None and len(self._known) < _MAX_COMMITS
            self._known[commit] = self._ask(commit) if asked else None
        return self._known[commit]

    def _ask(self, commit: str) -> bool | None:
        assert self._git is not None
        # A record may have been edited: anything but a hash could be an option, or name something else.
        if not _is_hash(commit) or self._git.ask("cat-file", "-e", f"{commit}^{{commit}}") is None:
            return None
        return self._git.ask("merge-base", "--is-ancestor", commit, "HEAD") is not None


@contextmanager
def looking(
    place: WorkPlace, now: datetime, look: GitProbe | None = None, *, timeout: float = TIMEOUT, in_all: float = IN_ALL
) -> Iterator[Present]:
    """What git says of ``place`` now. ``look`` is one that the caller has begun there, and closes."""
    if place.repository.common is None and look is None:
        yield Present(GitContext(False, now, reason="not a git repository"), GitState("none"), None)
        return
    if look is not None:
        yield Present(context_of(look.state, now), look.state, look.git)
        return
    with GitProbe(Git(place.root, timeout, in_all)) as own:
        yield Present(context_of(own.state, now), own.state, own.git)


def context_of(state: GitState, now: datetime) -> GitContext:
    """What git says, bounded, as it may be compared and shown here; `saved` makes of it what may be stored.

    Branches are compared by their marks, which are of the names as they are.
    """
    if not state.usable:
        why = "; ".join(state.notes) or ("not a git repository" if state.kind == "none" else "git gave no answer")
        return GitContext(False, now, reason=shorten(why, MAX_TEXT))
    return GitContext(
        available=True,
        captured_at=now,
        branch=None if state.branch is None else _shown(state.branch),
        head=state.head,
        dirty=state.dirty,
        changed_files=tuple(map(_shown, state.changed[:MAX_CHANGED])),
        branch_mark=None if state.branch is None else _mark(state.branch),
    )


def _shown(name: str) -> str:
    return shorten(name, MAX_REF) if is_plain_name(name) else clean(name, MAX_REF)


def saved(context: GitContext) -> GitContext:
    """``context`` without secrets. Cleaning takes a while to load, and only who writes needs it."""
    return replace(
        context,
        branch=None if context.branch is None else clean(context.branch, MAX_REF),
        changed_files=tuple(clean(path, MAX_REF) for path in context.changed_files),
        reason=None if context.reason is None else clean(context.reason),
    )


def _mark(branch: str) -> str:
    return sha256(os.fsencode(branch)).hexdigest()[:16]


def _is_hash(text: str) -> bool:
    return len(text) in (40, 64) and all(sign in "0123456789abcdef" for sign in text)
