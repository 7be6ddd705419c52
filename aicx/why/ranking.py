"""Ranks sessions for a commit by what each left of it: a few named signals, each worth what it says by itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from math import fsum, log
from typing import TYPE_CHECKING, Literal, NamedTuple

from aicx.corpus.places import LocalRepository, same_file
from aicx.evidence import Step
from aicx.evidence.calls import answered_calls, is_edit, is_prose
from aicx.evidence.patterns import command_rules
from aicx.evidence.runs import followed
from aicx.git.history import HistoryCommit
from aicx.git.subjects import plain_subject
from aicx.refs import Ref
from aicx.text import first_of, plural
from aicx.values import dataclass, regex
from aicx.why.candidates import AFTER, SessionCandidate, is_part
from aicx.why.commits import CommitQuery, Evidence

if TYPE_CHECKING:
    from aicx.resume.ranking import Confidence


_GOES_ON = regex(r"\bgit (?:-\S+ )*(?:rebase|cherry-pick|merge|am) --continue\b")
_REPLAYS = regex(r"\bgit (?:-\S+ )*(?:rebase|cherry-pick|am|pull (?:\S+ )*--rebase)\b")
# A shorter subject is in other commands by chance.
_MIN_SUBJECT = 12


@dataclass(slots=True)
class CommitTraces:
    """The traces of a commit in one session. ``edited`` has each file's last edit before the commit."""

    edited: dict[str, Step] = field(default_factory=dict)
    named: dict[str, Step] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)  # lines that the commit adds, in the session's calls
    shared_in: dict[str, None] = field(default_factory=dict)  # chunks
    made: Literal["hash", "subject"] | None = None
    made_in: Step | None = None
    first_made: Step | None = None  # before it was amended, or made again on another base
    replayed: bool = False  # whether that was a rebase or the like already, which makes again what was made before
    others: list[tuple[datetime, str]] = field(default_factory=list)  # when it made others before, and their subjects
    last: Step | None = None  # before the commit
    gap: timedelta | None = None  # from the last edit, else from the last message, to the commit

    @property
    def worked(self) -> bool:
        """Whether the session changed what the commit changed, or made it."""
        return bool(self.edited or self.shared or self.made)

    @property
    def is_in_another(self) -> bool:
        """Whether the session made another commit after all that it changed of this one's files."""
        if self.made or self.shared or not self.edited:
            return False
        return any(all(edit.at < at for edit in self.edited.values()) for at, _ in self.others)


def find_traces(steps: Sequence[Step], wanted: CommitQuery, cwd: str | None, *, later: bool = False) -> CommitTraces:
    """The traces of a commit in the messages of a session that came before it.

    A rebase gives a commit a later date. A session that began between, ``later`` than the commit was written, may have
    mended it in another one: of it only lines that the commit adds count, unless it made the commit again.
    """
    found = CommitTraces()
    calls = followed(answered_calls(steps))
    others = [one for call, answers in calls for one in _look_for_commit(call, answers, wanted, found)]
    end = max(wanted.times, default=None)
    if found.made_in is not None:
        # Its clock decides: whatever happened to the commit's dates since.
        end = found.made_in.at
    until = end + AFTER if end else None
    for call, answers in calls:
        if until is None or call.at <= until:
            _look_for_edit(call, answers, wanted, cwd, found, only_lines=later and found.made is None)
    found.others = [one for one in others if end is None or one[0] <= end]
    before = [step for step in steps if until is None or step.at <= until]
    found.last = before[-1] if before else None
    found.gap = None if later and not found.worked else _gap(found, before, wanted)
    return found


