"""Fingerprints of mistakes: the same after lines moved and runs repeated, another one for another mistake."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256

from aicx.toolchains.family import Diagnostic

_LENGTH = 16  # hexadecimal digits
_MAX_MESSAGE = 2000  # characters of a message that count

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
        (r"(?<=\()\d{1,7}[:,]\d{1,6}\)", "<line>)"),
        (r"\b([Ll]ines?|[Cc]ol(?:umn)?|char(?:acter)?|position|offset) \d{1,9}(?:-\d{1,9})?", r"\1 <line>"),
        (r"\b\d{1,9}(?:\.\d{1,9})? ?(?:ns|us|µs|ms|s|secs?|seconds?|milliseconds?|minutes?|m\d{1,2}s)\b", "<duration>"),
        (r"\b(pid|PID|process|thread|job) ?[=:#]? ?\d{2,9}\b", r"\1 <number>"),
        (r"\b(?=[0-9a-f]{0,39}\d)(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,40}\b", "<hash>"),
    )
)
# The project's folder as far as a full name tells it.
_PROJECT = re.compile(
    r"(?:(?:[A-Za-z]:)?/(?:home|[Uu]sers)/[^/]+/|/root/|/(?:private/)?(?:var/)?tmp/|/var/folders/[^/]+/[^/]+/[^/]+/"
    r"|/(?:opt|srv|builds|usr/src|mnt|data|workspaces?|work|repos?|code|projects?)/)[^/]+/|/(?:app|src|code|workspace|repo|work)/"
)


def normal_message(message: str) -> str:
    """``message`` without what differs between runs or styles, on one line."""
    text = message[:_MAX_MESSAGE]
    for pattern, mark in _VARYING:
        text = pattern.sub(mark, text)
    return " ".join(text.split()).rstrip(" .")


def tidy_file(file: str | None) -> str | None:
    """A file's name as the output has it, without `file://`, quotes and a leading `./`."""
    if not file:
        return None
    name = file.strip().strip("'\"").removeprefix("file://").replace("\\", "/")
    while name.startswith("./"):
        name = name[2:]
    return name or None


def stable_file(file: str | None, folders: Sequence[str] = ()) -> str:
    """The last two parts of ``file`` below the project's folder, so that a name in full and a relative one are the same.

    ``folders`` are known beginnings of full names. Without one that fits, the project is taken to be the first folder in
    a home or a folder that is usual for checkouts.
    """
    name = tidy_file(file) or ""
    root = next((folder for folder in folders if folder and name.startswith(folder.rstrip("/") + "/")), None)
    if root is not None:
        name = name[len(root.rstrip("/")) + 1 :]
    elif match := _PROJECT.match(name):
        name = name[match.end() :]
    return "/".join([part for part in name.split("/") if part not in ("", ".", "..")][-2:])


def fingerprint(family: str, found: Diagnostic, folders: Sequence[str] = ()) -> str:
    """The same for the same mistake: family, file and normalised message; for a test its name instead of the file.

    Styles of output name different places of one failing test (its own, the deepest, none), but the test alike. A code
    counts only without a message: some styles leave it out, and the message follows from it.
    """
    said = normal_message(found.message if found.identity is None else found.identity)
    where = normal_message(found.test_identity or found.test) if found.test else stable_file(found.file, folders)
    parts = (family, where, said or (found.code or "").lower())
    return sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()[:_LENGTH]
