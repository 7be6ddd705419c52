"""Why an object is gone for good: its digest, a reason as a code, and ids, without a word of what it said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from aicx.paths import Layout
from aicx.storage import event_lines
from aicx.storage.atomic import replace_file
from aicx.text import instant
from aicx.values import dataclass

Reason = Literal["forgotten_session", "forgotten_project", "forgotten_text", "redacted"]
REASONS: tuple[Reason, ...] = get_args(Reason)


@dataclass(frozen=True, slots=True)
class Tombstone:
    """An object that is gone. ``session`` is the forgotten one that it quoted, ``replaced_by`` its redacted form."""

    name: str
    at: datetime
    reason: Reason
    session: str | None = None
    replaced_by: str | None = None

    @property
    def words(self) -> str:
        """Why, for people."""
        day = f"{self.at:%Y-%m-%d}"
        match self.reason:
            case "forgotten_session":
                what = f" {self.session}" if self.session else ""
                return f"deleted on {day}, because it quoted the session{what}, which was forgotten"
            case "forgotten_project":
                return f"deleted on {day}, because it quoted a project that was forgotten"
            case "forgotten_text":
                return f"deleted on {day}, because it held a text that was forgotten"
            case "redacted":
                return f"replaced on {day}, because it held a secret"


def tombstones_file(layout: Layout) -> Path:
    return layout.cas / "tombstones.jsonl"


def read_tombstones(layout: Layout) -> tuple[dict[str, Tombstone], list[int]]:
    """The tombstones by the names of their objects, and the numbers of damaged lines."""
    try:
        body = tombstones_file(layout).read_bytes()
    except FileNotFoundError:
        return {}, []
    found, damaged = event_lines.decode_lines(body, _tombstone)
    return {one.name: one for one in found}, damaged


def add_tombstones(layout: Layout, new: Iterable[Tombstone]) -> None:
    """Adds what is not known yet. The lock of the objects is held."""
    known, _ = read_tombstones(layout)
    lines = [_line(one) for one in new if one.name not in known]
    if not lines:
        return
    path = tombstones_file(layout)
    before = path.read_bytes() if path.exists() else b""
    replace_file(path, event_lines.appended(before, lines))


def _line(one: Tombstone) -> bytes:
    return event_lines.encode_line(
        {
            "digest": one.name,
            "at": instant(one.at),
            "reason": one.reason,
            "session": one.session,
            "replaced_by": one.replaced_by,
        }
    )


def _tombstone(fields: Mapping[str, Any]) -> Tombstone | None:
    reason = next((one for one in REASONS if one == fields["reason"]), None)
    at = datetime.fromisoformat(event_lines.text_of(fields, "at"))
    if reason is None or at.tzinfo is None:
        return None
    return Tombstone(event_lines.text_of(fields, "digest"), at, reason, fields["session"], fields["replaced_by"])
