"""Turns a report into parts: lines with references, a section and a priority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from aicx.evidence.session_brief import Line
from aicx.evidence.texts import summary_line
from aicx.paths import NON_REPOSITORY
from aicx.refs import Ref
from aicx.resume.brief.selection import Reason
from aicx.resume.brief.worth import (
    MAX_COMMITS,
    MAX_DECISIONS,
    MAX_FILES,
    MAX_OTHERS,
    is_meant,
    is_worth_a_line,
    says_something,
)
from aicx.resume.select.ranking import Confidence
from aicx.resume.select.report import BriefedSession, ResumeReport, staleness
from aicx.text import instant, local, plural, printable, shorten

if TYPE_CHECKING:
    from aicx.work.conventions import TestSource
    from aicx.work.record import Section as WorkSection

Section = Literal[
    "summary", "now", "tasks", "agreed", "guidance", "session", "failures", "ahead", "decisions", "done", "files",
    "contract", "symbols", "recalled", "sessions", "branches",
]  # fmt: skip
# Where a part's data goes in the JSON.
Slot = Literal[
    "commits", "changed_files", "goal", "asked", "progress", "failures", "next", "decisions", "validated",
    "commits_made", "pull_requests", "files_edited", "entry_points", "symbols", "context", "text", "agreed", "guidance",
    "known_fixes", "summary",
]  # fmt: skip

_SUMMARY_LENGTH = 160
_MAX_LISTED = 8
_RELATED_PATHS = 6
# "there" only of the session that is gone on from.
_EDITED = "edited before"
_REASON_WORDS = {
    Reason.EDITED_BEFORE: _EDITED,
    Reason.READ_BEFORE: "read before",
    Reason.OFTEN_EDITED: "often worked on",
    Reason.NAMED_IN_TASK: "fits the task",
    Reason.CHANGED_NOW: "changed now",
    Reason.IN_RECALLED: "in what was recalled",
}


_TEST_SOURCES: Mapping[TestSource, str] = {
    "previous_successful_command": "it passed there",
    "makefile": "a rule of the Makefile",
    "project_convention": "the custom of such a project",
}


_MAX_TASKS, _MAX_TASK_ITEMS = 3, 3
_MAX_CONTEXT = 12
_MAX_OF_KIND = {"work_state": _MAX_TASKS, "failure": 3, "decision": 3, "strategy": 2}
_TASK_LINES: Sequence[tuple[WorkSection, str]] = (
    ("verified", "verified"),
    ("failing", "fails"),
    ("discarded_paths", "given up"),
    ("risks", "risk"),
)


class Part(NamedTuple):
    """One line of the brief. ``priority`` grows with what is left out first; ``entry`` is the manifest's entry.

    What has no ``text`` is in the JSON alone: programs choose for themselves, a person reads every line.
    """

    section: Section
    slot: Slot
    text: str
    refs: tuple[str, ...]
    priority: int
    entry: str
    data: Mapping[str, Any]


def compose(report: ResumeReport) -> list[Part]:
    """Every line that may be shown, in the order in which they are shown."""
    parts = [*_summary(report), *_now(report), *_tasks(report), *_gaps(report), *_memory(report)]
    if report.resumed is not None:
        session = list(_session(report, report.resumed))
        # What was done, decided and left open in a session that has little to do with the task is of no use for it.
        parts += (_in_json_alone(part, report) for part in session) if report.is_guess else session
    parts += _strategies(report)
    parts += _files(report)
    parts += _contract(report)
    parts += _symbols(report)
    parts += _recalled(report)
    parts += _others(report)
    return list(_within_limits(parts))


def _within_limits(parts: Iterable[Part]) -> Iterator[Part]:
    """The context for programs has so many of each kind, the first ones; what a person reads is no shorter for it."""
    counts: Counter[str] = Counter()
    for part in parts:
        if part.slot == "context":
            kind = part.data["kind"]
            counts[kind] += 1
            if counts.total() > _MAX_CONTEXT or counts[kind] > _MAX_OF_KIND.get(kind, _MAX_CONTEXT):
                counts[kind] -= 1
                part = part._replace(slot="text", data={})
                if not part.text:
                    continue
        yield part


def _in_json_alone(part: Part, report: ResumeReport) -> Part:
    is_named = part.section == "sessions" and not report.has_no_history
    return part if is_named else part._replace(text="")


def _summary(report: ResumeReport) -> Iterator[Part]:
    """What a configured command made of the other lines."""
    for number, claim in enumerate(report.summary):
        data = {"text": claim.text, "refs": list(claim.refs)}
        yield Part("summary", "summary", claim.text, claim.refs, _level(1, number, 3), claim.entry, data)


def _now(report: ResumeReport) -> Iterator[Part]:
    shown = [commit for commit in report.commits if says_something(commit.subject)][:MAX_COMMITS]
    for number, commit in enumerate(report.commits):
        data = {"commit": commit.hash, "at": instant(commit.at, "seconds"), "subject": shorten(commit.subject, 120)}
        text = f"commit `{commit.hash[:9]}` {data['subject']}" if commit in shown else ""
        yield Part("now", "commits", text, (), _level(2, number, 3), str(Ref("commit", commit.hash)), data)
    names = list(map(clean, report.git.changed))
    for number, (path, name) in enumerate(zip(report.git.changed, names, strict=True)):
        yield Part("now", "changed_files", "", (), _level(3, number, 8), str(Ref("file", path)), {"path": name})
    if names:
        text = f"changed: {_listed(names, report.git.changed_count or len(names))}"
        yield Part("now", "text", text, (), 2, str(Ref("file", report.git.changed[0])), {})


def _tasks(report: ResumeReport) -> Iterator[Part]:
    """The open tasks, as somebody stated them, before anything that was worked out."""
    if report.tasks is None:
        return
    from aicx.work.next_step import next_steps  # imported here: most never begin a task

    for number, task in enumerate(report.tasks.active[:_MAX_TASKS]):
        record = task.record
        step = next_steps([task])[0]
        warning = f" ({task.loading.warning})" if task.loading.warning else ""
        ahead = f"; next: {clean(step.text)}" if step.field != "goal" else ""
        text = f"task: {clean(record.title)}{ahead}{warning}"
        data = _entry_data(
            report,
            kind="work_state",
            ref=record.ref,
            summary=f"{clean(record.title)}{ahead}",
            reasons=["open_task"],
            role="primary",
            selection=f"an open task, {task.loading.reason.replace('_', ' ')}",
            confidence="high",
            at=record.updated_at,
            paths=record.texts("active_files"),
            automated_why=None,
        )
        yield Part("tasks", "context", text, (record.ref,), _level(0, number, 2), record.ref, data)
        for section, label in _TASK_LINES:
            for place, item in enumerate(record.texts(section)[:_MAX_TASK_ITEMS]):
                line = f"{label}: {clean(item)}"
                yield Part("tasks", "text", line, (record.ref,), _level(2, number + place, 3), record.ref, {})
    if (unnamed := len(report.tasks.active) - _MAX_TASKS) > 0:
        last = report.tasks.active[-1].record.ref
        text = f"{plural(unnamed, 'more open task')}: `aicx task status`"
        yield Part("tasks", "text", text, (last,), 4, last, {})
    for task in report.tasks.skipped[:_MAX_TASKS]:
        text = f"left alone: {clean(task.record.title)}, {clean(task.loading.warning or '')}"
        yield Part("tasks", "text", text, (task.record.ref,), 4, task.record.ref, {})


def _gaps(report: ResumeReport) -> Iterator[Part]:
    """What the last session's contract asked for and did not get: for programs, before anything that is done."""
    if (previous := report.previous) is None:
        return
    record, kept = previous.record, previous.compliance
    for number, gap in enumerate(kept.gaps):
        data = _entry_data(
            report,
            kind="contract_gap",
            ref=record.ref,
            summary=f"{gap.replace('_', ' ')} in \u201c{clean(record.title)}\u201d: {clean(kept.compact_summary)}",
            reasons=[gap],
            role="carryover",
            selection="left open by the last contract",
            confidence="medium",
            at=record.updated_at,
            paths=kept.outside_scope,
            automated_why=None,
        )
        yield Part("contract", "context", "", (record.ref,), _level(2, number, 2), record.ref, data)


