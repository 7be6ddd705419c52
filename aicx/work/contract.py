"""The execution contract of a session: where to begin, what to edit, and which command proves it.

It is advice that can be checked afterwards (`aicx.work.compliance`); nothing enforces it. The signals and the limits
of its strength are those of AICTX 6.3.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import Annotated, Literal

from aicx.fields import INTERNAL
from aicx.storage.typed import SPARSE
from aicx.text import shorten
from aicx.values import dataclass
from aicx.work.conventions import UNKNOWN_PROOF, ProofCommand

Strength = Literal["strict", "soft", "exploratory"]
Binding = Literal["must_open_first", "must_inspect_listed_entry_points_only"]
Signal = Literal[
    "active_task",
    "paused_task",
    "continuation",  # the task asks to go on, or none is named
    "task_terms",  # words of the task stand in the first file's path
    "one_task_term",
    "from_task",  # the first file is one of the task's active files
    "from_session",  # the first file was edited in the session that is gone on from
    "in_map",
    "map_candidate",  # the repository map names another of the first files
    "known_path",  # a similar task succeeded from here
    "test_file",  # the task is about tests, and a test file is among the first
    "session_is_done",  # the session that is gone on from ended its work, and says nothing of this task
    "missing_paths",  # files of the task are gone
]

WORTH: Mapping[Signal, int] = {
    "active_task": 6,
    "paused_task": 4,
    "continuation": 2,
    "task_terms": 4,
    "one_task_term": 2,
    "from_task": 3,
    "from_session": 2,
    "in_map": 2,
    "map_candidate": 1,
    "known_path": 3,
    "test_file": 2,
    "session_is_done": -4,
    "missing_paths": -2,
}
STRICT, SOFT = 7, 3
MAX_FIRST, MAX_PRIMARY, MAX_SECONDARY, MAX_AVOID = 3, 3, 4, 8

_WORD = re.compile(r"[^\W_]{3,}")
_TESTS = re.compile(r"(?:^|[/_.-])(?:tests?|specs?|__tests__)(?:[/_.-]|$)", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
_GOAL = 120  # characters of the goal in a command that is meant to be copied


@dataclass(frozen=True, slots=True)
class Ground:
    """What a contract is drawn up from. Paths are relative to the repository's root, best first.

    ``files`` are those to look at first, ``edited`` those that the session gone on from changed, ``mapped`` those that
    the repository map names for the task, ``known`` those where a similar task began that succeeded.
    """

    goal: str
    is_continuation: bool
    files: Sequence[str] = ()
    edited: Collection[str] = ()
    mapped: Sequence[str] = ()
    known: Collection[str] = ()
    session_is_done: bool = False
    task_status: Literal["active", "paused"] | None = None
    task_files: Sequence[str] = ()
    missing: Sequence[str] = ()
    discarded: Sequence[str] = ()
    test_command: ProofCommand = UNKNOWN_PROOF
    sources: Sequence[str] = ()  # references of what all this is known from


@dataclass(frozen=True, slots=True)
class FirstAction:
    """What to do first."""

    type: Annotated[
        Literal["open_file", "inspect_entry_points"],
        "`open_file`, or `inspect_entry_points`: look at `expected_first_files` before anything else",
        str,
    ]
    path: Annotated[str | None, "the file to open"]
    binding: Annotated[Binding, "`must_open_first` or `must_inspect_listed_entry_points_only`", str]
    reason: Annotated[str, "what speaks for it"]


@dataclass(frozen=True, slots=True)
class EditScope:
    """The files that the work is expected to change, from the repository's root."""

    primary: Annotated[tuple[str, ...], "those it is about, at most 3"] = ()
    secondary: Annotated[tuple[str, ...], "those it may need, at most 4"] = ()
    avoid: Annotated[tuple[str, ...], "those that were looked at and discarded"] = ()


