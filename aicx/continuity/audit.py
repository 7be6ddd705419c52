"""The audit of notes: every writing of one, by what it was made and from what, in the repository's event log.

The record has paths, ids, counts and codes. A writing that could not be recorded leaves the same as a recovery marker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from aicx.config import Settings
from aicx.storage.typed import from_json
from aicx.text import instant
from aicx.values import dataclass
from aicx.work.events import OF_NOTES, read_log
from aicx.work.place import WorkPlace

# Entries that a preview is made of, and groups that it shows.
_RECENT, _GROUPS = 10, 3
_SEGMENTS = 2  # files at the end of the log, a megabyte each
_WARNINGS = {
    "inferred_next_step": "the next step was inferred from the last request",
    "reviewer_noise_ignored": "prompts to reviewers or subagents were left out",
    "unread_records": "some records of the log could not be read",
}


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One writing of a note. ``trigger`` is `manual-save`, `manual-refresh`, `manual-clear` or `auto-save`.

    ``selection`` says which rule chose the log, ``files`` what was written. ``trimmed`` counts what had no room,
    ``settled`` what a later outcome took out.

    ``contradictions`` are topics with those of their values that are no text of the session.
    """

    at: str
    action: str
    trigger: str
    mode: str
    scope: str
    worktree: str
    log: str = ""
    session: str = ""
    lane: str = "primary"
    selection: str = ""
    passed_over: Sequence[Sequence[str]] = ()
    preferred: str = ""
    actual: str = ""
    fallback: str | None = None
    confidence: str = ""
    warnings: Sequence[str] = ()
    contradictions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    trimmed: Mapping[str, int] = field(default_factory=dict)
    settled: int = 0
    files: Sequence[str] = ()

    def encode(self) -> dict[str, Any]:
        """The fields as an event has them; its time is the event's own."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "at"}

    def log_path(self, settings: Settings) -> Path:
        return settings.user_home / self.log.removeprefix("~/") if self.log.startswith("~/") else Path(self.log)

    @property
    def signature(self) -> tuple[Any, ...]:
        """The key that two neighbours have in common which are shown as one."""
        return tuple(repr(value) for name, value in self.encode().items())

    @property
    def said(self) -> list[str]:
        """The warnings in words."""
        found = [_WARNINGS.get(code, code) for code in self.warnings]
        for topic, values in self.contradictions.items():
            named = f": {', then '.join(values)}" if values else ""
            found.append(f"the session contradicts itself about {_topic(topic)}{named}")
        return found


def decode_audited(fields: Mapping[str, Any], at: str) -> AuditEntry | None:
    """Returns what `AuditEntry.encode` wrote; None for anything else."""
    try:
        return from_json(AuditEntry, {**fields, "at": at})
    except (LookupError, TypeError, ValueError):
        return None


def logged_path(settings: Settings, path: Path) -> str:
    """A log's path as it is recorded: from the person's home, where it is in it."""
    whole = path.absolute()
    home = settings.user_home.absolute()
    named = f"~/{whole.relative_to(home)}" if whole.is_relative_to(home) else str(whole)
    return named.encode("utf-8", "replace").decode()


def audit_entries(settings: Settings, place: WorkPlace) -> list[AuditEntry]:
    """Returns what was written of the notes that this worktree sees, the last one last."""
    events = read_log(settings.layout.work / place.repo_id, last=_SEGMENTS).events
    found = (decode_audited(event.data, instant(event.at)) for event in events if event.type in OF_NOTES)
    return [one for one in found if one and (one.worktree == place.worktree_id or one.scope != "local")]


def preview(entries: Sequence[AuditEntry]) -> list[tuple[AuditEntry, int]]:
    """The entries before the last one, the newest first, equal neighbours as one; each with how many it stands for."""
    groups: list[tuple[AuditEntry, int]] = []
    for entry in list(reversed(entries[:-1]))[:_RECENT]:
        if groups and groups[-1][0].signature == entry.signature:
            groups[-1] = (groups[-1][0], groups[-1][1] + 1)
        else:
            groups.append((entry, 1))
    return groups[:_GROUPS]


def _topic(topic: str) -> str:
    from aicx.continuity.signals import NAMES  # imported here: its patterns take a while, and few contradict themselves

    return next((name for known, name in NAMES.items() if known == topic), topic)
