"""Decides which later success ends a failure: the same command, or one that covers it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from aicx.evidence.patterns import CommandRules, command_rules
from aicx.shell import Simple

# `go test ./...` names no part of the work.
_EVERYTHING = frozenset({"./...", "...", ".", "run", "--"})

# Tasks of a topic that run its other tasks.
_WHOLES = frozenset({"all", "ci", "everything", "full"})


class Check(NamedTuple):
    """A check as what can cover it: the program with its task, what it looks at, and the parts it was limited to."""

    program: str
    topic: str
    parts: tuple[str, ...]

    @property
    def runner(self) -> str:
        """The program without its task."""
        return self.program.rpartition(" ")[0]

    @property
    def is_special(self) -> bool:
        """Whether the task is one of several of its topic, as ``test:e2e`` beside ``test``."""
        return ":" in self.program.rpartition(" ")[2]


def ends(later: Simple, failed: Simple, kind: str) -> bool:
    """Whether the success of ``later`` means that ``failed`` no longer fails."""
    if later.text == failed.text:
        return True
    rules = command_rules()
    if kind == "check":
        one, other = _check(later, rules), _check(failed, rules)
        return one is not None and other is not None and _covers(one, other)
    if kind == "change":
        otherwise = rules.fixed_otherwise.match(failed.text) and rules.fixed_by.match(later.text)
        return _verb(later) == _verb(failed) or bool(otherwise)
    return False


def repeats(later: Simple, earlier: Simple) -> bool:
    """Whether ``later`` is ``earlier`` again: the same command, or the same check of as much or more."""
    if later.text == earlier.text:
        return True
    rules = command_rules()
    one, other = _check(later, rules), _check(earlier, rules)
    if one is None or other is None:
        return _verb(later) == _verb(earlier)
    return one.program == other.program and _includes(one.parts, other.parts)


def end_together(later: Iterable[Simple], failed: Simple) -> bool:
    """Whether successes cover a failed check of everything between them, as ``test`` and ``test:slow`` ``test:ci``.

    None does so alone: what the whole is made of is not said.
    """
    rules = command_rules()
    wanted = _check(failed, rules)
    if wanted is None or wanted.program.rpartition(":")[2] not in _WHOLES or wanted.parts:
        return False
    found = {check for command in later if (check := _check(command, rules)) and not check.parts}
    same = {check for check in found if check.topic == wanted.topic and check.runner == wanted.runner}
    return len(same) > 1 and any(not check.is_special for check in same)


def topic_of(command: Simple) -> str | None:
    """What a check looks at: "test", "lint" or "build"; None for what is no check."""
    check = _check(command, command_rules())
    return check.topic if check else None


def whole_check(command: Simple) -> str | None:
    """A check of everything, without its options: ``mise run lint``, ``go test ./...``; None for any other command.

    An option before the task, as in ``bun --filter web test``, may say of what it is a check.
    """
    check = _check(command, command_rules())
    if check is None or check.parts or not command.text.startswith(check.program):
        return None
    return f"{check.program} ./..." if "./..." in command.text.split() else check.program


def _covers(later: Check, failed: Check) -> bool:
    if later.program == failed.program:
        return _includes(later.parts, failed.parts)
    if later.topic == failed.topic == "test" and failed.parts and {*failed.parts} <= {*later.parts}:
        return True  # the same named tests, run by another program
    # What does not compile cannot be tested.
    same = later.topic == failed.topic or (failed.topic, later.topic) == ("build", "test")
    return same and not failed.is_special and not later.parts


def _includes(wide: Sequence[str], narrow: Sequence[str]) -> bool:
    """Whether everything that ``wide`` is limited to holds for ``narrow`` too: it, a folder above it, or its name."""
    return all(any(_is_at(part, other) for other in narrow) for part in wide)


def _is_at(part: str, other: str) -> bool:
    return part == other or other.startswith(f"{part}/") or other.endswith(f"/{part}")


def _check(command: Simple, rules: CommandRules) -> Check | None:
    found = rules.check.match(command.text)
    if found is None:
        return None
    # To the end of the word: `mise run test:e2e` is found at `test`.
    end = command.text.find(" ", found.end())
    program = command.text if end < 0 else command.text[:end]
    rest = command.text[len(program) :].split()
    # A name given as an expression, `'^test_http$'`, is the name.
    parts = [word.strip("\"'").strip("^$").removesuffix("/...") for word in rest if not word.startswith("-")]
    # `-m` of `python -m pytest` is not an option of the check: without it the command does not run.
    program = " ".join(word for word in program.split() if word == "-m" or not word.startswith("-"))
    topic = "test" if rules.test.search(program) else "lint" if rules.lint.search(program) else "build"
    return Check(program, topic, tuple(part for part in parts if part not in _EVERYTHING))


def _verb(command: Simple) -> tuple[str, ...]:
    words = [word for word in command.text.split() if not word.startswith("-")]
    return tuple(words[: 3 if words[:1] == ["gh"] else 2])
