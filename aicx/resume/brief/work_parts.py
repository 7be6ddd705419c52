"""The lines about work: statements, programs that ran, open tasks, the last contract's gaps, and the contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from aicx.refs import Ref
from aicx.resume.brief import Part, clean, context_data, level_of
from aicx.resume.report import ResumeReport
from aicx.text import ago, instant, plural, shorten

if TYPE_CHECKING:
    from aicx.resume.brief import Slot
    from aicx.work.contract import TestSource
    from aicx.work.place import Loaded
    from aicx.work.record import Item, Section, WorkRecord
    from aicx.work.record import Section as WorkSection

_COMMAND, _TELLING = 120, 160  # characters
_MAX_COMMITS = 3
_LINES: tuple[tuple[Section, Slot, str], ...] = (
    ("next_steps", "stated_next", "next"),
    ("failing", "stated_failing", "fails"),
    ("decisions", "stated_decisions", "decided (a candidate, not accepted yet)"),
)


def left(report: ResumeReport) -> Iterator[Part]:
    """Yields what was stated at the end of a session, by whom and when. It comes before what its log says."""
    if report.left is None:
        return
    from aicx.work.left import stated_items  # imported here: most state nothing

    record = report.left.record
    text, data = _told(report.left, report)
    yield Part("stated", "stated", text, (record.ref,), 0, record.ref, data)
    agreed = {entry.statement for entry in report.memory.agreed} if report.memory is not None else set()
    items = stated_items(record)
    for section, slot, label in _LINES:
        found = [item for item in items if item.section == section and item.text not in agreed]
        for number, item in enumerate(found):
            text = f"{label}: {clean(item.text)}"
            yield Part("stated", slot, text, (), level_of(1, number, 4), record.ref, _item_data(item, record))


def left_before(report: ResumeReport) -> Iterator[Part]:
    """Yields what was stated earlier about the task, on one line: the last statement may be about something else."""
    if report.left_before is None:
        return
    from aicx.work.left import stated_items

    record = report.left_before.record
    text, data = _told(report.left_before, report)
    items = stated_items(record)
    for section, slot, label in _LINES:
        found = [item for item in items if item.section == section]
        text += "".join(f"; {label}: {clean(item.text)}" for item in found)
        data[slot.removeprefix("stated_")] = [_item_data(item, record) for item in found]
    yield Part("stated", "stated_before", f"earlier, about this task: {text}", (record.ref,), 1, record.ref, data)


def _item_data(item: Item, record: WorkRecord) -> dict[str, Any]:
    status = {"status": "candidate"} if item.section == "decisions" else {}
    return {"text": clean(item.text), **status, "at": instant(item.at, "seconds"), "refs": [record.ref]}


def _told(one: Loaded, report: ResumeReport) -> tuple[str, dict[str, Any]]:
    """A statement without its items: as stated, by whom and when."""
    from aicx.work.left import by_of, goal_of, has_failed

    record = one.record
    attempt = record.attempt
    assert attempt is not None
    by, since = clean(by_of(record)), ago(record.updated_at, report.now)
    warning = f" ({clean(one.loading.warning)})" if one.loading.warning else ""
    goal = f", of \u201c{clean(goal_of(record))}\u201d" if goal_of(record) else ""
    outcome = "failure" if has_failed(record) else "success"
    data = {
        "ref": record.ref,
        "by": by,
        "session": attempt.session and str(Ref.of_session(attempt.agent, attempt.session)),
        "at": instant(record.updated_at, "seconds"),
        "age": since,
        "outcome": outcome,
        "goal": clean(goal_of(record)) if goal_of(record) else None,
        "summary": clean(record.closing_note),
    }
    return f"{outcome}, as stated by {by} {since}{warning}{goal}: {data['summary']}", data


def ran(report: ResumeReport) -> Iterator[Part]:
    """How the programs that ran since ended: exit code, what they printed of a failure, files and commits."""
    for number, record in enumerate(report.ran):
        attempt = record.attempt
        assert attempt is not None
        command = clean(next(iter(attempt.stated.commands[-1:]), record.title))
        since = ago(record.updated_at, report.now)
        commits = [ref for ref in record.sources if ref.startswith("commit:")]
        telling = [clean(line) for line in attempt.stated.errors[:1]]
        data = {
            "ref": record.ref,
            "command": command,
            "exit_code": attempt.exit_code,
            "telling": telling[0] if telling else None,
            "files": list(map(clean, attempt.stated.edited)),
            "commits": commits,
            "at": instant(record.updated_at, "seconds"),
            "age": since,
        }
        edited = attempt.stated.edited
        changed = [f"changed {plural(len(edited), 'file')}"] if edited else []
        did = [*changed, *_commits(report, commits)]
        text = f"`{shorten(command, _COMMAND)}` ended with exit code {attempt.exit_code}, {since}"
        text += f": {shorten(telling[0], _TELLING)}" if telling else ""
        text += f"; it {' and '.join(did)}" if did else ""
        yield Part("ran", "ran", text, (record.ref,), level_of(1, number, 2), record.ref, data)


def _commits(report: ResumeReport, refs: list[str]) -> list[str]:
    subjects = {str(Ref("commit", commit.hash)): commit.subject for commit in report.commits}
    named = [
        f"`{Ref.parse(ref).value[:9]}` {shorten(clean(subjects[ref]), 80)}"
        if ref in subjects
        else f"`{Ref.parse(ref).value[:9]}`"
        for ref in refs[:_MAX_COMMITS]
    ]
    more = f" and {len(refs) - _MAX_COMMITS} more" if len(refs) > _MAX_COMMITS else ""
    return [f"committed {', '.join(named)}{more}"] if named else []


_TEST_SOURCES: Mapping[TestSource, str] = {
    "previous_successful_command": "it passed there",
    "makefile": "a rule of the Makefile",
    "project_convention": "usual for such a project",
}
_ELSEWHERE = "it passed in earlier sessions"
MAX_TASKS, _MAX_TASK_ITEMS = 3, 3
_TASK_LINES: Sequence[tuple[WorkSection, str]] = (
    ("verified", "verified"),
    ("failing", "fails"),
    ("discarded_paths", "given up"),
    ("risks", "risk"),
)


def tasks(report: ResumeReport) -> Iterator[Part]:
    """The open tasks, as somebody stated them, before anything that was worked out."""
    if report.tasks is None:
        return
    from aicx.work.place import next_steps

    for number, task in enumerate(report.tasks.active[:MAX_TASKS]):
        record = task.record
        step = next_steps([task])[0]
        warning = f" ({task.loading.warning})" if task.loading.warning else ""
        ahead = f"; next: {clean(step.text)}" if step.field != "goal" else ""
        text = f"task: {clean(record.title)}{ahead}{warning}"
        data = context_data(
            report,
            "work_state",
            record.ref,
            f"{clean(record.title)}{ahead}",
            record.updated_at,
            reasons=["open_task"],
            role="primary",
            selection=f"an open task, {task.loading.reason.replace('_', ' ')}",
            paths=record.texts("active_files"),
        )
        yield Part("tasks", "context", text, (record.ref,), level_of(0, number, 2), record.ref, data)
        for section, label in _TASK_LINES:
            for place, item in enumerate(record.texts(section)[:_MAX_TASK_ITEMS]):
                line = f"{label}: {clean(item)}"
                yield Part("tasks", "text", line, (record.ref,), level_of(2, number + place, 3), record.ref, {})
    if (unnamed := len(report.tasks.active) - MAX_TASKS) > 0:
        last = report.tasks.active[-1].record.ref
        text = f"{plural(unnamed, 'more open task')}: `aicx task status`"
        yield Part("tasks", "text", text, (last,), 4, last, {})
    for task in report.tasks.skipped[:MAX_TASKS]:
        text = f"left alone: {clean(task.record.title)}, {clean(task.loading.warning or '')}"
        yield Part("tasks", "text", text, (task.record.ref,), 4, task.record.ref, {})


def gaps(report: ResumeReport) -> Iterator[Part]:
    """Yields what the last session's contract asked for and did not get: for programs, before anything that is done."""
    if (previous := report.previous) is None:
        return
    record, kept = previous.record, previous.compliance
    for number, gap in enumerate(kept.gaps):
        data = context_data(
            report,
            "contract_gap",
            record.ref,
            f"{gap.replace('_', ' ')} in \u201c{clean(record.title)}\u201d: {clean(kept.compact_summary)}",
            record.updated_at,
            reasons=[gap],
            role="carryover",
            selection="left open by the last contract",
            confidence="medium",
            paths=kept.outside_scope,
        )
        yield Part("contract", "context", "", (record.ref,), level_of(2, number, 2), record.ref, data)


