"""Updates of a task: what one says, and what it changes in a record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from aicx.errors import UsageError
from aicx.values import dataclass
from aicx.work.record import (
    MAX_EVIDENCE,
    MAX_GOAL,
    MAX_REF,
    MAX_SOURCES,
    MAX_TEXT,
    MAX_TITLE,
    SECTIONS,
    Confidence,
    Item,
    Origin,
    Section,
    WorkRecord,
    clean,
    title_of,
    with_items,
)

if TYPE_CHECKING:
    from aicx.evidence import Statement
    from aicx.work.session_facts import Said

# Names that other tools have for the same.
_ALIASES = {
    "current_hypothesis": "hypothesis",
    "recommended_commands": "commands",
    "source_execution_ids": "sources",
}
_SCALARS = ("title", "goal", "hypothesis", "next_action")
# What is in one of these sections is not in those any more.
_INSTEAD: Mapping[str, tuple[Section, ...]] = {
    "verified": ("unverified", "failing"),
    "unverified": ("verified",),
    "failing": ("verified", "unverified"),
}

# A path as the repository knows it; None where it is outside.
Relative = Callable[[str], str | None]


class NewItem(NamedTuple):
    """One thing that an update says; without an ``origin`` it has that of the update."""

    text: str
    evidence: tuple[str, ...] = ()
    confidence: Confidence | None = None
    needs_validation: bool | None = None
    origin: Origin | None = None


def new_items(lines: Iterable[Said | Statement]) -> list[NewItem | str]:
    """The lines of a session as what an update says, each with its evidence."""
    return [NewItem(line.text, line.refs) for line in lines]


@dataclass(frozen=True, slots=True)
class Patch:
    """The values of an update. Scalars are set where they are not None, an empty one clears; lists are appended to.

    ``drop`` are texts or ids of items to take out. ``evidence`` are references that prove everything said here, and
    ``next_source`` those that the next action was derived from.
    """

    title: str | None = None
    goal: str | None = None
    hypothesis: str | None = None
    next_action: str | None = None
    said: Mapping[Section, Sequence[NewItem | str]] = field(default_factory=dict)
    sources: Sequence[str] = ()
    evidence: Sequence[str] = ()
    drop: Sequence[str] = ()
    origin: Origin = "stated"
    next_source: Sequence[str] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing; evidence alone proves nothing."""
        scalars = (self.title, self.goal, self.hypothesis, self.next_action)
        return not (any(one is not None for one in scalars) or any(self.said.values()) or self.sources or self.drop)


class Applied(NamedTuple):
    """A record after an update, the names of the fields that changed, and what was left out, by field."""

    record: WorkRecord
    changed_fields: tuple[str, ...]
    left_out: Mapping[str, list[str]]


def apply(record: WorkRecord, patch: Patch, now: datetime, relative: Relative) -> Applied:
    """``record`` after ``patch``. Raises UsageError for a goal of nothing."""
    left_out: dict[str, list[str]] = {}
    new = _with_scalars(record, patch)
    said = list(_items(patch, now, relative, left_out))
    gone = {clean(text) for text in patch.drop} | set(patch.drop)
    replaced = {(section, item.text) for item in said for section in _INSTEAD.get(item.section, ())}
    kept = [
        item for item in record.items if not {item.text, item.id} & gone and (item.section, item.text) not in replaced
    ]
    items, full = with_items(kept, said)
    for item in full:
        left_out.setdefault(item.section, []).append(item.text)
    sources = tuple(dict.fromkeys([*record.sources, *(clean(one, MAX_REF) for one in patch.sources)]))
    if len(sources) > MAX_SOURCES:
        left_out["sources"] = list(sources[MAX_SOURCES:])
    new = replace(new, items=items, sources=sources[:MAX_SOURCES])
    return Applied(new, changed_fields(record, new), left_out)


def changed_fields(before: WorkRecord, after: WorkRecord) -> tuple[str, ...]:
    """The names of what differs in two revisions, as answers name it."""
    compared = (*_SCALARS, "status", "closing_note", "worktree_id", "sources")
    names = [name for name in compared if getattr(before, name) != getattr(after, name)]
    sections = dict.fromkeys(item.section for item in (*before.items, *after.items))
    for section in sections:
        was = [item for item in before.items if item.section == section]
        if was != [item for item in after.items if item.section == section]:
            names.append(section)
    return tuple(names)


