"""Decisions about records. Each is an event with a name; each is refused where the record changed meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Literal

from aicx.config import Settings
from aicx.errors import NotFound, RecordChanged, UsageError
from aicx.memory.anchors import take_anchor
from aicx.memory.events import LOG, Event, Standing, last_about, new_id
from aicx.memory.files import read_log
from aicx.memory.persons import is_model, is_person
from aicx.memory.proposing import UNNAMED as UNNAMED
from aicx.memory.proposing import Edit, at_host, checked, clean, edited, name_taken
from aicx.memory.reading import Memory, Scope
from aicx.memory.record import Adoption, Hold, Reason, Record, Result, Validation
from aicx.memory.seal import decisions_in
from aicx.memory.writing import RecordChanges, changing
from aicx.values import dataclass

Action = Literal["accept", "reject", "hold", "release", "pin", "unpin", "archive", "restore"]
# Decisions that give trust or take a protection away, for which a person stands with a name.
NEEDS_PERSON = frozenset({"accept", "supersede", "release", "pin", "seal", "validate"})
_EVENTS: dict[str, str] = {
    "accept": "accepted",
    "reject": "rejected",
    "hold": "held",
    "release": "released",
    "pin": "pinned",
    "unpin": "unpinned",
    "archive": "archived",
    "restore": "restored",
}
# What a person who decided did not look at.
_UNSEEN = frozenset({"updated_at", "last_event", "evidence", "sightings", "digest", "extra", "path"})


@dataclass(frozen=True, slots=True)
class Decider:
    """Who decides, why, and about which state of the record: ``shown`` is what they saw, ``rev`` and ``digest`` what
    they named of it. A revision alone does not say what a hand wrote since."""

    by: str = UNNAMED
    why: str | None = None
    shown: Record | None = None
    rev: int | None = None
    digest: str | None = None


@dataclass(frozen=True, slots=True)
class Desk:
    """Where decisions are made."""

    settings: Settings
    scope: Scope
    now: datetime
    notify: Callable[[str], None]


def decide(desk: Desk, ref: str, action: Action, decider: Decider) -> Record:
    """Does ``action`` with the record that ``ref`` means and returns it as it is then.

    Raises UsageError without a person's name where one is needed, RecordChanged where it is not as it was shown.
    """
    by = named(decider.by, action)
    with changing(desk.settings, desk.now, desk.notify) as change, _memory(desk) as memory:
        record = unchanged(memory, ref, decider)
        _refuse_malformed(record)  # writing it would replace what a person may still mend
        if action == "accept":
            return _accept(change, memory, record, decider)
        why = decider.why and clean(decider.why)
        if action in ("reject", "unpin", "archive"):
            refuse_to_unprotect(memory, record, by, action)
        if action in ("reject", "hold", "archive"):
            _refuse_to_settle(memory, record, by)
        match action:
            case "reject":
                new = replace(record, adoption=Adoption("rejected", by, desk.now, why))
            case "hold":
                new = replace(record, hold=Hold(why or "no reason given", by, desk.now))
            case "release":
                new = replace(record, hold=None)
            case "pin" | "unpin":
                new = replace(record, pinned=action == "pin")
            case "archive":
                new = replace(record, retention="archived")
            case _:
                agreed = record.adoption.state == "adopted"
                kept = Adoption() if agreed and not is_person(by) else record.adoption
                new = replace(record, retention="live", adoption=kept)
        return _write(change, new, _EVENTS[action], by)


def supersede(desk: Desk, old: str, new: str, decider: Decider) -> tuple[Record, Record]:
    """Puts ``new``, which a person accepted before, in the place of ``old``. ``decider.shown`` is of the old one."""
    by = named(decider.by, "supersede")
    with changing(desk.settings, desk.now, desk.notify) as change, _memory(desk) as memory:
        replaced, record = unchanged(memory, old, decider), memory.find(new)
        if replaced.id == record.id:
            raise UsageError("a record cannot supersede itself")
        (found,) = memory.assessed([record])
        if found.status != "accepted":
            raise UsageError(
                f"{record.ref} is {found.status}: only what is accepted takes another record's place",
                hint=f"aicx memory accept {record.ref} --by NAME",
            )
        others = tuple(dict.fromkeys([*record.supersedes, replaced.id]))
        written = change.put(
            replace(record, supersedes=others), "superseded", by, others=[replaced.id], before=record.digest
        )
        replaced = change.touch(replaced, written.last_event)
        change.publish()
        return written, replaced


def validate(
    desk: Desk, ref: str, result: Result, method: str, decider: Decider, evidence: Sequence[str] = ()
) -> Record:
    """Records that somebody, or a program, looked whether a record still holds. A pass takes its anchors anew."""
    by = named(decider.by, "look")
    if by == UNNAMED:
        raise UsageError("who validated it?", hint="--by NAME, of a person or a program")
    if result == "pass" and is_model(by):
        raise UsageError(
            f"{by!r} is a model, whose word validates nothing", hint="name the person or program that looked"
        )
    if not method.strip():
        raise UsageError("how was it validated?", hint="--method TEXT")
    with changing(desk.settings, desk.now, desk.notify) as change, _memory(desk) as memory:
        record = unchanged(memory, ref, decider)
        _refuse_malformed(record)
        if gives_trust(record, result):
            named(by, "validate")
        done = Validation(desk.now, by, clean(method), result, tuple(map(clean, evidence)))
        new = replace(record, validation=(*record.validation, done))
        if result == "pass" and not record.by_hand:
            new = _anchored_again(new, memory)
        return _write(change, new, "validated", by, before=record.digest, code=result)


def gives_trust(record: Record, result: str) -> bool:
    """Whether a validation may bring back what is stale or make an instruction of it: a pass of what is agreed."""
    return result == "pass" and record.adoption.state == "adopted"


def edit(desk: Desk, ref: str, wanted: Edit, decider: Decider) -> Record:
    """Changes what a record says; what changes is proposed again. Without a change it takes in an edit by hand.

    Raises UsageError for a pinned record without a person's name, as everything that would change or hide one does.
    """
    with changing(desk.settings, desk.now, desk.notify) as change, _memory(desk) as memory:
        record = unchanged(memory, ref, decider)
        _refuse_malformed(record)
        by = named(decider.by, "edit")
        refuse_to_unprotect(memory, record, by, "edit")
        new = edited(record, wanted)
        taken = [one for one in memory.records(everywhere=True) if one.name == new.name and one.id != record.id]
        if new.name is not None and any(one.repository == new.repository for one in taken):
            raise name_taken(new.name, taken[0].id)
        return _write(change, new, "edited", by)


def delete(desk: Desk, ref: str, decider: Decider) -> Record:
    """Deletes a record's files; the log keeps that it was there, and who deleted it."""
    with changing(desk.settings, desk.now, desk.notify) as change, _memory(desk) as memory:
        record = unchanged(memory, ref, decider)
        by = named(decider.by, "delete")
        refuse_to_unprotect(memory, record, by, "delete")
        _refuse_to_settle(memory, record, by)
        change.remove(record, by)
        change.publish()
        return record


