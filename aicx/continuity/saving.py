"""Writes the notes: `save` merges what a session says into them, `refresh` makes them anew, `clear` takes them away.

Each is recorded in the event log, and both notes of a place are written or neither.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from aicx.config import Settings
from aicx.continuity.assigning import NoteDraft, merged_with, replaced, without_goal
from aicx.continuity.audit import AuditEntry, audit_entries, logged_path
from aicx.continuity.deriving import MAX_GOAL, MAX_TEXT, Derived, allowed, derive_note, newest
from aicx.continuity.logs import Selected, WriteMode, read_log, select
from aicx.continuity.markdown import render
from aicx.continuity.note import Broken, Kind, Layer, Note, Scope, layers_of
from aicx.continuity.places import (
    PROJECT_NAME,
    PROJECT_STATE,
    NotePlaces,
    NoteState,
    note_places,
    quote_path,
    read_state,
)
from aicx.continuity.publishing import PublishPlan, complete, digest_of, hide_from_git, pendings, prepared, publish
from aicx.continuity.reading import read_note
from aicx.continuity.signals import DerivedStatement, closed_values
from aicx.corpus.files.tombstones import read_tombstones
from aicx.errors import CorpusDamaged, NotFound
from aicx.evidence import Statement
from aicx.memory.policy import load_policy
from aicx.paths import NON_REPOSITORY
from aicx.text import instant, shorten
from aicx.values import dataclass
from aicx.work.place import WorkPlace, project_of
from aicx.work.record import Section, WorkRecord
from aicx.work.state import open_tasks

Notify = Callable[[str], None]
_KINDS: dict[Section, tuple[Kind, str]] = {
    "verified": ("confirmed", "{}"),
    "failing": ("failed", "{}"),
    "discarded_paths": ("failed", "Given up: {}"),
    "unverified": ("untried", "{}"),
    "next_steps": ("next", "{}"),
    "blocked": ("next", "Get past what blocks it: {}"),
    "questions": ("next", "Answer: {}"),
    "decisions": ("decision", "{}"),
    "active_files": ("file", "{}"),
}


@dataclass(frozen=True, slots=True)
class SavedNotes:
    """The outcome of a save or refresh: the notes as they are now, where they are, and what they were made from."""

    entry: AuditEntry
    notes: Mapping[Layer, Note]
    paths: Mapping[Layer, Path]
    selected: Selected
    ignored_by: Path | None = None  # git's list that hides the worktree's note


def save(
    settings: Settings,
    place: WorkPlace,
    scope: Scope,
    now: datetime,
    *,
    mode: WriteMode = "merge",
    log: Path | None = None,
    trigger: str | None = None,
    source: str = "cli",
    summarizer: bool = True,
    notify: Notify = lambda _: None,
) -> SavedNotes:
    """Merges a session into the notes of ``place``, or with ``replace`` makes them anew from that session alone.

    ``log`` names its log; otherwise the right one is found. Raises NotFound where there is no session,
    SourceUnreadable, CorpusDamaged for a note that cannot be understood, MalformedPolicy, UnsafePath, StoreLocked,
    StoreUnwritable; the notes are then as they were.
    """
    layers = layers_of(scope)
    project = project_of(settings, place)
    if read_tombstones(settings.layout.tombstones).covers(project or NON_REPOSITORY, str(place.root)):
        raise NotFound(f"{project or place.root} was forgotten", hint="no note is made of a forgotten project")
    policy = load_policy(settings.layout.home, place.root, settings.user_home)
    continuity = note_places(settings, place).continuity
    markers = [one.entry for one in pendings(continuity)]
    selected = select(settings, place, scope, mode, log, markers, _sources(settings, place))
    read = read_log(settings.layout, selected.file, selected.identity)
    derived = derive_note(read, place, settings.summarizer if summarizer else None, policy)
    derived = allowed(with_tasks(derived, settings, place, now), policy)
    with prepared(settings, place, layers, now, source, notify) as (change, places):
        notes = [places.of(layer) for layer in layers]
        seen = {path: digest_of(path) if path.is_file() else None for path in notes}
        drafts = {layer: _draft(places, layer, mode, derived, now) for layer in layers}
        if "local" in drafts and derived.goal is not None and drafts["local"].note.goal is not None:
            drafts["local"] = without_goal(drafts["local"], "local", derived.goal.at)
        target = places.local
        if "local" in layers and (mode == "merge" or not places.local_files()):
            target = places.next_local(now, derived.log.session_id)
        paths = {layer: places.continuity / PROJECT_NAME if layer == "project" else target for layer in layers}
        trimmed = _trimmed(derived, drafts)
        entry = _entry(settings, place, scope, mode, now, trigger, selected, derived, trimmed)
        settled = sum(draft.settled for draft in drafts.values())
        entry = replace(entry, files=_shown(settings, places, paths.values()), settled=settled)
        home: dict[str, bytes | None] = {}
        local = None
        for layer, draft in drafts.items():
            body = render(draft.note, layer).encode("utf-8", "replace")
            state = replace(draft.state, file=quote_path(target) if layer == "local" else "", project=project or "")
            home[places.state(layer).name] = state.encode()
            if layer == "project":
                home[PROJECT_NAME] = body
            else:
                local = target, body
        if local is not None:
            hide_from_git(places)
        kind = "continuity_saved" if mode == "merge" else "continuity_refreshed"
        publish(change, place, places, entry, kind, PublishPlan(home, local, seen))
    ignored = places.ignore_file if local is not None else None
    return SavedNotes(entry, {layer: draft.note for layer, draft in drafts.items()}, paths, selected, ignored)


def clear(
    settings: Settings,
    place: WorkPlace,
    scope: Scope,
    now: datetime,
    *,
    source: str = "cli",
    notify: Notify = lambda _: None,
) -> list[Path]:
    """Deletes the notes of ``place``, also those that cannot be understood, with the recovery markers of this worktree.

    Returns which notes there were. Raises UnsafePath, StoreLocked, StoreUnwritable.
    """
    layers = layers_of(scope)
    with prepared(settings, place, layers, now, source, notify) as (change, places):
        found = [places.project] if "project" in layers and places.project.exists() else []
        local = places.local_files() if "local" in layers else []
        for marker in pendings(places.continuity):
            if marker.entry.worktree == place.worktree_id and scope in (marker.entry.scope, "both"):
                complete(marker)
        if not found and not local:
            return []
        entry = AuditEntry(
            at=instant(now), action="clear", trigger="manual-clear", mode="replace", scope=scope,
            worktree=place.worktree_id, files=_shown(settings, places, [*found, *local]),
        )  # fmt: skip
        home = {name: None for layer in layers for name in _names(places, layer) if (places.continuity / name).exists()}
        plan = PublishPlan(home, (local[0], None) if local else None)
        publish(change, place, places, entry, "continuity_cleared", plan)
        for other in local[1:]:  # of the older layout, which has a file a day
            other.unlink(missing_ok=True)
        return [*found, *local]


def _draft(places: NotePlaces, layer: Layer, mode: WriteMode, derived: Derived, now: datetime) -> NoteDraft:
    """The note of one layer as it will be. Raises CorpusDamaged for one that cannot be understood."""
    path = places.of(layer)
    try:
        before = read_note(places, layer)
    except Broken as error:
        raise CorpusDamaged(
            f"{path} cannot be understood as a note: {error}",
            hint="mend it by hand, or take it away with `aicx task note clear`, and its text is lost",
        ) from error
    if mode == "replace":
        return replaced(derived, layer, now)
    state = read_state(places.state(layer)) if before is not None else NoteState()
    edited_at = datetime.fromtimestamp(path.stat().st_mtime, UTC) if before is not None else now
    return merged_with(derived, layer, before, state, edited_at, now)


def _sources(settings: Settings, place: WorkPlace) -> list[AuditEntry]:
    """The recorded writings that name a log."""
    return [one for one in audit_entries(settings, place) if one.log]


def _entry(
    settings: Settings,
    place: WorkPlace,
    scope: Scope,
    mode: WriteMode,
    now: datetime,
    trigger: str | None,
    selected: Selected,
    derived: Derived,
    trimmed: Mapping[Kind, int],
) -> AuditEntry:
    action = "save" if mode == "merge" else "refresh"
    return AuditEntry(
        at=instant(now),
        action=action,
        trigger=trigger or f"manual-{action}",
        mode=mode,
        scope=scope,
        worktree=place.worktree_id,
        log=logged_path(settings, selected.file.path),
        session=derived.log.ref,
        lane=derived.log.lane,
        selection=selected.kind,
        passed_over=[[one.kind, one.reason] for one in selected.passed_over],
        preferred=derived.preferred,
        actual=derived.actual,
        fallback=derived.fallback,
        confidence=derived.confidence,
        warnings=list(derived.warnings),
        contradictions={topic: list(closed_values(values)) for topic, values in derived.contradictions.items()},
        counts={str(kind): count for kind, count in derived.counts.items()},
        trimmed={str(kind): count for kind, count in trimmed.items()},
    )


def _trimmed(derived: Derived, drafts: Mapping[Layer, NoteDraft]) -> dict[Kind, int]:
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


def with_tasks(derived: Derived, settings: Settings, place: WorkPlace, now: datetime) -> Derived:
    """``derived`` with what somebody stated of the tasks that may be used here, which comes first.

    The goal of the task that was begun last is that of the note, unless something else was asked for since.
    """
    records = [task.record for task in open_tasks(settings, place, now).active]
    if not records:
        return derived
    stated = [one for record in records for one in _of(record)]
    found, trimmed = newest([*stated, *derived.found])
    goal = derived.goal
    if goal is None or records[0].updated_at >= goal.at:
        first = records[0]
        source = (first.goal_source,) if first.goal_source.startswith("session:") else ()
        goal = Statement(shorten(first.goal, MAX_GOAL), first.updated_at, (first.ref, *source))
    both = {kind: trimmed.get(kind, 0) + derived.trimmed.get(kind, 0) for kind in {*trimmed, *derived.trimmed}}
    counts = {kind: sum(one.kind == kind for one in found) for kind in derived.counts}
    return replace(derived, goal=goal, found=tuple(found), trimmed=both, counts=counts)


def _of(record: WorkRecord) -> Iterator[DerivedStatement]:
    """Yields what a task says, the newest of each section first, each with the task and with its own origin."""
    if record.next_action:
        refs = (record.ref, *record.next_source)
        yield DerivedStatement("next", shorten(record.next_action, MAX_TEXT), record.updated_at, refs)
    for section, (kind, sentence) in _KINDS.items():
        for item in reversed(record.of(section)):
            refs = (record.ref, *item.evidence)
            yield DerivedStatement(kind, shorten(sentence.format(item.text), MAX_TEXT), item.at, refs)
