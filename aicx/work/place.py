"""Where work happens: a repository with its folder below ``work/``, and what git says of it now.

Whether a task's saved state may be used there is the loading table, a pure function; what it says to do next follows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from aicx.config import Settings
from aicx.errors import NotFound, UsageError
from aicx.git import Roots
from aicx.git.branches import Branches, Landed
from aicx.git.identity import Repository, find_repository
from aicx.git.state import Git, GitProbe, GitState
from aicx.text import is_plain_name, shorten
from aicx.values import dataclass
from aicx.work.record import (
    MAX_CHANGED,
    MAX_REF,
    MAX_TEXT,
    PREFIX,
    GitContext,
    Kind,
    Section,
    WorkRecord,
    clean,
    title_of,
)

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
    """Returns what the corpus calls the repository."""
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
        """Returns what the loading table says of a record here and now."""
        return evaluate(record.git_context, self.context, self.is_ancestor)

    def branches(self, names: Iterable[str]) -> Branches | None:
        """How branches stand towards the head; None where git says nothing."""
        return Branches(self._git, self.state, names) if self._git is not None and self.context.available else None

    def is_at_remote(self, subject: str, since: datetime) -> bool:
        """Whether a branch of a remote, as it was last fetched, has a commit of that subject made ``since``."""
        return self._git is not None and self.context.available and Landed(self._git).is_at_remote(subject, since)

    def unfinished(self, session: SessionRow, brief: SessionBrief) -> tuple[str, str]:
        """Returns what git is in the middle of here, and what else it shows that a session left; each may be empty."""
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
        is_hash = len(commit) in (40, 64) and not commit.strip("0123456789abcdef")
        if not is_hash or self._git.ask("cat-file", "-e", f"{commit}^{{commit}}") is None:
            return None
        return self._git.ask("merge-base", "--is-ancestor", commit, "HEAD") is not None


@contextmanager
def looking(
    place: WorkPlace, now: datetime, look: GitProbe | None = None, *, timeout: float = TIMEOUT, in_all: float = IN_ALL
) -> Iterator[Present]:
    """Looks at git in ``place`` as it is now. ``look`` is one that the caller has begun there, and closes."""
    if place.repository.common is None and look is None:
        yield Present(GitContext(False, now, reason="not a git repository"), GitState("none"), None)
        return
    if look is not None:
        yield Present(context_of(look.state, now), look.state, look.git)
        return
    with GitProbe(Git(place.root, timeout, in_all)) as own:
        yield Present(context_of(own.state, now), own.state, own.git)


def context_of(state: GitState, now: datetime) -> GitContext:
    """Returns what git says, bounded, as it may be compared and shown here; `saved` makes of it what may be stored.

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
        branch_mark=None if state.branch is None else sha256(os.fsencode(state.branch)).hexdigest()[:16],
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


LoadingReason = Literal[
    "no_git_context",  # nothing was known of git when it was written
    "git_unavailable",  # nothing is known of git now
    "same_branch",
    "branch_changed_but_merged",  # another branch, whose commit is part of what is checked out
    "branch_mismatch_unmerged",  # another branch, whose commit is not, or is not known here
    "dirty_branch_mismatch",  # another branch, left with changes that were never committed
]
_SKIPPED: frozenset[LoadingReason] = frozenset({"branch_mismatch_unmerged", "dirty_branch_mismatch"})
_SHORT = 12  # characters of a commit's hash

# Whether a commit is part of the head; None where this repository does not know it, or git did not answer.
IsAncestor = Callable[[str], bool | None]


@dataclass(frozen=True, slots=True)
class Loading:
    """Whether the state of a task may be used here and now, and why."""

    loadable: Annotated[bool, "whether it may be used"]
    reason: Annotated[
        LoadingReason,
        "`no_git_context`, `git_unavailable`, `same_branch`, `branch_changed_but_merged`, `branch_mismatch_unmerged` or"
        " `dirty_branch_mismatch`",
        str,
    ]
    warning: Annotated[str | None, "what to look out for, in words; or null"]
    saved_branch: Annotated[str | None, "the branch that it was left on"]
    current_branch: Annotated[str | None, "the branch that is checked out"]
    saved_head: Annotated[str | None, "the commit that it was left at"]
    current_head: Annotated[str | None, "the commit that is checked out"]


