"""The manifest of one brief: the selection as a value that can be read again later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from hashlib import sha256
from typing import Any, Literal, NamedTuple

import orjson

from aicx.fields import INLINE, to_fields
from aicx.resume.brief.output import Fitted
from aicx.resume.brief.part import Part, Slot, clean
from aicx.resume.select.report import Considered, Reason, ResumeReport
from aicx.text import instant, printable
from aicx.values import dataclass

SCHEMA = "aicx.manifest/1"

Included = Literal["full", "partial", "none"]


@dataclass(frozen=True, slots=True)
class ManifestQuery:
    """What was asked for, where and when."""

    task: str
    project: str | None
    branch: str | None
    head: str | None
    now: str
    agent: str | None


@dataclass(frozen=True, slots=True)
class ManifestBudget:
    unit: Literal["tokens"]
    limit: int
    used: int


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One thing that was looked at; ``left_out`` says why it is not there. ``facts`` are those of its kind."""

    ref: str
    kind: str
    included: Included
    reasons: Sequence[str]
    left_out: str | None
    score: float | None
    items_total: int
    items_shown: int
    bytes: int
    facts: Mapping[str, Any] | None = field(default=None, metadata=INLINE)


@dataclass(frozen=True, slots=True)
class ManifestLine:
    """A line that is printed: how it was found, in what, and the references that prove it."""

    section: str
    slot: str
    found_by: str
    entry: str
    refs: Sequence[str]


@dataclass(frozen=True, slots=True)
class ManifestSection:
    name: str
    considered: int
    rendered: int
    omitted: int


@dataclass(frozen=True, slots=True)
class ManifestExclusions:
    by_reason: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ManifestLanes:
    unavailable: Sequence[str]


@dataclass(frozen=True, slots=True)
class ManifestOutput:
    """The brief without any manifest."""

    format: str
    sha256: str
    bytes: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class Manifest:
    """The selection of one brief, as a value that can be read again later."""

    schema: str
    id: str
    purpose: Literal["resume"]
    query: ManifestQuery
    generated_at: str
    write_mode: Literal["read_only"]
    budget: ManifestBudget
    method: Mapping[str, Any]
    entries: Sequence[ManifestEntry]
    lines: Sequence[ManifestLine]
    sections: Sequence[ManifestSection]
    exclusions: ManifestExclusions
    lanes: ManifestLanes
    output: ManifestOutput


Format = Literal["markdown", "json"]


# Where the lines of each kind come from.
SOURCES: Mapping[Slot, str] = {
    "commits": "git's log since the last session",
    "changed_files": "git's status",
    "goal": "the first prompt that says something by itself",
    "asked": "the last prompt that says something",
    "progress": "the agent's last message that is more than an announcement",
    "failures": "a command whose last run failed, and that nothing ended since",
    "known_fixes": "a check of the same kind failed and passed again in an earlier session, with what was done between",
    "next": "the last message, plan or summary names it as open",
    "decisions": "an order of a person, or a choice of the agent with its reason",
    "validated": "a check whose last run passed",
    "commits_made": "what git printed",
    "pull_requests": "what the forge printed",
    "files_edited": "calls of tools that edit",
    "entry_points": "files of sessions and passages, of git's status, and those that the task names",
    "symbols": "the repository map",
    "context": "a session's title and last message, or the sentences of a passage about the task",
    "agreed": "a person accepted it by name, and nothing speaks against it now",
    "guidance": "an instruction file of the repository, as it is now",
    "stated": "what was stated with `aicx finalize`, by whom and when",
    "stated_next": "the same statement",
    "stated_decisions": "the same statement: a candidate until a person accepts it",
    "stated_failing": "the same statement",
    "stated_before": "what was stated earlier with `aicx finalize` and has at least half of the task's words",
    "team": "the share that this home is part of: a session of another member",
    "ran": "the record of `aicx run`: exit code, changed files and commits",
    "summary": "a claim of the configured summarizer, with what it rests on",
    "text": "the details of its section, on one line",
}


class Use(NamedTuple):
    """How much of an entry was rendered: of how many lines how many, and how many bytes they take."""

    total: int
    shown: int
    size: int


