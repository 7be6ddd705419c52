"""Which layer a statement of a session belongs to, and what becomes of it beside what the note has already."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import Literal

from aicx.continuity.deriving import Derived
from aicx.continuity.note import KINDS, Kind, Layer, Note, NoteItem
from aicx.continuity.places import NoteState, state_of
from aicx.continuity.signals import DerivedStatement, is_local
from aicx.evidence import Statement
from aicx.types import Lane
from aicx.values import dataclass
from aicx.work.record import PREFIX

MAX_ITEMS = 8  # of a kind, beside those that a person wrote
_COMMAND = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class NoteDraft:
    """A layer's note as it is to be written, with what will be known of it.

    ``trimmed`` counts what had no room, and ``settled`` what a later outcome or the end of the session took out.
    """

    note: Note
    state: NoteState
    trimmed: dict[Kind, int] = field(default_factory=dict)
    settled: int = 0


def layer_of(found: DerivedStatement) -> Layer:
    """Commands are of the project, results, next steps and files of the worktree; the rest depends on what it says."""
    if found.kind in ("confirmed", "failed"):
        return "project"
    if found.kind in ("result", "next", "file"):
        return "local"
    return "local" if is_local(found.text) else "project"


def items_of(derived: Derived, layer: Layer) -> tuple[NoteItem | None, list[NoteItem]]:
    """The goal and the items that a session gives one layer, the newest of each kind first."""
    log = derived.log

    def item(one: DerivedStatement | Statement, kind: Kind | Literal["goal"]) -> NoteItem:
        # A task is somebody's own statement, whoever's session it is.
        return NoteItem(one.text, kind, layer, "primary" if one.refs else log.lane, one.refs or (log.ref,), one.at)

    goal = derived.goal
    wanted = None
    if goal is not None and layer == ("local" if is_local(goal.text) else "project"):
        wanted = item(goal, "goal")
    return wanted, [item(one, one.kind) for one in derived.found if layer_of(one) == layer]


def replaced(derived: Derived, layer: Layer, now: datetime) -> NoteDraft:
    """The note made from the session alone."""
    goal, items = items_of(derived, layer)
    kept, trimmed = _capped(items, frozenset())
    note = Note(goal, _sections(kept), updated_at=now, source=derived.log.ref)
    return NoteDraft(note, state_of(note.items, (), ()), trimmed)


def merged_with(
    derived: Derived, layer: Layer, before: Note | None, state: NoteState, edited_at: datetime, now: datetime
) -> NoteDraft:
    """The note with what the session adds. What a person wrote, changed or took out stays so.

    ``state`` is of the last writing; ``edited_at`` is when the file was last changed.
    """
    goal, new = items_of(derived, layer)
    if before is None:
        return replaced(derived, layer, now)
    present = {item.key for item in before.items}
    removed = tuple(dict.fromkeys([*state.removed, *(key for key in state.items if key not in present)]))
    own = {key for key in present if key not in state.items or state.items[key].stated}
    held = [replace(item, at=item.at or edited_at) if item.key in own else item for item in before.items]
    gone = set(removed) - present
    new = [item for item in new if item.key not in gone]
    old_goal = held[0] if before.goal is not None else None
    old = held[1:] if before.goal is not None else held
    lasting = [item for item in old if item.key in own or not _is_settled(item, derived, new)]
    kept, trimmed = _capped(_joined(new, lasting, own), own)
    note = replace(
        before,
        goal=_goal(None if goal is not None and goal.key in gone else goal, old_goal, own),
        sections=_sections(kept),
        updated_at=now,
        source=derived.log.ref,
    )
    return NoteDraft(note, state_of(note.items, own, removed), trimmed, len(old) - len(lasting))


def without_goal(draft: NoteDraft, layer: Layer, newer: datetime | None) -> NoteDraft:
    """``draft`` without a goal that an older session gave the layer: the newer one is in the other layer."""
    goal = draft.note.goal
    known = draft.state.items.get(goal.key) if goal is not None else None
    if goal is None or newer is None or known is None or known.stated or (goal.at is not None and goal.at >= newer):
        return draft
    note = replace(draft.note, goal=None)
    stated = [key for key, one in draft.state.items.items() if one.stated]
    return replace(draft, note=note, state=state_of(note.items, stated, draft.state.removed))


def _goal(new: NoteItem | None, old: NoteItem | None, own: Collection[str]) -> NoteItem | None:
    """The later of both; a person's stays until somebody asks for something after it was written."""
    if new is None or old is None or new.key == old.key:
        return old if new is None or (old is not None and old.key in own) else new
    newer = old.at is None or (new.at is not None and new.at > old.at)
    return new if newer else old