class Loaded(NamedTuple):
    """A task, and whether its state may be used here and now.

    ``derived`` says why a session without a task counts as an open one; None for a task that somebody began.
    """

    record: WorkRecord
    loading: Loading
    derived: str | None = None


def evaluate(saved: GitContext | None, present: GitContext, is_ancestor: IsAncestor) -> Loading:
    """Compares the git context of a record with the present one. The first row that fits decides."""
    if saved is None or not saved.available:
        return _loading("no_git_context", saved, present, "it was written without git: nothing says where it holds")
    if not present.available:
        return _loading("git_unavailable", saved, present, f"git says nothing now: {present.reason or 'no answer'}")
    if _same_branch(saved, present, is_ancestor):
        return _loading("same_branch", saved, present, _moved(saved, present))
    if saved.dirty:
        warning = f"left on {_name(saved)} with changes that were not committed"
        return _loading("dirty_branch_mismatch", saved, present, warning)
    merged = is_ancestor(saved.head) if saved.head else False
    if merged:
        warning = f"left on {_name(saved)}, which is part of {_name(present)} now"
        return _loading("branch_changed_but_merged", saved, present, warning)
    why = "is not known here" if merged is None else "is not merged here"
    return _loading("branch_mismatch_unmerged", saved, present, f"left on {_name(saved)}, which {why}")


def _same_branch(saved: GitContext, present: GitContext, is_ancestor: IsAncestor) -> bool:
    if saved.branch is not None or present.branch is not None:
        if saved.branch_mark is None:  # written by hand, or by another tool
            return saved.branch == present.branch
        return saved.branch_mark == present.branch_mark
    # A detached head has no name to go by: it is the same one if it only moved on.
    return saved.head is not None and (saved.head == present.head or is_ancestor(saved.head) is True)


def _moved(saved: GitContext, present: GitContext) -> str | None:
    """Returns what changed on the same branch since then, None for nothing."""
    found = []
    if saved.head != present.head:
        found.append(f"the head moved from {_short(saved.head)} to {_short(present.head)}")
    if saved.dirty and present.dirty is False:
        found.append("changes that were not committed then are gone or committed")
    return "; ".join(found) or None


def _short(head: str | None) -> str:
    return head[:_SHORT] if head else "no commit"


def _name(git: GitContext) -> str:
    return git.branch or f"a detached head at {_short(git.head)}"


def _loading(reason: LoadingReason, saved: GitContext | None, present: GitContext, warning: str | None) -> Loading:
    return Loading(
        loadable=reason not in _SKIPPED,
        reason=reason,
        warning=warning,
        saved_branch=saved.branch if saved else None,
        current_branch=present.branch,
        saved_head=saved.head if saved else None,
        current_head=present.head,
    )


def is_stated(task: Loaded) -> bool:
    """Whether somebody began a task, or stated it at the end of a session; else a log alone says so."""
    return task.derived is None or task.record.goal_source.startswith(PREFIX)


# Where a task says nothing of its next action: the first thing of these, and what is to be done about it.
UNDONE: tuple[tuple[Section, str], ...] = (
    ("next_steps", "{}"),
    ("failing", "Fix what fails: {}"),
    ("blocked", "Get past what blocks it: {}"),
    ("questions", "Answer: {}"),
    ("unverified", "Verify: {}"),
    ("uncertainties", "Find out: {}"),
)


class NextStep(NamedTuple):
    """The next step of one task, and the field of the task that says so."""

    text: str
    field: str
    task: Loaded


def next_steps(active: Sequence[Loaded]) -> list[NextStep]:
    """The next step of each task, in their order; none of a derived one whose session left nothing that is sure."""
    return [step for task in active if (step := _next_step(task))]


def _next_step(task: Loaded) -> NextStep | None:
    record = task.record
    if record.next_action or task.derived:
        return NextStep(record.next_action, "next_action", task) if record.next_action else None
    for section, sentence in UNDONE:
        if items := record.of(section):
            return NextStep(sentence.format(items[0].text), section, task)
    return NextStep(record.goal, "goal", task)