@dataclass(frozen=True, slots=True)
class Contract:
    """[What a session is asked to keep to](work.md#contracts): checked afterwards, never enforced."""

    task_goal: Annotated[str, "the task"]
    contract_strength: Annotated[Strength, "`strict`, `soft`, or `exploratory`, which asks for no file", str]
    first_action: Annotated[FirstAction | None, "null where the contract is exploratory"]
    edit_scope: Annotated[EditScope, "the files that the work is expected to change"]
    test_command: Annotated[ProofCommand, "the command that proves it"]
    finalize_command: Annotated[str, "what reports the end of the session"]
    expected_first_files: Annotated[tuple[str, ...], "the files to look at first, at most 3"]
    signals: Annotated[tuple[Signal, ...], "what its strength comes from", tuple[str, ...]] = ()
    # References of the sessions and tasks that it was drawn up from.
    sources: tuple[str, ...] = field(default=(), metadata={**SPARSE, **INTERNAL})


def draw_up(ground: Ground) -> Contract:
    """The contract for a task. Where little ties the files to it, it asks for nothing but the test."""
    ordered = tuple(dict.fromkeys((*ground.task_files, *ground.files, *ground.mapped)))
    ordered = tuple(path for path in ordered if path not in ground.discarded)
    first = ordered[:MAX_FIRST]
    signals = tuple(_signals(ground, first))
    score = sum(WORTH[signal] for signal in signals)
    strength: Strength = "strict" if score >= STRICT else "soft" if score >= SOFT else "exploratory"
    if not first:
        strength = "exploratory"
    binds = strength != "exploratory"
    primary = ordered[:MAX_PRIMARY]
    secondary = ordered[MAX_PRIMARY : MAX_PRIMARY + MAX_SECONDARY]
    avoid = tuple(ground.discarded[:MAX_AVOID])
    return Contract(
        task_goal=ground.goal,
        contract_strength=strength,
        first_action=_first_action(strength, first, signals) if binds else None,
        edit_scope=EditScope(primary, secondary, avoid) if binds else EditScope(avoid=avoid),
        test_command=ground.test_command,
        finalize_command=_finalize_command(ground.goal),
        expected_first_files=first,
        signals=signals,
        sources=tuple(dict.fromkeys(ground.sources)),
    )


def is_test(path: str) -> bool:
    """Whether a path is that of a test, by its name or a folder's."""
    return _TESTS.search(_CAMEL.sub("_", path)) is not None


def _signals(ground: Ground, first: Sequence[str]) -> list[Signal]:
    head = first[0] if first else None
    terms = _terms(ground.goal)
    shared = len(terms & _terms(head)) if head else 0
    tells: Sequence[tuple[Signal, bool]] = (
        ("active_task", ground.task_status == "active"),
        ("paused_task", ground.task_status == "paused"),
        ("continuation", ground.is_continuation),
        ("task_terms", shared > 1),
        ("one_task_term", shared == 1),
        ("from_task", head in ground.task_files),
        ("from_session", head in ground.edited),
        ("in_map", head in ground.mapped),
        ("map_candidate", head not in ground.mapped and not set(first).isdisjoint(ground.mapped)),
        ("known_path", head in ground.known),
        ("test_file", bool(terms & {"test", "tests", "testing"}) and any(map(is_test, first))),
        ("session_is_done", ground.session_is_done and not shared and ground.task_status is None),
        ("missing_paths", bool(ground.missing)),
    )
    return [signal for signal, holds in tells if holds]


def _terms(text: str | None) -> set[str]:
    return {word.lower() for word in _WORD.findall(_CAMEL.sub(" ", text or ""))}


def _first_action(strength: Strength, first: Sequence[str], signals: Sequence[Signal]) -> FirstAction:
    reason = ", ".join(signal.replace("_", " ") for signal in signals if WORTH[signal] > 0)
    if strength == "strict":
        return FirstAction("open_file", first[0], "must_open_first", reason)
    return FirstAction("inspect_entry_points", None, "must_inspect_listed_entry_points_only", reason)


def _finalize_command(goal: str) -> str:
    named = f" --task {shlex.quote(shorten(goal, _GOAL))}" if goal.strip() else ""
    return f'aicx finalize --status success|failure --summary "…"{named}'
