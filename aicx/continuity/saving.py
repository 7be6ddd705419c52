"""Writes the notes: `save` merges what a session says into them, `refresh` makes them anew, `clear` takes them away.

Each is recorded in the event log, and both notes of a place are written or neither.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from aicx.config import Settings
from aicx.continuity import pending as pending_writing
from aicx.continuity.assigning import Draft, merged_with, replaced, without_goal
from aicx.continuity.audit import Audited, audit_entries, logged_path
from aicx.continuity.deriving import Derived, derive_note
from aicx.continuity.log_reading import read_log
from aicx.continuity.markdown import Broken, render
from aicx.continuity.note import Kind, Layer, Note, Scope, layers_of
from aicx.continuity.pending import Pending
from aicx.continuity.places import PROJECT_NAME, PROJECT_STATE, NotePlaces, check_local, note_places
from aicx.continuity.reading import read_note
from aicx.continuity.selecting import PassedOver, Selected, WriteMode, select
from aicx.continuity.signals import closed_values
from aicx.continuity.state import NoteState, read_state
from aicx.errors import AicxError, CorpusDamaged, StoreUnwritable
from aicx.storage.atomic import UNFINISHED, replace_file, unwritable
from aicx.text import instant
from aicx.work.events import read_log as read_events
from aicx.work.files import NOTES
from aicx.work.place import WorkPlace, project_of
from aicx.work.writing import Change, changing, folder_in

Notify = Callable[[str], None]
TRIGGERS = ("manual-save", "manual-refresh", "manual-clear", "auto-save")


@dataclass(frozen=True, slots=True)
class Written:
    """What a save or refresh did: the notes as they are now, where they are, and what they were made from."""

    entry: Audited
    notes: Mapping[Layer, Note]
    paths: Mapping[Layer, Path]
    selected: Selected
    derived: Derived
    trimmed: Mapping[Kind, int]
    ignored_by: Path | None = None  # git's list that hides the worktree's note


@dataclass(frozen=True, slots=True)
class _File:
    """One file of a writing: its new bytes, None where it goes."""

    path: Path
    body: bytes | None


@dataclass(frozen=True, slots=True)
class _Plan:
    """Everything that one writing changes. ``home`` are names in the repository's folder for notes."""

    home: Mapping[str, bytes | None] = field(default_factory=dict)
    local: _File | None = None


def save(
    settings: Settings,
    place: WorkPlace,
    scope: Scope,
    now: datetime,
    *,
    log: Path | None = None,
    trigger: str = "manual-save",
    source: str = "cli",
    summarizer: bool = True,
    notify: Notify = lambda _: None,
) -> Written:
    """Merges a session into the notes of ``place``. ``log`` names its log; otherwise the right one is found.

    Raises NotFound where there is no session, SourceUnreadable, CorpusDamaged for a note that cannot be understood,
    UnsafePath, StoreLocked, StoreUnwritable; the notes are then as they were.
    """
    return _write(settings, place, scope, "merge", now, log, trigger, source, notify, summarizer=summarizer)


def refresh(
    settings: Settings,
    place: WorkPlace,
    scope: Scope,
    now: datetime,
    *,
    log: Path | None = None,
    trigger: str = "manual-refresh",
    source: str = "cli",
    summarizer: bool = True,
    notify: Notify = lambda _: None,
) -> Written:
    """Makes the notes of ``place`` anew from one session alone. Parameters and errors as in `save`."""
    return _write(settings, place, scope, "replace", now, log, trigger, source, notify, summarizer=summarizer)


def clear(
    settings: Settings,
    place: WorkPlace,
    scope: Scope,
    now: datetime,
    *,
    source: str = "cli",
    notify: Notify = lambda _: None,
) -> list[Path]:
    """Deletes the notes of ``place``, also those that cannot be understood; returns what was there.

    Raises UnsafePath, StoreLocked, StoreUnwritable.
    """
    layers = layers_of(scope)
    with _prepared(settings, place, layers, now, source, notify) as (change, places):
        found = [places.project] if "project" in layers and places.project.exists() else []
        local = places.local_files() if "local" in layers else []
        if not found and not local:
            return []
        entry = Audited(
            at=instant(now), action="clear", trigger="manual-clear", mode="replace", scope=scope,
            worktree=place.worktree_id, files=_shown(settings, places, [*found, *local]),
        )  # fmt: skip
        home = {name: None for layer in layers for name in _names(places, layer) if (places.continuity / name).exists()}
        plan = _Plan(home, _File(local[0], None) if local else None)
        _publish(change, place, places, entry, "continuity_cleared", plan)
        for other in local[1:]:  # of the older layout, which has a file a day
            other.unlink(missing_ok=True)
        return [*found, *local]


