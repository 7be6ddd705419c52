"""The result of `resume` as values, before anything is left out to fit the budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from aicx.evidence import Statement
from aicx.evidence.session_brief import Ending, SessionBrief
from aicx.evidence.sessions import SessionRow
from aicx.git.branches import BranchState
from aicx.git.state import Commit, GitState
from aicx.resume.ranking import Confidence
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.memory.briefing import Briefing
    from aicx.repomap import EntryPoint
    from aicx.share.sessions import SharedSession
    from aicx.work.compliance import Result
    from aicx.work.contract import Contract
    from aicx.work.failures import Pattern
    from aicx.work.gone_on import LeftOpen
    from aicx.work.place import Loaded
    from aicx.work.record import WorkRecord
    from aicx.work.state import OpenTasks
    from aicx.work.strategy import Strategy
    from aicx.work.summarizer import Claim


class Reason(StrEnum):
    """Every reason there is; nothing else is ever given."""

    # What speaks for an entry, or has to be known of it.
    MATCHES_TASK = "matches_task"
    SHARES_FILES = "shares_files"
    SAME_BRANCH = "same_branch"
    SAME_FOLDER = "same_folder"
    LATEST_HERE = "latest_here"
    MERGED_BRANCH = "merged_branch"
    NAMED_IN_TASK = "named_in_task"
    CHANGED_NOW = "changed_now"
    EDITED_BEFORE = "edited_before"
    OFTEN_EDITED = "often_edited"
    READ_BEFORE = "read_before"
    IN_RECALLED = "in_recalled"
    IN_MAP = "in_map"
    NEAR_COMMIT = "near_commit"
    RELATED_REPOSITORY = "related_repository"
    OPEN_TASK = "open_task"
    STATED_LAST = "stated_last"
    RAN_SINCE = "ran_since"
    SHARED_BY_MEMBER = "shared_by_member"
    SINCE_LAST_SESSION = "since_last_session"
    OTHER_BRANCH_UNMERGED = "other_branch_unmerged"
    # Why an entry is not shown.
    SUBAGENT = "subagent"
    AUTOMATED = "automated"
    EXCLUDED_BY_USER = "excluded_by_user"
    WEAK_MATCH = "weak_match"
    ENOUGH_OF_SESSION = "enough_of_session"
    AFTER_NOW = "after_now"
    OUTSIDE_REPOSITORY = "outside_repository"
    NOT_THERE = "not_there"
    FOLDER = "folder"
    WRITTEN_BY_AICX = "written_by_aicx"
    SAYS_NOTHING = "says_nothing"
    ALTERED_ON_DISK = "altered_on_disk"
    OVER_LIMIT = "over_limit"
    OVER_BUDGET = "over_budget"
    DROPPED_BY_ARBITER = "dropped_by_arbiter"
    ADDS_LITTLE = "adds_little"  # to what is printed for people; the JSON has it


Kind = Literal["session", "chunk", "file", "symbol", "commit", "memory", "task", "handoff", "run"]


class Considered(NamedTuple):
    """One thing that was looked at. ``left_out`` is set where the selection, rather than the budget, decided.

    The reasons of a ``memory`` are those of `aicx.memory.record`.
    """

    ref: str
    kind: Kind
    score: float | None = None
    reasons: tuple[str, ...] = ()
    left_out: str | None = None
    facts: Mapping[str, Any] | None = None


Staleness = Literal["fresh", "recent", "old", "stale"]


@dataclass(frozen=True, slots=True)
class BriefedSession:
    """An earlier session: how well it fits, how its branch stands, and its brief where it was read.

    ``confidence`` is how sure it is that the work goes on from it.
    ``outcome`` is what was said last in a session of which only the end was read, ``ending`` how that left the work.
    """

    facts: SessionRow
    standing: BranchState
    score: float
    reasons: tuple[Reason, ...]
    confidence: Confidence = "low"
    brief: SessionBrief | None = None
    in_git: str = ""  # what git shows of its commits or edits
    outcome: Statement | None = None
    ending: Ending | None = None
    reopen: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A session's best passage for the task, scored as the session was. ``relation`` None for the repository's own."""

    chunk: str
    path: str
    agent: str
    session_id: str
    project: str
    cwd: str | None
    parent: str | None
    lane: str
    started_at: datetime
    completed_at: datetime
    score: float
    tier: str
    title: str | None
    lines: tuple[str, ...]
    coverage: float  # how much of the task it holds
    files: tuple[str, ...]
    relation: str | None = None
    altered: bool = False  # on disk since it was stored
    automated_why: str | None = None  # the evidence that a program ran its session
    raised: float = 1.0  # the part of the score that is for a commit which the task names and the session may have made

    @property
    def fit(self) -> float:
        """How well it fits the task by itself."""
        return self.score / self.raised

    @property
    def owner(self) -> tuple[str, str]:
        """The session it speaks for: a subagent works for the one that started it."""
        return self.agent, (self.parent or self.session_id) if self.lane == "subagent" else self.session_id


