"""The startup block: the notes of a place and what else a session should look at, within a number of lines; and its
account: where it comes from, what is in it, and what was left out for which reason.

The notes come first, then instruction files, what waits for a decision, what is agreed, and what the team names. Files
are named and not quoted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, get_args

from aicx.brief import fenced, fit, to_check
from aicx.config import MAX_LINES, MIN_LINES, Settings
from aicx.continuity.context import index_copy, tracked_settings
from aicx.continuity.note import Kind, Layer, Layers, NoteItem, Status
from aicx.errors import AicxError, MalformedPolicy, UsageError
from aicx.managed import is_ours_alone
from aicx.memory.policy import load_policy
from aicx.memory.sources_files import listed
from aicx.resume import Limits
from aicx.text import shorten
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.memory.briefing import Briefing

# Of the note, in the order in which they are shown; then what follows it.
NoteSection = Literal[
    "goal", "incompleteNext", "triedAndFailed", "notYetTried", "confirmedWorking", "filesDecisionsEnvironment"
]
Section = NoteSection | Literal["sources", "instructionFiles", "stagedCandidates", "agreedMemory", "teamEntries"]
FitReason = Literal["line_limit", "byte_limit"]


@dataclass(frozen=True, slots=True)
class Omission:
    """Something that is not in the block: items of a section, or the file of a note."""

    target: Annotated[Literal["section", "sourceFile"], "what it is of: items of a section, or a note"]
    stage: Annotated[Literal["reading", "fitting"], "when it was left out"]
    reason: Annotated[Literal["broken_note"] | FitReason, "why"]
    section: Annotated[Section | None, "whose items they are"] = None
    path: Annotated[str | None, "the file of a note that cannot be understood"] = None
    count: Annotated[int, "number of items, or 1 for a file"] = 1


@dataclass(frozen=True, slots=True)
class CompactionSeam:
    """Where a compaction of the session comes in: what marks it, and what shows the block again afterwards."""

    markedBy: Annotated[str, "the hook before the compaction"]
    shownBy: Annotated[str, "the hook after it"]
    sections: Annotated[list[NoteSection], "the sections that are then shown again"]


@dataclass(frozen=True, slots=True)
class StartupManifest:
    """The block that a session is shown at its start, and how it was chosen."""

    text: Annotated[str, "the block; empty where no note says anything"]
    lineCount: Annotated[int, "its lines"]
    lineLimit: Annotated[int, "how many it may have"]
    continuityMode: Annotated[Literal["startup"], "the moment that the block is for"]
    continuityProvenanceKind: Annotated[Literal["temporary-continuity"], "what it is: no memory that was agreed to"]
    sourceFiles: Annotated[list[str], "the notes of which something is in the block"]
    candidateSourceFiles: Annotated[list[str], "all notes that were looked at"]
    continuitySourceKinds: Annotated[list[Literal["project", "local"]], "the layers of `sourceFiles`"]
    continuitySectionKinds: Annotated[list[NoteSection], "the sections of the note that are in the block"]
    sectionsRendered: Annotated[
        dict[str, bool], "whether each section of the note is in the block, and `sources`: the line with its files"
    ]
    omissions: Annotated[list[Omission], "what was left out"]
    omissionCounts: Annotated[dict[str, int], "number of items left out, by section"]
    futureCompactionSeam: Annotated[CompactionSeam, "what shows the block again after a compaction"]


TITLE = "# Session Continuity"
_SAID = f"Temporary notes of earlier sessions: {to_check(against=' against the files')}."
_TITLES: dict[Section, str] = {
    "goal": "Goal",
    "incompleteNext": "Next",
    "triedAndFailed": "Tried and failed",
    "notYetTried": "Not yet tried",
    "confirmedWorking": "Confirmed working",
    "filesDecisionsEnvironment": "Files, decisions and environment",
    "sources": "Notes",
    "instructionFiles": "Instruction files",
    "stagedCandidates": "Waiting for a decision, not agreed",
    "agreedMemory": "Agreed",
    "teamEntries": "Of the team",
}
_SECTION_OF: dict[Kind, NoteSection] = {
    "next": "incompleteNext",
    "failed": "triedAndFailed",
    "untried": "notYetTried",
    "confirmed": "confirmedWorking",
    "result": "filesDecisionsEnvironment",
    "decision": "filesDecisionsEnvironment",
    "environment": "filesDecisionsEnvironment",
    "file": "filesDecisionsEnvironment",
}
_LABELS: dict[str, str] = {
    "result": "result: ",
    "file": "file: ",
    "decision": "decided: ",
    "environment": "environment: ",
}
# On one line each: what stands on it is short, or there is one.
_IN_LINE: tuple[Section, ...] = ("goal", "sources")
_GOAL, _ITEM = 400, 240  # characters
# A goal and a next step of signs of four bytes each, with everything around them.
MIN_BYTES = 4000


# The lines that follow the notes: paths, references of what waits for a decision, agreed statements.
Extra = Mapping[Section, Sequence[str]]


class _StartLine(NamedTuple):
    section: Section
    text: str
    layer: Layer | None = None


def startup_block(
    layers: Layers, names: Mapping[Layer, str], extra: Extra, limit_lines: int, *, limit_bytes: int = 1 << 20
) -> StartupManifest:
    """The block, empty where no note says anything, with as much as fits into the limits: the goal and then next steps
    first; the others have turns.

    ``names`` are the files of the notes as a person would name them. The goal and one next step always fit. Raises
    UsageError for limits outside of what `aicx.config` allows.
    """
    if not MIN_LINES <= limit_lines <= MAX_LINES or limit_bytes < MIN_BYTES:
        raise UsageError(f"a startup block has from {MIN_LINES} to {MAX_LINES} lines, not {limit_lines}")
    notes = [line for item in layers.merged.items if (line := _line(item)).text]
    lines = _by_worth([*notes, *_after([names[layer] for layer in layers.paths], extra)]) if notes else []

    status = layers.merged.status

    def text_of(kept: Sequence[int], left: Sequence[int]) -> str:
        return _text([lines[number] for number in kept], [lines[number] for number in left], status)

    def has_lines(text: str) -> bool:
        return text.count("\n") < limit_lines

    text, kept, left = fit(
        range(len(lines)), text_of, lambda text: has_lines(text) and len(text.encode()) <= limit_bytes, _fewest(lines)
    )
    is_long = bool(left) and has_lines(text_of([*kept, left[0]], left[1:]))
    return _manifest(layers, names, lines, len(kept), text, limit_lines, is_long=is_long)


def _line(item: NoteItem) -> _StartLine:
    """An item on one line, which is empty where it has nothing to read."""
    section: NoteSection = "goal" if item.kind == "goal" else _SECTION_OF[item.kind]
    text = shorten(item.text, _GOAL if section == "goal" else _ITEM)
    marks = " (of a subagent)" if item.lane == "subagent" else ""
    return _StartLine(section, text and f"{_LABELS.get(item.kind, '')}{text}{marks}", item.layer)


def _after(files: Sequence[str], extra: Extra) -> Iterator[_StartLine]:
    if files:
        yield _StartLine("sources", ", ".join(shorten(name, _ITEM) for name in files))
    for section, texts in extra.items():
        yield from (_StartLine(section, shorten(text, _ITEM)) for text in texts)


def _by_worth(lines: Sequence[_StartLine]) -> list[_StartLine]:
    """The lines, what is worth most first: the goal, next steps, and then one of each other section in turn."""
    of: dict[Section, list[_StartLine]] = {section: [] for section in _TITLES}
    for line in lines:
        of[line.section].append(line)
    first = [*of.pop("goal"), *of.pop("incompleteNext")]
    turns = zip_longest(*of.values())
    return [*first, *(line for turn in turns for line in turn if line is not None)]


def _fewest(lines: Sequence[_StartLine]) -> int:
    """How many of the first lines are always kept."""
    has_goal = bool(lines) and lines[0].section == "goal"
    has_next = any(line.section == "incompleteNext" for line in lines)
    return max(has_goal + has_next, min(1, len(lines)))


def _text(lines: Sequence[_StartLine], left: Sequence[_StartLine], status: Status) -> str:
    if not lines:
        return ""
    state = "" if status == "active" else f" ({status})"
    body: list[str] = []
    for section, title in _TITLES.items():
        found = [line.text for line in lines if line.section == section]
        if found and section in _IN_LINE:
            body.append(f"{title}{state if section == 'goal' else ''}: {found[0]}")
        elif found:
            body += [f"{title}:", *(f"- {text}" for text in found)]
    counted = Counter(line.section for line in left)
    counts = ", ".join(f"{count} of {_TITLES[section]!r}" for section, count in counted.items())
    return "\n".join([TITLE, "", _SAID, fenced("\n".join(body)), *([f"Left out: {counts}."] if counts else [])])


def _manifest(
    layers: Layers,
    names: Mapping[Layer, str],
    lines: Sequence[_StartLine],
    kept: int,
    text: str,
    limit: int,
    *,
    is_long: bool,
) -> StartupManifest:
    shown = {line.section for line in lines[:kept]}
    kinds: list[NoteSection] = [section for section in get_args(NoteSection) if section in shown]
    left = Counter(line.section for line in lines[kept:])
    sources: list[Layer] = sorted({line.layer for line in lines[:kept] if line.layer}, reverse=True)
    reason: FitReason = "byte_limit" if is_long else "line_limit"
    return StartupManifest(
        text=text,
        lineCount=text.count("\n") + 1 if text else 0,
        lineLimit=limit,
        continuityMode="startup",
        continuityProvenanceKind="temporary-continuity",
        sourceFiles=[names[layer] for layer in sources],
        candidateSourceFiles=[names[layer] for layer in layers.paths],
        continuitySourceKinds=sources,
        continuitySectionKinds=kinds,
        sectionsRendered={section: section in shown for section in ("sources", *get_args(NoteSection))},
        omissions=[
            *(Omission("sourceFile", "reading", "broken_note", path=names[layer]) for layer in layers.broken),
            *(Omission("section", "fitting", reason, section, count=count) for section, count in left.items()),
        ],
        omissionCounts={str(section): count for section, count in left.items()},
        futureCompactionSeam=CompactionSeam("pre-compact", "session-start", kinds),
    )


def startup_of(settings: Settings, root: Path, layers: Layers, now: datetime) -> StartupManifest:
    """The startup block of the worktree at ``root``, as a session that begins there now would have it."""
    memory = None
    if settings.layout.memory.is_dir():
        # Imported here: most have no memory.
        from aicx.memory.briefing import brief
        from aicx.memory.reading import find_scope

        with suppress(AicxError), index_copy(settings) as index:
            memory = brief(settings, find_scope(settings, root), "", now, Limits().memory, index)
    names, extra = note_files(settings, root, layers), startup_extra(settings, root, memory)
    return startup_block(layers, names, extra, settings.continuity_lines)


def startup_extra(settings: Settings, root: Path, memory: Briefing | None) -> Extra:
    """Returns what goes with the notes of the worktree at ``root``; ``memory`` is what a new session in it has."""
    tracked, _ = tracked_settings(settings, root)
    # The policy may keep the name of a file from being shown; where it cannot be read, none is.
    try:
        excluded = load_policy(settings.layout.home, root, settings.user_home).of_path
    except MalformedPolicy:
        return {}
    own = (one.shown for one in listed(root) if not is_ours_alone(root, one.shown))
    names = dict.fromkeys((*own, *tracked["instruction_files"]))
    waiting = [left.ref for left in memory.excluded if left.status == "candidate"] if memory else []
    return {
        "instructionFiles": [name for name in names if excluded(name) is None],
        "stagedCandidates": [f"{ref} (`aicx show {ref}`)" for ref in waiting],
        "agreedMemory": [entry.statement for entry in memory.agreed if entry.statement] if memory else [],
        "teamEntries": [name for name in tracked["team_files"] if excluded(name) is None],
    }


def note_files(settings: Settings, root: Path, layers: Layers) -> Mapping[Layer, str]:
    """The notes as a person would name them: from the worktree, or from the home folder."""
    return {layer: _named(path, root, settings.user_home) for layer, path in layers.paths.items()}


def _named(path: Path, root: Path, home: Path) -> str:
    if path.is_relative_to(root):
        return str(path.relative_to(root))
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
