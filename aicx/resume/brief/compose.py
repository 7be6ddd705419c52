"""Turns a report into parts: lines with references, a section and a priority."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from aicx.fields import to_fields
from aicx.paths import NON_REPOSITORY
from aicx.refs import Ref
from aicx.resume.brief.part import MAX_COMMITS, MAX_FILES, Part, clean, is_meant, level_of, listed, says_something
from aicx.resume.brief.session_parts import others, recalled, session_lines
from aicx.resume.brief.work_parts import MAX_TASKS, contract_lines, gaps, left, left_before, ran, strategies, tasks
from aicx.resume.report import Reason, ResumeReport
from aicx.text import instant, shorten

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
    from aicx.share.wanted import team_line, team_session

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