def unsealed(settings: Settings) -> dict[str, Standing]:
    """Returns the decisions, by id, about records of which the log has events that this home did not write."""
    decided, _ = decisions_in(settings.layout.memory)
    return {name: decided[name] for name in sorted(decided) if decided[name].unsealed}


def seal(desk: Desk, shown: Sequence[str], decider: Decider) -> None:
    """Takes the log as it is: what it says of the records that were ``shown``, by `unsealed`, counts from then on."""
    by = named(decider.by, "seal")
    with changing(desk.settings, desk.now, desk.notify) as change:
        if not unsealed(desk.settings).keys() >= set(shown):
            raise RecordChanged("the log changed meanwhile", hint="look again: aicx memory decide seal")
        change.note(Event(new_id(), desk.now, by, "seal.renewed", tuple(shown)))
        change.publish(seal=shown)


def named(by: str, action: str) -> str:
    """Who decides, as it is recorded. Raises UsageError for no name, and where it has to be a person and is none."""
    typed = " ".join(by.split())
    if not typed.isprintable():  # what is left of it without them would be another name
        raise UsageError("a name has no control characters", hint="--by NAME")
    name = clean(typed)
    if action in NEEDS_PERSON and not is_person(name):
        raise UsageError(
            f"{action} needs the name of a person" + (f", and {name!r} is none" if name not in ("", UNNAMED) else ""),
            hint=f"aicx memory {action}{'' if action == 'seal' else ' REF'} --by NAME",
        )
    return name[:80] or UNNAMED


def _memory(desk: Desk) -> Memory:
    return Memory.open(desk.settings, desk.now, scope=desk.scope)


def _accept(change: RecordChanges, memory: Memory, record: Record, decider: Decider) -> Record:
    if record.source.origin == "instruction_file":
        raise UsageError(
            f"{record.ref} repeats an instruction file, which stays guidance", hint="state it as a record of its own"
        )
    by = named(decider.by, "accept")
    why = decider.why and clean(decider.why)
    new = replace(checked(at_host(record, memory.scope)), adoption=Adoption("adopted", by, change.now, why))
    old = [found for name in record.supersedes if (found := _perhaps(memory, name))]
    written = change.put(new, "accepted", by, others=[one.id for one in old])
    for one in old:
        change.touch(one, written.last_event)
    change.publish()
    return written


