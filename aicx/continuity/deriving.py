"""Works out of one session's messages what a note says of it: the newest of each kind, and a count of the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from aicx.continuity.logs import ReadLog
from aicx.continuity.note import Kind
from aicx.continuity.signals import DerivedStatement, Topic, contradictions, ideas_in, is_vague
from aicx.errors import AicxError
from aicx.evidence import Statement, Step
from aicx.evidence.calls import OtherRepositories, answered_calls, is_edit, is_prose
from aicx.evidence.fixes import repeats, topic_of
from aicx.evidence.patterns import note_rules
from aicx.evidence.reporting import end_of_work, progress_of, turns_of
from aicx.evidence.runs import CommandRun, followed, passed_checks, runs_of
from aicx.evidence.session_brief import State
from aicx.evidence.statements import is_announcement, reports_something, weigh
from aicx.evidence.texts import words
from aicx.git import Roots, repository_of
from aicx.git.identity import find_repository
from aicx.memory.policy import Policy
from aicx.refs import Ref
from aicx.telling import count_telling
from aicx.text import first_of, instant, shorten
from aicx.titles import plan_of
from aicx.types import PROMPTS
from aicx.values import dataclass
from aicx.work.deriving import derive
from aicx.work.handoff import failed_of, goal_of, next_of
from aicx.work.place import WorkPlace
from aicx.work.record import clean
from aicx.work.session_facts import Said, SessionFacts, SessionPart
from aicx.work.summarizer import Fact, Fallback, summarize

_MANAGED = re.compile(r"^\*\*\* (?P<verb>Add|Update|Delete|Move) (?:File|to): (?P<path>.+?)[ \t]*$", re.MULTILINE)
_APPLIES = re.compile(r"(?:^|[\s;&|(])(?:git\s+(?:-\S+\s+)*(?:apply|am)|patch)\b")
# A file of a diff before and after, or one that is moved.
_DIFF = re.compile(
    r'^--- "?(?:a/)?(?P<old>[^\t\n"]+?)"?(?:\t[^\n]*)?\n\+\+\+ "?(?:b/)?(?P<new>[^\t\n"]+)'
    r"|^rename from (?P<moved>.+)\nrename to (?P<to>.+)$",
    re.MULTILINE,
)
_NOWHERE = "/dev/null"


# A file from the repository's root, when it was changed last, and whether it went then.
PatchedFile = tuple[str, datetime, bool]


def changed_files(calls: Iterable[tuple[Step, Step | None]], roots: Roots, folder: str | None) -> list[PatchedFile]:
    """The files inside the repository that a session changed, the last changed first. Failed calls do not count."""
    found: dict[str, PatchedFile] = {}
    for call, result in calls:
        if result is not None and result.failed:
            continue
        for path, gone in _named(call):
            relative = roots.relative(path, folder) if path != _NOWHERE else None
            if relative is not None:
                found.pop(relative, None)
                found[relative] = (relative, call.at, gone)
    return list(reversed(found.values()))


def _named(call: Step) -> Iterator[tuple[str, bool]]:
    """The paths that a call names as changed, and whether the file went."""
    text = call.text if "\n" in call.text else call.text.replace("\\n", "\n")
    managed = list(_MANAGED.finditer(text)) if "*** " in text else []
    if is_edit(call):
        verbs = {match["path"]: match["verb"] for match in managed}
        yield from ((path, verbs.get(path) == "Delete") for path in call.files if path not in verbs)
    updated = None
    for match in managed:
        if match["verb"] == "Move" and updated is not None:
            yield updated, True
        updated = match["path"]
        yield match["path"], match["verb"] == "Delete"
    if not managed and _APPLIES.search(call.command or call.text.partition("\n")[0]):
        yield from _in_diff(text)


def _in_diff(text: str) -> Iterator[tuple[str, bool]]:
    """The files of a diff, and whether each went."""
    for match in _DIFF.finditer(text):
        old, new = (match["moved"] or match["old"]).strip(), (match["to"] or match["new"]).strip()
        gone = new == _NOWHERE
        yield from [(old, True)] if gone or match["moved"] else []
        yield from [] if gone else [(new, False)]


PathTaken = Literal["heuristic", "summarizer"]
Confidence = Literal["high", "medium", "low"]

_GONE = " (deleted)"  # after the name of such a file
MAX_GOAL, MAX_TEXT, MAX_RESULT = 400, 240, 360  # characters
_LAST_QUESTION = re.compile(r"(?:^|(?<=[.!:;\u2026\u3002]) ?)[^.!?:;\u2026\u3002\uff1f]*[?\uff1f]$")
_BEGINNING, _ASKED = 40, 120  # characters by which a report is known again, and of a question
_TELLING = 4  # words with which a report says something
_PASSING_COMMITS = ("fixup!", "squash!", "amend!")  # these become part of others
_NAMED = 3  # files by which a check says what it confirms
MAX_OF: dict[Kind, int] = {
    "confirmed": 6, "failed": 6, "untried": 6, "next": 6, "result": 6, "file": 8, "decision": 6, "environment": 6,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Derived:
    """Statements of a session for a note, the newest of each kind first. ``trimmed`` counts what had no room."""

    log: ReadLog
    goal: Statement | None
    found: tuple[DerivedStatement, ...]
    trimmed: dict[Kind, int]
    state: State
    contradictions: Mapping[Topic, Sequence[str]] = field(default_factory=dict)  # the last said last
    warnings: tuple[str, ...] = ()  # codes
    preferred: PathTaken = "heuristic"
    actual: PathTaken = "heuristic"
    fallback: Fallback | Literal["configured-heuristic"] | None = "configured-heuristic"
    counts: dict[Kind, int] = field(default_factory=dict)

    @property
    def confidence(self) -> Confidence:
        """How far a note may be relied on: less where something fell back, contradicts itself or was inferred."""
        if self.contradictions or (self.fallback is not None and self.preferred == "summarizer"):
            return "low"
        return "medium" if self.warnings or self.actual == "heuristic" else "high"

    @property
    def at(self) -> datetime:
        """When the session was last active."""
        return self.log.steps[-1].at


def derive_note(log: ReadLog, place: WorkPlace, summarizer: str | None, policy: Policy) -> Derived:
    """Returns what the session of ``log`` says for the notes of ``place``; ``summarizer`` is the configured command.

    It gets nothing that ``policy`` excludes: its own words for that would not be recognised.
    """
    roots = Roots.of([str(place.root), *_where_it_ran(log, place)])
    # A request that only says to go on, or to look again, wants nothing that was not wanted before.
    steps = [step for step in log.steps if not _is_vague_request(step)]
    part = SessionPart(log.agent, log.session_id, "", log.folder, None, log.lane, False, log.title)
    facts = derive(part, steps, OtherRepositories(None, roots))
    calls = answered_calls(steps)
    ideas, noise = ideas_in(steps)
    changed = changed_files(calls, roots, log.folder)
    found: list[DerivedStatement] = list(_confirmed(runs_of(followed(calls), roots), changed))
    planned = _plan_at_the_end(calls) if not changed else None
    if planned:
        text = f"The session ended with a plan and began nothing of it: {planned[1]}"
        found.append(DerivedStatement("result", clean(text, MAX_TEXT), planned[0].at))
    if facts is not None:
        found += _results(facts, () if planned else steps)
        found += (_of("failed", said) for said in failed_of(facts))
        found += (_of("next", said) for said in next_of(facts) if _is_of_its_own(said, facts))
        found += (
            DerivedStatement("next", clean(f"Answer: {said.text}", MAX_TEXT), _at(said)) for said in facts.questions
        )
        found += (_of("decision", said) for said in facts.decisions)
    found += (idea._replace(text=clean(idea.text, MAX_TEXT)) for idea in ideas)
    for path, at, gone in changed:
        if not gone and facts is not None and path in facts.deleted:
            continue  # made for trying something, and removed again
        found.append(DerivedStatement("file", clean(f"{path}{_GONE}" if gone else path, MAX_TEXT), at))
    kept, trimmed = newest(found)
    warnings = [("inferred_next_step", facts is not None and facts.unanswered), ("reviewer_noise_ignored", noise)]
    derived = Derived(
        log,
        _goal(facts),
        tuple(kept),
        trimmed,
        "unknown" if facts is None else facts.state,
        contradictions(steps),
        tuple(code for code, holds in (*warnings, ("unread_records", log.unread)) if holds),
        counts={kind: sum(one.kind == kind for one in kept) for kind in MAX_OF},
    )
    derived = allowed(derived, policy)
    return derived if summarizer is None else _summarized(derived, summarizer)


def allowed(derived: Derived, policy: Policy) -> Derived:
    """``derived`` without what the memory policy excludes: statements by their words or files, or the whole session."""
    if policy.of_source(str(Ref.of_session(derived.log.agent, derived.log.session_id)), derived.log.agent):
        return replace(derived, goal=None, found=())
    paths = (one.text.removesuffix(_GONE) if one.kind == "file" else "" for one in derived.found)
    pairs = zip(derived.found, paths, strict=True)
    kept = tuple(one for one, path in pairs if not (policy.of_text(one.text) or policy.of_path(path)))
    goal = None if derived.goal is not None and policy.of_text(derived.goal.text) else derived.goal
    return replace(derived, goal=goal, found=kept)


def _where_it_ran(log: ReadLog, place: WorkPlace) -> list[str]:
    """The root of the checkout that the session worked in, where that is this repository, or is gone."""
    if log.folder is None:
        return []
    try:
        same = find_repository(Path(log.folder)).repo_id == place.repo_id
    except AicxError:
        same = True
    return [repository_of(log.folder)] if same else []


def _is_vague_request(step: Step) -> bool:
    weight = weigh(step.text) if step.role == "user" and step.origin in PROMPTS else None
    return weight is not None and weight.level > 0 and is_vague(weight.text)


def _goal(facts: SessionFacts | None) -> Statement | None:
    said = goal_of(facts) if facts is not None else None
    if said is None or is_vague(said.text):
        return None
    text = clean(said.text, MAX_GOAL)
    return Statement(text, _at(said), ()) if text else None


def _plan_at_the_end(calls: Sequence[tuple[Step, Step | None]]) -> tuple[Step, str] | None:
    """The plan that a session ended with, and its heading.

    A client writes the same where a person refuses it and where it is to be carried out in another session.
    """
    call, answer = calls[-1] if calls else (None, None)
    if call is None or call.tool != "ExitPlanMode" or answer is None or not answer.failed:
        return None
    return next(((call, heading) for heading in plan_of(call.tool, call.text)), None)


def _is_of_its_own(said: Said, facts: SessionFacts) -> bool:
    """Whether a step says by itself what is to be done, and not again what the note has as its goal."""
    wanted = goal_of(facts)
    told = set(words(wanted.text)) if wanted else ()
    repeats_goal = all(word in told for word in words(said.text.rstrip("\u2026")))
    return not (is_vague(said.text) or note_rules().leaning.match(said.text) or repeats_goal)


def _reports(facts: SessionFacts, steps: Sequence[Step]) -> Iterator[Said]:
    """Yields what a session said last, and before it what it reported of its work where that was in another turn."""
    last, reported = facts.progress, facts.reported
    if last is None or reported is None:
        yield from [last] if last and reports_something(last.text) else []
        return
    begins = last.text[:_BEGINNING]
    work = end_of_work(steps, turns_of(steps)) if f"/ then: {begins}" in reported.text else None
    if work and (told := progress_of(steps, work, lambda _: False)):
        yield Said(told.text, instant(told.at, "seconds"), told.refs)
    # Else the last word may be of a turn that never ended.
    yield last if begins in reported.text else reported


def _results(facts: SessionFacts, steps: Sequence[Step]) -> Iterator[DerivedStatement]:
    """Yields what a session reported, where that says something, and what it committed, the latest first."""
    for said in _reports(facts, steps) if steps else ():
        if text := _reported(said.text):
            asked = facts.asked.text if facts.asked and said is facts.progress else ""
            is_answer = note_rules().is_answer.match(text) and note_rules().is_question.search(asked)
            lead = f"{shorten(asked, _ASKED)} \u2192 " if is_answer else ""
            yield _of("result", replace(said, text=lead + text), MAX_RESULT)
    # A subject that was only written otherwise is one commit, which was amended.
    commits = {tuple(words(one.text)): one for one in reversed(facts.commits)}
    for commit in reversed(commits.values()):
        if not commit.text.startswith(_PASSING_COMMITS):
            yield DerivedStatement("result", clean(f"Committed: {commit.text}", MAX_TEXT), _at(commit))


def _reported(text: str) -> str:
    """A last word without the question at its end; empty where the rest is a step that comes next, or says little."""
    text = _LAST_QUESTION.sub("", text)
    comes_next = is_announcement(text) or note_rules().under_way.match(text)
    return "" if comes_next or count_telling(text) < _TELLING else text


def _confirmed(runs: Sequence[CommandRun], changed: Sequence[PatchedFile]) -> list[DerivedStatement]:
    """The checks that passed after the last change of a program, the newest first, with the files that were changed
    before: that is what they confirm. Where tests passed, other checks are told only where they had failed before.
    """
    programs = [(path, at) for path, at, _ in changed if not is_prose(path)]
    settled = max((at for _, at in programs), default=None)
    checks = [(run, count) for run, count in passed_checks(runs) if settled is None or run.at >= settled]
    tested = any(topic_of(run.parts[-1]) == "test" for run, _ in checks)
    found = []
    for run, count in checks:
        is_less = tested and topic_of(run.parts[-1]) != "test"
        failed = [one.parts[-1] for one in runs if one.outcome == "failed" and one.at < run.at and is_less]
        if is_less and not any(repeats(run.parts[-1], one) for one in failed):
            continue
        times = f" ({count} times)" if count > 1 else ""
        names = dict.fromkeys(path.rpartition("/")[2] for path, at in programs if at < run.at)
        after = f", after changes of {first_of(names, _NAMED)}" if names else ""
        found.append(DerivedStatement("confirmed", clean(f"`{run.line}` passed{times}{after}", MAX_TEXT), run.at))
    return found


def _of(kind: Kind, said: Said, limit: int = MAX_TEXT) -> DerivedStatement:
    return DerivedStatement(kind, clean(said.text, limit), _at(said))


def _at(said: Said) -> datetime:
    return datetime.fromisoformat(said.at)


def newest(found: Iterable[DerivedStatement]) -> tuple[list[DerivedStatement], dict[Kind, int]]:
    """At most so many of each kind as there is room for, each text once, and how many were left out."""
    kept: dict[tuple[Kind, str], DerivedStatement] = {}
    sizes = dict.fromkeys(MAX_OF, 0)
    trimmed: dict[Kind, int] = {}
    seen: set[tuple[Kind, str]] = set()
    for one in found:
        key = (one.kind, one.text.casefold())
        if not one.text or key in seen:
            continue
        seen.add(key)
        if sizes[one.kind] < MAX_OF[one.kind]:
            sizes[one.kind] += 1
            kept[key] = one
        else:
            trimmed[one.kind] = trimmed.get(one.kind, 0) + 1
    return list(kept.values()), trimmed


def _summarized(derived: Derived, command: str) -> Derived:
    """``derived`` in the words of the configured command, where it answers with claims that rest on the evidence.

    A claim belongs where the first fact belongs that it names; kinds without a claim keep their own words.
    """
    facts = [Fact(one.kind, one.text, (f"{derived.log.ref}#{number}",)) for number, one in enumerate(derived.found)]
    summary = summarize(command, "continuity", derived.goal.text if derived.goal else "", facts)
    if summary.fallback is not None or not summary.claims:
        return replace(derived, preferred="summarizer", fallback=summary.fallback or "low-signal")
    told = [
        DerivedStatement(derived.found[claim.fact].kind, clean(claim.text, MAX_TEXT), derived.found[claim.fact].at)
        for claim in summary.claims
    ]
    # Files are what they are called: nothing sums them up.
    told = [one for one in told if one.kind != "file"]
    kinds = {one.kind for one in told}
    rest = [one for one in derived.found if one.kind not in kinds]
    return replace(derived, found=(*told, *rest), preferred="summarizer", actual="summarizer", fallback=None)
