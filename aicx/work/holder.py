"""Work as a holder of people's text: what `forget`, `store --redact-again`, `doctor` and `.aicxignore` do to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from aicx.config import Settings
from aicx.corpus.doctor.inputs import Check, DoctorInputs, current_writer
from aicx.corpus.doctor.repair import Repair, finish_change
from aicx.corpus.forget.holding import Erasure, ForgetPlan, ForgetRequest, HeldFiles
from aicx.corpus.forget.redact_again import Redaction
from aicx.engine.holders import Holder, Notify
from aicx.errors import CorpusDamaged
from aicx.paths import Layout
from aicx.redaction import redact_plain
from aicx.storage.derived import remove_derived
from aicx.text import plural
from aicx.work.attempt import Attempt, Stated, texts_of_attempt
from aicx.work.checking import check_files, check_log, texts_of
from aicx.work.files import every_folder, list_paths, read_record
from aicx.work.place import saved
from aicx.work.record import MAX_GOAL, MAX_REF, MAX_TITLE, WorkRecord, clean
from aicx.work.writing import changing, work_folder


class _Work(Holder):
    name = "work"
    noun = "task"
    own = frozenset({"work"})
    removed = "deleted"

    def plan(self, layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> None:
        sessions = _names(plan)
        wanted: list[HeldFiles] = []
        for path in _paths(layout):
            record = _read(layout, path)
            if record is None:
                text = (layout.work / path).read_text("utf-8", "replace")
                meant = request.pattern is not None and re.search(request.pattern, text) is not None
            elif request.pattern is not None:
                meant = any(re.search(request.pattern, text) for text in texts_of(record))
            elif request.project is not None:
                meant = record.project == request.project
            else:
                meant = _without(record, sessions) is None
            if meant:
                wanted.append((layout.work / path,))
        plan.held[self.name] = wanted

    def erase(self, erasure: Erasure) -> None:
        settings, layout = erasure.settings, erasure.settings.layout
        doomed = {file for files in erasure.plan.held.get(self.name, ()) for file in files}
        sessions = _names(erasure.plan)
        if not doomed and not any(True for _ in _losing(layout, sessions)):
            return
        with changing(settings, datetime.now(UTC), "forget", lambda _: None) as change:
            for path in _paths(layout):
                record = _read(layout, path)
                if record is not None and layout.work / path in doomed:
                    change.remove(record)
            for record, kept in _losing(layout, sessions):
                if layout.work / f"{record.repo_id}/tasks/{record.id}.json" not in doomed:
                    change.put(kept, "redacted")
            if change.staged:
                change.publish()
            super().erase(erasure)  # and files that cannot be read as tasks

    def redact(self, settings: Settings, notify: Notify, report: Redaction) -> None:
        remove_derived(settings.layout.work_facts)  # what sessions did is told in their words as they were

    def redact_own(self, settings: Settings, notify: Notify, report: Redaction) -> None:
        """Redacts tasks by the rules of today."""
        layout = settings.layout
        if not any(_redacted(record) != record for record in _records(layout)):
            return
        with changing(settings, datetime.now(UTC), "redact", notify) as change:
            found = [(record, new) for record in _records(layout) if (new := _redacted(record)) != record]
            for _, new in found:
                change.put(new, "redacted")
            change.publish()
        report.elsewhere += len(found)
        report.notes.append(f"{plural(len(found), 'task')} redacted")

    def paths(self, facts: DoctorInputs) -> Collection[str]:
        return [f"work/{path}" for path in _paths(facts.layout)]

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        layout, folder = facts.layout, work_folder(facts.layout)
        if current_writer(layout, folder.name) is not None:
            return (Check(self.name, "skipped", "it is being written; look again when that is done"),)
        unfinished = folder.staging.exists()
        return (check_files(layout, unfinished=unfinished), check_log(layout))

    def mend(self, settings: Settings, notify: Notify, done: Repair) -> None:
        finish_change(work_folder(settings.layout), "a task", settings, notify, done)


def _names(plan: ForgetPlan) -> list[str]:
    """The forgotten sessions as references name them."""
    return [f"{agent}:{session}" for agent, session in plan.sessions]


def _paths(layout: Layout) -> list[str]:
    return list(list_paths(layout, every_folder(layout)))


def _records(layout: Layout) -> Iterator[WorkRecord]:
    return (record for path in _paths(layout) if (record := _read(layout, path)) is not None)


def _read(layout: Layout, path: str) -> WorkRecord | None:
    try:
        return read_record(layout, path, hidden=True)
    except (CorpusDamaged, FileNotFoundError):
        return None


def _losing(layout: Layout, sessions: Collection[str]) -> Iterator[tuple[WorkRecord, WorkRecord]]:
    """The tasks that go on without what they have from forgotten sessions, before and after."""
    if sessions:
        for record in _records(layout):
            kept = _without(record, sessions)
            if kept is not None and kept != record:
                yield record, kept


def _without(record: WorkRecord, sessions: Collection[str]) -> WorkRecord | None:
    """``record`` without what rests on these sessions alone; None where its goal is from one of them."""

    def is_from(ref: str) -> bool:
        return any(_is_of(ref, session) for session in sessions)

    if is_from(record.goal_source) or (record.kind == "attempt" and any(map(is_from, record.sources))):
        return None
    items = tuple(
        replace(item, evidence=tuple(ref for ref in item.evidence if not is_from(ref)))
        for item in record.items
        if not item.evidence or not all(map(is_from, item.evidence))
    )
    return replace(record, items=items, sources=tuple(ref for ref in record.sources if not is_from(ref)))


def _is_of(ref: str, session: str) -> bool:
    """Whether a reference is of a session, ``agent:id``, or of one of its chunks."""
    _, _, named = ref.partition(":")
    return named == session or named.startswith((f"{session}:", f"{session}~", f"{session}#"))


def _redacted(record: WorkRecord) -> WorkRecord:
    if all(redact_plain(text).text == text for text in texts_of(record)):
        return record
    git = record.git_context
    items = (
        replace(item, text=clean(item.text), evidence=tuple(clean(ref, MAX_REF) for ref in item.evidence))
        for item in record.items
    )
    return replace(
        record,
        title=clean(record.title, MAX_TITLE),
        goal=clean(record.goal, MAX_GOAL),
        hypothesis=clean(record.hypothesis),
        next_action=clean(record.next_action),
        closing_note=clean(record.closing_note),
        items=tuple({item.id: item for item in items}.values()),
        sources=tuple(clean(ref, MAX_REF) for ref in record.sources),
        git_context=saved(git) if git else None,
        attempt=None if record.attempt is None else _redacted_attempt(record.attempt),
    )


def _redacted_attempt(attempt: Attempt) -> Attempt:
    """An attempt without secrets; without its contract where that has one, since half a contract misleads."""
    stated = Stated(*(tuple(map(clean, getattr(attempt.stated, name))) for name in Stated.__slots__))
    redacted = replace(attempt, agent=clean(attempt.agent), summary=clean(attempt.summary), stated=stated)
    if any(redact_plain(text).text != text for text in texts_of_attempt(redacted)):
        return replace(redacted, contract=None)
    return redacted


HOLDER = _Work()
