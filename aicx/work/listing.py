"""Lists of tasks, open and closed, of one repository or of all."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from aicx.config import Settings
from aicx.work.answers import TaskList, TaskWhole
from aicx.work.entry import entry_of, items_of, row_of
from aicx.work.events import read_log
from aicx.work.files import EVERY, FOLDERS, TASKS, every_folder, find_task, path_of, read_all
from aicx.work.loading import Loaded
from aicx.work.place import WorkPlace, looking
from aicx.work.record import OPEN


def list_tasks(
    settings: Settings,
    place: WorkPlace | None,
    now: datetime,
    statuses: Collection[str] = (),
    *,
    every: bool = False,
    limit: int = 50,
) -> TaskList:
    """The tasks of a place, or of all repositories, the last changed first, up to ``limit``.

    Only those with one of ``statuses``; without any those that are open, or with ``every`` all.
    """
    wanted = statuses or (() if every else OPEN)
    parts = (TASKS,) if wanted and OPEN.issuperset(wanted) else FOLDERS
    found = read_all(settings.layout, place.folders if place else every_folder(settings.layout), parts)
    records = [
        record for record in found.records if record.kind == "thread" and (not wanted or record.status in wanted)
    ]
    if place is None:
        return TaskList([row_of(record, None) for record in records[:limit]], len(records), limit, found.damaged)
    with looking(place, now) as present:
        rows = [row_of(record, present.loading(record)) for record in records[:limit]]
    return TaskList(rows, len(records), limit, found.damaged)


def shown_work(settings: Settings, place: WorkPlace, now: datetime, ref: str) -> tuple[TaskWhole, Loaded]:
    """The record that ``ref`` means in ``place``, and whether it may be used there.

    Raises NotFound for none, UsageError where several fit, CorpusDamaged where its file is damaged.
    """
    layout = settings.layout
    record = find_task(layout, place.folders, ref, EVERY)
    with looking(place, now) as present:
        found = Loaded(record, present.loading(record))
    log = read_log(layout.work / record.repo_id)
    about, path = log.about(record.id), f"work/{path_of(record)}"
    return TaskWhole(entry_of(found), items_of(record), about, log.damaged, path), found
