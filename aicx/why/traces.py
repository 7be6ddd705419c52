"""What a session left of a commit: its edits of the commit's files, the commit in what git printed, when it worked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from datetime import datetime, timedelta
from typing import Literal

from aicx.corpus.places.standing import same_file
from aicx.evidence.calls import answered_calls, is_edit
from aicx.evidence.patterns import command_rules
from aicx.evidence.runs import followed
from aicx.evidence.transcript import Step
from aicx.git.subjects import plain_subject
from aicx.values import dataclass
from aicx.why.candidates import AFTER
from aicx.why.report import CommitQuery

# A shorter subject is in other commands by chance.
_MIN_SUBJECT = 12


@dataclass(slots=True)
class CommitTraces:
    """What of a commit one session holds. ``edited`` has each file's last edit before the commit."""

    edited: dict[str, Step] = field(default_factory=dict)
    named: dict[str, Step] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)  # lines that the commit adds, in the session's calls
    shared_in: dict[str, None] = field(default_factory=dict)  # chunks
    made: Literal["hash", "subject"] | None = None
    made_in: Step | None = None
    first_made: Step | None = None  # before it was amended, or made again on another base
    last: Step | None = None  # before the commit
    gap: timedelta | None = None  # from the last edit, else from the last message, to the commit

    @property
    def worked(self) -> bool:
        """Whether the session changed what the commit changed, or made it."""
        return bool(self.edited or self.shared or self.made)


def find_traces(steps: Sequence[Step], wanted: CommitQuery, cwd: str | None, *, later: bool = False) -> CommitTraces:
    """The traces of a commit in the messages of a session that came before it.

    A rebase gives a commit a later date. A session that began between, ``later`` than the commit was written, may have
    mended it in another one: of it only lines that the commit adds count, unless it made the commit again.
    """
    found = CommitTraces()
    calls = followed(answered_calls(steps))
    for call, answers in calls:
        _look_for_commit(call, answers, wanted, found)
    end = max(wanted.times, default=None)
    if found.made_in is not None:
        # Its clock decides: whatever happened to the commit's dates since.
        end = found.made_in.at
    until = end + AFTER if end else None
    for call, answers in calls:
        if until is None or call.at <= until:
            _look_for_edit(call, answers, wanted, cwd, found, only_lines=later and found.made is None)
    before = [step for step in steps if until is None or step.at <= until]
    found.last = before[-1] if before else None
    found.gap = None if later and not found.worked else _gap(found, before, wanted)
    return found


def _look_for_commit(call: Step, answers: Sequence[Step], wanted: CommitQuery, found: CommitTraces) -> None:
    commits = "commit" in call.text
    for answer in answers:
        if answer.failed:
            continue
        printed = command_rules().commit.findall(answer.text) if commits else []
        for name, subject in printed:
            by_hash = any(known.startswith(name) for known in wanted.hashes)
            if not by_hash and plain_subject(subject) not in wanted.subjects:
                continue
            found.first_made = found.first_made or answer
            # The last of several: it was amended, or is one of those that were squashed.
            if by_hash or found.made != "hash":
                found.made, found.made_in = "hash" if by_hash else "subject", answer
    silent = commits and found.made is None and answers and not answers[-1].failed
    # With `-q`, or cut off: the message is in the command.
    if silent and "git" in call.command and any(_contains(call.command, subject) for subject in wanted.subjects):
        found.made, found.made_in = "subject", answers[-1]
        found.first_made = found.first_made or answers[-1]


def edits_of(steps: Sequence[Step], wanted: CommitQuery, cwd: str | None) -> list[list[datetime]]:
    """When each of a commit's files was changed in those messages."""
    edits = [call for call, answer in answered_calls(steps) if is_edit(call) and not (answer and answer.failed)]
    return [
        [call.at for call in edits if any(same_file(named, path, cwd) for named in call.files)] for path in wanted.files
    ]


def _look_for_edit(
    call: Step, answers: Sequence[Step], wanted: CommitQuery, cwd: str | None, found: CommitTraces, *, only_lines: bool
) -> None:
    """Takes in what a call has of a commit, with ``only_lines`` where it has a line that the commit adds."""
    if any(answer.failed for answer in answers):
        return
    edits = is_edit(call)
    lines = {line.removeprefix("new_string: ").lstrip("+").strip() for line in call.text.splitlines()}
    shared = lines & wanted.added
    if only_lines and not shared:
        return
    for path in wanted.files:
        if any(same_file(named, path, cwd) for named in call.files):
            (found.edited if edits else found.named)[path] = call
        elif path in call.command:
            found.named[path] = call
    if shared:
        found.shared |= shared
        found.shared_in[call.chunk] = None


def _gap(found: CommitTraces, before: Sequence[Step], wanted: CommitQuery) -> timedelta | None:
    """The shortest time from work to a commit of that shape; none where the session began after all of them."""
    if found.made_in is not None:
        return timedelta(0)
    worked = [step.at for step in found.edited.values()] or [step.at for step in before]
    gaps = [at - moment for at in wanted.times for moment in worked if moment <= at + AFTER]
    return max(min(gaps), timedelta(0)) if gaps else None


def _contains(text: str, subject: str) -> bool:
    return len(subject) >= _MIN_SUBJECT and subject in " ".join(text.split()).casefold()
