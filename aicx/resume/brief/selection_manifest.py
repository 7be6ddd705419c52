"""The manifest of one brief: the selection as a value that can be read again later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal, NamedTuple

import orjson

from aicx.resume.brief.part import Fitted, Part, Slot, clean
from aicx.resume.report import Considered, Reason, ResumeReport
from aicx.text import instant, printable

SCHEMA = "aicx.manifest/1"

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
) -> dict[str, Any]:
    """Everything considered for a brief, once each, with what became of it. ``parts`` are what the format has.

    The same report, budget and clock give the same manifest. ``output`` is the brief without any manifest.
    """
    entries = _entries(report.considered, _uses(parts, fitted.parts, format), {part.entry for part in every})
    question = {
        "task": printable(report.task),
        "project": report.project,
        "branch": report.git.branch and clean(report.git.branch),
        "head": report.git.head,
        "now": instant(report.now, "seconds"),
        "agent": report.agent and clean(report.agent),
    }
    asked = [question, budget, format]
    digest = sha256(orjson.dumps(asked, option=orjson.OPT_SORT_KEYS, default=str)).hexdigest()
    return {
        "schema": SCHEMA,
        "id": f"resume:{digest[:16]}",
        "purpose": "resume",
        "query": question,
        "generated_at": question["now"],
        "write_mode": "read_only",
        "budget": {"unit": "tokens", "limit": budget, "used": fitted.tokens},
        "method": dict(report.search),
        "entries": entries,
        "lines": list(map(_line, fitted.parts)),
        "sections": _sections(parts, fitted.parts),
        "exclusions": {
            "by_reason": dict(sorted(Counter(one["left_out"] for one in entries if one["left_out"]).items()))
        },
        "lanes": {"unavailable": list(report.unavailable)},
        "output": {
            "format": format,
            "sha256": sha256(fitted.text).hexdigest(),
            "bytes": len(fitted.text),
            "truncated": len(fitted.parts) < len(parts),
        },
    }


def _uses(parts: Sequence[Part], shown: Sequence[Part], format: Format) -> Mapping[str, Use]:
    total = Counter(part.entry for part in parts)
    kept = Counter(part.entry for part in shown)
    sizes: Counter[str] = Counter()
    for part in shown:
        sizes[part.entry] += len(orjson.dumps(part.data)) if format == "json" else len(part.text.encode())
    return {entry: Use(count, kept[entry], sizes[entry]) for entry, count in total.items()}


def _line(part: Part) -> dict[str, Any]:
    """A line that is printed: how it was found, in what, and the references that prove it."""
    return {
        "section": part.section,
        "slot": part.slot,
        "found_by": SOURCES[part.slot],
        "entry": printable(part.entry),
        "refs": list(map(clean, part.refs)),
    }


def _sections(parts: Sequence[Part], shown: Sequence[Part]) -> list[dict[str, Any]]:
    total = Counter(part.section for part in parts)
    kept = Counter(part.section for part in shown)
    return [
        {"name": name, "considered": count, "rendered": kept[name], "omitted": count - kept[name]}
        for name, count in total.items()
    ]


def _entries(
    considered: Sequence[Considered], uses: Mapping[str, Use], unprinted: Collection[str]
) -> list[dict[str, Any]]:
    """An entry for each thing considered, in order; each once, whichever ways led to it.

    ``left_out`` says why it is not there, and further fields are those of its kind. ``unprinted`` are those that
    another format may have more of.
    """
    found: dict[str, dict[str, Any]] = {}
    for item in considered:
        if item.ref in found:
            continue
        use = uses.get(item.ref)
        included, left_out = "none", None
        if use is not None and use.shown:
            included = "full" if use.shown == use.total else "partial"
        else:
            # What nobody decided against and yet is not there had no room.
            little = Reason.ADDS_LITTLE if item.ref in unprinted else Reason.OVER_LIMIT
            left_out = str(item.left_out or (Reason.OVER_BUDGET if use else little))
        found[item.ref] = {
            "ref": printable(item.ref),
            "kind": item.kind,
            "included": included,
            "reasons": [str(reason) for reason in item.reasons],
            "left_out": left_out,
            "score": None if item.score is None else round(item.score, 4),
            "items_total": use.total if use else 0,
            "items_shown": use.shown if use else 0,
            "bytes": use.size if use else 0,
            **(item.facts or {}),
        }
    return list(found.values())
