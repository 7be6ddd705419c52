"""Works out of one session's messages what a note says of it: the newest of each kind, and a count of the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, NamedTuple

from aicx.continuity.log_reading import ReadLog
from aicx.continuity.meaning import ideas_in, is_meaningful, is_vague
from aicx.continuity.note import Kind
from aicx.continuity.patched import changed_files
from aicx.continuity.signals import Contradiction, contradictions
from aicx.evidence.calls import answered_calls
from aicx.evidence.runs import Run, followed, latest_outcomes, runs_of
from aicx.evidence.session_brief import Line, SessionBrief, State, brief_of
from aicx.evidence.statements import requests, weigh
from aicx.evidence.texts import summary_line
from aicx.evidence.transcript import Step
from aicx.git.roots import Roots
from aicx.work.place import WorkPlace
from aicx.work.record import clean
from aicx.work.summarizer import Fact, Fallback, summarize

Path = Literal["heuristic", "summarizer"]
Confidence = Literal["high", "medium", "low"]

MAX_GOAL, MAX_TEXT = 400, 240  # characters
MAX_OF: dict[Kind, int] = {
    "confirmed": 6, "failed": 6, "untried": 6, "next": 6, "file": 8, "decision": 6, "environment": 6,
}  # fmt: skip


class Found(NamedTuple):
    """A statement of a session, and when it was made."""

    kind: Kind
    text: str
    at: datetime


class Wanted(NamedTuple):
    """What a session was asked for, and when."""

    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Derived:
    """What a session says for a note, the newest of each kind first. ``trimmed`` counts what had no room, by kind."""

    log: ReadLog
    goal: Wanted | None
    found: tuple[Found, ...]
    trimmed: dict[Kind, int]
    state: State
    contradictions: tuple[Contradiction, ...] = ()
    warnings: tuple[str, ...] = ()  # codes
    preferred: Path = "heuristic"
    actual: Path = "heuristic"
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


def derive_note(log: ReadLog, place: WorkPlace, summarizer: str | None) -> Derived:
    """What the session of ``log`` says for the notes of ``place``; ``summarizer`` is the configured command."""
    roots = Roots.of([str(place.root)])
    steps = log.steps
    brief = brief_of(steps, roots, log.folder)
    calls = answered_calls(steps)
    runs = runs_of(followed(calls))
    ideas, noise = ideas_in(steps)
    ahead, inferred = _ahead(brief)
    found = [
        *_confirmed(runs),
        *(_of("failed", line) for line in brief.failures),
        *(_of("next", line) for line in ahead if not is_vague(line.text)),
        *(_of("decision", line) for line in brief.decisions),
        *(Found(idea.kind, clean(idea.text, MAX_TEXT), idea.at) for idea in ideas),
        *(
            Found("file", clean(f"{one.path} (deleted)" if one.gone else one.path, MAX_TEXT), one.at)
            for one in changed_files(calls, roots, log.folder)
        ),
    ]
    kept, trimmed = _newest(found)
    warnings = [code for code, holds in (
        ("inferred_next_step", inferred), ("reviewer_noise_ignored", noise), ("unread_records", log.unread),
    ) if holds]  # fmt: skip
    derived = Derived(
        log,
        _goal(steps, brief),
        tuple(kept),
        trimmed,
        brief.state,
        tuple(contradictions(steps)),
        tuple(warnings),
        counts={kind: sum(one.kind == kind for one in kept) for kind in MAX_OF},
    )
    return derived if summarizer is None else _summarized(derived, summarizer)


def _goal(steps: Sequence[Step], brief: SessionBrief) -> Wanted | None:
    """The last request that says something by itself; one that only says to go on leaves the one before standing."""
    for _, step in reversed(requests(steps)):
        if is_meaningful(step.text):
            return _wanted(summary_line(weigh(step.text).text, MAX_GOAL), step.at)
    wanted = brief.goal
    return None if wanted is None or is_vague(wanted.text) else _wanted(wanted.text, wanted.at)


def _wanted(text: str, at: datetime) -> Wanted | None:
    text = clean(text, MAX_GOAL)
    return Wanted(text, at) if text else None


def _ahead(brief: SessionBrief) -> tuple[list[Line], bool]:
    """What is left to be done, and whether it was inferred rather than said."""
    questions = [line._replace(text=f"Answer: {line.text}") for line in brief.questions]
    if brief.ahead or questions or brief.state_reason != "interrupted":
        return [*brief.ahead, *questions], False
    asked = brief.asked or brief.goal
    if asked is None or is_vague(asked.text):
        return [], False
    return [asked._replace(text=f"Finish what was asked last: {asked.text}")], True


def _confirmed(runs: Sequence[Run]) -> list[Found]:
    """The checks that passed when they were last run, the newest first; other programs only where none was a check."""
    latest = [(run, count) for run, count in latest_outcomes(runs) if run.outcome == "ok" and run.kind != "change"]
    checks = [(run, count) for run, count in latest if run.kind == "check"]
    return [
        Found("confirmed", clean(f"`{run.line}` passed{f' (run {count} times)' if count > 1 else ''}", MAX_TEXT), run.at)
        for run, count in checks or latest
    ]


def _of(kind: Kind, line: Line) -> Found:
    return Found(kind, clean(line.text, MAX_TEXT), line.at)


def _newest(found: Iterable[Found]) -> tuple[list[Found], dict[Kind, int]]:
    """At most so many of each kind as there is room for, each text once, and how many were left out."""
    kept: dict[tuple[Kind, str], Found] = {}
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
        Found(derived.found[claim.fact].kind, clean(claim.text, MAX_TEXT), derived.found[claim.fact].at)
        for claim in summary.claims
    ]
    # Files are what they are called: nothing sums them up.
    told = [one for one in told if one.kind != "file"]
    kinds = {one.kind for one in told}
    rest = [one for one in derived.found if one.kind not in kinds]
    return replace(derived, found=(*told, *rest), preferred="summarizer", actual="summarizer", fallback=None)
