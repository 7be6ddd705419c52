"""Turns a report into parts: lines with references, a section and a priority, those about sessions among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from aicx.evidence import Statement
from aicx.evidence.texts import summary_line
from aicx.fields import to_fields
from aicx.paths import NON_REPOSITORY
from aicx.refs import Ref
from aicx.resume.brief import (
    MAX_COMMITS,
    MAX_DECISIONS,
    MAX_FILES,
    MAX_OTHERS,
    Part,
    Section,
    Slot,
    clean,
    context_data,
    is_meant,
    is_worth_a_line,
    level_of,
    line_data,
    listed,
    says_something,
)
from aicx.resume.brief.work_parts import MAX_TASKS, contract_lines, gaps, left, left_before, ran, strategies, tasks
from aicx.resume.report import BriefedSession, Reason, ResumeReport
from aicx.text import instant, local, shorten

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
_MAX_CONTEXT = 12
_MAX_OF_KIND = {"work_state": MAX_TASKS, "failure": 3, "decision": 3, "strategy": 2}


def compose(report: ResumeReport) -> list[Part]:
    """Every line that may be shown, in the order in which they are shown."""
    parts = [*_summary(report), *_now(report), *left(report), *left_before(report), *ran(report)]
    parts += [*tasks(report), *gaps(report)]
    parts += _memory(report)
    if report.resumed is not None:
        session = list(session_lines(report, report.resumed))
        # What was done, decided and left open in a session that has little to do with the task is of no use for it.
        parts += (_in_json_alone(part, report) for part in session) if report.is_guess else session
    parts += _latest(report)
    parts += strategies(report)
    parts += _files(report)
    parts += contract_lines(report)
    parts += _symbols(report)
    parts += recalled(report)
    parts += others(report)
    parts += _team(report)
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
    """Yields what a configured command made of the other lines."""
    for number, (claim, entry) in enumerate(report.summary):
        data = {"text": claim.text, "refs": list(claim.refs)}
        yield Part("summary", "summary", claim.text, claim.refs, level_of(1, number, 3), entry, data)


def _now(report: ResumeReport) -> Iterator[Part]:
    shown = [commit for commit in report.commits if says_something(commit.subject)][:MAX_COMMITS]
    for number, commit in enumerate(report.commits):
        data = {"commit": commit.hash, "at": instant(commit.at, "seconds"), "subject": shorten(commit.subject, 120)}
        text = f"commit `{commit.hash[:9]}` {data['subject']}" if commit in shown else ""
        yield Part("now", "commits", text, (), level_of(2, number, 3), str(Ref("commit", commit.hash)), data)
    names = list(map(clean, report.git.changed))
    for number, (path, name) in enumerate(zip(report.git.changed, names, strict=True)):
        yield Part("now", "changed_files", "", (), level_of(3, number, 8), str(Ref("file", path)), {"path": name})
    if names:
        text = f"changed: {listed(names, report.git.changed_count or len(names))}"
        yield Part("now", "text", text, (), 2, str(Ref("file", report.git.changed[0])), {})


def _memory(report: ResumeReport) -> Iterator[Part]:
    """Yields what is agreed and what instruction files say, never what nobody accepted."""
    if report.memory is None:
        return
    for number, entry in enumerate(report.memory.agreed):
        said = clean(entry.statement or "")
        data = {"ref": entry.ref, "kind": entry.kind, "tier": entry.tier, "usage": entry.usage, "statement": said}
        text = f"{said} ({entry.kind}, tier {entry.tier})"
        yield Part("agreed", "agreed", text, (entry.ref,), level_of(1, number, 4), entry.ref, data)
    for number, entry in enumerate(report.memory.guidance):
        path, said = clean(str(entry.source["path"])), shorten(clean(entry.statement or ""), 240)
        data = {"ref": entry.ref, "path": path, "tier": entry.tier, "statement": said}
        text = f"`{path}` (tier {entry.tier}): {said}"
        yield Part("guidance", "guidance", text, (clean(entry.ref),), level_of(3, number, 3), entry.ref, data)


def _team(report: ResumeReport) -> Iterator[Part]:
    """Yields what other members did here, each with its member and age. Their sessions are not on this machine."""
    if not report.team:
        return
    from aicx.share import team_line, team_session

    for number, one in enumerate(report.team):
        shown = team_session(one, report.now)
        yield Part("team", "team", team_line(shown), (), level_of(2, number, 1), one.ref, to_fields(shown))


def _files(report: ResumeReport) -> Iterator[Part]:
    brief = report.resumed.brief if report.resumed else None
    there = {edit.path for edit in brief.edits} if brief else set()
    for number, file in enumerate(report.files):
        known = [_REASON_WORDS[reason] for reason in file.reasons[:2] if reason in _REASON_WORDS]
        reasons = ", ".join("edited there" if word == _EDITED and file.path in there else word for word in known)
        data = {"path": clean(file.path), "reason": reasons, "refs": list(map(clean, file.refs))}
        telling = is_meant(file) and number < MAX_FILES and not report.has_no_history
        text = f"`{data['path']}` {reasons}".rstrip() if telling else ""
        yield Part("files", "entry_points", text, file.refs, level_of(2, number, 5), str(Ref("file", file.path)), data)


def _symbols(report: ResumeReport) -> Iterator[Part]:
    for number, symbol in enumerate(report.symbols):
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
        yield Part("symbols", "symbols", f"`{place}`{name}", (), level_of(3, number, 4), entry, data)


def where_of(report: ResumeReport) -> str:
    """Returns what the brief is about, in a few words."""
    if report.project and report.project != NON_REPOSITORY:
        return report.project
    return clean(report.folder) if report.folder else "no repository"


def _latest(report: ResumeReport) -> Iterator[Part]:
    """Yields what the last session did where nothing ties one to what is checked out; the JSON names that session."""
    if (item := report.latest) is None:
        return
    yield _context(report, item, "session", "background", 4, "latest")._replace(text="")
    for part in session_lines(report, item):
        if part.text and part.slot != "context" and part.section in ("session", "done"):
            yield part._replace(section="latest", slot="text", data={})


def session_lines(report: ResumeReport, item: BriefedSession) -> Iterator[Part]:
    brief = item.brief
    if brief is None:
        return
    entry = item.facts.ref
    lines: tuple[tuple[Slot, str, Statement | None], ...] = (
        ("goal", "wanted", brief.goal),
        ("asked", "asked last", brief.asked),
        ("progress", "said last", brief.progress),
    )
    for slot, label, said in lines:
        if said is not None:
            yield Part("session", slot, f"{label}: {said.text}", said.refs, 0, entry, line_data(said))
    yield _context(report, item, "handoff", "primary", 0, "sessions" if report.is_guess else "session")
    # What is not sure to be open still happened, and is told as that.
    still_open = report.still_open.lines if report.still_open else ()
    fails = [line for line in brief.failures if line in still_open]
    for number, line in enumerate(brief.failures):
        if line in fails:
            yield _kept("failures", "failures", line, level_of(1, number, 3), entry)
        else:
            yield Part("done", "text", line.text, line.refs, level_of(1, number, 3), entry, {})
        yield _evidence(report, "failure", "caution", line, level_of(4, number, 2), entry)
    yield from _known_fixes(report, entry, "failures" if fails else "done")
    for number, line in enumerate(line for line in brief.questions if line in still_open):
        yield _kept("ahead", "next", line, level_of(1, number, 2), entry, "asked and not answered: ")
    for number, line in enumerate(line for line in brief.ahead if line in still_open):
        yield _kept("ahead", "next", line, level_of(2, number, 4), entry)
    for number, line in enumerate(brief.decisions):
        part = _kept("decisions", "decisions", line, level_of(3, number, 3), entry)
        yield part if number < MAX_DECISIONS else part._replace(text="")
        yield _evidence(report, "decision", "carryover", line, level_of(5, number, 2), entry)
    for number, line in enumerate(brief.commits):
        yield _kept("done", "commits_made", line, level_of(3, number, 3), entry, "committed: ")
    if item.in_git:
        yield Part("done", "text", f"git: {item.in_git}", (), 2, entry, {})
    for number, line in enumerate(brief.pull_requests):
        yield _kept("done", "pull_requests", line, level_of(3, number, 2), entry, "pull request: ")
    for number, line in enumerate(brief.checks):
        yield _kept("done", "validated", line, level_of(4, number, 3), entry)._replace(text="")
    if brief.tested is not None:
        yield Part("done", "text", brief.tested.text, brief.tested.refs, 4, entry, {})
    for number, edit in enumerate(brief.edits):
        data = {
            "path": clean(edit.path),
            "count": edit.times,
            "at": instant(edit.at, "seconds"),
            "refs": [str(Ref("chunk", edit.chunk))],
        }
        yield Part("done", "files_edited", "", (), level_of(5, number, 4), entry, data)
    if brief.edits:
        text = f"edited: {listed([clean(edit.path) for edit in brief.edits], len(brief.edits))}"
        yield Part("done", "text", text, (str(Ref("chunk", brief.edits[0].chunk)),), 4, entry, {})


def _known_fixes(report: ResumeReport, entry: str, section: Section) -> Iterator[Part]:
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
        done = listed(data["files"], len(by.files)) if by.files else ""
        ran = ", ".join(f"`{command}`" for command in data["commands"])
        did = "; ".join(filter(None, (done and f"editing {done}", ran and f"running {ran}")))
        text = f"seen before: {shorten(clean(pattern.last.message), 120)}; on {by.at[:10]} it passed after {did}"
        yield Part(section, "known_fixes", text, (pattern.id, by.ref), 1, entry, data)


def recalled(report: ResumeReport) -> Iterator[Part]:
    brief = report.resumed.brief if report.resumed and not report.is_guess else None
    told = [line.text for line in (brief.goal, brief.asked, brief.progress) if line] if brief else []
    for number, item in enumerate(report.recalled):
        where = f" in {clean(item.project)} ({words_of(item.relation)})" if item.relation else ""
        said = " / ".join(item.lines) or shorten(item.title or "", 120)
        ref = str(Ref("chunk", item.chunk))
        new = " / ".join(line for line in item.lines if not any(line in text for text in told))
        day = f"{local(item.started_at):%Y-%m-%d}"
        text = f"{day} {clean(item.agent)}{where}: {shorten(new, 320)}" if new else ""
        data = context_data(
            report,
            "recall",
            ref,
            said,
            item.started_at,
            reasons=["matches_task", *(["related_repository"] if item.relation else [])],
            role="background" if item.relation else "carryover",
            selection=f"related repository: {item.relation}" if item.relation else "answers the task",
            confidence="high" if item.tier == "exact" else "medium" if item.tier in ("partial", "meaning") else "low",
            automated_why=item.automated_why,
        )
        yield Part("recalled", "context", text, (ref,), level_of(3 if not item.relation else 6, number, 3), ref, data)


def others(report: ResumeReport) -> Iterator[Part]:
    shown = 0
    for number, item in enumerate(report.others):
        section: Section = "branches" if item.standing == "unmerged" else "sessions"
        part = _context(report, item, "session", "background", level_of(4, number, 3), section)
        # With a task, sessions that have little to do with it say nothing about it.
        telling = is_worth_a_line(report, item)
        shown += telling
        yield part if telling and shown <= MAX_OTHERS else part._replace(text="")


def _context(
    report: ResumeReport, item: BriefedSession, kind: str, role: str, priority: int, section: Section = "session"
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
    data = context_data(
        report,
        kind,
        facts.ref,
        f"{title}{f' ({item.ending})' if item.ending else ''}{f' → {said}' if said else ''}",
        facts.completed_at,
        reasons=[str(reason) for reason in item.reasons],
        role=role,
        selection=_selection(item, kind),
        confidence=item.confidence,
        paths=[edit.path for edit in item.brief.edits] if item.brief else (),
        of_session={"branch": facts.branch and clean(facts.branch), "branch_standing": item.standing},
        automated_why=facts.automated_why,
    )
    return Part(section, "context", text, (facts.ref,), priority, facts.ref, data)


BRANCH_STATE_WORDS = {"unmerged": "not merged here", "merged": "merged here", "gone": "gone now"}


def _selection(item: BriefedSession, kind: str) -> str:
    if item.standing == "unmerged":
        return "another branch, not merged here: not the current state"
    if kind == "handoff":
        return "the work goes on from it" if Reason.MATCHES_TASK in item.reasons else "the latest that fits"
    return "another session of this repository"


def _kept(section: Section, slot: Slot, line: Statement, priority: int, entry: str, label: str = "") -> Part:
    return Part(section, slot, f"{label}{line.text}", line.refs, priority, entry, line_data(line))


def _evidence(report: ResumeReport, kind: str, role: str, line: Statement, priority: int, entry: str) -> Part:
    """A failure or decision once more, as an object of `loaded_context`; Markdown has it on its line already."""
    data = context_data(
        report,
        kind,
        line.refs[-1],
        line.text,
        line.at,
        reasons=["resumed_session"],
        role=role,
        selection=f"{kind} of the session the work goes on from",
        automated_why=report.resumed.facts.automated_why if report.resumed else None,
    )
    return Part("failures" if kind == "failure" else "decisions", "context", "", line.refs, priority, entry, data)


def words_of(relation: str | None) -> str:
    return (relation or "").replace("_", " ")
