"""What changed of the lines that a record is anchored to: what they were, by git, and what they are now."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from hashlib import sha256
from pathlib import Path
from typing import Literal

from aicx.git.roots import inside
from aicx.git.state import Git
from aicx.memory.anchors import Found
from aicx.memory.record import Anchor
from aicx.values import dataclass

_MAX_BYTES = 1 << 20
_MAX_LINES = 5_000  # of a file that is compared
_MAX_SHOWN = 40

Sign = Literal["-", "+", " "]


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it was (``-``), as it is (``+``), or as it is where nobody knows what it was (blank)."""

    sign: Sign
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of an anchor. ``known``: whether git has what its lines were; ``more`` are left out."""

    anchor: Anchor
    found: Found
    lines: tuple[Line, ...] = ()
    known: bool = False
    more: int = 0


def what_changed(root: Path | None, anchor: Anchor, found: Found) -> Changed:
    """The lines that changed in or at the anchored ones."""
    path = found.path or anchor.path
    if root is None or found.state not in ("changed", "moved"):
        return Changed(anchor, found)
    now = _lines_of(root, path)
    before = _lines_before(root, anchor)
    if now is None or len(now) > _MAX_LINES or (before is not None and len(before) > _MAX_LINES):
        return Changed(anchor, found)
    first, last = (anchor.first or 1), (anchor.last or len(before or now))
    if before is None:
        lines = [Line(" ", number, now[number - 1]) for number in range(first, min(last, len(now)) + 1)]
    else:
        lines = list(_differences(before, now, first - 1, last))
    return Changed(anchor, found, tuple(lines[:_MAX_SHOWN]), before is not None, max(0, len(lines) - _MAX_SHOWN))


def _differences(before: Sequence[str], now: Sequence[str], start: int, end: int) -> Iterator[Line]:
    """The differences that touch ``before[start:end]``."""
    matcher = SequenceMatcher(None, before, now, autojunk=False)
    for tag, was, was_end, at, at_end in matcher.get_opcodes():
        if tag == "equal" or was_end < start or was > end or (was_end == start and was != was_end):
            continue
        yield from (Line("-", number + 1, before[number]) for number in range(max(was, start), min(was_end, end)))
        yield from (Line("+", number + 1, now[number]) for number in range(at, at_end))


def _lines_before(root: Path, anchor: Anchor) -> list[str] | None:
    """The file as it was when the record was anchored; None where git does not have exactly that."""
    if not anchor.commit or not re.fullmatch(r"[0-9a-f]{40,64}", anchor.commit):
        return None
    said = Git(root).ask_some(_MAX_BYTES, "cat-file", "blob", f"{anchor.commit}:./{anchor.path}")
    if said is None:
        return None
    body = said.encode("utf-8", "surrogateescape")
    lines = [line.rstrip() for line in body.split(b"\n")]
    if anchor.first is not None and anchor.last is not None:
        same = sha256(b"\n".join(lines[anchor.first - 1 : anchor.last])).hexdigest() == anchor.sha256
    else:
        same = sha256(body).hexdigest() == anchor.sha256
    return _split(body) if same else None


def _lines_of(root: Path, path: str) -> list[str] | None:
    try:
        place = root / path
        if not inside(root, path) or place.stat().st_size > _MAX_BYTES:
            return None
        return _split(place.read_bytes())
    except OSError:
        return None


def _split(body: bytes) -> list[str]:
    return [line.rstrip() for line in body.decode("utf-8", "replace").splitlines()]
