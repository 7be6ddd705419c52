"""The commits that are asked about with their copies, and the shape of everything that is found about them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from aicx.corpus.catalog.sightings import CommitSighting
from aicx.evidence.sessions import SessionRow
from aicx.git.history import (
    CommitPatch,
    HistoryCommit,
    branches_with,
    list_hashes,
    read_changes,
    read_log,
    read_patches,
)
from aicx.git.state import Git, GitState
from aicx.git.subjects import plain_subject
from aicx.values import dataclass, regex
from aicx.why.target import WhyTarget

if TYPE_CHECKING:
    from aicx.resume.ranking import Confidence
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
    ``path`` is the file that was asked about. ``earlier`` are the subjects in its history of the weeks before.
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
    earlier: frozenset[str] = frozenset()

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


@dataclass(frozen=True, slots=True)
class WhyReason:
    """A line quoted from a session."""

    kind: Annotated[ReasonKind, "what the line is; `found` names the cause of what was changed"]
    text: Annotated[str, "the line"]
    at: datetime
    ref: Annotated[str, "its chunk"]
    session_id: str


@dataclass(frozen=True, slots=True)
class WhyReport:
    target: WhyTarget
    project: str | None
    wanted: tuple[CommitQuery, ...]
    sessions: tuple[CommitSession, ...]
    reason: tuple[WhyReason, ...]
    sightings: tuple[CommitSighting, ...]
    notes: tuple[str, ...]
    team: tuple[SharedSession, ...] = ()  # of other members, where a share was asked


# How far apart a commit and its copies are looked for; a branch that waits longer is found by its own message.
_SPAN = timedelta(days=30)
_MAX_COPIES = 20
_ITEM = regex(r"^\s*[-*] (\S.*)$", re.MULTILINE)
_MERGED = regex(r"^Merge (?:pull request #\d+ from [^\s/]+/|(?:remote-tracking )?branch ')([^\s']+)")
# A subject of fewer words ("fix tests") is that of many commits.
_MIN_WORDS = 3


def find_wanted(git: Git, weights: Mapping[str, float]) -> list[CommitQuery]:
    """The commits of a target with their copies, the most important first. One walk through the log serves them all."""
    changes = read_changes(git, list(weights))
    if not changes:
        return []
    merged = {
        change.hash: list_hashes(git, _MAX_COPIES, "--no-merges", change.hash, f"^{change.parents[0]}")
        for change in changes
        if len(change.parents) > 1
    }
    first = min(min(change.authored_at, change.committed_at) for change in changes) - _SPAN
    last = max(max(change.authored_at, change.committed_at) for change in changes) + _SPAN
    log = {one.hash: one for one in read_log(git, first, last)}
    likely = _likely(changes, log.values(), merged)
    near = list(dict.fromkeys(copy.hash for copies in likely.values() for copy in copies))
    patches = read_patches(git, [*(change.hash for change in changes), *near])
    found = [_wanted(git, change, weights[change.hash], likely[change.hash], patches, merged) for change in changes]
    found = [replace(one, earlier=frozenset(_earlier(one.change, log)) - {*one.subjects}) for one in found]
    return sorted(found, key=lambda item: -item.weight)


def _likely(
    changes: Sequence[HistoryCommit], log: Iterable[HistoryCommit], merged: Mapping[str, Sequence[str]]
) -> dict[str, list[HistoryCommit]]:
    """For each commit those of the log that may be copies or parts of it. Linear: three look-ups for each line."""
    found: dict[str, list[HistoryCommit]] = {change.hash: [] for change in changes}
    by_subject: dict[str, list[str]] = {}
    by_author: dict[tuple[str, object], list[str]] = {}
    by_hash: dict[str, list[str]] = {}
    for change in changes:
        for subject in {plain_subject(change.subject), *map(plain_subject, _ITEM.findall(change.body))}:
            if len(subject.split()) >= _MIN_WORDS:
                by_subject.setdefault(subject, []).append(change.hash)
        # A rebase keeps both.
        by_author.setdefault((change.email, change.authored_at), []).append(change.hash)
        for part in merged.get(change.hash, ()):
            by_hash.setdefault(part, []).append(change.hash)
    for other in log:
        owners = [
            *by_subject.get(plain_subject(other.subject), ()),
            *by_author.get((other.email, other.authored_at), ()),
            *by_hash.get(other.hash, ()),
        ]
        for owner in dict.fromkeys(owners):
            if owner != other.hash and len(found[owner]) < _MAX_COPIES:
                found[owner].append(other)
    return found


def _wanted(
    git: Git,
    change: HistoryCommit,
    weight: float,
    likely: Sequence[HistoryCommit],
    patches: Mapping[str, CommitPatch],
    merged: Mapping[str, Sequence[str]],
) -> CommitQuery:
    own = patches.get(change.hash, CommitPatch(""))
    own_subject, parts = plain_subject(change.subject), set(map(plain_subject, _ITEM.findall(change.body)))
    copies, again = [], False
    for other in likely:
        subject = plain_subject(other.subject)
        theirs = patches.get(other.hash, CommitPatch(""))
        if (own.id and theirs.id == own.id) or subject in parts or other.hash in merged.get(change.hash, ()):
            copies.append(other)
        elif subject == own_subject:
            # Resolving a conflict changes the patch, squashing too; the message stays.
            is_shape = _is_shape(git, change, other, own, theirs)
            copies += [other] if is_shape else []
            again = again or not is_shape
    every = [change, *copies]
    branches = [*branches_with(git, change.hash), *_MERGED.findall(change.subject)]
    # A subject that several changes have, as updates of a dependency do, tells of none of them who made it.
    subjects = {plain_subject(item.subject): None for item in every} | dict.fromkeys(parts)
    if again:
        subjects.pop(own_subject)
    return CommitQuery(
        change,
        weight,
        tuple(item.hash for item in every),
        tuple(subjects),
        tuple(dict.fromkeys(at for item in every for at in (item.authored_at, item.committed_at))),
        tuple(replace(item, files=()) for item in copies),
        own.added,
        tuple(dict.fromkeys(branches)),
    )


def _earlier(change: HistoryCommit, log: Mapping[str, HistoryCommit]) -> Iterator[str]:
    """The subjects of those commits of a log that are in the history of a commit."""
    left, met = list(change.parents), set(change.parents)
    while left:
        if (one := log.get(left.pop())) is not None:
            yield plain_subject(one.subject)
            left += [parent for parent in one.parents if parent not in met]
            met.update(one.parents)


def _is_shape(git: Git, change: HistoryCommit, other: HistoryCommit, own: CommitPatch, theirs: CommitPatch) -> bool:
    """Whether a commit with the subject of another one may be the same change on another base.

    Not where one is in the history of the other, or where both are known to add nothing alike.
    """
    if (change.email, change.authored_at) == (other.email, other.authored_at):
        return True
    if own.added and theirs.added and own.added.isdisjoint(theirs.added):
        return False
    ends = ((change.hash, other.hash), (other.hash, change.hash))
    return all(git.ask("merge-base", "--is-ancestor", *pair) is None for pair in ends)


_MAX_WORKING_FILE = 1_000_000


def wanted_of(target: WhyTarget, git: Git, state: GitState, now: datetime) -> list[CommitQuery]:
    """The commits that a target means, and what of it is not committed or not known to git."""
    found = find_wanted(git, target.weights)
    for place, item in enumerate(found):
        if item.change.hash in target.ends:  # by its message and times alone
            found[place] = replace(item, change=replace(item.change, files=()), added=frozenset())
    if target.path is not None:
        # Of a commit of many files, the one that is asked about; of one that several sessions wrote, these lines.
        asked = _lines(state, target)
        found = [replace(item, path=target.path, added=(item.added & asked) or item.added) for item in found]
    if target.path is not None and (target.changed or target.ends):
        times = (now,) if target.changed and state.usable else ()
        found.append(CommitQuery(_uncommitted(target.path, now), 1.0, (), (), times, added=_lines(state, target)))
    name = target.hash or target.subject or (target.number.name if target.number and not found else "")
    if name:
        blank = replace(_uncommitted("", now), hash=target.hash or "", subject=target.subject or "", files=())
        found.append(CommitQuery(blank, 1.0, (target.hash,) if target.hash else (), (), (), name=name))
    return found


def _uncommitted(path: str, now: datetime) -> HistoryCommit:
    return HistoryCommit("", (), "", "", now, now, "", files=(path,))


def _lines(state: GitState, target: WhyTarget) -> frozenset[str]:
    """The lines of the working tree that are asked about."""
    if state.root is None or target.path is None or target.lines is None:
        return frozenset()
    with suppress(OSError, ValueError):
        place = Path(os.path.realpath(Path(state.root) / target.path))
        if place.is_file() and place.is_relative_to(os.path.realpath(state.root)):
            with place.open("rb") as stream:
                lines = stream.read(_MAX_WORKING_FILE).decode("utf-8", "replace").splitlines()
            return frozenset(filter(None, map(str.strip, lines[target.lines[0] - 1 : target.lines[1]])))
    return frozenset()
