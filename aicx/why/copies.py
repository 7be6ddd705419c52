"""The other shapes of a commit: the same change on another base, and the commits that were squashed into it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from aicx.git.history import (
    CommitPatch,
    HistoryCommit,
    branches_with,
    list_hashes,
    read_changes,
    read_log,
    read_patches,
)
from aicx.git.state import Git
from aicx.git.subjects import plain_subject
from aicx.why.report import CommitQuery

# How far apart a commit and its copies are looked for; a branch that waits longer is found by its own message.
_SPAN = timedelta(days=30)
_MAX_COPIES = 20
_ITEM = re.compile(r"^\s*[-*] (\S.*)$", re.MULTILINE)
_MERGED = re.compile(r"^Merge (?:pull request #\d+ from [^\s/]+/|(?:remote-tracking )?branch ')([^\s']+)")
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
    likely = _likely(changes, read_log(git, first, last), merged)
    near = list(dict.fromkeys(copy.hash for copies in likely.values() for copy in copies))
    patches = read_patches(git, [*(change.hash for change in changes), *near])
    found = [_wanted(git, change, weights[change.hash], likely[change.hash], patches, merged) for change in changes]
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
