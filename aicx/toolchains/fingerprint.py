"""Fingerprints of mistakes: the same after lines moved and runs repeated, another one for another mistake."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256

from aicx.toolchains.family import Found

_LENGTH = 16  # hexadecimal digits
_LONGEST = 2000  # characters of a message that count

_TEMPORARY = (
    r"(?:/private)?(?:/tmp|/var/tmp|/var/folders|/dev/shm)"
    r"|[A-Za-z]:[\\/]Users[\\/][^\s\\/]{1,60}[\\/]AppData[\\/]Local[\\/]Temp"
)
# What differs between two runs of the same mistake, and what replaces it.
_VARYING = tuple(
    (re.compile(pattern), mark)
    for pattern, mark in (
        (r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?", "<time>"),
        (r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "<id>"),
        (r"\b0[xX][0-9a-fA-F]{3,16}\b", "<address>"),
        (r"@[0-9a-f]{5,16}\b", "@<address>"),
        (r"\(\.(?:text|data|rodata)[\w.]{0,80}\+0x[0-9a-f]+\)", "(section)"),
        (rf"(?:{_TEMPORARY})[\\/][^\s'\"`,:;)\]>]*[\\/]", "<temporary>/"),
        (rf"(?:{_TEMPORARY})[\\/][^\s'\"`,:;)\]>]*", "<temporary>"),
        (r"(?<=[\w)]):\d{1,7}(?::\d{1,6})?(?![\w.])", ":<line>"),
        (r"(?<=[A-Za-z]\()\d{1,7},\d{1,6}\)", "<line>)"),
        (r"\b([Ll]ines?|[Cc]ol(?:umn)?|char(?:acter)?|position|offset) \d{1,9}(?:-\d{1,9})?", r"\1 <line>"),
        (r"\b\d{1,9}(?:\.\d{1,9})? ?(?:ns|us|µs|ms|s|secs?|seconds?|milliseconds?|minutes?|m\d{1,2}s)\b", "<duration>"),
        (r"\b(pid|PID|process|thread|job|port) ?[ =:#]? ?\d{2,9}", r"\1 <number>"),
        (r"\b(?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,40}\b", "<hash>"),
    )
)
_FOLDER = re.compile(r"^(?:\.{1,2}/)+")


def normal_message(message: str) -> str:
    """``message`` without what differs between runs, on one line."""
    text = message[:_LONGEST]
    for pattern, mark in _VARYING:
        text = pattern.sub(mark, text)
    return " ".join(text.split())


def tidy_file(file: str | None) -> str | None:
    """A file's name as the output has it, without `file://`, quotes and a leading `./`."""
    if not file:
        return None
    name = file.strip().strip("'\"").removeprefix("file://").replace("\\", "/")
    while name.startswith("./"):
        name = name[2:]
    return name or None


class Roots:
    """Folders that absolute names are cut by: tools print the same file in full or from the project's folder."""

    def __init__(self, files: Iterable[str], folders: Iterable[str] = ()) -> None:
        names = set(files)
        absolute = [name for name in names if _is_absolute(name)]
        relative = {name for name in names if not _is_absolute(name)}
        found = {name[: -len(tail)] for name in absolute for tail in _tails(name) if tail in relative}
        self._folders = sorted({*found, *(folder.rstrip("/") + "/" for folder in folders)}, key=len, reverse=True)

    def stable(self, file: str | None) -> str:
        """``file`` from the project's folder where that is known; an absolute one elsewhere by its last part alone."""
        name = tidy_file(file)
        if name is None:
            return ""
        if not _is_absolute(name):
            return _FOLDER.sub("", name)
        for folder in self._folders:
            if name.startswith(folder):
                return name[len(folder) :]
        return name.rpartition("/")[2]


def fingerprint(family: str, found: Found, roots: Roots) -> str:
    """The same for the same mistake: family, code, file and normalised message; for a test its name instead of a place.

    Styles of output name different places of one failing test (its own, the deepest, none), but the test alike.
    """
    said = normal_message(found.message if found.identity is None else found.identity)
    where = (normal_message(found.test),) if found.test else ((found.code or "").lower(), roots.stable(found.file))
    return sha256("\x1f".join((family, *where, said)).encode("utf-8", "replace")).hexdigest()[:_LENGTH]


def _is_absolute(name: str) -> bool:
    return name.startswith("/") or name[1:3] in (":/", ":\\")


def _tails(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[position:]) for position in range(max(1, len(parts) - 12), len(parts))]
