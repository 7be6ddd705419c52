"""The state of work as the commands and other packages use it: what is open here, and every change of a task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import cache, partial
from typing import TYPE_CHECKING

from aicx.config import Settings
from aicx.errors import CorpusDamaged, NotFound, UsageError
from aicx.git.state import GitProbe
from aicx.text import plural
from aicx.values import dataclass
from aicx.work.events import Change, changing
from aicx.work.files import DamagedFile, find_task, open_records, read_record
from aicx.work.patch import NewItem, Patch, apply, changed_fields
from aicx.work.place import Loaded, Loading, Present, WorkPlace, looking, new_record, project_of, saved
from aicx.work.record import CLOSINGS, MAX_GOAL, SECTIONS, GitContext, Status, WorkRecord, clean, task_id

if TYPE_CHECKING:
    from aicx.work.gone_on import Choice, GoneOn

Notify = Callable[[str], None]
_NOTHING = Patch()


@dataclass(frozen=True, slots=True)
class OpenTasks:
    """The tasks of a repository that are not closed for good, those of this worktree first, then the last begun.

    ``active`` may be used here, ``skipped`` may not, and nothing updates them; ``waiting`` are paused or blocked.
    Without one that may be used, what was stated at the end of the last session is ``active``, if that leaves something
    to be done, or the session that the work goes on from as a derived task, if it is open.
    """

    active: Sequence[Loaded]
    skipped: Sequence[Loaded]
    waiting: Sequence[Loaded]
    damaged: Sequence[DamagedFile]
    context: GitContext
    notes: Sequence[str] = ()  # what could not be read of sessions


@dataclass(frozen=True, slots=True)
class Written:
    """The change that was made of a task. ``left_out`` is what a full list or a path outside had no room for, by field.

    ``new`` says that the task did not exist before; ``others`` are further tasks that could have been meant.
    """

    record: WorkRecord
    changed_fields: tuple[str, ...]
    left_out: Mapping[str, list[str]]
    loading: Loading
    new: bool = False
    others: tuple[WorkRecord, ...] = ()


def open_tasks(
    settings: Settings,
    place: WorkPlace,
    now: datetime,
    look: GitProbe | None = None,
    *,
    gone_on: Callable[[], Choice] | None = None,
    begun: OpenTasks | None = None,
    most: int | None = None,
) -> OpenTasks:
    """Returns what is open in a repository; nothing is written.

    ``look`` is a look at git that was begun there earlier. ``gone_on`` gives the session that the work goes on from,
    for where no task was begun; without it only tasks that somebody began count.
    With ``most`` only those last written are read, for who cannot wait. ``begun`` are those, where they are known.
    """
    with looking(place, now, look) as present:
        found = begun or _open_tasks(settings, place, present, most)
        if gone_on is None or found.active:
            return found
        # Imported here: reading sessions takes the corpus.
        from aicx.work.derived import derived_tasks, settled_tasks
        from aicx.work.left import gone_on_session, left_here, usable_statements, with_left

        settled = cache(partial(settled_tasks, settings, place))
        notes: Sequence[str] = ()
        derived: list[Loaded] = []
        found_open: Sequence[GoneOn] = ()
        try:
            found_open, notes = gone_on()
            derived = derived_tasks(place, present, found_open, now, settled())
        except NotFound:  # nothing is stored yet
            pass
        except CorpusDamaged as error:
            notes = [f"no session was looked at: {error.message} (next: {error.hint})"]
        stated = usable_statements(settings, place, present, settled, now)
        left = left_here(stated, gone_on_session(found_open))
        return replace(
            found,
            active=with_left(left, [one for one in derived if one.loading.loadable], found_open),
            skipped=[*found.skipped, *(one for one in derived if not one.loading.loadable)],
            notes=[*found.notes, *notes],
        )


def start(
    settings: Settings,
    place: WorkPlace,
    goal: str | None,
    now: datetime,
    *,
    patch: Patch = _NOTHING,
    gone_on: Callable[[], Choice] | None = None,
    source: str = "cli",
    notify: Notify = lambda _: None,
) -> Written:
    """A task with this goal: a new one, or the one that is open here for the same.

    Without a goal it takes that of the open session that the work goes on from, with what its log says. Raises
    UsageError for none.
    """
    goal_source = "stated"
    if goal is None:
        goal, goal_source, patch = _from_session(open_tasks(settings, place, now, gone_on=gone_on), patch)
    goal = clean(goal, MAX_GOAL)
    if not goal:
        raise UsageError("there is no goal", hint='aicx task start "Fix the export of empty files"')
    project = project_of(settings, place)
    with looking(place, now) as present, changing(settings, now, source, notify) as change:
        known, name = _same(settings, place, present, goal)
        if known is not None:
            return _write(change, place, present, known, _resumed(known, place), patch, "resumed")
        record = new_record(place, "thread", name, goal, now, present.context, project)
        applied = apply(replace(record, goal_source=goal_source), patch, now, place.relative)
        fields = ("goal", *(name for name in applied.changed_fields if name != "goal"))
        record = change.put(applied.record, "started", fields)
        change.publish()
        return Written(record, fields, applied.left_out, present.loading(record), new=True)


def update(
    settings: Settings,
    place: WorkPlace,
    task: str | None,
    patch: Patch,
    now: datetime,
    *,
    source: str = "cli",
    notify: Notify = lambda _: None,
) -> Written:
    """Adds to a task what ``patch`` says; ``task`` None means the one that was last begun here.

    Raises NotFound for no such task, UsageError for one that is closed or was left on a branch that is not merged here.
    """
    project = project_of(settings, place)
    with _target(settings, place, task, now, source, notify) as (change, present, found, others):
        _require_usable(found, present)
        if not found.is_open:
            raise UsageError(f"{_named(found)} is {found.status}", hint=f"aicx task resume {found.id}")
        record = replace(found, project=project or found.project)
        written = _write(change, place, present, found, record, patch, "updated")
        return replace(written, others=others)


def resume_task(
    settings: Settings,
    place: WorkPlace,
    task: str,
    now: datetime,
    *,
    here: bool = False,
    notify: Notify = lambda _: None,
) -> Written:
    """Takes a task up again, in this worktree. With ``here`` also one that was left on a branch not merged here.

    Raises NotFound, UsageError.
    """
    with _target(settings, place, task, now, "cli", notify) as (change, present, found, _):
        if not here:
            _require_usable(found, present)
        return _write(change, place, present, found, _resumed(found, place), _NOTHING, "resumed")


def close(
    settings: Settings,
    place: WorkPlace,
    task: str | None,
    status: Status,
    now: datetime,
    *,
    note: str = "",
    here: bool = False,
    notify: Notify = lambda _: None,
) -> Written:
    """Closes a task, or sets it aside as paused or blocked. ``here`` and ``task`` as in `resume_task` and `update`.

    Raises NotFound, UsageError.
    """
    if status not in CLOSINGS:
        raise UsageError(f"{status!r} closes no task", hint=f"one of {', '.join(CLOSINGS)}")
    with _target(settings, place, task, now, "cli", notify) as (change, present, found, others):
        if not here:
            _require_usable(found, present)
        record = replace(found, status=status, closing_note=clean(note) or found.closing_note)
        written = _write(change, place, present, found, record, _NOTHING, "closed")
        return replace(written, others=others)


def _open_tasks(settings: Settings, place: WorkPlace, present: Present, most: int | None = None) -> OpenTasks:
    found = open_records(settings.layout, place.folders, most)
    records = sorted(
        (record for record in found.records if record.kind == "thread"),
        key=lambda record: (record.worktree_id != place.worktree_id, -record.focused, record.id),
    )
    loaded = [Loaded(record, present.loading(record)) for record in records]
    usable = [one for one in loaded if one.loading.loadable]
    return OpenTasks(
        active=[one for one in usable if one.record.status == "in_progress"],
        skipped=[one for one in loaded if not one.loading.loadable],
        waiting=[one for one in usable if one.record.status != "in_progress"],
        damaged=found.damaged,
        context=present.context,
        notes=[f"{plural(found.left_out, 'older open task')} left out: `aicx task status` lists all"]
        if found.left_out
        else [],
    )


@contextmanager
def _target(
    settings: Settings, place: WorkPlace, task: str | None, now: datetime, source: str, notify: Notify
) -> Iterator[tuple[Change, Present, WorkRecord, tuple[WorkRecord, ...]]]:
    """The task that is meant, read under the lock, and the further ones that could have been meant."""
    with looking(place, now) as present, changing(settings, now, source, notify) as change:
        if task is not None:
            yield change, present, find_task(settings.layout, place.folders, task), ()
            return
        found = _open_tasks(settings, place, present)
        if not found.active:
            skipped = f"; {len(found.skipped)} left on other branches: aicx task status" if found.skipped else ""
            hint = 'aicx task start "what is to be reached"; without a goal it goes on with the session left open'
            raise NotFound(f"no task is open here{skipped}", hint=hint)
        first, *others = (one.record for one in found.active)
        yield change, present, first, tuple(others)


def _resumed(record: WorkRecord, place: WorkPlace) -> WorkRecord:
    return replace(record, status="in_progress", worktree_id=place.worktree_id, closing_note="")


def _require_usable(record: WorkRecord, present: Present) -> None:
    loading = present.loading(record)
    if not loading.loadable:
        raise UsageError(
            f"{_named(record)} was {loading.warning}; nothing changes it from here",
            hint=f"git switch {loading.saved_branch or '…'}, or take it up here: aicx task resume {record.id} --here",
        )


def _write(
    change: Change, place: WorkPlace, present: Present, before: WorkRecord, record: WorkRecord, patch: Patch, kind: str
) -> Written:
    """Writes ``record`` with what ``patch`` says, where that changes anything of ``before``."""
    applied = apply(record, patch, change.now, place.relative)
    new = applied.record
    fields = changed_fields(before, new)
    context, known = saved(present.context), before.git_context
    if context.available and (
        known is None or replace(context, captured_at=known.captured_at, extra=known.extra) != known
    ):
        new, fields = replace(new, git_context=context), (*fields, "git_context")
    if fields or kind == "resumed":
        new = change.put(new, kind, fields)
        change.publish()
    return Written(new, fields, applied.left_out, present.loading(new))


def _same(settings: Settings, place: WorkPlace, present: Present, goal: str) -> tuple[WorkRecord | None, str]:
    """The open task of this worktree with the same goal that may be used here; else the id for a new one."""
    attempt = 0
    while True:
        name = task_id(place.repo_id, place.worktree_id, goal, attempt)
        attempt += 1
        relative = [f"{place.repo_id}/{part}/{name}.json" for part in ("tasks", "closed")]
        open_, closed = (settings.layout.work / path for path in relative)
        if not open_.exists() and not closed.exists():
            return None, name
        if open_.exists():
            try:
                record = read_record(settings.layout, relative[0])
            except (CorpusDamaged, FileNotFoundError):
                continue  # damaged or hidden: it stays as it is, and a new task is begun beside it
            if record.goal == goal and present.loading(record).loadable:
                return record, name


def _from_session(tasks: OpenTasks, patch: Patch) -> tuple[str, str, Patch]:
    """The goal of the derived task, where it is from, and ``patch`` with what that session left."""
    found = next((one.record for one in tasks.active if one.derived), None)
    if found is None:
        raise UsageError("there is no goal, and no open session to take one from", hint='aicx task start "…"')
    source = (found.goal_source,)
    derived = {
        section: [NewItem(item.text, item.evidence or source, origin=item.origin) for item in found.of(section)]
        for section in SECTIONS
    }
    said = {section: [*derived[section], *patch.said.get(section, ())] for section in SECTIONS}
    if patch.next_action is None:
        patch = replace(patch, next_action=found.next_action, next_source=found.next_source)
    sources = [*found.sources, *patch.sources]
    return found.goal, found.goal_source, replace(patch, said=said, sources=sources)


def _named(record: WorkRecord) -> str:
    return f"task {record.id} ({record.title})"