def _look_for_commit(
    call: Step, answers: Sequence[Step], wanted: CommitQuery, found: CommitTraces
) -> Iterator[tuple[datetime, str]]:
    """Takes in where the commit was made, and yields when others were, with their subjects."""
    commits = "commit" in call.text
    for answer in answers:
        if answer.failed:
            continue
        printed = command_rules().commit.findall(answer.text) if commits else []
        for name, subject in printed:
            by_hash = any(known.startswith(name) for known in wanted.hashes)
            if not by_hash and plain_subject(subject) not in wanted.subjects:
                yield answer.at, plain_subject(subject)
                continue
            found.replayed = found.replayed or not (found.first_made or not _REPLAYS.search(call.command))
            found.first_made = found.first_made or answer
            # The last of several: it was amended, or is one of those that were squashed.
            if by_hash or found.made != "hash":
                found.made, found.made_in = "hash" if by_hash else "subject", answer
    if answers and not answers[-1].failed and _GOES_ON.search(call.command):
        yield answers[-1].at, ""  # what was changed to resolve a conflict belongs to the commits that are made again
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


_MAIN_NAMES = frozenset({"main", "master", "trunk", "develop", "HEAD"})
# What a file counts that was read or named, not changed: an agent that changes one file reads others.
_NAMED = 0.3
# After this long a commit is half as likely to follow the work as at once. Most follow within minutes; many are made
# by hand the same day.
_HALF = timedelta(hours=2)
# What it counts to be the first to show a commit that was made again since: most of those that list one made it.
_SHOWN_FIRST = 0.5
# What it counts to have been at work at the time without changing any of the files.
_IDLE = 0.5
_MAX_REFS, _MAX_FILES = 4, 3
_SURE_FILES, _SURE_TIME, _SOME_LINES, _SOME_TEXT = 0.5, 0.3, 0.3, 0.5
# Where nothing but files ties a session to a commit, its last edit has to be of the day before: later others edit them.
_SAME_DAY = timedelta(days=1)
# Evidence that names the commit itself.
_NAMES_IT = frozenset({"made", "printed"})
# What a program of the forge committed by itself, as a newer version of a library, is no session's work.
_PROGRAM = "[bot]"
_HOME = regex(r"(?:/Users|/home|[A-Za-z]:[\\/]Users)[\\/]([^\\/]+)")
_WORD = regex(r"[^\W_]+")
_MIN_NAME = 3


@dataclass(frozen=True, slots=True)
class Weights:
    """The worth of each signal, at most.

    What git printed where the session committed is proof. Files and text of edits say what was worked on, time and
    place only that it may have been; words of the subject are those of many sessions on the same feature.
    """

    made: float = 6.0
    printed: float = 1.0
    files: float = 3.0
    lines: float = 3.0
    time: float = 2.0
    text: float = 1.5
    place: float = 1.0
    branch: float = 0.5
    author: float = 0.5
    # What a session has to reach to be shown; being in the repository on the same day is not enough.
    least: float = 1.2


class ReadCandidate(NamedTuple):
    """One candidate with what was read of it."""

    candidate: SessionCandidate
    traces: CommitTraces


def guess(candidate: SessionCandidate, wanted: CommitQuery, place: LocalRepository) -> float:
    """Returns what the catalogue alone says of a candidate, to choose those that are read."""
    gaps = [at - chunk.started_at for at in wanted.times for chunk in candidate.chunks]
    near = min((gap for gap in gaps if gap >= timedelta(0)), default=None)
    files = wanted.files
    touched = sum(any(same_file(named, path, candidate.cwd) for named in candidate.files) for path in files)
    weights = Weights()
    return (
        weights.made * candidate.printed
        + weights.files * (touched / len(files) if files else 0.0)
        + weights.time * (closeness(near) if near is not None else 0.0)
        + weights.text * candidate.text
        + weights.place * (place.share(candidate.project, candidate.cwd) or 0.0)
    )


def weigh(
    found: Sequence[ReadCandidate], wanted: CommitQuery, place: LocalRepository, weights: Weights
) -> list[tuple[ReadCandidate, list[Evidence], float, Confidence]]:
    """The candidates with their evidence, score and confidence, the best first."""
    rarity = _rarity(found, wanted)
    weighed = []
    for item in found:
        evidence = [one for one in _evidence(item, wanted, place, weights, rarity) if one.worth > 0]
        weighed.append((item, evidence, sum(one.worth for one in evidence)))
    weighed.sort(key=lambda one: (-one[2], one[0].candidate.key))
    scores = [score for _, _, score in weighed] + [0.0]
    return [
        (
            item,
            sorted(evidence, key=lambda one: -one.worth),
            score,
            # What the sessions before it explain already makes no other one sure.
            _confidence(
                item, evidence, score - scores[place + 1] if _adds(item, weighed[:place]) else 0.0, wanted, weights
            ),
        )
        for place, (item, evidence, score) in enumerate(weighed)
    ]


