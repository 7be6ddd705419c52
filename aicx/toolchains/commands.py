"""The commands that a command line runs, without what only starts them: npx, docker exec, poetry run, env."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from aicx.shell import REDIRECTION, pipelines
from aicx.toolchains.starters import (
    BEFORE_VERB,
    MAX_STARTER,
    OWN_VERBS,
    PACKAGE_MANAGERS,
    SCRIPT_VERBS,
    SCRIPTS,
    STARTERS,
)

_MAX_CHARS = 4000  # characters of a command line that are read
_DEEPEST = 4  # a shell in a container in a shell
_HERE_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_ENDS_AT_ONCE = re.compile(r"\bset -[a-z]*e")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ash", "ksh", "fish"})
_SHELL_WORDS = frozenset({"if", "then", "else", "elif", "while", "until", "do", "!", "{", "(", "time"})
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*(?:\.exe)?|py")
_SUFFIX = re.compile(r"\.(?:exe|cmd|bat|ps1)$")


class Invocation(NamedTuple):
    """One command of a line. ``masked`` when the line's exit code is that of something after it."""

    words: tuple[str, ...]  # the program without its folder, and its arguments
    masked: bool
    script: bool  # what it runs is written elsewhere: make, npm run, a shell script
    local: bool = False  # named with a folder of the project, as what was just compiled is


def invocations(line: str) -> list[Invocation]:
    """The commands of a command line in order, also those that a shell or a container is given as text."""
    return list(_invocations(line, masked=False, depth=0))


def _invocations(line: str, masked: bool, depth: int) -> Iterator[Invocation]:
    line = _without_here_documents(line)[:_MAX_CHARS]
    hiding, ends_at_once = "pipefail" not in line, _ENDS_AT_ONCE.search(line) is not None
    for pipeline, joint in pipelines(line.replace("<<<", "<")):
        later = masked or joint not in ("", "&&", *((";", "\n") if ends_at_once else ()))
        for position, text in enumerate(pipeline):
            last = position == len(pipeline) - 1
            yield from _unwrapped(_words(text), later or (hiding and not last), depth)


def _unwrapped(words: list[str], masked: bool, depth: int) -> Iterator[Invocation]:
    """The command below what starts it."""
    local = False
    for _ in range(len(words)):
        if not words or words[0].startswith("#"):
            return
        if words[0] in _SHELL_WORDS or _ASSIGNMENT.match(words[0]):
            words = words[1:]
            continue
        local = "/" in words[0] and not words[0].startswith("/")
        words = verb_first([_SUFFIX.sub("", words[0].rpartition("/")[2] or words[0]), *words[1:]])
        if words[0] in _SHELLS and (text := _command_text(words[1:])) is not None:
            if depth < _DEEPEST:
                yield from _invocations(text, masked, depth + 1)
            return
        shorter = module_of(words) or started(words)
        if shorter is None:
            break
        words = shorter
    if words:
        yield Invocation(tuple(words), masked, _runs_script(words), local)


def verb_first(words: list[str]) -> list[str]:
    """``words`` without options between a program and its verb."""
    if words[:2] == ["docker", "compose"]:
        words = ["docker-compose", *words[2:]]
    if words[:2] == ["yarn", "workspace"]:
        words = ["yarn", *words[3:]]
    if words[0] not in BEFORE_VERB:
        return words
    valued = BEFORE_VERB[words[0]].split()
    rest = words[1:]
    while rest and rest[0].startswith("-"):
        rest = rest[2 if rest[0] in valued else 1 :]
    return [words[0], *rest] if rest else words


def started(words: list[str]) -> list[str] | None:
    """The command that ``words`` start; None when they start none."""
    for length in range(MAX_STARTER, 0, -1):
        row = STARTERS.get(tuple(words[:length]))
        if row is None:
            continue
        valued, own = row[0].split(), row[1]
        rest = words[length:]
        while rest and (rest[0].startswith("-") or _ASSIGNMENT.match(rest[0])):
            rest = rest[2 if rest[0] in valued else 1 :]
        rest = rest[own:]
        return (rest[1:] if rest[:1] == ["--"] else _split_once(rest)) or None
    return None


def _split_once(words: list[str]) -> list[str]:
    """The words of a command that was given as one quoted text, as `ssh host "make test"` does."""
    return ["sh", "-c", words[0]] if len(words) == 1 and " " in words[0] else words


def module_of(words: list[str]) -> list[str] | None:
    """Returns the command that `python -m` runs, None for anything else."""
    if not _PYTHON.fullmatch(words[0]):
        return None
    for position, word in enumerate(words[1:], 1):
        if word == "-m":
            return words[position + 1 :] or None
        if not word.startswith("-") or word in ("-c", "-"):
            return None
    return None


def _command_text(arguments: list[str]) -> str | None:
    """Returns the text that a shell is given by `-c`, None when it is given a file."""
    for position, word in enumerate(arguments):
        if not word.startswith("-"):
            return None
        if not word.startswith("--") and word.endswith("c"):
            return arguments[position + 1] if position + 1 < len(arguments) else None
    return None


def _runs_script(words: list[str]) -> bool:
    program, verb = words[0], next((word for word in words[1:] if not word.startswith("-")), "")
    if program in PACKAGE_MANAGERS:
        return verb in SCRIPT_VERBS or (program != "npm" and verb not in OWN_VERBS)
    return program in SCRIPTS or program in _SHELLS or program.endswith((".sh", ".bash", ".zsh"))


def _words(text: str) -> list[str]:
    text = REDIRECTION.sub(" ", text).strip().lstrip("(").rstrip(")")
    try:
        return shlex.split(text)
    except ValueError:  # a quote that is not closed
        return text.split()


def _without_here_documents(line: str) -> str:
    """``line`` without the texts between `<<EOF` and `EOF`; what follows them is kept."""
    kept: list[str] = []
    position = 0
    while match := _HERE_DOCUMENT.search(line, position):
        kept.append(line[position : match.start()])
        body = line.find("\n", match.end())
        end = line.find(f"\n{match[2]}", max(body, 0))
        kept.append(line[match.end() : body if body >= 0 else len(line)])
        position = len(line) if body < 0 or end < 0 else end + 1 + len(match[2])
    return "".join([*kept, line[position:]])