def _perhaps(memory: Memory, name: str) -> Record | None:
    try:
        return memory.find(name)
    except (NotFound, UsageError):
        return None


def _write(
    change: RecordChanges, record: Record, kind: str, by: str, *, before: str | None = None, code: str | None = None
) -> Record:
    written = change.put(record, kind, by, before=before, code=code)
    change.publish()
    return written


def _anchored_again(record: Record, memory: Memory) -> Record:
    """``record`` with its anchors as their files are now; those that are gone stay as they were."""
    root = memory.scope.root
    if root is None or record.repository != memory.scope.repository:
        return record
    found = memory.context([record]).anchors
    anchors = []
    for anchor in record.anchors:
        now = found[anchor]
        path = now.path or anchor.path
        first, last = (anchor.first, anchor.last) if now.first is None else (now.first, now.last)
        text = path if first is None else f"{path}#L{first}-L{last}"
        try:
            anchors.append(take_anchor(root, root, text, memory.head))
        except (NotFound, UsageError):
            anchors.append(anchor)
    return replace(record, anchors=tuple(anchors))


def _refuse_to_settle(memory: Memory, record: Record, by: str) -> None:
    """Raises UsageError where no person puts aside what keeps another record from being agreed: it decides for that."""
    if is_person(by):
        return
    conflict = Reason("conflict", {"with": record.ref})
    if other := next((one.record.ref for one in memory.assessed() if conflict in one.reasons), None):
        raise UsageError(
            f"{record.ref} and {other} say otherwise; who puts one aside decides for the other, and has to be named",
            hint="--by NAME",
        )


def refuse_to_unprotect(memory: Memory, record: Record, by: str, action: str) -> None:
    """Raises UsageError where no person would take away, or change, what a person pinned.

    By the log of decisions: a hand that edits the record's file puts no pin on, and takes none off.
    """
    standing = memory.decisions.get(record.id)
    if standing is not None and standing.pinned and not is_person(by):
        raise UsageError(
            f"{record.ref} is pinned: {action} needs the name of a person",
            hint=f"aicx memory {action} {record.ref} --by NAME",
        )


def _refuse_malformed(record: Record) -> None:
    if any(flaw.code == "malformed" for flaw in record.flaws):
        raise UsageError(
            f"{record.path or record.ref} cannot be read as a record",
            hint="mend its files, or `aicx memory decide delete`; what it says is then lost",
        )


def unchanged(memory: Memory, ref: str, decider: Decider) -> Record:
    """The record that is meant, as it is now. Raises RecordChanged where somebody decided about another state of it."""
    record = memory.find(decider.shown.ref if decider.shown else ref)
    shown = decider.shown
    changes = changed_fields(shown, record) if shown is not None else []
    if decider.rev is not None and decider.rev != record.rev:
        changes.append(f"it is revision {record.rev} now, not {decider.rev}")
    if decider.digest not in (None, record.digest):
        changes.append("its text or its conditions")
    if decider.rev is not None and decider.digest is None and not changes and _is_edited(memory, record):
        changes.append("it was edited by hand; `aicx memory edit` without options makes a revision of that")
    if shown is not None and shown.last_event != record.last_event and not changes:
        changes.append("somebody decided about it")
    if changes:
        last = _last_event(memory, record)
        raise RecordChanged(
            f"{record.ref} changed meanwhile: {', '.join(changes)}{last}",
            hint=f"look at it again: aicx show {record.ref}",
        )
    return record


def changed_fields(before: Record, after: Record) -> list[str]:
    """The names of what differs between two readings of a record."""
    return [
        one.name.replace("_", " ")
        for one in fields(Record)
        if one.name not in _UNSEEN and getattr(before, one.name) != getattr(after, one.name)
    ]


def _is_edited(memory: Memory, record: Record) -> bool:
    """Whether a hand changed it since the last command: then its revision says too little of what it is."""
    log = memory.settings.layout.memory / LOG
    last = last_about(log.read_bytes(), record.id) if log.exists() else None
    written = last.digest if last is not None and last.refs[0] == record.id else None
    return record.by_hand or (written is not None and written != record.digest)


def _last_event(memory: Memory, record: Record) -> str:
    if record.by_hand:
        return " (edited by hand)"
    log = read_log(memory.settings.layout.memory)
    last = next((event for event in reversed(log.events) if record.id in event.refs), None)
    return f" ({last.type.removeprefix('memory.')} by {last.by})" if last else ""
