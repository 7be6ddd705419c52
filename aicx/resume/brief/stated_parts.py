"""The lines about what was stated at the end of a session, and about programs that ran since."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from aicx.refs import Ref
from aicx.resume.brief.part import Part, clean, level_of
from aicx.resume.select.report import ResumeReport
from aicx.text import ago, instant, plural, shorten

if TYPE_CHECKING:
    from aicx.resume.brief.part import Slot
    from aicx.work.loading import Loaded
    from aicx.work.record import Section, WorkRecord

_COMMAND, _TELLING = 120, 160  # characters
_MAX_COMMITS = 3
_LINES: tuple[tuple[Section, Slot, str], ...] = (
    ("next_steps", "stated_next", "next"),
    ("failing", "stated_failing", "fails"),
    ("decisions", "stated_decisions", "decided (a candidate, not accepted yet)"),
)


def left(report: ResumeReport) -> Iterator[Part]:
    """What was stated at the end of a session: as stated, by whom and when. It comes before what its log says."""
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
            line = {"text": clean(item.text), "at": instant(item.at, "seconds"), "refs": [record.ref]}
            yield Part("stated", slot, f"{label}: {clean(item.text)}", (), level_of(1, number, 4), record.ref, line)


def left_before(report: ResumeReport) -> Iterator[Part]:
    """What was stated earlier about the task, on one line: the last statement may be about something else."""
    if report.left_before is None:
        return
    from aicx.work.left import stated_items

    record = report.left_before.record
    text, data = _told(report.left_before, report)
    items = stated_items(record)
    for section, slot, label in _LINES:
        found = [item for item in items if item.section == section]
        text += "".join(f"; {label}: {clean(item.text)}" for item in found)
        status = {"status": "candidate"} if section == "decisions" else {}
        data[slot.removeprefix("stated_")] = [
            {"text": clean(item.text), **status, "at": instant(item.at, "seconds"), "refs": [record.ref]}
            for item in found
        ]
    yield Part("stated", "stated_before", f"earlier, about this task: {text}", (record.ref,), 1, record.ref, data)


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
        did = [*_files(record), *_commits(report, commits)]
        text = f"`{shorten(command, _COMMAND)}` ended with exit code {attempt.exit_code}, {since}"
        text += f": {shorten(telling[0], _TELLING)}" if telling else ""
        text += f"; it {' and '.join(did)}" if did else ""
        yield Part("ran", "ran", text, (record.ref,), level_of(1, number, 2), record.ref, data)


def _files(record: WorkRecord) -> list[str]:
    assert record.attempt is not None
    count = len(record.attempt.stated.edited)
    return [f"changed {plural(count, 'file')}"] if count else []


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
