"""Work as a holder of people's text: what `forget`, `store --redact-again`, `doctor` and `.aicxignore` do to it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from aicx.config import Settings
from aicx.corpus.catalog.names import SessionKey
from aicx.corpus.doctor.inputs import FIX, REDACT_AGAIN, Check, DoctorInputs, current_writer
from aicx.corpus.doctor.repair import Repair, finish_change
from aicx.corpus.files import FORGOTTEN
from aicx.corpus.forget.holding import Erasure, ForgetPlan, ForgetRequest, HeldFiles
from aicx.corpus.forget.redact_again import Redaction
from aicx.engine.holders import Holder, Notify
from aicx.errors import CorpusDamaged
from aicx.paths import Layout
from aicx.refs import is_of_session, rests_on, session_in
from aicx.regex import searching
from aicx.storage.derived import remove_derived
from aicx.storage.typed import texts_of, with_texts
from aicx.text import first_of, plural
from aicx.work.attempts import capsule_paths, quotes_any, record_path, session_ref
from aicx.work.events import changing, fold, read_log, work_folder
from aicx.work.files import every_folder, list_paths, read_all, read_record
from aicx.work.record import WorkRecord, stored

MEND_TASKS = "mend them, or delete them, and these tasks are lost"


class _WorkHolder(Holder):
    name = "work"
    noun = "task"
    own = frozenset({"work"})
    removed = "deleted"

    def plan(self, layout: Layout, request: ForgetRequest, plan: ForgetPlan) -> None:
        wanted: list[HeldFiles] = []
        for path in _paths(layout):
            record = _read(layout, path)
            if record is None:
                text = (layout.work / path).read_text("utf-8", "replace")
                meant = request.pattern is not None and searching(request.pattern)(text)
            elif request.pattern is not None:
                meant = any(map(searching(request.pattern), texts_of(record, names=False)))
            else:
                kept = _kept(record, plan)
                meant = kept is None
                if kept is not None and kept != record:
                    plan.loses = True
                    if _is_stated(kept):
                        plan.stays.append(record.ref)
            if meant:
                wanted.append((layout.work / path,))
        gone = {file for files in wanted for file in files}
        for path in capsule_paths(layout):
            brief = (layout.work / path).read_text("utf-8", "replace")
            if (
                layout.work / record_path(path) in gone
                or quotes_any(brief, plan.origins)
                or (request.pattern is not None and searching(request.pattern)(brief))
            ):
                wanted.append((layout.work / path,))
        plan.held[self.name] = wanted

    def sessions(self, layout: Layout) -> Iterable[SessionKey]:
        refs = (text for record in _records(layout) for text in texts_of(record))
        return {key for ref in refs if (key := session_in(ref)) is not None}

    def settle(self, settings: Settings, notify: Notify) -> None:
        if work_folder(settings.layout).staging.exists():
            with changing(settings, datetime.now(UTC), "forget", notify):
                pass

    def erase(self, erasure: Erasure) -> None:
        settings, layout, plan = erasure.settings, erasure.settings.layout, erasure.plan
        doomed = {file for files in plan.held.get(self.name, ()) for file in files}
        if not doomed and not plan.loses:
            return
        with changing(settings, datetime.now(UTC), "forget", lambda _: None) as change:
            for path in _paths(layout):
                record = _read(layout, path)
                if record is None:
                    continue
                kept = None if layout.work / path in doomed else _kept(record, plan)
                if kept is None:
                    change.remove(record)
                elif kept != record:
                    change.put(kept, "redacted")
            if change.staged:
                change.publish()
            super().erase(erasure)  # and files that cannot be read as tasks, and briefs

    def redact(self, settings: Settings, notify: Notify, report: Redaction) -> None:
        for file in (settings.layout.work_facts, settings.layout.reminders):
            remove_derived(file)  # what sessions did is told in their words as they were

    def redact_own(self, settings: Settings, notify: Notify, report: Redaction) -> None:
        """Redacts tasks by the rules of today."""
        layout = settings.layout
        if not any(_redacted(record) != record for record in _records(layout)) and not any(_unclean(layout)):
            return
        with changing(settings, datetime.now(UTC), "redact", notify) as change:
            found = [(record, new) for record in _records(layout) if (new := _redacted(record)) != record]
            for _, new in found:
                change.put(new, "redacted")
            for path, brief in _unclean(layout):
                change.put_file(path, brief)
            change.publish()
        report.elsewhere += len(found)
        report.notes.append(f"{plural(len(found), 'task')} redacted")

    def paths(self, facts: DoctorInputs) -> Collection[str]:
        return [f"work/{path}" for path in (*_paths(facts.layout), *capsule_paths(facts.layout))]

    def verify(self, facts: DoctorInputs) -> Iterable[Check]:
        layout, folder = facts.layout, work_folder(facts.layout)
        if current_writer(layout, folder.name) is not None:
            return (Check(self.name, "skipped", "it is being written; look again when that is done"),)
        unfinished = folder.staging.exists()
        return (check_files(layout, unfinished=unfinished), check_log(layout))

    def mend(self, settings: Settings, notify: Notify, done: Repair) -> None:
        finish_change(work_folder(settings.layout), "a task", settings, notify, done)


def _paths(layout: Layout) -> list[str]:
    return list(list_paths(layout, every_folder(layout)))


def _unclean(layout: Layout) -> Iterator[tuple[str, bytes]]:
    """The briefs beside contracts that the rules of today change, as they are then."""
    for path in capsule_paths(layout):
        brief = (layout.work / path).read_text("utf-8", "replace")
        if (new := stored(brief)) != brief:
            yield path, new.encode()


def _records(layout: Layout) -> Iterator[WorkRecord]:
    return (record for path in _paths(layout) if (record := _read(layout, path)) is not None)


def _read(layout: Layout, path: str) -> WorkRecord | None:
    try:
        return read_record(layout, path, hidden=True)
    except (CorpusDamaged, FileNotFoundError):
        return None


def _kept(record: WorkRecord, plan: ForgetPlan) -> WorkRecord | None:
    """``record`` without what rests on forgotten sessions alone; None where nothing that anybody stated is left.

    An attempt goes with its session, and everything of a forgotten project with that.
    """
    origins, projects = plan.origins, plan.projects

    def is_from(ref: str) -> bool:
        return is_of_session(ref, origins)

    if record.project in projects or (record.project is None and record.repo_id in plan.repositories):
        return None
    if record.kind == "attempt" and any(map(is_from, record.sources)):
        return None
    items = tuple(
        replace(item, evidence=tuple(ref for ref in item.evidence if not is_from(ref)))
        for item in record.items
        if not rests_on(item.evidence, origins)
    )
    kept = replace(record, items=items, sources=tuple(ref for ref in record.sources if not is_from(ref)))
    if rests_on(record.next_source, origins):
        kept = replace(kept, next_action="", next_source=())
    if (attempt := record.attempt) is not None:
        of_it = attempt.session is not None and is_from(session_ref(attempt))
        contract = attempt.contract
        drawn = contract is not None and any(map(is_from, contract.sources))  # half a contract misleads
        if of_it or drawn:
            session = None if of_it else attempt.session
            kept = replace(kept, attempt=replace(attempt, session=session, contract=None if drawn else contract))
    if not is_from(record.goal_source):
        return kept if kept != record else record
    return replace(kept, title=FORGOTTEN, goal=FORGOTTEN, goal_source="forgotten") if _is_stated(kept) else None


def _is_stated(record: WorkRecord) -> bool:
    """Whether anything in a record is somebody's own statement."""
    says = record.hypothesis or record.closing_note or (record.next_action and not record.next_source)
    return bool(says) or any(item.origin == "stated" for item in record.items)


