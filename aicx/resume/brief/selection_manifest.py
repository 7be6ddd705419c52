"""The manifest of one brief: the selection as a value that can be read again later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal

import orjson

from aicx.resume.brief import Fitted, Part, Slot, clean
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


def manifest_of(
    report: ResumeReport, every: Sequence[Part], parts: Sequence[Part], fitted: Fitted, budget: int, format: Format
) -> dict[str, Any]:
    """Everything considered for a brief, once each, with what became of it. ``parts`` are what the format has.

    The same report, budget and clock give the same manifest. ``output`` is the brief without any manifest.
    """
    entries = _entries(report.considered, parts, fitted.parts, format, {part.entry for part in every})
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
    considered: Sequence[Considered],
    parts: Sequence[Part],
    printed: Sequence[Part],
    format: Format,
    unprinted: Collection[str],
) -> list[dict[str, Any]]:
    """An entry for each thing considered, in order; each once, whichever ways led to it.

    ``left_out`` says why it is not there, and further fields are those of its kind. ``unprinted`` are those that
    another format may have more of.
    """
    total, shown = Counter(part.entry for part in parts), Counter(part.entry for part in printed)
    sizes: Counter[str] = Counter()
    for part in printed:
        sizes[part.entry] += len(orjson.dumps(part.data)) if format == "json" else len(part.text.encode())
    found: dict[str, dict[str, Any]] = {}
    for item in considered:
        ref = item.ref
        if ref in found:
            continue
        included, left_out = "none", None
        if shown[ref]:
            included = "full" if shown[ref] == total[ref] else "partial"
        else:
            # What nobody decided against and yet is not there had no room.
            little = Reason.ADDS_LITTLE if ref in unprinted else Reason.OVER_LIMIT
            left_out = str(item.left_out or (Reason.OVER_BUDGET if total[ref] else little))
        found[ref] = {
            "ref": printable(ref),
            "kind": item.kind,
            "included": included,
            "reasons": [str(reason) for reason in item.reasons],
            "left_out": left_out,
            "score": None if item.score is None else round(item.score, 4),
            "items_total": total[ref],
            "items_shown": shown[ref],
            "bytes": sizes[ref],
            **(item.facts or {}),
        }
    return list(found.values())
