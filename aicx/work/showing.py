"""One record of work whole, by its reference: a task, a handoff, or how a session was prepared and finalized."""

from __future__ import annotations

from datetime import datetime

from aicx.config import Settings
from aicx.text import instant
from aicx.work.answers import TaskEvent, TaskWhole
from aicx.work.entry import entry_of, items_of
from aicx.work.events import read_log
from aicx.work.files import EVERY, path_of
from aicx.work.finding import find_task
from aicx.work.loading import Loaded
from aicx.work.place import WorkPlace, looking


def shown_work(settings: Settings, place: WorkPlace, now: datetime, ref: str) -> tuple[TaskWhole, Loaded]:
    """The record that ``ref`` means in ``place``, and whether it may be used there.

    Raises NotFound for none, UsageError where several fit, CorpusDamaged where its file is damaged.
    """
    layout = settings.layout
    record = find_task(layout, place.folders, ref, EVERY)
    with looking(place, now) as present:
        found = Loaded(record, present.loading(record))
    log = read_log(layout.work / record.repo_id)
    events = [
        TaskEvent(one.id, instant(one.at), one.type, one.status or "", one.rev, one.source, one.fields)
        for one in log.about(record.id)
    ]
    return TaskWhole(entry_of(found), items_of(record), events, log.damaged, f"work/{path_of(record)}"), found