def parse_patch(fields: Any) -> Patch:
    """The patch that a JSON object writes. Raises UsageError, which names what does not fit."""
    if not isinstance(fields, dict):
        raise UsageError(
            "a patch is one JSON object", hint='such as {"next_action": "run the tests", "verified": ["…"]}'
        )
    fields = {_ALIASES.get(name, name): value for name, value in fields.items()}
    known = (*_SCALARS, *SECTIONS, "sources", "evidence", "drop")
    for name in fields:
        if name in ("status", "closing_note"):
            raise UsageError("an update does not change the status", hint="aicx task close TASK --status resolved")
        if name not in known:
            raise UsageError(f"a task has no field {name!r}", hint=f"one of {', '.join(known)}")
    scalars = {name: _scalar(name, fields[name]) for name in _SCALARS if name in fields}
    said = {
        section: [_said(section, one) for one in _list(section, fields[section])]
        for section in SECTIONS
        if section in fields
    }
    lists = {
        name: [_scalar(name, one) for one in _list(name, fields[name])]
        for name in ("sources", "evidence", "drop")
        if name in fields
    }
    return Patch(**scalars, said=said, **lists)  # type: ignore[arg-type]


def _with_scalars(record: WorkRecord, patch: Patch) -> WorkRecord:
    title, goal = _set(patch.title, record.title, MAX_TITLE), _set(patch.goal, record.goal, MAX_GOAL)
    if not goal or not title:
        raise UsageError("a task has a goal", hint="say in a sentence what is to be reached")
    if patch.title is None and record.title == title_of(record.goal):
        title = title_of(goal)
    says_next = patch.next_action is not None
    return replace(
        record,
        title=title,
        goal=goal,
        goal_source="stated" if patch.goal is not None else record.goal_source,
        hypothesis=_set(patch.hypothesis, record.hypothesis),
        next_action=_set(patch.next_action, record.next_action),
        next_source=tuple(patch.next_source) if says_next else record.next_source,
    )


def _set(new: str | None, old: str, limit: int = MAX_TEXT) -> str:
    return old if new is None else clean(new, limit)


def _items(patch: Patch, now: datetime, relative: Relative, left_out: dict[str, list[str]]) -> Iterable[Item]:
    for section, texts in patch.said.items():
        for one in texts:
            said = NewItem(one) if isinstance(one, str) else one
            text = said.text
            if section in ("active_files", "starting_points"):
                path = relative(text)
                if path is None:
                    left_out.setdefault(section, []).append(clean(text))
                    continue
                text = path
            text = clean(text)
            if not text:
                continue
            proof = (clean(ref, MAX_REF) for ref in (*said.evidence, *patch.evidence))
            yield Item(
                section,
                text,
                now,
                said.origin or patch.origin,
                tuple(dict.fromkeys(filter(None, proof)))[:MAX_EVIDENCE],
                confidence=said.confidence,
                needs_validation=said.needs_validation,
            )


def _said(section: str, value: Any) -> NewItem:
    if isinstance(value, str):
        return NewItem(value)
    if not isinstance(value, dict):
        raise UsageError(f"{section} takes texts", hint=f'{{"{section}": ["…"]}}')
    text = value.get("claim", value.get("text"))
    confidence, needs = value.get("confidence"), value.get("needs_validation")
    if confidence is not None and confidence not in get_args(Confidence):
        raise UsageError(f"{confidence!r} is not a confidence", hint=f"one of {', '.join(get_args(Confidence))}")
    if needs is not None and not isinstance(needs, bool):
        raise UsageError("needs_validation is true or false")
    evidence = tuple(_scalar("evidence", one) for one in _list("evidence", value.get("evidence", [])))
    return NewItem(_scalar(section, text), evidence, confidence, needs)


def _scalar(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{name} is a text, not {type(value).__name__}")
    return value


def _list(name: str, value: Any) -> list[Any]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        raise UsageError(f"{name} is a list of texts", hint=f'{{"{name}": ["…"]}}')
    return value
