"""The files that a session changed, also by patches and diffs that were given to a shell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from aicx.evidence.calls import is_edit
from aicx.evidence.transcript import Step
from aicx.git.roots import Roots

_MANAGED = re.compile(r"^\*\*\* (?P<verb>Add|Update|Delete|Move) (?:File|to): (?P<path>.+?)[ \t]*$", re.MULTILINE)
_APPLIES = re.compile(r"(?:^|[\s;&|(])(?:git\s+(?:-\S+\s+)*(?:apply|am)|patch)\b")
_GIT = re.compile(r'^diff --git (?:"?a/(?P<old>.+?)"?) (?:"?b/(?P<new>.+?)"?)[ \t]*$', re.MULTILINE)
_PLAIN = re.compile(r'^\+\+\+ "?(?:b/)?(?P<path>[^\t\n"]+)', re.MULTILINE)
_OLD = re.compile(r'^--- "?(?:a/)?(?P<path>[^\t\n"]+)', re.MULTILINE)
_GONE = re.compile(r"^(?:deleted file mode |\+\+\+ /dev/null)", re.MULTILINE)
_MOVED = re.compile(r"^rename from (?P<path>.+)$", re.MULTILINE)
_NOWHERE = "/dev/null"


class PatchedFile(NamedTuple):
    """A file from the repository's root, whether it is gone since, and when that was."""

    path: str
    gone: bool
    at: datetime


def changed_files(calls: Iterable[tuple[Step, Step | None]], roots: Roots, folder: str | None) -> list[PatchedFile]:
    """The files inside the repository that a session changed, the last changed first. Failed calls do not count."""
    found: dict[str, PatchedFile] = {}
    for call, result in calls:
        if result is not None and result.failed:
            continue
        for path, gone in _named(call):
            relative = roots.relative(path, folder) if path != _NOWHERE else None
            if relative is not None:
                found.pop(relative, None)
                found[relative] = PatchedFile(relative, gone, call.at)
    return list(reversed(found.values()))


def _named(call: Step) -> Iterator[tuple[str, bool]]:
    """The paths that a call names as changed, and whether the file went."""
    text = call.text if "\n" in call.text else call.text.replace("\\n", "\n")
    managed = list(_MANAGED.finditer(text)) if "*** " in text else []
    if is_edit(call):
        verbs = {match["path"]: match["verb"] for match in managed}
        yield from ((path, verbs.get(path) == "Delete") for path in call.files if path not in verbs)
    updated = None
    for match in managed:
        if match["verb"] == "Move" and updated is not None:
            yield updated, True
        updated = match["path"]
        yield match["path"], match["verb"] == "Delete"
    if not managed and _APPLIES.search(call.command or call.text.partition("\n")[0]):
        yield from _in_diff(text)


def _in_diff(text: str) -> Iterator[tuple[str, bool]]:
    """The files of a diff, with git's headers or without."""
    headers = list(_GIT.finditer(text))
    ends = [match.start() for match in headers[1:]] + [len(text)]
    for header, end in zip(headers, ends, strict=False):
        part = text[header.start() : end]
        if (moved := _MOVED.search(part)) is not None:
            yield moved["path"], True
        yield header["new"], _GONE.search(part) is not None
    if not headers:
        olds = [match["path"].strip() for match in _OLD.finditer(text)]
        for number, match in enumerate(_PLAIN.finditer(text)):
            new = match["path"].strip()
            if new != _NOWHERE:
                yield new, False
            elif number < len(olds):
                yield olds[number], True
