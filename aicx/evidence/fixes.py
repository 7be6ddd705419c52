"""Decides which later success ends a failure: the same command, or one that covers it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from aicx.evidence.patterns import command_rules
from aicx.shell import Simple, module_of, started, verb_first
from aicx.values import regex

# `go test ./...` names no part of the work.
_EVERYTHING = frozenset({"./...", "...", ".", "run", "--"})

# Tasks of a topic that run its other tasks.
_WHOLES = frozenset({"all", "ci", "everything", "full"})

# What runs a command in another place: there it is another command.
_ELSEWHERE = frozenset({"docker", "docker-compose", "kubectl", "podman", "ssh", "watch", "xargs"})
# A script of the project, whichever package manager runs it.
_SCRIPT = regex(r"(?:(?:bun|npm|pnpm|yarn) run(?:-script)?|(?:(?:npm|pnpm|yarn) )?node --run) (?=[\w@.])")
# An option without which other files are checked than were.
_SELECTS = regex(r"--?(?:all-features|build-tags|features|tags)\b")
_TEST_SCRIPT = regex(r"(?:npm|pnpm|yarn) (?:t|tst|test)(?= |$)")


class CheckScope(NamedTuple):
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
    after, before = without_starters(later.text), without_starters(failed.text)
    if after == before or (kind != "check" and _without_options(after) == _without_options(before)):
        return True
    if kind == "check":
        one, other = _check(after), _check(before)
        return one is not None and other is not None and _covers(one, other)
    if kind == "change":
        rules = command_rules()
        otherwise = rules.fixed_otherwise.match(before) and rules.fixed_by.match(after)
        refused = rules.refusable.match(before) and rules.ends_refusal.match(after)
        return _verb(after) == _verb(before) or bool(otherwise or refused)
    return False


def repeats(later: Simple, earlier: Simple) -> bool:
    """Whether ``later`` is ``earlier`` again: the same command, or the same check of as much or more."""
    after, before = without_starters(later.text), without_starters(earlier.text)
    if after == before:
        return True
    one, other = _check(after), _check(before)
    if one is None or other is None:
        return _verb(after) == _verb(before)
    return one.program == other.program and _includes(one.parts, other.parts)


def end_together(later: Iterable[Simple], failed: Simple) -> bool:
    """Whether successes cover a failed check of everything between them, as ``test`` and ``test:slow`` ``test:ci``.

    None does so alone: what the whole is made of is not said.
    """
    wanted = _check(failed.text)
    if wanted is None or wanted.program.rpartition(":")[2] not in _WHOLES or wanted.parts:
        return False
    found = {check for command in later if (check := _check(command.text)) and not check.parts}
    same = {check for check in found if check.topic == wanted.topic and check.runner == wanted.runner}
    return len(same) > 1 and any(not check.is_special for check in same)


def topic_of(command: Simple) -> str | None:
    """Returns what a check looks at: "test", "lint" or "build"; None for what is no check."""
    check = _check(without_starters(command.text))
    return check.topic if check else None


def is_special(command: Simple) -> bool:
    """Whether a command is a check of a part alone, as ``npm run web:check`` beside ``npm run check``."""
    check = _check(without_starters(command.text))
    return check is not None and check.is_special


def whole_check(command: Simple) -> str | None:
    """A check of everything, without its options: ``mise run lint``, ``go test ./...``; None for any other command.

    An option before the task, as in ``bun --filter web test``, may say of what it is a check, and so may ``-tags e2e``.
    """
    check = _check(command.text)
    if check is None or check.parts or not command.text.startswith(check.program):
        return None
    rest = command.text[len(check.program) :].split()
    if any(map(_SELECTS.match, rest)):
        return None
    # `golangci-lint` alone checks nothing.
    task = f"{check.program} run" if rest[:1] == ["run"] else check.program
    return f"{task} ./..." if "./..." in rest else task


@lru_cache(maxsize=4096)  # each success is compared with each failure
def without_starters(text: str) -> str:
    """A command without what only starts it, and a script of the project as if npm ran it."""
    words = text.split()
    while words and words[0] not in _ELSEWHERE and not _SCRIPT.match(" ".join(words)):
        words = verb_first(words) if words[0] == "git" else words
        shorter = module_of(words) or started(words)
        if shorter is None or shorter[:1] == ["sh"]:
            break
        words = shorter
    plain = " ".join(words)
    return _TEST_SCRIPT.sub("npm run test", _SCRIPT.sub("npm run ", plain, count=1), count=1) if words else text


def _covers(later: CheckScope, failed: CheckScope) -> bool:
    if later.program == failed.program:
        return _includes(later.parts, failed.parts)
    if later.topic == failed.topic == "test" and failed.parts and {*failed.parts} <= {*later.parts}:
        return True  # the same named tests, run by another program
    # What does not compile cannot be tested.
    same = later.topic == failed.topic or (failed.topic, later.topic) == ("build", "test")
    return same and not failed.is_special and not later.parts


def _includes(wide: Sequence[str], narrow: Sequence[str]) -> bool:
    """Whether everything that ``wide`` is limited to holds for ``narrow`` too: it, a folder above it, or its name.

    Of paths alone all are looked at: then each of ``narrow`` has to be among those of ``wide``.
    """
    if wide and narrow and all("/" in part for part in (*wide, *narrow)):
        return all(any(_is_at(part, other) for part in wide) for other in narrow)
    return all(any(_is_at(part, other) for other in narrow) for part in wide)


def _is_at(part: str, other: str) -> bool:
    return part == other or other.startswith(f"{part}/") or other.endswith(f"/{part}")


@lru_cache(maxsize=4096)  # as above
def _check(command: str) -> CheckScope | None:
    rules = command_rules()
    found = rules.check.match(command)
    if found is None:
        return None
    # To the end of the word: `mise run test:e2e` is found at `test`.
    end = command.find(" ", found.end())
    program = command if end < 0 else command[:end]
    rest = command[len(program) :].split()
    # A name given as an expression, `'^test_http$'`, is the name.
    parts = [word.strip("\"'").strip("^$").removesuffix("/...") for word in rest if not word.startswith("-")]
    # `-m` of `python -m pytest` is not an option of the check: without it the command does not run.
    program = " ".join(word for word in program.split() if word == "-m" or not word.startswith("-"))
    topic = "test" if rules.test.search(program) else "lint" if rules.lint.search(program) else "build"
    return CheckScope(program, topic, tuple(part for part in parts if part not in _EVERYTHING))


def _without_options(command: str) -> list[str]:
    """The words of a command but its options: with `-f` besides it is the same attempt."""
    return [word for word in command.split() if not word.startswith("-")]


@lru_cache(maxsize=4096)  # as above
def _verb(command: str) -> tuple[str, ...]:
    words = _without_options(command)
    return tuple(words[: 3 if words[:1] == ["gh"] else 2])