def _write(
    settings: Settings,
    place: WorkPlace,
    scope: Scope,
    mode: WriteMode,
    now: datetime,
    log: Path | None,
    trigger: str,
    source: str,
    notify: Notify,
    *,
    summarizer: bool,
) -> Written:
    layers = layers_of(scope)
    continuity = note_places(settings, place).continuity
    markers = [one.entry for one in pending_writing.pendings(continuity)]
    selected = select(settings, place, scope, mode, log, markers, _sources(settings, place))
    read = read_log(settings.layout, selected.log.file, selected.log.identity)
    derived = derive_note(read, place, settings.summarizer if summarizer else None)
    project = project_of(settings, place)
    with _prepared(settings, place, layers, now, source, notify) as (change, places):
        drafts = {layer: _draft(places, layer, mode, derived, now) for layer in layers}
        if "local" in drafts and derived.goal is not None and drafts["local"].note.goal is not None:
            drafts["local"] = without_goal(drafts["local"], "local", derived.goal.at)
        target = places.local
        if "local" in layers and (mode == "merge" or not places.local_files()):
            target = places.next_local(now, derived.log.session_id)
        paths = {layer: places.continuity / PROJECT_NAME if layer == "project" else target for layer in layers}
        trimmed = _trimmed(derived, drafts)
        entry = _entry(settings, place, scope, mode, now, trigger, selected, derived, trimmed)
        entry = replace(entry, files=_shown(settings, places, paths.values()))
        home: dict[str, bytes | None] = {}
        local = None
        for layer, draft in drafts.items():
            body = render(draft.note, layer).encode("utf-8", "replace")
            state = replace(draft.state, file=str(target) if layer == "local" else "", project=project or "")
            home[places.state(layer).name] = state.encode()
            if layer == "project":
                home[PROJECT_NAME] = body
            else:
                local = _File(target, body)
        if local is not None:
            _hide(places)
        kind = "continuity_saved" if mode == "merge" else "continuity_refreshed"
        _publish(change, place, places, entry, kind, _Plan(home, local))
    notes = {layer: draft.note for layer, draft in drafts.items()}
    ignored = places.ignore_file if local is not None else None
    return Written(entry, notes, paths, selected, derived, trimmed, ignored)


@contextmanager
def _prepared(
    settings: Settings, place: WorkPlace, layers: Sequence[Layer], now: datetime, source: str, notify: Notify
) -> Iterator[tuple[Change, NotePlaces]]:
    """Holds the lock of the work, after undoing what a killed writing left half done."""
    places = note_places(settings, place)
    if "local" in layers:
        check_local(settings, places)
    with changing(settings, now, source, notify) as change:
        settle(settings, place.repo_id)
        if "local" in layers:
            for leftover in places.local_folder.glob(f".*{UNFINISHED}"):  # of a writer that was killed
                leftover.unlink(missing_ok=True)
        yield change, note_places(settings, place)


def settle(settings: Settings, repo_id: str) -> int:
    """Brings writings that were killed to their end or undoes them; how many. The caller holds the lock of the work.

    One that is undone stays as a recovery marker. Raises StoreUnwritable.
    """
    folder = settings.layout.work / repo_id
    writing = [one for one in pending_writing.pendings(folder / NOTES) if one.stage == "writing"]
    if not writing:
        return 0
    done = {event.id for event in read_events(folder, last=2).events}
    for one in writing:
        if one.event in done:
            pending_writing.complete(one)
        else:
            pending_writing.undo(one)
            _mark(one, "interrupted", "the writing was interrupted")
    return len(writing)


def _draft(places: NotePlaces, layer: Layer, mode: WriteMode, derived: Derived, now: datetime) -> Draft:
    """The note of one layer as it will be. Raises CorpusDamaged for one that cannot be understood."""
    path = places.of(layer)
    try:
        before = read_note(places, layer)
    except Broken as error:
        raise CorpusDamaged(
            f"{path} cannot be understood as a note: {error}",
            hint="mend it by hand, or take it away with `aicx continuity clear`; aicx leaves it as it is",
        ) from error
    if mode == "replace":
        return replaced(derived, layer, now)
    state = read_state(places.state(layer)) if before is not None else NoteState()
    edited_at = datetime.fromtimestamp(path.stat().st_mtime, UTC) if before is not None else now
    return merged_with(derived, layer, before, state, edited_at, now)