def _is_settled(item: NoteItem, derived: Derived, new: Iterable[NoteItem]) -> bool:
    """Whether what a session said of an item is over: its command ended otherwise since, its session is done,
    or its task says another next step.
    """
    if item.kind == "next":
        session_over = item.evidence == (derived.log.ref,) and derived.state == "completed"
        of_task = any(ref.startswith(PREFIX) for ref in item.evidence)
        return (session_over or of_task) and all(one.key != item.key for one in new)
    if item.kind not in ("confirmed", "failed"):
        return False
    command = _command(item.text)
    # That a command passed again, after other changes, is told in place of what is known of it.
    told = ("failed", "confirmed") if item.kind == "confirmed" else ("confirmed",)
    later = (one for one in derived.found if one.kind in told and (item.at is None or one.at >= item.at))
    return command is not None and any(_command(one.text) == command and one.text != item.text for one in later)


def _joined(new: Sequence[NoteItem], old: Sequence[NoteItem], own: Collection[str]) -> list[NoteItem]:
    """New items before old ones, or behind them where they are from an older session; each once, with all evidence.

    What a person wrote stays as it is.
    """
    known = {item.key: item for item in old}
    latest = max((item.at for item in old if item.at is not None and item.key not in own), default=None)
    fresh = [_both(item, known[item.key]) if item.key in known else item for item in new if item.key not in own]
    ahead = latest is None or any(item.at is not None and item.at >= latest for item in fresh)
    keys = {item.key for item in fresh}
    rest = [item for item in old if item.key not in keys]
    return [*fresh, *rest] if ahead else [*rest, *fresh]


def _both(new: NoteItem, old: NoteItem) -> NoteItem:
    """An item that was known already: with the evidence of both, and primary where either is."""
    lane: Lane = "primary" if "primary" in (new.lane, old.lane) else "subagent"
    times = [at for at in (new.at, old.at) if at is not None]
    evidence = tuple(dict.fromkeys([*new.evidence, *old.evidence]))[:20]
    return replace(old, lane=lane, at=max(times, default=None), evidence=evidence)


def _capped(items: Sequence[NoteItem], own: Collection[str]) -> tuple[list[NoteItem], dict[Kind, int]]:
    """As many items of each kind as there is room for; all that a person wrote."""
    kept: list[NoteItem] = []
    trimmed: dict[Kind, int] = {}
    for kind in KINDS:
        of_kind = [item for item in items if item.kind == kind]
        room = max(0, MAX_ITEMS - sum(item.key in own for item in of_kind))
        for item in of_kind:
            if item.key in own:
                kept.append(item)
            elif room:
                room -= 1
                kept.append(item)
            else:
                trimmed[kind] = trimmed.get(kind, 0) + 1
    return kept, trimmed


def _sections(items: Iterable[NoteItem]) -> dict[Kind, tuple[NoteItem, ...]]:
    items = list(items)
    return {kind: found for kind in KINDS if (found := tuple(item for item in items if item.kind == kind))}


def _command(text: str) -> str | None:
    found = _COMMAND.match(text)
    return found[1] if found else None