def _redacted(record: WorkRecord) -> WorkRecord:
    """``record`` by the rules of today. Items that read alike then are one."""
    new = with_texts(record, stored)
    return new if new is record else replace(new, items=tuple({item.id: item for item in new.items}.values()))


HOLDER = _WorkHolder()


def check_files(layout: Layout, *, unfinished: bool) -> Check:
    name = "work"
    found = read_all(layout, every_folder(layout), hidden=True)
    if found.damaged:
        paths = first_of([f"{one.path} ({one.why})" for one in found.damaged])
        detail = f"files that cannot be read as tasks, and are left as they are: {paths}"
        return Check(name, "critical", detail, MEND_TASKS)
    secret = [record for record in found.records if with_texts(record, stored) is not record]
    if secret:
        detail = f"{plural(len(secret), 'task')} with what looks like a secret: {first_of([one.ref for one in secret])}"
        return Check(name, "warning", detail, REDACT_AGAIN)
    if unfinished:
        return Check(name, "warning", "a change was interrupted; the next one finishes it", FIX)
    return Check(name, "green", f"{plural(len(found.records), 'task')}, each readable")


def check_log(layout: Layout) -> Check:
    """Compares the tasks with the events: a task of another revision was changed by something else than aicx."""
    name = "work_events"
    damaged: list[str] = []
    strange: list[str] = []
    count = 0
    for folder in every_folder(layout):
        log = read_log(layout.work / folder)
        count += len(log.events)
        damaged += (f"work/{folder}/{line}" for line in log.damaged)
        last = fold(log.events)
        for record in read_all(layout, [folder], hidden=True).records:
            event = last.get(record.id)
            if event is None or (event.status, event.rev) != (record.status, record.rev):
                strange.append(record.ref)
    if damaged:
        detail = f"lines of the events that cannot be read: {first_of(damaged)}"
        return Check(name, "warning", detail, "nothing depends on them; remove these lines")
    if strange:
        return Check(
            name, "warning", f"tasks that are not as their last event says: {first_of(strange)}", "aicx show TASK"
        )
    return Check(name, "green", f"{plural(count, 'event')}, each as it was written")
