"""What the block of one failure says: the lines marked `E`, the frames, and the exception."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aicx.toolchains.python_tracebacks import Frame, tracebacks

PLACE = re.compile(r"(?P<file>[^\s:>][^:\n]{0,500}|[A-Za-z]:\\[^:\n]{0,500}):(?P<line>\d+):(?: (?P<rest>.*)|$)")
_IN = re.compile(r"in \S")
_DEFINED = re.compile(r" ?def \w")  # of fixtures that do not fit together
_NATIVE = re.compile(r'\s+File "(?P<file>[^"\n]+)", line (?P<line>\d+)(?:, in |$)')
_FIXTURE = re.compile(r"file (?P<file>\S.{0,500}), line (?P<line>\d+)$")
SAID = re.compile(r"E(?:   (?P<text>.*)|\s*$)")
_ENDS = re.compile(r"-{3,} ?(?:Captured|generated|Live log|live log)")
_CAUSED = ("During handling of the above exception", "The above exception was the direct cause")


def what_is_said(block: Sequence[str]) -> tuple[list[str], list[Frame], str | None]:
    """The lines marked `E`, the frames, and the exception's name that ends the long style; of a chain the last."""
    said: list[str] = []
    frames: list[Frame] = []
    kind = None
    for line in block:
        if _ENDS.match(line):
            break
        if any(mark in line for mark in _CAUSED):
            said, frames, kind = [], [], None
        elif line.startswith("E") and (match := SAID.match(line)):
            said.append(match["text"] or "")
        elif match := PLACE.match(line):
            rest = match["rest"] or ""
            if _IN.match(rest) or _DEFINED.match(rest) or not rest or re.fullmatch(r"[\w.]+", rest.strip()):
                frames.append(Frame(match["file"], int(match["line"]), rest))
                if rest and not (_IN.match(rest) or _DEFINED.match(rest)):
                    kind = rest.strip()
        elif match := _NATIVE.match(line) or _FIXTURE.match(line):
            frames.append(Frame(match["file"], int(match["line"]), ""))
    nested = [match for line in said if (match := _NATIVE.match(line))]
    if nested:  # the place of a syntax error is part of what is said
        frames.append(Frame(nested[-1]["file"], int(nested[-1]["line"]), ""))
    said = _dedented(said)
    if not said:
        for each in tracebacks(block):
            said, kind = each.message.split("\n"), each.type
            frames = each.frames or frames
    return said or _doctest(block), frames, kind


def _dedented(said: list[str]) -> list[str]:
    """The long style indents what is said by as much as the source."""
    filled = [len(line) - len(line.lstrip()) for line in said if line.strip()]
    least = min(filled, default=0)
    return [line[least:] for line in said]


def _doctest(block: Sequence[str]) -> list[str]:
    text = [line.strip() for line in block]
    for start, line in enumerate(text):
        if line in ("Expected:", "Expected nothing") or line.startswith("UNEXPECTED EXCEPTION"):
            example = next((before for before in reversed(text[:start]) if ">>>" in before), "")
            example = re.sub(r"^\d+ ", "", example)
            return [" ".join(filter(None, [example, *text[start : start + 5]])).strip()]
    return []