def _memory(report: ResumeReport) -> Iterator[Part]:
    """What is agreed and what instruction files say, never what nobody accepted."""
    if report.memory is None:
        return
    for number, entry in enumerate(report.memory.agreed):
        said = clean(entry.statement or "")
        data = {"ref": entry.ref, "kind": entry.kind, "tier": entry.tier, "usage": entry.usage, "statement": said}
        text = f"{said} ({entry.kind}, tier {entry.tier})"
        yield Part("agreed", "agreed", text, (entry.ref,), _level(1, number, 4), entry.ref, data)
    for number, entry in enumerate(report.memory.guidance):
        path, said = clean(str(entry.source["path"])), shorten(clean(entry.statement or ""), 240)
        data = {"ref": entry.ref, "path": path, "tier": entry.tier, "statement": said}
        text = f"`{path}` (tier {entry.tier}): {said}"
        yield Part("guidance", "guidance", text, (clean(entry.ref),), _level(3, number, 3), entry.ref, data)


def _session(report: ResumeReport, item: BriefedSession) -> Iterator[Part]:
    brief = item.brief
    if brief is None:
        return
    entry = item.facts.ref
    lines: tuple[tuple[Slot, str, Line | None], ...] = (
        ("goal", "wanted", brief.goal),
        ("asked", "asked last", brief.asked),
        ("progress", "said last", brief.progress),
    )
    for slot, label, said in lines:
        if said is not None:
            yield Part("session", slot, f"{label}: {said.text}", said.refs, 0, entry, _line_data(said))
    yield _context(report, item, "handoff", "primary", 0, "sessions" if report.is_guess else "session")
    for number, line in enumerate(brief.failures):
        yield _kept("failures", "failures", line, _level(1, number, 3), entry)
        yield _evidence(report, "failure", "caution", line, _level(4, number, 2), entry)
    yield from _known_fixes(report, entry)
    for number, line in enumerate(brief.questions):
        yield _kept("ahead", "next", line, _level(1, number, 2), entry, "asked and not answered: ")
    for number, line in enumerate(brief.ahead):
        yield _kept("ahead", "next", line, _level(2, number, 4), entry)
    for number, line in enumerate(brief.decisions):
        part = _kept("decisions", "decisions", line, _level(3, number, 3), entry)
        yield part if number < MAX_DECISIONS else part._replace(text="")
        yield _evidence(report, "decision", "carryover", line, _level(5, number, 2), entry)
    for number, line in enumerate(brief.commits):
        yield _kept("done", "commits_made", line, _level(3, number, 3), entry, "committed: ")
    for number, line in enumerate(brief.pull_requests):
        yield _kept("done", "pull_requests", line, _level(3, number, 2), entry, "pull request: ")
    for number, line in enumerate(brief.checks):
        yield _kept("done", "validated", line, _level(4, number, 3), entry)._replace(text="")
    if brief.tested is not None:
        yield Part("done", "text", brief.tested.text, brief.tested.refs, 4, entry, {})
    for number, edit in enumerate(brief.edits):
        data = {
            "path": clean(edit.path),
            "count": edit.times,
            "at": instant(edit.at, "seconds"),
            "refs": [str(Ref("chunk", edit.chunk))],
        }
        yield Part("done", "files_edited", "", (), _level(5, number, 4), entry, data)
    if brief.edits:
        text = f"edited: {_listed([clean(edit.path) for edit in brief.edits], len(brief.edits))}"
        yield Part("done", "text", text, (str(Ref("chunk", brief.edits[0].chunk)),), 4, entry, {})


