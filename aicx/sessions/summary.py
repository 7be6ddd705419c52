"""What a session, or one of its windows, came to: worked out by rules alone, each line with what it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from aicx.evidence.calls import answered_calls
from aicx.evidence.other_repositories import OtherRepositories
from aicx.evidence.runs import followed, runs_of
from aicx.evidence.session_brief import Line, SessionBrief, brief_of
from aicx.evidence.statements import reports_something
from aicx.evidence.texts import words
from aicx.evidence.transcript import Step
from aicx.memory.candidates.rules import propose
from aicx.memory.candidates.session import Session
from aicx.memory.proposals import Proposal, ProposalReason
from aicx.refs import Ref
from aicx.sessions.stored import StoredSession
from aicx.text import instant, plural, shorten
from aicx.work.failure_runs import failures_of
from aicx.work.session_facts import Failure, Said, Try

MAX_LINES = 8  # of each part
_MAX_FILES, _MAX_TOOLS, _MAX_TAGS, _MAX_REFS = 10, 8, 6, 3
_MIN_WORDS = 4  # of a remark, where nothing else says that it reports something
_LENGTH = 300  # characters of a line
# Words of two lines that say the same: this share of the shorter one's.
_ALIKE = 0.8
# What an agent found out that somebody else would fall into again.
_GOTCHAS: frozenset[ProposalReason] = frozenset({"named_limit", "cause_and_fix", "prepared_check", "recurring_failure"})
_LANGUAGES = {
    ".c": "c", ".cc": "c++", ".cpp": "c++", ".cs": "c#", ".css": "css", ".go": "go", ".html": "html", ".java": "java",
    ".js": "javascript", ".jsx": "javascript", ".kt": "kotlin", ".md": "docs", ".php": "php", ".py": "python",
    ".rb": "ruby", ".rs": "rust", ".sh": "shell", ".sql": "sql", ".swift": "swift", ".ts": "typescript",
    ".tsx": "typescript", ".yaml": "yaml", ".yml": "yaml",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Counted:
    """A file, a tool or a tag, and how often it came up."""

    name: str
    times: int
    refs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """A stretch of a session in short. ``failed`` are approaches that did not work, ``next`` what was left to do.

    ``asked`` is the last request where it is not the goal.
    """

    goal: Said | None
    asked: Said | None
    accomplished: tuple[Said, ...]
    decisions: tuple[Said, ...]
    failed: tuple[Said, ...]
    gotchas: tuple[Said, ...]
    preferences: tuple[Said, ...]
    next: tuple[Said, ...]
    questions: tuple[Said, ...]
    key_files: tuple[Counted, ...]
    tags: tuple[Counted, ...]
    tools: tuple[Counted, ...]

    def lines(self) -> Iterator[tuple[str, Said]]:
        """Everything that was said or done, with the name of its part."""
        if self.goal is not None:
            yield "goal", self.goal
        if self.asked is not None:
            yield "asked", self.asked
        for name in ("accomplished", "decisions", "failed", "gotchas", "preferences", "next", "questions"):
            yield from ((name, line) for line in getattr(self, name))


def summary_of(session: StoredSession, steps: Sequence[Step], *, goes_on: bool = False) -> Summary:
    """The summary of ``steps``, which are of ``session``; ``goes_on`` where a compaction cut them off."""
    roots, folder = session.roots, session.folder
    brief = brief_of(steps, roots, folder, OtherRepositories(session.project, roots))
    calls = followed(answered_calls(steps))
    failures = failures_of(calls, [runs_of([call]) for call in calls], roots, folder)
    said = Session(session.agent, session.session_id, session.project, session.lane, steps, roots, folder)
    proposals = list(propose(said))
    files = _key_files(brief)
    preferences = _proposed(proposals, "policy", "preference")
    decisions = [_of_line(line) for line in brief.decisions] + _proposed(proposals, "decision")
    gotchas = [_of_proposal(one) for one in proposals if one.reason in _GOTCHAS] + list(_overcome(failures))
    return Summary(
        goal=_of_line(brief.goal) if brief.goal else None,
        asked=_of_line(brief.asked) if brief.asked else None,
        accomplished=_each_once(map(_of_line, _accomplished(brief, goes_on=goes_on))),
        decisions=_each_once(decisions, preferences),
        failed=_each_once([*map(_of_line, brief.failures), *_in_vain(failures)]),
        gotchas=_each_once(gotchas),
        preferences=_each_once(preferences),
        next=_each_once(map(_of_line, brief.ahead)),
        questions=_each_once(map(_of_line, brief.questions)),
        key_files=files,
        tags=_tags(files, failures),
        tools=_tools(steps),
    )


def _accomplished(brief: SessionBrief, *, goes_on: bool) -> Iterator[Line]:
    """What was said of it first, then what others can see of it. In the middle of work most of it is remarks."""
    told = brief.progress.text if brief.progress is not None else ""
    if brief.progress is not None and (reports_something(told) or (not goes_on and len(words(told)) >= _MIN_WORDS)):
        yield brief.progress
    yield from brief.pull_requests
    if brief.tested is not None:
        yield brief.tested
    yield from brief.commits


def _in_vain(failures: Sequence[Failure]) -> Iterator[Said]:
    """What was tried against a failure that came back, whether or not something else overcame it later."""
    for one in failures:
        for attempt in one.attempts:
            if attempt.files:
                yield Said(f"{_changed(attempt)} did not stop {_mistake(one)}", attempt.at, (attempt.ref,))


def _overcome(failures: Sequence[Failure]) -> Iterator[Said]:
    """Failures that took more than one try, with what let their command pass in the end."""
    for one in failures:
        if one.resolved is not None and one.attempts and one.resolved.files:
            text = f"{_mistake(one)}; it passed after {_changed(one.resolved, first=False)}"
            yield Said(shorten(text, _LENGTH), one.resolved.at, (one.resolved.ref,))


def _mistake(failure: Failure) -> str:
    where = f" ({failure.file})" if failure.file and failure.file not in failure.message else ""
    return f"`{shorten(failure.command, 60)}`: {shorten(failure.message, 140).rstrip(' .,:;')}{where}"


def _changed(attempt: Try, *, first: bool = True) -> str:
    named = ", ".join(f"`{path}`" for path in attempt.files[-3:])
    more = f" and {plural(len(attempt.files) - 3, 'more file')}" if len(attempt.files) > 3 else ""
    return f"{'Changing' if first else 'changing'} {named}{more}"


def _proposed(proposals: Iterable[Proposal], *kinds: str) -> list[Said]:
    return [_of_proposal(one) for one in proposals if one.kind in kinds]


def _of_proposal(one: Proposal) -> Said:
    seen = one.sightings[0]
    return Said(shorten(one.statement, _LENGTH), instant(seen.at, "seconds"), (str(seen.ref),))


def _of_line(line: Line) -> Said:
    return Said(line.text, instant(line.at, "seconds"), line.refs[:_MAX_REFS])


def _each_once(lines: Iterable[Said], but: Iterable[Said] = ()) -> tuple[Said, ...]:
    """The first lines of those that say the same, and none that says what ``but`` says.

    What ends in a colon only announces something, which is not in the line.
    """
    known = [set(words(line.text)) for line in but]
    found: list[Said] = []
    for line in lines:
        own = set(words(line.text))
        if (
            not own
            or line.text.endswith(":")
            or any(len(own & other) >= _ALIKE * min(len(own), len(other)) for other in known if other)
        ):
            continue
        known.append(own)
        found.append(line)
    return tuple(found[:MAX_LINES])


def _key_files(brief: SessionBrief) -> tuple[Counted, ...]:
    """The files that were changed, the most often changed first."""
    edits = sorted(brief.edits, key=lambda edit: -edit.times)
    return tuple(Counted(edit.path, edit.times, (str(Ref("chunk", edit.chunk)),)) for edit in edits[:_MAX_FILES])


def _tools(steps: Sequence[Step]) -> tuple[Counted, ...]:
    calls = [step for step in steps if step.phase == "call" and step.tool]
    last = {step.tool: step.chunk for step in calls}
    counts = Counter(step.tool for step in calls).most_common(_MAX_TOOLS)
    return tuple(Counted(str(name), times, (str(Ref("chunk", last[name])),)) for name, times in counts)


def _tags(files: Sequence[Counted], failures: Sequence[Failure]) -> tuple[Counted, ...]:
    """The languages and the parts of the repository that were worked on, and the tools that found mistakes."""
    counts: Counter[str] = Counter()
    proof: dict[str, tuple[str, ...]] = {}
    for one in files:
        path = PurePosixPath(one.name)
        for tag in (_LANGUAGES.get(path.suffix), "/".join(path.parts[:-1][:2])):
            if tag:
                counts[tag] += one.times
                proof.setdefault(tag, one.refs)
    for failure in failures:
        if failure.toolchain == "generic":
            continue
        counts[failure.toolchain] += failure.count
        proof.setdefault(failure.toolchain, (failure.ref,))
    return tuple(Counted(tag, times, proof[tag]) for tag, times in counts.most_common(_MAX_TAGS))