def _adds(item: ReadCandidate, better: Sequence[tuple[ReadCandidate, object, object]]) -> bool:
    """Whether a session changed files or wrote lines of the commit that no session before it did."""
    files = set(item.traces.edited).difference(*(one.traces.edited for one, _, _ in better))
    lines = item.traces.shared.difference(*(one.traces.shared for one, _, _ in better))
    return not better or bool(files or lines)


def closeness(gap: timedelta) -> float:
    """From 1 at once to 0 long after."""
    return 1 / (1 + gap / _HALF)


def _rarity(found: Sequence[ReadCandidate], wanted: CommitQuery) -> Mapping[str, float]:
    """Returns what each file of the commit tells: one that all candidates changed tells nothing of which it was."""
    counts = {
        path: sum(path in item.traces.edited or path in item.traces.named for item in found) for path in wanted.files
    }
    return {path: log(1 + (len(found) + 1) / (1 + count)) for path, count in counts.items()}


def _evidence(
    item: ReadCandidate, wanted: CommitQuery, place: LocalRepository, weights: Weights, rarity: Mapping[str, float]
) -> Iterator[Evidence]:
    candidate, traces = item
    if traces.made_in is not None:
        how = "the commit" if traces.made == "hash" else "a commit with this subject"
        worth = weights.made * (1.0 if traces.made == "hash" else 0.8)
        yield Evidence(
            "made", f"made {how} at {traces.made_in.at:%Y-%m-%d %H:%M} UTC", worth, (_ref(traces.made_in.chunk),)
        )
    elif candidate.remade is not None and (candidate.remade.made_in or traces.worked):
        seen = candidate.remade
        share, how = (0.8, "made") if seen.made_in else (_SHOWN_FIRST, "first showed")
        text = f"{how} a commit with this subject at {seen.first_seen:%Y-%m-%d %H:%M} UTC, which has another hash since"
        yield Evidence("made", text, weights.made * share, (_ref(seen.chunk),))
    if candidate.printed:
        refs = tuple(map(_ref, dict.fromkeys(candidate.printed_in)))[:_MAX_REFS]
        yield Evidence("printed", "contains its hash or number", weights.printed, refs)
    total = sum(rarity.values())
    if total:
        changed = dict.fromkeys(traces.edited, 1.0)
        share = fsum(rarity[path] * changed.get(path, _NAMED) for path in {*traces.edited, *traces.named}) / total
        chunks = dict.fromkeys(_ref(step.chunk) for step in (*traces.edited.values(), *traces.named.values()))
        verb, paths = ("changed", traces.edited) if traces.edited else ("named", traces.named)
        told = first_of(sorted(paths, key=lambda path: (-rarity[path], path)), _MAX_FILES)
        text = f"{verb} {len(paths)} of {plural(len(rarity), 'file')}: {told}"
        yield Evidence("files", text, weights.files * share, tuple(chunks)[:_MAX_REFS])
    if wanted.added and traces.shared:
        share = len(traces.shared) / len(wanted.added)
        text = f"{len(traces.shared)} of {plural(len(wanted.added), 'added line')} in its edits"
        yield Evidence("lines", text, weights.lines * share, tuple(map(_ref, traces.shared_in))[:_MAX_REFS])
    if traces.gap is not None:
        what = "last changed its files" if traces.edited else "at work"
        refs = (_ref(traces.last.chunk),) if traces.last else ()
        then = "it was first seen" if wanted.first_seen else "it"
        text = "at work when it was made" if not traces.gap else f"{what} {_span(traces.gap)} before {then}"
        # Sessions are open while others, or a person, make commits.
        idle = 1.0 if traces.worked or not wanted.files else _IDLE
        yield Evidence("time", text, weights.time * closeness(traces.gap) * idle, refs)
    if candidate.text:
        refs = (_ref(candidate.text_chunk),) if candidate.text_chunk else ()
        # Not that it fits: sessions about something else share words with a short subject.
        shared, of = candidate.text_terms
        said = f"one passage has {shared} of {plural(of, 'term')} of its subject" if of else "its number was named"
        yield Evidence("text", said, weights.text * candidate.text, refs)
    if share_of_place := place.share(candidate.project, candidate.cwd):
        text = "in this repository" if share_of_place == 1 else "in a folder of the repository's name"
        yield Evidence("place", text, weights.place * share_of_place)
    known = {name for name in candidate.branches if name in wanted.branches or is_part(wanted.name or " ", name)}
    if branches := known - _MAIN_NAMES:
        yield Evidence("branch", f"on branch {min(branches)}", weights.branch)
    if is_author(wanted.change, candidate.cwd):
        yield Evidence("author", "in the home folder of its author", weights.author)