def strategies(report: ResumeReport) -> Iterator[Part]:
    """How tasks like this one succeeded; for programs alone, and what a contract counts."""
    for number, strategy in enumerate(report.strategies):
        began = ", ".join(clean(path) for path in strategy.entry_points)
        proof = f"; `{clean(strategy.tests[0])}` passed" if strategy.tests else ""
        data = context_data(
            report,
            "strategy",
            strategy.session,
            f"{clean(strategy.goal)}: began at {began}{proof}",
            datetime.fromisoformat(strategy.at),
            reasons=strategy.reasons,
            role="background",
            selection="a task like this one succeeded there",
            confidence=strategy.confidence,
            paths=strategy.edited,
        )
        yield Part("files", "context", "", (strategy.session,), level_of(5, number, 2), strategy.session, data)


def contract_lines(report: ResumeReport) -> Iterator[Part]:
    """Yields what no other line says: the first file, what proves the work, and how the last contract went."""
    contract = report.contract
    if contract is None or report.has_no_history:
        return
    first = contract.first_action
    if first is not None and first.path is not None:
        text = f"begin with `{clean(first.path)}`"
        yield Part("contract", "text", text, (), 2, str(Ref("file", first.path)), {})
    test = contract.test_command
    if test.command is not None:
        brief = report.resumed.brief if report.resumed else None
        there = test.source != "previous_successful_command" or (brief is not None and test.command in brief.tests)
        text = f"prove it with `{clean(test.command)}` ({_TEST_SOURCES[test.source] if there else _ELSEWHERE})"
        entry = report.resumed.facts.ref if report.resumed else str(Ref("file", test.command))
        yield Part("contract", "text", text, (), 2, entry, {})
    if (previous := report.previous) is not None:
        text = f"the last contract was {clean(previous.compliance.compact_summary)}"
        yield Part("contract", "text", text, (previous.record.ref,), 3, previous.record.ref, {})
