"""Where notes are: the project's in the home, the worktree's in its own folder; and what is known of their items.

That has no text: an item is named by a hash of its words. What a person wrote or changed has other words than aicx
wrote, and what is missing was taken out by a person.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path

import orjson

from aicx.config import Settings
from aicx.continuity.note import Layer, Note, NoteItem
from aicx.errors import UnsafePath
from aicx.storage.typed import from_json, to_json
from aicx.types import Lane
from aicx.values import dataclass
from aicx.work.files import NOTES
from aicx.work.place import WorkPlace

PROJECT_NAME, PROJECT_STATE = "project.md", "project.json"
_OWN, _CLAUDE = ".aicx/continuity", ".claude/sessions"
_LOCAL_NAME = "active.md"
# The older layout: a file for each day and session, of which the newest counts.
_SESSION_NAME = re.compile(r"\d{4}-\d{2}-\d{2}-[A-Za-z0-9]{1,8}-session\.tmp")


@dataclass(frozen=True, slots=True)
class NotePlaces:
    """The paths of one place's notes. ``state`` says of each layer what is known of its items; it has no text."""

    project: Path
    local: Path  # the file that counts, or where it would be
    local_folder: Path
    root: Path
    continuity: Path  # the repository's folder for notes in the home
    worktree_id: str
    older: bool

    def of(self, layer: Layer) -> Path:
        return self.project if layer == "project" else self.local

    def state(self, layer: Layer) -> Path:
        return self.continuity / (PROJECT_STATE if layer == "project" else f"local-{self.worktree_id}.json")

    @property
    def ignore_file(self) -> Path:
        """Git's own list for the folder of the worktree's note."""
        return self.local_folder / ".gitignore"

    @property
    def ignored(self) -> bytes:
        return b"*-session.tmp\n.gitignore\n" if self.older else b"*\n"

    def local_files(self) -> list[Path]:
        """Every note of the worktree, the one that counts first."""
        if not self.older:
            return [self.local] if self.local.is_symlink() or self.local.exists() else []
        return _dated(self.local_folder)

    def next_local(self, now: datetime, session_id: str) -> Path:
        """Where a merged note is written: in the older layout the file of this day and session."""
        if not self.older:
            return self.local
        name = re.sub(r"[^A-Za-z0-9]", "", session_id)[:8] or "session"
        return self.local_folder / f"{now:%Y-%m-%d}-{name}-session.tmp"


def note_places(settings: Settings, place: WorkPlace) -> NotePlaces:
    """Where the notes of ``place`` are, whether or not there are any."""
    continuity = settings.layout.work / place.repo_id / NOTES
    # A folder that became a repository later has its note under its former name until the next save.
    former = [settings.layout.work / name / NOTES / PROJECT_NAME for name in place.folders[1:]]
    project = next((path for path in former if not (continuity / PROJECT_NAME).exists() and path.exists()), None)
    older = settings.continuity_layout == "claude"
    folder = place.root / (_CLAUDE if older else _OWN)
    dated = _dated(folder) if older else []
    local = folder / _LOCAL_NAME if not older else dated[0] if dated else folder / "none-session.tmp"
    return NotePlaces(
        project or continuity / PROJECT_NAME, local, folder, place.root, continuity, place.worktree_id, older
    )


def check_local(settings: Settings, places: NotePlaces) -> None:
    """Refuses a place for the worktree's note that leads elsewhere, or into the home. Raises UnsafePath."""
    hint = "`--scope project` leaves the worktree as it is"
    if places.local_folder.parent.resolve() == settings.layout.home.resolve():
        raise UnsafePath(f"{places.local_folder} would be in the corpus", hint=hint)
    for path in (places.local_folder.parent, places.local_folder):
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            raise UnsafePath(f"{path} is not a folder of this worktree", hint=hint)


def plain_file(path: Path, root: Path) -> bool:
    """Whether there is a regular file that no symbolic link below ``root`` leads to. Raises OSError, UnsafePath."""
    for part in (path, *path.parents):
        if part == root:
            break
        if part.is_symlink():
            raise UnsafePath(f"{part} is a symbolic link")
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    if not stat.S_ISREG(mode):
        raise UnsafePath(f"{path} is not a file")
    return True


def _dated(folder: Path) -> list[Path]:
    try:
        found = [path for path in folder.iterdir() if _SESSION_NAME.fullmatch(path.name) and not path.is_symlink()]
        return sorted(found, key=lambda path: (-path.stat().st_mtime_ns, path.name))
    except OSError:
        return []


VERSION = 1
_MAX_REMOVED = 500
_MAX_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Known:
    """The origin of one item. ``stated`` says that a person wrote it; ``at`` is then when the file was saved."""

    at: datetime | None
    lane: str = "primary"
    evidence: tuple[str, ...] = ()
    stated: bool = False


@dataclass(frozen=True, slots=True)
class NoteState:
    """The items that the last writing left in a note, and those that people took out, the last one last.

    ``file`` is where the note is (`quote_path`), ``project`` what the corpus calls the repository: by these `forget`
    and `doctor` find the note of a worktree. Both are empty where they are not known.
    """

    items: Mapping[str, Known] = field(default_factory=dict)
    removed: tuple[str, ...] = ()
    file: str = ""
    project: str = ""

    def encode(self) -> bytes:
        kept = replace(self, removed=self.removed[-_MAX_REMOVED:])
        return orjson.dumps({"version": VERSION, **to_json(kept)}) + b"\n"


def decode_state(body: bytes) -> NoteState:
    """Raises ValueError, TypeError or LookupError for anything that `NoteState.encode` does not write."""
    return from_json(NoteState, orjson.loads(body))


def read_state(path: Path) -> NoteState:
    """Reads what is known of a note; nothing where its file is absent or damaged: all items are then a person's."""
    try:
        body = path.read_bytes()
        return decode_state(body) if len(body) <= _MAX_BYTES else NoteState()
    except (OSError, ValueError, TypeError, LookupError, AttributeError):
        return NoteState()


def with_known(note: Note, state: NoteState) -> Note:
    """``note`` with what is known of its items."""

    def known(item: NoteItem) -> NoteItem:
        found = state.items.get(item.key)
        if found is None:
            return item
        lane: Lane = "subagent" if found.lane == "subagent" else "primary"
        return replace(item, lane=lane, evidence=found.evidence, at=found.at)

    return replace(
        note,
        goal=known(note.goal) if note.goal else None,
        sections={kind: tuple(map(known, items)) for kind, items in note.sections.items()},
    )


def state_of(items: Iterable[NoteItem], stated: Iterable[str], removed: Iterable[str]) -> NoteState:
    """The state of a note with these ``items``, of which a person wrote those with the keys ``stated``."""
    own = frozenset(stated)
    found = {item.key: Known(item.at, item.lane, item.evidence, item.key in own) for item in items}
    return NoteState(found, tuple(key for key in dict.fromkeys(removed) if key not in found))


def quote_path(path: Path) -> str:
    """A path as JSON can have it, whatever bytes its names are made of."""
    from urllib.parse import quote_from_bytes  # imported here: only who writes needs it

    return quote_from_bytes(os.fsencode(path))


def unquote_path(text: str) -> Path:
    from urllib.parse import unquote_to_bytes

    return Path(os.fsdecode(unquote_to_bytes(text)))