def _confidence(
    item: ReadCandidate, evidence: Sequence[Evidence], lead: float, wanted: CommitQuery, weights: Weights
) -> Confidence:
    shares = {one.kind: one.worth / max(getattr(weights, one.kind), 1e-9) for one in evidence}
    files, time = shares.get("files", 0.0), shares.get("time", 0.0)
    if wanted.change.author.endswith(_PROGRAM) and "made" not in shares:
        return "low"
    lines = shares.get("lines", 0.0) >= _SOME_LINES
    worked = files >= _SURE_FILES or lines
    # What it changed it committed as something else, which history holds.
    elsewhere = item.traces.is_in_another and not shares.keys() & _NAMES_IT
    if elsewhere and not lines and any(subject in wanted.earlier for _, subject in item.traces.others):
        return "low"
    if shares.get("made", 0.0) > _SHOWN_FIRST or (worked and time >= _SURE_TIME and lead >= 1.0):
        return "high"
    # Of a request that git does not know no time is known.
    timely = time >= _SURE_TIME or not wanted.times
    worked = lines or (worked and (time >= closeness(_SAME_DAY) or not wanted.times))
    # Who neither changed anything of the commit nor made it may have read, listed or judged it.
    if wanted.files and not (item.traces.worked or "made" in shares):
        return "low"
    # Who changed only what people read of it, as a note of what is wrong, left the rest to somebody else.
    prose = [is_prose(path) for path in item.traces.edited]
    if prose and all(prose) and not all(map(is_prose, wanted.files)) and not (lines or shares.keys() & _NAMES_IT):
        return "low"
    # The rest of this commit is not its work.
    if elsewhere and len(item.traces.edited) < len(wanted.files):
        return "low"
    likely = worked or "made" in shares or (shares.get("text", 0.0) >= _SOME_TEXT and timely and "place" in shares)
    return "medium" if likely else "low"


def _span(gap: timedelta) -> str:
    minutes = int(gap.total_seconds() // 60)
    for size, unit in ((1440, "day"), (60, "hour")):
        if minutes >= size:
            return plural(minutes // size, unit)
    return plural(minutes, "minute") if minutes else "less than a minute"


def _ref(chunk: str) -> str:
    return str(Ref("chunk", chunk))


def is_author(change: HistoryCommit, cwd: str | None) -> bool:
    """Whether the home folder that a session worked in bears the name of a commit's author."""
    home = _HOME.match(cwd or "")
    if home is None:
        return False
    local = change.email.partition("@")[0].rpartition("+")[2]
    names = {*_words(change.author), *_words(local), "".join(_words(change.author)), local.casefold()}
    return home[1].casefold() in {name for name in names if len(name) >= _MIN_NAME}


def _words(text: str) -> Iterable[str]:
    return [word.casefold() for word in _WORD.findall(text)]
