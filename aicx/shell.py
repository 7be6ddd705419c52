"""Splits a shell command line into its simple commands, as far as needed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from aicx.values import regex

_ASSIGNMENT = regex(r"""[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\$\([^()]*\)|\S)*+\s++(?=\S)""")
# `x=$(command …)`: the command is what was run.
_SUBSTITUTION = regex(r'[A-Za-z_]\w*="?\$\((?!\()(?=[^()]*\)?"?$)')
_LOOKUP = regex(r"command -[vV]\s")
_WRAPPERS = frozenset(
    {
        *("do", "then", "else", "if", "while", "until", "!", "time", "sudo", "env", "nohup", "exec", "command"),
        *("xvfb-run", "nice", "stdbuf", "caffeinate"),
    }
)
_WRAPPED = regex(r"(?:timeout|gtimeout)(?: -\S+)* \S+ |(?:(?:ba|z|da)?sh|zsh) -l?c ")
REDIRECTION = regex(r"\s*(?:\d|&)?>{1,2}(?:&\d|\s*\S+)|\s*<\s*\S+")
# A shell's own words around the commands that count.
_SETTING_UP = regex(
    r"(?:cd|pushd|popd|export|unset|set|source|\.|shopt|trap|ulimit|umask|alias|for|do|then|else|case|done|fi|esac)(?:\s|$)|[A-Za-z_]\w*=\S*$"
)
# Quoted text, escapes, redirections that look like joints, joints, and everything else.
_TOKEN = regex(
    r"""\"(?:[^"\\]|\\.)*"?|'[^']*'?|\\.?|&>|>&|&&|\|\||\|&|[;\n&|]|[^"'\\;\n&|>]+|>""",
    re.DOTALL,
)
_JOINTS = frozenset({"&&", "||", "|&", "|", ";", "\n", "&"})
# What a `case` compares with, `a|b)`: no command. The first one is behind `in`, the others behind `;;`.
_CASE_PATTERN = regex(r"(\bin|;;)\s*\(?[^\s();][^();\n]*\)(?=\s|$)")
_FOLDER = regex(r"(?:~|\.{0,2})/(?:[\w.@+-]+/)*(?=[\w.@+-]+(?:\s|$))")
_MAX_LENGTH = 4000
# `sh -c 'command'`, behind what only starts it: the text that the shell is given.
_SHELL = regex(
    r"""(?:(?:!|time|sudo|env|nohup|exec|command|nice|timeout\ (?:-\S+\ )*\S+|[A-Za-z_]\w*=[^\s'"]*)\s+)*"""
    r"""(?:\S*/)?(?:ba|z|da|k)?sh\s+(?:-\w+\s+)*-\w*c\s+(?P<quote>['"])(?P<text>.*)(?P=quote)"""
    rf"(?:{REDIRECTION.pattern})*",
    re.DOTALL,
)


class Simple(NamedTuple):
    """One command of a line, normalised. ``masked`` when the line's exit code is that of something after it."""

    text: str
    masked: bool


def simple_commands(line: str) -> list[Simple]:
    """The commands of a command line in order, without folders, variables, redirections, and filters they feed."""
    return list(_simple_commands(line))


@lru_cache(maxsize=1024)  # a session's commands are read several times
def _simple_commands(line: str) -> tuple[Simple, ...]:
    found: list[Simple] = []
    line = line[:_MAX_LENGTH]
    if "case " in line:
        line = _CASE_PATTERN.sub(r"\1\n", line)
    for pipeline, joint in pipelines(line):
        masked = len(pipeline) > 1 or joint not in ("", "&&")
        if shell := _SHELL.fullmatch(pipeline[0].strip()):
            inner = _simple_commands(shell["text"])
            found += (one._replace(masked=one.masked or masked) for one in inner)
            continue
        first = _normal(pipeline[0])
        if first and not first.startswith("#") and not _SETTING_UP.match(first):
            found.append(Simple(first, masked=masked))
    return tuple(found)


def pipelines(line: str) -> Iterator[tuple[list[str], str]]:
    """The pipelines of a line as texts of commands, each with the joint to the next; the last one has none.

    Quotes are honoured. What follows a here-document is not read: its text is no command.
    """
    pipeline: list[str] = []
    current: list[str] = []
    for piece in _TOKEN.findall(line.split("<<", 1)[0].strip().rstrip(";")):
        if piece not in _JOINTS:
            current.append(" " if piece == "\\\n" else piece)
            continue
        pipeline.append("".join(current))
        current = []
        if piece not in ("|", "|&"):
            yield pipeline, piece
            pipeline = []
    yield [*pipeline, "".join(current)], ""


def _normal(command: str) -> str:
    text = " ".join(REDIRECTION.sub(" ", command).split()).strip("(){} ")
    while True:
        if wrapped := _WRAPPED.match(text):
            text = text[wrapped.end() :].strip("\"'")
            continue
        if inner := _SUBSTITUTION.match(text):
            text = text[inner.end() :].removesuffix('"').rstrip(")")
            continue
        if assigned := _ASSIGNMENT.match(text):
            text = text[assigned.end() :]
            continue
        word, _, rest = text.partition(" ")
        if not rest or word not in _WRAPPERS or _LOOKUP.match(text):
            break
        text = rest.lstrip()
    return _FOLDER.sub("", text, count=1) if text.startswith(("/", "./", "../", "~/")) else text
