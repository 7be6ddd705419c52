"""How a note is laid out in its file: front matter, headings, labels, and the signs that keep a text as it is."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from aicx.continuity.note import STATUSES, Kind, Layer

MAX_BYTES = 256 * 1024
TITLES: dict[Layer, str] = {"project": "Continuity of the project", "local": "Continuity of this worktree"}
HEADINGS: dict[str, tuple[Kind, ...]] = {
    "Goal": (),
    "Confirmed working": ("confirmed",),
    "Tried and failed": ("failed",),
    "Not yet tried": ("untried",),
    "Incomplete and next": ("next",),
    "Files, decisions and environment": ("result", "file", "decision", "environment"),
}
LABELS: dict[str, Kind] = {"Result": "result", "File": "file", "Decision": "decision", "Environment": "environment"}
NOTES = "Notes"
PLACEHOLDER = "_Nothing yet._"
FENCE = "---"


class Broken(Exception):
    """A file that cannot be understood as a note; the text says why."""


def front_matter_of(text: str) -> tuple[list[str], str]:
    """The lines of the block that opens ``text``, and the text behind it."""
    if text.partition("\n")[0].rstrip() != FENCE:
        return [], text
    lines = text.split("\n")
    end = next((number for number, line in enumerate(lines[1:], 1) if line.rstrip() == FENCE), None)
    if end is None:
        raise Broken("its front matter has no end")
    return lines[1:end], "\n".join(lines[end + 1 :])


def fields_of(lines: Sequence[str]) -> tuple[dict[str, str], str]:
    """The fields of the front matter that are known, and all other lines."""
    fields: dict[str, str] = {}
    unknown = []
    for line in lines:
        key, _, value = line.partition(":")
        if key in ("status", "updated", "session"):
            fields[key] = value.strip()
        elif line.strip():
            unknown.append(line)
    if fields.get("status", "active") not in STATUSES:
        raise Broken(f"its status is none of {', '.join(STATUSES)}")
    return fields, "\n".join(unknown)


def updated_of(text: str | None) -> datetime | None:
    try:
        at = datetime.fromisoformat(text) if text else None
    except ValueError as error:
        raise Broken("its time of update is none") from error
    if at is not None and at.tzinfo is None:
        raise Broken("its time of update has no zone")
    return at


def unescaped(text: str) -> str:
    return text.removeprefix("\\").strip()
