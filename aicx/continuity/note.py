"""The continuity note: what is known of the work in six sections, for the repository and for each worktree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal, get_args

from aicx.types import Lane
from aicx.values import dataclass

Kind = Literal["confirmed", "failed", "untried", "next", "result", "file", "decision", "environment"]
Layer = Literal["project", "local"]  # of the repository with all its worktrees, or of one worktree
Scope = Literal["project", "local", "both"]
Status = Literal["active", "paused", "done"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LAYERS: tuple[Layer, ...] = get_args(Layer)
SCOPES: tuple[Scope, ...] = get_args(Scope)
STATUSES: tuple[Status, ...] = get_args(Status)
MAX_BYTES = 256 * 1024
TITLES: dict[Layer, str] = {"project": "Continuity of the project", "local": "Continuity of this worktree"}
HEADINGS: dict[str, tuple[Kind, ...]] = {
    "Goal": (),
    "Confirmed working": ("confirmed",),
    "Tried and failed": ("failed",),
    "Not yet tried": ("untried",),
    "Incomplete and next": ("next",),
    "Files, decisions and environment": ("result", "file", "decision", "environment"),
}
LABELS: dict[str, Kind] = {"Result": "result", "File": "file", "Decision": "decision", "Environment": "environment"}
NOTES = "Notes"
PLACEHOLDER = "_Nothing yet._"
FENCE = "---"


@dataclass(frozen=True, slots=True)
class NoteItem:
    text: Annotated[str, "what the note says: a line, or several where a person wrote them so"]
    kind: Annotated[
        Kind | Literal["goal"],
        "`goal`, `confirmed`, `failed`, `untried`, `next`, `result`, `file`, `decision` or `environment`: what it is",
        str,
    ]
    layer: Annotated[Layer, "`project` or `local`: whose note has it", str]
    lane: Annotated[Lane, "`primary` or `subagent`: who said it", str] = "primary"
    evidence: Annotated[
        tuple[str, ...], "references of the sessions that it is from; none for what a person wrote"
    ] = ()
    at: Annotated[datetime | None, "when it was said; null where that is not known"] = None

    @property
    def key(self) -> str:
        """The same for the same words in the same section, however they are spaced and capitalised."""
        return sha256(f"{self.kind}\0{' '.join(self.text.casefold().split())}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Note:
    """A note, the newest item of each section first.

    ``unknown_text`` is Markdown that belongs to no section, ``front_matter`` lines whose keys are not known. ``source``
    is the reference of the session it was written from, empty where a person wrote it.
    """

    goal: NoteItem | None = None
    sections: Mapping[Kind, tuple[NoteItem, ...]] = field(default_factory=dict)
    unknown_text: str = ""
    updated_at: datetime | None = None
    status: Status = "active"
    source: str = ""
    front_matter: str = ""

    @property
    def items(self) -> tuple[NoteItem, ...]:
        """The goal and every item, in the order of the sections."""
        goal = (self.goal,) if self.goal else ()
        return (*goal, *(item for kind in KINDS for item in self.sections.get(kind, ())))


@dataclass(frozen=True, slots=True)
class Layers:
    """The notes of a place. A layer is None where it has no note, and where the note is among ``broken``."""

    project: Note | None
    local: Note | None
    merged: Note
    broken: Mapping[Layer, str] = field(default_factory=dict)  # why each cannot be understood; it is left as it is
    paths: Mapping[Layer, Path] = field(default_factory=dict)  # of the notes that are there, broken ones too


def layers_of(scope: Scope) -> tuple[Layer, ...]:
    return LAYERS if scope == "both" else (scope,)


def merged(project: Note | None, local: Note | None) -> Note:
    """Both layers as one: the worktree's first, and each statement once."""
    own, shared = local or Note(), project or Note()
    sections: dict[Kind, tuple[NoteItem, ...]] = {}
    for kind in KINDS:
        items = [*own.sections.get(kind, ()), *shared.sections.get(kind, ())]
        if items:
            keys = dict.fromkeys(item.key for item in items)
            sections[kind] = tuple({item.key: item for item in reversed(items)}[key] for key in keys)
    times = [note.updated_at for note in (own, shared) if note.updated_at is not None]
    return Note(
        goal=_goal(own.goal, shared.goal),
        sections=sections,
        unknown_text="\n\n".join(text for text in (own.unknown_text, shared.unknown_text) if text),
        updated_at=max(times, default=None),
        status=local.status if local is not None else shared.status,
        source=own.source or shared.source,
    )


def _goal(own: NoteItem | None, shared: NoteItem | None) -> NoteItem | None:
    """The worktree's goal, unless a person has written that of the project since."""
    if own is None or shared is None or shared.evidence or not own.evidence:
        return own or shared
    return shared if shared.at is None or own.at is None or shared.at > own.at else own


class Broken(Exception):
    """A file that cannot be understood as a note; the text says why."""


def front_matter_of(text: str) -> tuple[list[str], str]:
    """The lines of the block that opens ``text``, and the text behind it."""
    if text.partition("\n")[0].rstrip() != FENCE:
        return [], text
    lines = text.split("\n")
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None)
    if end is None:
        raise Broken("its front matter has no end")
    return lines[1:end], "\n".join(lines[end + 1 :])


def fields_of(lines: Sequence[str]) -> tuple[dict[str, str], str]:
    """The fields of the front matter that are known, and all other lines."""
    fields: dict[str, str] = {}
    unknown = []
    for line in lines:
        key, _, value = line.partition(":")
        if key in ("status", "updated", "session"):
            fields[key] = value.strip()
        elif line.strip():
            unknown.append(line)
    if fields.get("status", "active") not in STATUSES:
        raise Broken(f"its status is none of {', '.join(STATUSES)}")
    return fields, "\n".join(unknown)


def updated_of(text: str | None) -> datetime | None:
    try:
        at = datetime.fromisoformat(text) if text else None
    except ValueError as error:
        raise Broken("its time of update is none") from error
    if at is not None and at.tzinfo is None:
        raise Broken("its time of update has no zone")
    return at


def unescaped(text: str) -> str:
    return text.removeprefix("\\").strip()