def manifest_of(
    report: ResumeReport,
    every: Sequence[Part],
    parts: Sequence[Part],
    fitted: Fitted,
    budget: int,
    format: Format,
) -> Manifest:
    """Everything considered for a brief, once each, with what became of it. ``parts`` are what the format has.

    The same report, budget and clock give the same manifest. ``output`` is the brief without any manifest.
    """
    unprinted = {part.entry for part in every}
    listed = _entries(report.considered, _uses(parts, fitted.parts, format), unprinted)
    question = ManifestQuery(
        task=printable(report.task),
        project=report.project,
        branch=report.git.branch and clean(report.git.branch),
        head=report.git.head,
        now=instant(report.now, "seconds"),
        agent=report.agent and clean(report.agent),
    )
    asked = [to_fields(question), budget, format]
    digest = sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS, default=str)).hexdigest()
    return Manifest(
        schema=SCHEMA,
        id=f"resume:{digest[:16]}",
        purpose="resume",
        query=question,
        generated_at=instant(report.now, "seconds"),
        write_mode="read_only",
        budget=ManifestBudget("tokens", budget, fitted.tokens),
        method=dict(report.search),
        entries=listed,
        lines=_lines(fitted.parts),
        sections=_sections(parts, fitted.parts),
        exclusions=ManifestExclusions(_exclusions(listed)),
        lanes=ManifestLanes(list(report.unavailable)),
        output=ManifestOutput(
            format=format,
            sha256=sha256(fitted.text).hexdigest(),
            bytes=len(fitted.text),
            truncated=len(fitted.parts) < len(parts),
        ),
    )


def _uses(parts: Sequence[Part], shown: Sequence[Part], format: Format) -> Mapping[str, Use]:
    total = Counter(part.entry for part in parts)
    kept = Counter(part.entry for part in shown)
    sizes: Counter[str] = Counter()
    for part in shown:
        sizes[part.entry] += len(orjson.dumps(part.data)) if format == "json" else len(part.text.encode())
    return {entry: Use(count, kept[entry], sizes[entry]) for entry, count in total.items()}


def _lines(shown: Sequence[Part]) -> list[ManifestLine]:
    """Each line that is printed: how it was found, in what, and the references that prove it."""
    return [
        ManifestLine(part.section, part.slot, SOURCES[part.slot], printable(part.entry), list(map(clean, part.refs)))
        for part in shown
    ]


def _sections(parts: Sequence[Part], shown: Sequence[Part]) -> list[ManifestSection]:
    total = Counter(part.section for part in parts)
    kept = Counter(part.section for part in shown)
    return [ManifestSection(name, count, kept[name], count - kept[name]) for name, count in total.items()]


def _entries(
    considered: Sequence[Considered], uses: Mapping[str, Use], unprinted: Collection[str] = ()
) -> list[ManifestEntry]:
    """An entry for each thing considered, in order; each once, whichever ways led to it.

    ``unprinted`` are those that another format may have more of.
    """
    found: dict[str, ManifestEntry] = {}
    for item in considered:
        if item.ref in found:
            continue
        use = uses.get(item.ref)
        included: Included = "none"
        if use is not None and use.shown:
            included = "full" if use.shown == use.total else "partial"
        left_out = None
        if included == "none":
            # What nobody decided against and yet is not there had no room.
            little = Reason.ADDS_LITTLE if item.ref in unprinted else Reason.OVER_LIMIT
            left_out = item.left_out or (Reason.OVER_BUDGET if use else little)
        found[item.ref] = ManifestEntry(
            ref=printable(item.ref),
            kind=item.kind,
            included=included,
            reasons=[str(reason) for reason in item.reasons],
            left_out=str(left_out) if left_out else None,
            score=None if item.score is None else round(item.score, 4),
            items_total=use.total if use else 0,
            items_shown=use.shown if use else 0,
            bytes=use.size if use else 0,
            facts=item.facts,
        )
    return list(found.values())


def _exclusions(listed: Sequence[ManifestEntry]) -> dict[str, int]:
    """Reason -> how many entries were left out for it."""
    return dict(sorted(Counter(item.left_out for item in listed if item.left_out).items()))