def _known_fixes(report: ResumeReport, entry: str) -> Iterator[Part]:
    for pattern in report.known_fixes:
        if (helped := pattern.helped) is None:
            continue
        by = helped.by
        data = {
            "failure": pattern.id,
            "message": clean(pattern.last.message),
            "command": clean(pattern.last.command),
            "files": list(map(clean, by.files)),
            "commands": list(map(clean, by.commands)),
            "at": by.at,
            "session": helped.session,
            "refs": [by.ref],
        }
        done = _listed(data["files"], len(by.files)) if by.files else ""
        ran = ", ".join(f"`{command}`" for command in data["commands"])
        did = "; ".join(filter(None, (done and f"editing {done}", ran and f"running {ran}")))
        text = f"seen before: {shorten(clean(pattern.last.message), 120)}; on {by.at[:10]} it passed after {did}"
        yield Part("failures", "known_fixes", text, (pattern.id, by.ref), 1, entry, data)


def _strategies(report: ResumeReport) -> Iterator[Part]:
    """How tasks like this one succeeded; for programs alone, and what a contract counts."""
    for number, strategy in enumerate(report.strategies):
        began = ", ".join(clean(path) for path in strategy.entry_points)
        proof = f"; `{clean(strategy.tests[0])}` passed" if strategy.tests else ""
        data = _entry_data(
            report,
            kind="strategy",
            ref=strategy.session,
            summary=f"{clean(strategy.goal)}: began at {began}{proof}",
            reasons=list(strategy.reasons),
            role="background",
            selection="a task like this one succeeded there",
            confidence=strategy.confidence,
            at=datetime.fromisoformat(strategy.at),
            paths=strategy.edited,
            automated_why=None,
        )
        yield Part("files", "context", "", (strategy.session,), _level(5, number, 2), strategy.session, data)


