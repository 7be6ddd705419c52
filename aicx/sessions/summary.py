"""Summaries of a session or of one of its windows: worked out by rules alone, each line with what it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Annotated

from aicx.evidence import Step
from aicx.evidence.calls import FileEdit, OtherRepositories, answered_calls, edits_of
from aicx.evidence.statements import reports_something
from aicx.evidence.texts import words
from aicx.memory.candidates.rules import propose
from aicx.memory.candidates.session import ReadSession
from aicx.memory.proposals import Proposal, ProposalReason
from aicx.refs import Ref
from aicx.sessions.stored import StoredSession
from aicx.text import instant, plural, shorten
from aicx.values import dataclass
from aicx.work.deriving import derive
from aicx.work.handoff import failed_of, goal_of, handoff_of, next_of
from aicx.work.session_facts import Failure, Said, SessionFacts, Try

LINES = ("accomplished", "decisions", "failed", "gotchas", "preferences", "next", "questions")
COUNTED = ("key_files", "tags", "tools")
MAX_LINES = 8  # of each part
_MAX_FILES, _MAX_TOOLS, _MAX_TAGS, _MAX_REFS, _MAX_TESTS = 10, 8, 6, 3, 3
_MIN_WORDS = 4  # of a remark, where nothing else says that it reports something
_LENGTH, _COMMAND = 300, 120  # characters of a line, and of a command
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
    """A file, a tag or a tool, and how often it came up."""

    name: Annotated[str, "what is counted"]
    times: Annotated[int, "how often it came up"]
    refs: Annotated[tuple[str, ...], "references to where it came up"]


@dataclass(frozen=True, slots=True)
class Summary:
    """The summary of a session or a window, worked out by rules."""

    goal: Annotated[
        Said | None,
        "what it was for: what was asked first, its title where that says more, and what it turned to",
    ]
    asked: Annotated[Said | None, "the last one, where it is another"]
    accomplished: Annotated[tuple[Said, ...], "pull requests, commits, what was reported, tests that passed"]
    decisions: Annotated[tuple[Said, ...], "what was decided"]
    failed: Annotated[tuple[Said, ...], "commands that still fail, and what was tried without success"]
    gotchas: Annotated[tuple[Said, ...], "limits that came up, and failures that took several tries"]
    preferences: Annotated[tuple[Said, ...], "what the person wants in general"]
    next: Annotated[tuple[Said, ...], "what was left to be done"]
    questions: Annotated[tuple[Said, ...], "what was asked and not answered"]
    key_files: Annotated[tuple[Counted, ...], "files that were changed, the most often changed first"]
    tags: Annotated[tuple[Counted, ...], "languages, parts of the repository, tools that found mistakes"]
    tools: Annotated[tuple[Counted, ...], "tools that were called, the most often called first"]

    @classmethod
    def empty(cls) -> Summary:
        """That of a stretch of which nothing can be read."""
        return cls(None, None, *((),) * 10)

    def lines(self) -> Iterator[tuple[str, Said]]:
        """Everything that was said or done, with the name of its part."""
        if self.goal is not None:
            yield "goal", self.goal
        if self.asked is not None:
            yield "asked", self.asked
        for name in LINES:
            yield from ((name, line) for line in getattr(self, name))


def summary_of(
    session: StoredSession, steps: Sequence[Step], *, whole: bool = True, goes_on: bool = False
) -> Summary | None:
    """The summary of ``steps``, which are of ``session``, and ``whole`` where they are all of it; None for none.

    ``goes_on`` is whether a compaction cut them off.
    """
    roots, folder = session.roots, session.folder
    part = session if whole else replace(session, title=None)
    facts = derive(part, steps, OtherRepositories(session.project, roots))
    if facts is None:
        return None
    said = ReadSession(session.agent, session.session_id, session.project, session.lane, steps, roots, folder)
    proposals = list(propose(said))
    preferences = _proposed(proposals, "policy", "preference")
    gotchas = [_of_proposal(one) for one in proposals if one.reason in _GOTCHAS] + list(_overcome(facts.failures))
    files = _key_files(edits_of(answered_calls(steps), roots, folder))
    return Summary(
        goal=goal_of(facts),
        asked=facts.asked,
        accomplished=_each_once(_accomplished(facts, goes_on=goes_on)),
        decisions=_each_once([*facts.decisions, *_proposed(proposals, "decision")], preferences),
        failed=_each_once([*failed_of(facts), *_in_vain(facts.failures)]),
        gotchas=_each_once(gotchas),
        preferences=_each_once(preferences),
        next=_each_once(next_of(facts)),
        questions=_each_once(facts.questions),
        key_files=files,
        tags=_tags(files, facts.failures),
        tools=_tools(steps),
    )


def _accomplished(facts: SessionFacts, *, goes_on: bool) -> Iterator[Said]:
    """Yields what was said of it first, then what others can see of it. In the middle of work most of it is remarks."""
    told = facts.progress
    if told is not None and (reports_something(told.text) or (not goes_on and len(words(told.text)) >= _MIN_WORDS)):
        yield told
    yield from facts.pull_requests
    passed = [run for run in handoff_of(facts).tests if run.passed][:_MAX_TESTS]
    if passed:
        commands = ", ".join(f"`{shorten(run.command, _COMMAND)}`" for run in passed)
        yield Said(f"passed: {commands}", passed[0].at, (passed[0].ref,))
    yield from facts.commits


def _in_vain(failures: Sequence[Failure]) -> Iterator[Said]:
    """Yields what was tried against a failure that came back, whether or not something else overcame it later."""
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
        found.append(replace(line, refs=line.refs[:_MAX_REFS]))
    return tuple(found[:MAX_LINES])


def _key_files(edits: Sequence[FileEdit]) -> tuple[Counted, ...]:
    """The files that were changed, the most often changed first."""
    edits = sorted(edits, key=lambda edit: -edit.times)
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
