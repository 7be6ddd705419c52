"""Printing a report as a brief: Markdown or JSON within an exact number of tokens. Here one line of it, a `Part`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Literal, NamedTuple

from aicx.evidence import Statement
from aicx.evidence.patterns import request_rules
from aicx.evidence.statements import reports_something
from aicx.evidence.texts import words
from aicx.resume.ranking import Confidence
from aicx.resume.report import BriefedSession, EntryFile, Reason, ResumeReport, staleness
from aicx.storage.typed import Made
from aicx.text import instant, printable, shorten

Section = Literal[
    "summary", "now", "stated", "ran", "tasks", "agreed", "guidance", "session", "failures", "ahead", "decisions",
    "done", "latest", "files", "contract", "symbols", "recalled", "sessions", "branches",
    "team",
]  # fmt: skip

# Where a part's data goes in the JSON.
Slot = Literal[
    "commits", "changed_files", "goal", "asked", "progress", "failures", "next", "decisions", "validated",
    "commits_made", "pull_requests", "files_edited", "entry_points", "symbols", "context", "text", "agreed", "guidance",
    "known_fixes", "summary", "stated", "stated_next", "stated_decisions", "stated_failing", "ran",
    "stated_before", "team",
]  # fmt: skip
_SUMMARY_LENGTH = 160
_MAX_LISTED = 8
_RELATED_PATHS = 6
_NO_SESSION: Mapping[str, str | None] = {}


class Part(NamedTuple):
    """One line of the brief. ``priority`` grows with what is left out first; ``entry`` is the manifest's entry.

    What has no ``text`` is in the JSON alone: programs choose for themselves, a person reads every line.
    """

    section: Section
    slot: Slot
    text: str
    refs: tuple[str, ...]
    priority: int
    entry: Made  # compared with those of the manifest, which is redacted as a whole
    data: Mapping[str, Any]


class Fitted(NamedTuple):
    """A brief that fits: what is printed, its size, and the parts in it."""

    text: bytes
    tokens: int
    parts: tuple[Part, ...]
    limit: int  # how long outside texts are in it


def context_data(
    report: ResumeReport,
    kind: str,
    ref: str,
    summary: str,
    at: datetime,
    *,
    role: str,
    selection: str,
    reasons: Sequence[str],
    confidence: Confidence = "high",
    paths: Sequence[str] = (),
    source: str = "corpus",
    of_session: Mapping[str, str | None] = _NO_SESSION,
    automated_why: str | None = None,
) -> dict[str, Any]:
    """A piece of history as `loaded_context` has it, but for its rank."""
    return {
        "kind": kind,
        "source": source,
        "source_id": ref,
        "summary": shorten(summary, _SUMMARY_LENGTH),
        "match_reasons": list(reasons),
        "selection_reason": selection,
        "confidence": confidence,
        "staleness": staleness(at, report.now),
        "role": role,
        "related_paths": [clean(path) for path in paths[:_RELATED_PATHS]],
        "at": instant(at, "seconds"),
        **of_session,
        "automated": automated_why is not None,
        "automated_why": automated_why,
    }


def line_data(line: Statement) -> dict[str, Any]:
    return {"text": line.text, "at": instant(line.at, "seconds"), "refs": list(line.refs)}


def listed(names: Sequence[str], count: int) -> str:
    """The first names of a list, and how many there are besides."""
    shown = ", ".join(f"`{name}`" for name in names[:_MAX_LISTED])
    left = count - min(len(names), _MAX_LISTED)
    return f"{shown} and {left:,} more" if left > 0 else shown


def level_of(level: int, number: int, most: int) -> int:
    """The priority of the ``number``-th of a kind: from ``level`` on, and later for each ``most`` before it."""
    return level + 3 * (number // most)


def clean(text: str) -> str:
    """A name from outside on one line: a file's name may hold anything."""
    return " ".join(printable(text).replace("`", "'").split()) or "?"


MAX_COMMITS, MAX_DECISIONS, MAX_FILES, MAX_OTHERS = 5, 5, 3, 3
# Sessions longer ago than this before the one that is gone on from say little of where the work stands.
_RECENT = timedelta(days=7)


def says_something(subject: str) -> bool:
    """Whether a commit's subject tells what it changed, as "fix lint" and "review feedback" do not."""
    return sum(word not in request_rules().procedural for word in words(subject)) > 1


def is_meant(file: EntryFile) -> bool:
    """Whether the task or git mean a file; the next session rarely looks at what else was edited or read before."""
    return file.reasons[:1] in ((Reason.NAMED_IN_TASK,), (Reason.CHANGED_NOW,), (Reason.IN_RECALLED,))


def is_worth_a_line(report: ResumeReport, item: BriefedSession) -> bool:
    """Whether another session broke off, had to do with files or reports something, and is recent or about the task."""
    if report.task.strip():
        fits = item.confidence == "high" or (item.confidence == "medium" and Reason.SAME_BRANCH in item.reasons)
    else:  # of the days before the one that is gone on from
        resumed = report.resumed
        fits = resumed is None or resumed.facts.completed_at - item.facts.completed_at <= _RECENT
    if not fits or item.outcome is None:
        return fits and item.ending == "broke off"
    return item.ending == "broke off" or bool(item.facts.files) or reports_something(item.outcome.text)
