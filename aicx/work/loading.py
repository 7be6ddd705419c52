"""Whether a task's saved state may be used where the repository is now, and what it says to do next.

The loading table is a pure function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Literal, NamedTuple

from aicx.values import dataclass
from aicx.work.record import PREFIX, GitContext, Section, WorkRecord

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
    """What changed on the same branch since then, None for nothing."""
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
