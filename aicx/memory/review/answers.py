"""`aicx.review-*/1`: candidates of a review, what a build made of suggestions, and patches for instruction files.

Which surfaces would show a record now, and why the others would not, is asked of the surfaces themselves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from aicx.memory.answers import MemoryAnchor, MemoryEntry
from aicx.memory.deciding import Desk
from aicx.memory.policy_records import policy_in
from aicx.memory.proposals import Excluded
from aicx.memory.recall.asking import ExcludedEntry, RecallQuery
from aicx.memory.record import Record
from aicx.memory.review.patches import says
from aicx.memory.review.states import ReviewedRecord
from aicx.memory.sources import read_live
from aicx.values import dataclass

LIST_SCHEMA = "aicx.review-list/1"
SHOW_SCHEMA = "aicx.review-show/1"
STEP_SCHEMA = "aicx.review-step/1"
BUILD_SCHEMA = "aicx.review-build/1"
APPLY_SCHEMA = "aicx.review-apply/1"


@dataclass(frozen=True, slots=True)
class ReviewCandidate:
    """A record in its review. Nothing of ``state`` is stored: it follows from the record and the events."""

    entry: Annotated[MemoryEntry, "the record"]
    state: Annotated[
        str,
        "`pending`, `approved`, `rejected`, `blocked`, `promoted`, `manual-apply-pending`, `manual-applied` or `stale`",
    ]
    surface: Annotated[str, "where promotion takes it: `memory`, or `instructions` for a patch that a person applies"]
    lane: Annotated[str, "`primary`, or `subagent` where nothing but subagents is behind it"]
    next: Annotated[str, "what a person can do next"]


@dataclass(frozen=True, slots=True)
class ReviewListAnswer:
    """The candidates in the states that were asked for."""

    candidates: Annotated[list[ReviewCandidate], "what a person can finish first"]
    total: Annotated[int, "number of those in these states"]
    counts: Annotated[dict[str, int], "state → number of records"]
    repository: Annotated[str | None, "whose records they are, beside those that hold everywhere"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class BuiltItem:
    """The outcome of one suggestion."""

    candidate: Annotated[ReviewCandidate | None, "its record; null where `.aicxignore` hides it"]
    ref: Annotated[str, "of the record that it became or belongs to"]
    action: Annotated[str, "`new`, `seen` for more evidence of a record that says it, or `known`"]


@dataclass(frozen=True, slots=True)
class ReviewBuildAnswer:
    """The outcome of a build from suggestions."""

    source: Annotated[str, "`continuity`, or the reference of a session"]
    suggested: Annotated[int, "number of suggestions that were looked at"]
    items: Annotated[list[BuiltItem], "the records, in the order of the suggestions"]
    left: Annotated[list[Excluded], "what was left out: repeated by a file, over the limit, erased, or excluded"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class ReviewSurface:
    """The answer of one surface about a record now."""

    surface: Annotated[str, "`recall`, `resume`, `startup` or `instructions`"]
    query: Annotated[str | None, "what was asked; null for a session that begins, and for files"]
    shown: Annotated[bool, "whether it would be shown"]
    shown_as: Annotated[str | None, "`agreed`, its status, the `reference` alone, or the statement of a file"]
    reasons: Annotated[list[str], "codes of the closed list, the deciding one first"]


@dataclass(frozen=True, slots=True)
class ReviewEvent:
    """One step. It holds no text."""

    at: str
    by: Annotated[str, "who took it"]
    type: Annotated[str, "such as `review.approved` or `memory.accepted`"]


@dataclass(frozen=True, slots=True)
class ReviewShowAnswer:
    """A candidate with what a person looks at before deciding."""

    candidate: Annotated[ReviewCandidate, "the record, where it is in its review"]
    details: Annotated[list[str], "further lines"]
    claims: Annotated[dict[str, str], "what it says in a form that can be compared: key → value"]
    anchors: Annotated[list[MemoryAnchor], "what it rests on in its repository"]
    querySurfacing: Annotated[list[ReviewSurface], "which surfaces would show it now, and why others would not"]  # noqa: N815
    events: Annotated[list[ReviewEvent], "what was decided about it, oldest first"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class ReviewTarget:
    """An instruction file that a patch may be for."""

    path: Annotated[str, "from the repository's folder"]
    usable: Annotated[bool, "whether a patch for it can be made"]
    selected: Annotated[bool, "whether this patch is for it"]
    reasons: Annotated[list[str], "why it ranks so: `has_blocks`, `exists`, `agents_own`, `missing`, `link` and others"]


@dataclass(frozen=True, slots=True)
class ReviewPatch:
    """A patch that puts an instruction into a file. aicx never applies it."""

    target: Annotated[str, "the file, from the repository's folder"]
    operation: Annotated[str, "`create`, `append`, `replace`, or `none`"]
    readiness: Annotated[str, "`safe`, `blocked`, or `stale` once the file is another than the patch was made for"]
    reasons: Annotated[list[str], "why it is blocked or stale; `present` where the file has the block"]
    block: Annotated[str, "the lines to be there, between markers that name the record and hash the text"]
    patch: Annotated[str, "a unified diff, empty where there is nothing to apply"]
    patch_digest: Annotated[str, "its SHA-256"]
    target_digest: Annotated[str | None, "SHA-256 of the file that it is for; null where it creates one"]
    line_ending: Annotated[str, "`lf` or `crlf`, as in the file"]
    anchor: Annotated[int, "the last line before the change, 0 for the beginning"]
    context: Annotated[int, "lines shown around the change; of 0 `git apply` needs to be told: `--unidiff-zero`"]
    steps: Annotated[list[str], "what a person does by hand"]
    targets: Annotated[list[ReviewTarget], "every file, the best first"]
    waits: Annotated[bool, "whether the proposal is kept and waits for a person; false for a preview"]


@dataclass(frozen=True, slots=True)
class ReviewStepAnswer:
    """The outcome of a step."""

    candidate: Annotated[ReviewCandidate, "the record, where it is in its review now"]
    proposal: Annotated[ReviewPatch | None, "the patch that promoting an instruction left, or null"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class ReviewApplyAnswer:
    """A patch, and whether its file has it."""

    candidate: Annotated[ReviewCandidate, "the record, where it is in its review now"]
    proposal: Annotated[ReviewPatch, "the patch"]
    applied: Annotated[bool, "whether the file has the block, as it was proposed"]


_BRIEF = 6  # entries, as a brief has


def surfaces_of(desk: Desk, candidate: ReviewedRecord) -> list[ReviewSurface]:
    """Asks recall, a brief on the statement, the start of a session and the instruction files.

    The start of a session names what waits for a person by its reference alone.
    """
    record = candidate.record
    return [
        _recalled(desk, record),
        _briefed(desk, record, record.statement),
        _briefed(desk, record, None),
        _in_files(desk, record),
    ]


def _recalled(desk: Desk, record: Record) -> ReviewSurface:
    from aicx.memory.recall.run import recall  # imported here, as below: most answers ask nothing

    answer = recall(desk.settings, RecallQuery(record.statement, desk.now, desk.scope))
    for entry in answer.entries:
        if entry.ref == record.ref:
            shown_as = "agreed" if entry.baseline else entry.status
            return _surface("recall", record.statement, shown_as, entry.reasons)
    return _surface("recall", record.statement, None, _left_out(answer.excluded, record))


def _briefed(desk: Desk, record: Record, topic: str | None) -> ReviewSurface:
    from aicx.memory.briefing import brief

    surface = "startup" if topic is None else "resume"
    found = brief(desk.settings, desk.scope, topic or "", desk.now, _BRIEF)
    for entry in found.agreed:
        if entry.ref == record.ref:
            return _surface(surface, topic, "agreed", entry.reasons)
    reasons = _left_out(found.excluded, record)
    waits = any(left.ref == record.ref and left.status == "candidate" for left in found.excluded)
    return _surface(surface, topic, "reference" if topic is None and waits else None, reasons)


def _in_files(desk: Desk, record: Record) -> ReviewSurface:
    """An instruction file is read by the agents themselves, as guidance of its owner."""
    settings = desk.settings
    if desk.scope.root is None:
        return _surface("instructions", None, None, ("outside_repo",))
    live = read_live(
        desk.scope.root, policy_in(settings, desk.scope), homes=settings.homes, redact_secrets=settings.redact_secrets
    )
    for one in live.statements:
        if says(one.statement.text, record):
            return _surface("instructions", None, one.ref, ("advisory_source",))
    return _surface("instructions", None, None, ("not_matched",))


def _surface(surface: str, query: str | None, shown_as: str | None, reasons: Iterable[str]) -> ReviewSurface:
    return ReviewSurface(surface, query, shown_as is not None, shown_as, list(reasons))


def _left_out(excluded: Iterable[ExcludedEntry], record: Record) -> tuple[str, ...]:
    return next((tuple(left.reasons) for left in excluded if left.ref == record.ref), ("not_matched",))
