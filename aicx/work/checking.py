"""What `doctor` finds in the work: files that cannot be read as tasks, secrets, events that do not fit the files."""

from __future__ import annotations

from aicx.corpus.doctor.inputs import FIX, REDACT_AGAIN, Check
from aicx.paths import Layout
from aicx.storage.texts import with_texts
from aicx.text import first_of, plural
from aicx.work.events import fold, read_log
from aicx.work.files import every_folder, read_all
from aicx.work.record import stored

MEND_TASKS = "mend them, or delete them, and these tasks are lost"


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