class EntryFile(NamedTuple):
    """A file to look at first, relative to the repository; ``refs`` only where a stored session named it."""

    path: str
    score: float
    reasons: tuple[Reason, ...]
    refs: tuple[str, ...] = ()


@dataclass(slots=True)
class ResumeReport:
    """Everything a new session may need, best first. It grows from one stage of `aicx.resume.run` to the next.

    ``resumed`` is the session the work goes on from; None where nothing fits or nothing is stored. ``others`` are the
    further sessions worth a line. ``considered`` has everything that was looked at, with what speaks for or against it.
    """

    task: str
    now: datetime
    agent: str | None
    project: str | None
    folder: str | None
    git: GitState = GitState("unavailable")
    commits: tuple[Commit, ...] = ()
    commit_count: int = 0
    authors: tuple[str, ...] = ()  # of these commits, who made most of them first
    resumed: BriefedSession | None = None
    latest: BriefedSession | None = None  # where nothing ties a session to what is checked out, the last one of work
    others: tuple[BriefedSession, ...] = ()
    session_count: int = 0
    recalled: tuple[Passage, ...] = ()  # as they are quoted
    files: tuple[EntryFile, ...] = ()
    map_status: Mapping[str, Any] = field(default_factory=dict)  # what the repository map could do
    symbols: tuple[EntryPoint, ...] = ()  # that it gave
    warnings: tuple[str, ...] = ()
    considered: tuple[Considered, ...] = ()
    search: Mapping[str, Any] = field(default_factory=dict)
    session_number: int = 1  # of the session that begins, among those of the repository
    unavailable: tuple[str, ...] = ()
    empty: str | None = None  # what to say in place of a brief where nothing is stored at all
    altered: tuple[str, ...] = ()  # ids of chunks that were altered on disk, of which nothing is quoted
    memory: Briefing | None = None  # what is agreed and what instruction files say, where there is a memory
    contract: Contract | None = None  # where to begin and how to prove the work; none where nothing is stored
    known_fixes: tuple[Pattern, ...] = ()  # failures that the work goes on from, and that were resolved once
    strategies: tuple[Strategy, ...] = ()  # how tasks like this one succeeded, the most alike first
    previous: Result | None = None  # how the last session kept to its contract, where one could be evaluated
    unmerged: tuple[BriefedSession, ...] = ()  # sessions left out, since their branches are not merged here
    tasks: OpenTasks | None = None  # what is open here; none where nobody ever began a task
    left: Loaded | None = None  # what was stated at the end of a session, where that is the last word of the work
    left_before: Loaded | None = None  # what was stated earlier about the task
    still_open: LeftOpen | None = None  # what the session gone on from leaves that is sure to be open
    team: tuple[SharedSession, ...] = ()  # sessions of other members, where a share was asked
    ran: tuple[WorkRecord, ...] = ()  # programs that `aicx run` ran since, the last first
    files_by: Literal["rules", "arbiter"] = "rules"  # what decided about the files to begin with
    dropped_files: frozenset[str] = frozenset()  # by the arbiter
    arbiter_note: str | None = None  # what became of asking it; None where there is none
    # Claims of a configured command, each with what its first fact is about; none where the text is by rules alone.
    summary: tuple[tuple[Claim, str], ...] = ()
    summary_by: Literal["rules", "summarizer"] = "rules"
    summary_note: str | None = None  # what became of asking for one; None where no command is configured
    short: Mapping[str, str] = field(default_factory=dict)  # session id -> the beginning that is its alone

    @property
    def is_guess(self) -> bool:
        """Whether there is a task, and little ties even the nearest session to it."""
        return bool(self.task.strip()) and self.resumed is not None and self.resumed.confidence == "low"

    def is_stated_of(self, item: BriefedSession) -> bool:
        """Whether a session itself stated how it ended, which counts before how its log ends."""
        if self.left is None:
            return False
        from aicx.work.left import is_of  # imported here: most state nothing

        return is_of(self.left.record, item.facts)

    @property
    def has_no_history(self) -> bool:
        """Whether nothing that is stored has to do with the task."""
        return bool(self.task.strip()) and not self.recalled and (self.resumed is None or self.is_guess)


def staleness(at: datetime, now: datetime) -> Staleness:
    """How old evidence is, in words: within a week, a month, a quarter, or older."""
    days = (now - at).total_seconds() / 86_400
    limits: Sequence[tuple[float, Staleness]] = ((7, "fresh"), (30, "recent"), (90, "old"))
    return next((word for limit, word in limits if days <= limit), "stale")
