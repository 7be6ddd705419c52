"""Lists of tasks, open and closed, of one repository or of all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from aicx.config import Settings
from aicx.text import instant
from aicx.values import dataclass
from aicx.work.answers import TaskEvent, TaskWhole
from aicx.work.entry import entry_of, items_of
from aicx.work.events import read_log
from aicx.work.files import EVERY, FOLDERS, TASKS, DamagedFile, every_folder, path_of, read_all
from aicx.work.finding import find_task
from aicx.work.loading import Loaded, Loading
from aicx.work.place import WorkPlace, looking
from aicx.work.record import OPEN, WorkRecord


@dataclass(frozen=True, slots=True)
class Listed:
    """The tasks that fit, up to a limit, with what the loading table says; ``total`` is without the limit."""

    tasks: Sequence[tuple[WorkRecord, Loading | None]]
    total: int
    damaged: Sequence[DamagedFile]


def list_tasks(
    settings: Settings,
    place: WorkPlace | None,
    now: datetime,
    statuses: Collection[str] = (),
    *,
    every: bool = False,
    limit: int = 50,
) -> Listed:
    """The tasks of a place, or of all repositories, the last changed first.

    Only those with one of ``statuses``; without any those that are open, or with ``every`` all.
    """
    wanted = statuses or (() if every else OPEN)
    parts = (TASKS,) if wanted and OPEN.issuperset(wanted) else FOLDERS
    found = read_all(settings.layout, place.folders if place else every_folder(settings.layout), parts)
    records = [
        record for record in found.records if record.kind == "thread" and (not wanted or record.status in wanted)
    ]
    if place is None:
        return Listed([(record, None) for record in records[:limit]], len(records), found.damaged)
    with looking(place, now) as present:
        shown = [(record, present.loading(record)) for record in records[:limit]]
    return Listed(shown, len(records), found.damaged)


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