def _files(report: ResumeReport) -> Iterator[Part]:
    brief = report.resumed.brief if report.resumed else None
    there = {edit.path for edit in brief.edits} if brief else set()
    for number, file in enumerate(report.files):
        known = [_REASON_WORDS[reason] for reason in file.reasons[:2] if reason in _REASON_WORDS]
        reasons = ", ".join("edited there" if word == _EDITED and file.path in there else word for word in known)
        data = {"path": clean(file.path), "reason": reasons, "refs": list(map(clean, file.refs))}
        telling = is_meant(file) and number < MAX_FILES and not report.has_no_history
        text = f"`{data['path']}` {reasons}".rstrip() if telling else ""
        yield Part("files", "entry_points", text, file.refs, _level(2, number, 5), str(Ref("file", file.path)), data)


def _contract(report: ResumeReport) -> Iterator[Part]:
    """What no other line says: which file is surely the first, what proves the work, and how the last contract went."""
    contract = report.contract
    if contract is None or report.has_no_history:
        return
    first = contract.first_action
    if first is not None and first.path is not None:
        text = f"begin with `{clean(first.path)}`"
        yield Part("contract", "text", text, (), 2, str(Ref("file", first.path)), {})
    test = contract.test_command
    if test.command is not None:
        text = f"prove it with `{clean(test.command)}` ({_TEST_SOURCES[test.source]})"
        entry = report.resumed.facts.ref if report.resumed else str(Ref("file", test.command))
        yield Part("contract", "text", text, (), 2, entry, {})
    if (previous := report.previous) is not None:
        text = f"the last contract was {clean(previous.compliance.compact_summary)}"
        yield Part("contract", "text", text, (previous.record.ref,), 3, previous.record.ref, {})


def _symbols(report: ResumeReport) -> Iterator[Part]:
    for number, symbol in enumerate(report.structure.symbols):
        place = f"{clean(symbol.path)}:{symbol.line}" if symbol.line else clean(symbol.path)
        title = clean(symbol.symbol or symbol.path)
        data = {
            "kind": symbol.kind,
            "id": place,
            "path": clean(symbol.path),
            "title": title,
            "score": round(symbol.score, 4),
            "reasons": [clean(reason) for reason in symbol.reasons],
            "symbols": [title] if symbol.symbol else [],
            "metadata": {"symbol": symbol.symbol and title, "symbol_kind": symbol.kind, "line": symbol.line},
            "source": "repo_map",
        }
        name = f" {symbol.kind} {title}" if symbol.symbol else ""
        entry = str(Ref.of_symbol(symbol.path, symbol.line))
        yield Part("symbols", "symbols", f"`{place}`{name}", (), _level(3, number, 4), entry, data)


def _recalled(report: ResumeReport) -> Iterator[Part]:
    brief = report.resumed.brief if report.resumed and not report.is_guess else None
    told = [line.text for line in (brief.goal, brief.asked, brief.progress) if line] if brief else []
    for number, item in enumerate(report.recalled):
        facts = item.facts
        where = f" in {clean(str(facts['project']))} ({words_of(item.related)})" if item.related else ""
        said = " / ".join(item.lines) or shorten(str(facts["title"] or ""), 120)
        ref = str(Ref("chunk", item.chunk))
        new = " / ".join(line for line in item.lines if not any(line in text for text in told))
        text = f"{local(item.at):%Y-%m-%d} {clean(str(facts['agent']))}{where}: {shorten(new, 320)}" if new else ""
        data = _entry_data(
            report,
            kind="recall",
            ref=ref,
            summary=said,
            reasons=["matches_task", *(["related_repository"] if item.related else [])],
            role="background" if item.related else "carryover",
            selection=f"related repository: {item.related}" if item.related else "answers the task",
            confidence="high" if item.tier == "exact" else "medium" if item.tier in ("partial", "meaning") else "low",
            at=item.at,
            paths=(),
            automated_why=facts["automated_why"],
        )
        yield Part("recalled", "context", text, (ref,), _level(3 if not item.related else 6, number, 3), ref, data)


def _others(report: ResumeReport) -> Iterator[Part]:
    shown = 0
    for number, item in enumerate(report.others):
        section: Section = "branches" if item.standing == "unmerged" else "sessions"
        part = _context(report, item, "session", "background", _level(4, number, 3), section)
        # With a task, sessions that have little to do with it say nothing about it.
        telling = is_worth_a_line(report, item)
        shown += telling
        yield part if telling and shown <= MAX_OTHERS else part._replace(text="")