def _publish(change: Change, place: WorkPlace, places: NotePlaces, entry: Audited, kind: str, plan: _Plan) -> None:
    """Puts everything in its place and records it, or leaves everything as it was, and then a recovery marker."""
    local = plan.local
    new = sha256(local.body).hexdigest() if local is not None and local.body is not None else None
    pending = Pending(
        pending_writing.pending_path(places.continuity, entry), entry, "-" * 12, "writing",
        target=local.path if local is not None else None, new=new,
    )  # fmt: skip
    try:
        event = change.note(place.repo_id, kind, f"note:{place.worktree_id}", entry.encode())
        pending = replace(pending, event=event.id)
        pending.write()
        for name, body in plan.home.items():
            change.put_file(f"{place.repo_id}/{NOTES}/{name}", body)
    except (OSError, StoreUnwritable) as error:
        raise _failed(replace(pending, target=None), "audit-write", error) from error
    try:
        if local is not None:
            pending_writing.swap(pending, local.body)
    except AicxError as error:
        pending_writing.undo(pending)
        raise _failed(pending, "summary-write", error) from error
    try:
        change.publish()
    except (AicxError, OSError) as error:
        if not (folder_in(change.layout).staging / "journal").exists():  # else the next writer brings it to its end
            pending_writing.undo(pending)
            raise _failed(pending, "audit-write", error) from error
        raise
    pending_writing.complete(pending)


def _failed(pending: Pending, stage: pending_writing.Stage, error: Exception) -> AicxError:
    """Leaves a recovery marker, where that is possible; what to raise."""
    message = error.message if isinstance(error, AicxError) else str(error)
    try:
        _mark(pending, stage, message)
    except AicxError as second:
        return StoreUnwritable(f"{message}; and no recovery marker could be written: {second.message}")
    if isinstance(error, AicxError):
        return error
    return unwritable(pending.path, error) if isinstance(error, OSError) else StoreUnwritable(message)


def _mark(pending: Pending, stage: pending_writing.Stage, message: str) -> None:
    """Makes a record of a writing the marker of one that failed. Clearing needs no source later, and leaves none."""
    if pending.entry.action == "clear":
        pending.path.unlink(missing_ok=True)
        return
    replace(pending, stage=stage, message=message[:300], target=None, new=None).write()


def _sources(settings: Settings, place: WorkPlace) -> list[Audited]:
    """The recorded writings that name a log."""
    return [one for one in audit_entries(settings, place) if one.log]


def _entry(
    settings: Settings,
    place: WorkPlace,
    scope: Scope,
    mode: WriteMode,
    now: datetime,
    trigger: str,
    selected: Selected,
    derived: Derived,
    trimmed: Mapping[Kind, int],
) -> Audited:
    return Audited(
        at=instant(now),
        action="save" if mode == "merge" else "refresh",
        trigger=trigger,
        mode=mode,
        scope=scope,
        worktree=place.worktree_id,
        log=logged_path(settings, selected.log.file.path),
        session=derived.log.ref,
        lane=derived.log.lane,
        selection=selected.kind,
        passed_over=[list(PassedOver(*one)) for one in selected.passed_over],
        preferred=derived.preferred,
        actual=derived.actual,
        fallback=derived.fallback,
        confidence=derived.confidence,
        warnings=list(derived.warnings),
        contradictions={one.topic: list(closed_values(one)) for one in derived.contradictions},
        counts={str(kind): count for kind, count in derived.counts.items()},
        trimmed={str(kind): count for kind, count in trimmed.items()},
    )


def _trimmed(derived: Derived, drafts: Mapping[Layer, Draft]) -> dict[Kind, int]:
    counts = dict(derived.trimmed)
    for draft in drafts.values():
        for kind, count in draft.trimmed.items():
            counts[kind] = counts.get(kind, 0) + count
    return counts


def _names(places: NotePlaces, layer: Layer) -> tuple[str, ...]:
    """The names of what the home has of a layer."""
    return (PROJECT_NAME, PROJECT_STATE) if layer == "project" else (places.state("local").name,)


def _shown(settings: Settings, places: NotePlaces, paths: Iterable[Path]) -> list[str]:
    """Paths as the event log has them: from the home, or from the worktree."""
    found = []
    for path in paths:
        top = places.root if path.is_relative_to(places.root) else settings.layout.home
        found.append(os.fspath(path.relative_to(top)) if path.is_relative_to(top) else path.name)
    return found


def _hide(places: NotePlaces) -> None:
    """Lets git ignore the worktree's note. A list that is there already stays as it is."""
    try:
        places.local_folder.mkdir(parents=True, exist_ok=True)
        if not places.ignore_file.exists() and not places.ignore_file.is_symlink():
            replace_file(places.ignore_file, places.ignored)
    except OSError as error:
        raise unwritable(places.ignore_file, error) from error
