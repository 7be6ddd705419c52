"""Where a shell command line runs git or a forge's client: the folder and the words of each such call."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath

from aicx.folders import is_absolute, on_drive_of, slashed

PROGRAMS = frozenset({"git", "gh", "glab"})
# The actions whose output names a repository or lists commits; most calls (status, diff, add) are none of these.
_TELLING = re.compile(
    r"\b(?:git\b[^\n;&|]*?\b(?:remote|push|fetch|pull|clone|worktree|config|ls-remote|log|reflog|commit|reset|stash)"
    r"|(?:gh|glab)\s+(?:pr|mr|issue|run|repo))\b"
)
_WORD = re.compile(r"""(?:[^\s"'\\;&|()<>]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+|&&|\|\||[;&|()\n]|[<>]+""", re.DOTALL)
_JOINTS = frozenset({"&&", "||", ";", "&", "|", "\n"})
_QUOTES = re.compile(r"""["']|\\(?=.)""")
# A backslash in such a word is a part of it, as PowerShell has it, and bash between quotes.
_OF_WINDOWS = re.compile(r"""["']?[A-Za-z]:\\""")
_WHOLE_QUOTES = re.compile(r"""["']""")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
# They run what follows, here.
_WRAPPERS = frozenset({"do", "then", "else", "if", "!", "time", "sudo", "env", "command", "exec", "nohup", "{"})
# They run it on another machine or in another file system.
_ELSEWHERE = frozenset({"ssh", "docker", "podman", "kubectl", "wsl", "vagrant", "chroot"})
_MAX_LINE = 4000

Call = tuple[str, list[str]]


def is_telling(line: str) -> bool:
    """Whether what ``line`` prints may say anything of a repository; cheap, as it is asked of every command."""
    return "g" in line and _TELLING.search(line) is not None


def git_calls(line: str, folder: str | None) -> list[Call]:
    """The calls of git, gh and glab in ``line``, run from ``folder``: each one's folder and words, in order.

    Empty when a folder cannot be known (a variable, another machine), so that nothing is said of a wrong one.
    """
    if len(line) > _MAX_LINE or not is_telling(line):
        return []
    calls: list[Call] = []
    before: list[str | None] = []
    for words in _commands(line):
        if words == ["("]:
            before.append(folder)
        elif words == [")"]:
            folder = before.pop() if before else folder
        elif words[0] in ("cd", "pushd", "popd", "Set-Location", "Push-Location"):
            folder = _joined(folder, words[-1] if len(words) == 2 else "$")
        elif words[0] in _ELSEWHERE and PROGRAMS & set(words):
            return []
        elif words[0] in PROGRAMS:
            place, rest = _own_folder(folder, words)
            if place is None:
                return []
            calls.append((place, rest))
    return calls


def _commands(line: str) -> Iterator[list[str]]:
    """The simple commands of a line as words without their quotes; parentheses come as commands of their own."""
    words: list[str] = []
    # What follows a here-document is text.
    for found in _WORD.finditer(line.split("<<", 1)[0]):
        word = found[0]
        if word in _JOINTS or word in ("(", ")"):
            if words:
                yield words
            words = []
            if word in ("(", ")"):
                yield [word]
        elif words or not (_ASSIGNMENT.match(word) or word in _WRAPPERS):
            words.append(_WHOLE_QUOTES.sub("", word) if _OF_WINDOWS.match(word) else _QUOTES.sub("", word))
    if words:
        yield words


def _own_folder(folder: str | None, words: list[str]) -> tuple[str | None, list[str]]:
    """The folder of a call of git, which may name its own, and the call without the options before its action."""
    rest = words[1:]
    while words[0] == "git" and rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "-C" and rest:
            folder = _joined(folder, rest.pop(0))
        elif option == "-c" and rest:
            rest.pop(0)
        elif option.startswith(("--git-dir", "--work-tree")):
            folder = None
    return folder, [words[0], *rest]


def _joined(folder: str | None, path: str) -> str | None:
    """``path`` seen from ``folder``; None where it holds what only the shell knows."""
    if any(mark in path for mark in "$`*?~") or path == "-":
        return None
    if is_absolute(path):
        return normpath(on_drive_of(folder, path) if folder else slashed(path))
    return normpath(f"{slashed(folder)}/{path}") if folder else None
