"""What `aicx why` finds: the commits that are meant, the sessions that made them, and what those say of the reason."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from aicx.corpus.catalog.sightings import CommitSighting
from aicx.evidence.sessions import SessionRow
from aicx.git.history import HistoryCommit
from aicx.values import dataclass
from aicx.why.target import WhyTarget

if TYPE_CHECKING:
    from aicx.resume.select.ranking import Confidence
    from aicx.share.sessions import SharedSession

EvidenceKind = Literal[
    "made",  # git printed the commit, or its subject, where the session committed
    "printed",  # the session contains its hash or its number
    "files",  # the session changed files of the commit
    "lines",  # text that the commit adds is in the session's edits
    "time",  # how long before the commit the session was at work
    "text",  # words of the subject in one passage
    "place",  # the repository, or a folder named after it
    "branch",
    "author",  # the machine's user has the author's name
]
ReasonKind = Literal["asked", "found", "weighed", "decided", "failed", "passed", "reported"]


@dataclass(frozen=True, slots=True)
class CommitQuery:
    """A commit with everything that it may be found by: copies of it on other bases, commits squashed into it.

    ``weight`` is its share of the target, from 0 to 1. ``change`` has no hash for what is not committed yet.
    ``name`` is what was asked for where git does not know it: a hash, a number such as `#12`, or a subject. Where no
    log shows it being made, its time is that of ``first_seen``, the chunk that shows it first.
    ``path`` is the file that was asked about.
    """

    change: HistoryCommit
    weight: float
    hashes: tuple[str, ...]
    subjects: tuple[str, ...]
    times: tuple[datetime, ...]
    copies: tuple[HistoryCommit, ...] = ()
    added: frozenset[str] = frozenset()
    branches: tuple[str, ...] = ()
    name: str = ""
    first_seen: str = ""
    path: str | None = None

    @property
    def authored_at(self) -> datetime:
        """When the last of its shapes was written, whatever its date became since."""
        return max(one.authored_at for one in (self.change, *self.copies))

    @property
    def files(self) -> tuple[str, ...]:
        """Those of its files that count: ``path`` alone where the commit changed it under that name, else all."""
        return (self.path,) if self.path in self.change.files else self.change.files


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that ties a session to a commit."""

    kind: Annotated[
        EvidenceKind, "`made`, `printed`, `files`, `lines`, `time`, `text`, `place`, `branch` or `author`", str
    ]
    text: Annotated[str, "in a few words"]
    worth: Annotated[float, "its part of the session's score"]
    refs: tuple[str, ...] = ()


class CommitSession(NamedTuple):
    """A session that may have made a commit. ``commit`` is the one that it has most to do with."""

    session: SessionRow
    score: float
    confidence: Confidence
    evidence: tuple[Evidence, ...]
    commit: str

    @property
    def chunks(self) -> tuple[str, ...]:
        """The chunks that show it, without their prefix."""
        refs = (ref for item in self.evidence for ref in item.refs)
        return tuple(dict.fromkeys(ref.removeprefix("chunk:") for ref in refs))


class ReasonLine(NamedTuple):
    """A line from a session that says why, and its chunk."""

    kind: ReasonKind
    text: str
    at: datetime
    ref: str
    session: SessionRow


@dataclass(frozen=True, slots=True)
class WhyReport:
    target: WhyTarget
    project: str | None
    wanted: tuple[CommitQuery, ...]
    sessions: tuple[CommitSession, ...]
    reason: tuple[ReasonLine, ...]
    sightings: tuple[CommitSighting, ...]
    notes: tuple[str, ...]
    team: tuple[SharedSession, ...] = ()  # of other members, where a share was asked