def _context(
    report: ResumeReport,
    item: BriefedSession,
    kind: str,
    role: str,
    priority: int,
    section: Section = "session",
) -> Part:
    """A session as one line, and as an object of `loaded_context`."""
    facts = item.facts
    outcome = item.brief.progress if item.brief else item.outcome
    title = summary_line(facts.title or "", 100) or "untitled"
    said = outcome.text if outcome else ""
    where = f", branch `{clean(facts.branch)}`" if facts.branch else ""
    if item.standing in BRANCH_STATE_WORDS:
        where += f" ({BRANCH_STATE_WORDS[item.standing]})"
    where += f", {item.ending}" if item.ending else ""
    text = f"{local(facts.completed_at):%Y-%m-%d %H:%M} {facts.agent}{where}: {title}" + (
        f" → {shorten(said, 180)}" if said else ""
    )
    data = _entry_data(
        report,
        kind=kind,
        ref=facts.ref,
        summary=f"{title}{f' ({item.ending})' if item.ending else ''}{f' → {said}' if said else ''}",
        reasons=[str(reason) for reason in item.reasons],
        role=role,
        selection=_selection(item, kind),
        confidence=item.confidence,
        at=facts.completed_at,
        paths=[edit.path for edit in item.brief.edits] if item.brief else (),
        automated_why=facts.automated_why,
    )
    data["branch"], data["branch_standing"] = facts.branch and clean(facts.branch), item.standing
    return Part(section, "context", text, (facts.ref,), priority, facts.ref, data)


BRANCH_STATE_WORDS = {
    "unmerged": "not merged here",
    "merged": "merged here",
    "gone": "gone now",
}


def _selection(item: BriefedSession, kind: str) -> str:
    if item.standing == "unmerged":
        return "another branch, not merged here: not the current state"
    if kind == "handoff":
        return "the work goes on from it" if Reason.MATCHES_TASK in item.reasons else "the latest that fits"
    return "another session of this repository"


def _kept(section: Section, slot: Slot, line: Line, priority: int, entry: str, label: str = "") -> Part:
    return Part(section, slot, f"{label}{line.text}", line.refs, priority, entry, _line_data(line))


def _evidence(report: ResumeReport, kind: str, role: str, line: Line, priority: int, entry: str) -> Part:
    """A failure or decision once more, as an object of `loaded_context`; Markdown has it on its line already."""
    data = _entry_data(
        report,
        kind=kind,
        ref=line.refs[-1],
        summary=line.text,
        reasons=["resumed_session"],
        role=role,
        selection=f"{kind} of the session the work goes on from",
        confidence="high",
        at=line.at,
        paths=(),
        automated_why=report.resumed.facts.automated_why if report.resumed else None,
    )
    return Part("failures" if kind == "failure" else "decisions", "context", "", line.refs, priority, entry, data)


def _entry_data(
    report: ResumeReport,
    *,
    kind: str,
    ref: str,
    summary: str,
    reasons: Sequence[str],
    role: str,
    selection: str,
    confidence: Confidence,
    at: datetime,
    paths: Sequence[str],
    automated_why: str | None,
) -> dict[str, Any]:
    return {
        "kind": kind,
        "source": "corpus",
        "source_id": ref,
        "summary": shorten(summary, _SUMMARY_LENGTH),
        "match_reasons": list(reasons),
        "selection_reason": selection,
        "confidence": confidence,
        "staleness": staleness(at, report.now),
        "role": role,
        "related_paths": [clean(path) for path in paths[:_RELATED_PATHS]],
        "at": instant(at, "seconds"),
        "automated": automated_why is not None,
        "automated_why": automated_why,
    }


def _line_data(line: Line) -> dict[str, Any]:
    return {"text": line.text, "at": instant(line.at, "seconds"), "refs": list(line.refs)}


def _listed(names: Sequence[str], count: int) -> str:
    """The first names of a list, and how many there are besides."""
    shown = ", ".join(f"`{name}`" for name in names[:_MAX_LISTED])
    left = count - min(len(names), _MAX_LISTED)
    return f"{shown} and {left:,} more" if left > 0 else shown


def _level(level: int, number: int, most: int) -> int:
    """The priority of the ``number``-th of a kind: from ``level`` on, and later for each ``most`` before it."""
    return level + 3 * (number // most)


def clean(text: str) -> str:
    """A name from outside on one line: a file's name may hold anything."""
    return " ".join(printable(text).replace("`", "'").split()) or "?"


def words_of(relation: str | None) -> str:
    return (relation or "").replace("_", " ")


def where_of(report: ResumeReport) -> str:
    """What the brief is about, in a few words."""
    if report.project and report.project != NON_REPOSITORY:
        return report.project
    return clean(report.folder) if report.folder else "no repository"
