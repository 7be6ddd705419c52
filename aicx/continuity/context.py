"""The surroundings of the notes: instruction files, agreed memory and shared guidance that fit the goal.

Nothing is written: the index of the memory is read from a copy. A repository may name files in `.aicx/config.toml`,
which a team tracks. Whatever there decides about a person's own machine is left out, and said: a clone must not switch
anything on by itself.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from aicx.config import LOCAL_ONLY, Settings
from aicx.continuity.note import Note
from aicx.errors import AicxError, MalformedPolicy
from aicx.managed import is_ours_alone
from aicx.memory.sources_files import Refused, exists, read_regular, resolve_inside
from aicx.text import shorten
from aicx.values import dataclass
from aicx.work.place import WorkPlace

if TYPE_CHECKING:
    from aicx.memory.index import RecordIndex


_MAX_REFS = 5
_MIN_SHARED = 2  # words of the goal that guidance has to have
_MIN_WORD = 3
_MAX_STATEMENT = 300


@dataclass(frozen=True, slots=True)
class TeamEntry:
    ref: Annotated[str, "reference of a line of a shared file"]
    statement: Annotated[str, "what it says"]


@dataclass(frozen=True, slots=True)
class ResumeContext:
    """The surroundings of the notes that a session needs."""

    goal: Annotated[str | None, "what is to be reached"]
    nextSteps: Annotated[Sequence[str], "what is left to be done"]
    instructionFiles: Annotated[Sequence[str], "files of the repository with instructions for agents"]
    suggestedDurableRefs: Annotated[Sequence[str], "references of agreed memory that fits the goal"]
    suggestedTeamEntries: Annotated[Sequence[TeamEntry], "lines of shared files that fit the goal: guidance"]


def resume_context(settings: Settings, place: WorkPlace, note: Note, now: datetime) -> tuple[ResumeContext, list[str]]:
    """The context for going on from ``note``, and what could not be looked at. Only reads. Raises MalformedPolicy."""
    # Imported here, as below: a startup block asks for the other things of this page alone.
    from aicx.memory.sources_files import listed

    tracked, notes = tracked_settings(settings, place.root)
    own = (one.shown for one in listed(place.root) if not is_ours_alone(place.root, one.shown))
    files = [*own, *tracked["instruction_files"]]
    goal = note.goal.text if note.goal else None
    durable: list[str] = []
    team = _of_team(settings, place, goal or "", tracked["team_files"])
    if settings.layout.memory.is_dir():
        try:
            durable = _remembered(settings, place, goal or "", now)
        except MalformedPolicy:
            raise
        except AicxError as error:
            notes.append(f"the memory was not looked at: {error.message}")
    steps = [item.text for item in note.sections.get("next", ())]
    return ResumeContext(goal, steps, files, durable, team), notes


def _of_team(settings: Settings, place: WorkPlace, goal: str, names: Sequence[str]) -> list[TeamEntry]:
    """Lines of the files that the team shares, then of instruction files, that fit the goal. Raises MalformedPolicy."""
    wanted = _words(goal)
    if len(wanted) < _MIN_SHARED:
        return []
    from aicx.memory.policy_records import policy_in
    from aicx.memory.reading import find_scope
    from aicx.memory.sources import read_live

    policy = policy_in(settings, find_scope(settings, place.root))
    shared = [(place.root / name, "team") for name in names if (place.root / name).is_file()]
    live = read_live(place.root, policy, shared, homes=settings.homes)
    fitting = [(one.source.source != "team", -len(wanted & _words(one.statement.text)), one) for one in live.statements]
    best = sorted((one for one in fitting if -one[1] >= _MIN_SHARED), key=lambda one: (*one[:2], one[2].ref))
    return [TeamEntry(one.ref, shorten(one.statement.text, _MAX_STATEMENT)) for *_, one in best[:_MAX_REFS]]


def _remembered(settings: Settings, place: WorkPlace, goal: str, now: datetime) -> list[str]:
    """Returns what is agreed, what shares most words with the goal first. Raises MalformedPolicy."""
    from aicx.memory.answers import entry_of
    from aicx.memory.policy_records import of_records, policy_in
    from aicx.memory.reading import Memory, find_scope

    scope = find_scope(settings, place.root)
    policy = policy_in(settings, scope)
    wanted = _words(goal)
    with (
        index_copy(settings) as index,
        Memory(settings, scope, now, of_records(policy, settings, scope), index) as memory,
    ):
        agreed = [entry for entry in map(entry_of, memory.assessed()) if entry.baseline]
    agreed.sort(key=lambda one: (-len(wanted & _words(f"{one.topic} {one.statement}")), one.tier, one.ref))
    return [entry.ref for entry in agreed[:_MAX_REFS]]


@contextmanager
def index_copy(settings: Settings) -> Iterator[RecordIndex]:
    """The index of the memory as it is now, in a folder of its own."""
    from aicx.memory.index import RecordIndex

    layout = settings.layout
    with TemporaryDirectory(prefix="aicx-continuity-") as folder:
        copy = Path(folder) / layout.memory_index.name
        if layout.memory_index.is_file():
            shutil.copyfile(layout.memory_index, copy)
        yield RecordIndex(copy, layout.memory)


def _words(text: str) -> set[str]:
    from aicx.evidence.texts import words

    return {word for word in words(text) if len(word) >= _MIN_WORD}


FOLDER, NAME = ".aicx", "config.toml"
# Lists of files of the repository, which the startup block names and does not quote.
SHARED = ("instruction_files", "team_files")
_MAX_BYTES = 64 * 1024
_MAX_FILES = 20
_MAX_NAME = 60  # characters of a key or a path in a warning


def tracked_settings(settings: Settings, root: Path) -> tuple[Mapping[str, Sequence[str]], list[str]]:
    """The lists of files that the repository at ``root`` tracks, by their keys, as paths from there; and warnings.

    What cannot be used of the file is a warning, which names the file and the key, and never an error.
    """
    found: dict[str, Sequence[str]] = dict.fromkeys(SHARED, ())
    path = root / FOLDER / NAME
    if not exists(path) or path.parent.resolve() == settings.layout.home.resolve():
        return found, []
    shown = f"{FOLDER}/{NAME}"
    try:
        table = _table(path, root)
    except (Refused, ValueError, RecursionError) as error:
        return found, [f"{shown} is ignored: {_why(error)}"]
    warnings = [f"{shown}: {_unused(key)}" for key in table if key not in SHARED]
    for key in SHARED:
        files, wrong = _files(root, table.get(key, []))
        found[key] = files
        warnings += [f"{shown}: {key}: {why}" for why in wrong]
    return found, warnings


def _table(path: Path, root: Path) -> dict[str, Any]:
    import tomllib  # imported here: most repositories have no such file

    body, _ = read_regular(resolve_inside(path, root), _MAX_BYTES)
    return tomllib.loads(body.decode("utf-8"))


def _why(error: Exception) -> str:
    if isinstance(error, Refused):
        return {"unsafe_symlink": "it is a link that leads out of the repository", "over_budget": "it is too long"}.get(
            error.reason, "it cannot be read as a file"
        )
    return f"it is not TOML ({shorten(str(error), 2 * _MAX_NAME)})"


def _unused(key: str) -> str:
    name = shorten(key, _MAX_NAME)
    if key in LOCAL_ONLY:
        return f"{name} is ignored, since each person decides it for a machine of their own"
    return f"{name} is not a setting of a repository; there are {', '.join(SHARED)}"


def _files(root: Path, given: object) -> tuple[tuple[str, ...], list[str]]:
    """The files of a list that are there, and what is wrong with the others."""
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        return (), ["it must be a list of paths"]
    found, wrong = [], []
    for name in dict.fromkeys(given[:_MAX_FILES]):
        try:
            if not resolve_inside(root / name, root).is_file():
                raise Refused("unreadable")
        except Refused:
            wrong.append(f"{shorten(name, _MAX_NAME)} is not a file of the repository")
        else:
            found.append(name)
    if len(given) > _MAX_FILES:
        wrong.append(f"only the first {_MAX_FILES} paths are used")
    return tuple(found), wrong
