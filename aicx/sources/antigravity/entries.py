"""How the texts of an Antigravity conversation become entries, wherever in its folder they come from."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime

from aicx.sources.items import SourceRef, TimelineEntry, ToolUse
from aicx.types import Origin, Role
from aicx.values import dataclass

AGENT = "gemini-antigravity"
# What the client writes above the output of a tool, in transcripts and in the outputs of single steps alike.
STAMPS = re.compile(r"\A\s*(?:(?:Created|Completed) At: *(\S+)[^\n]*(?:\n|\Z))+")


@dataclass(frozen=True, slots=True)
class AntigravityDraft:
    """An entry before it has its place."""

    role: Role
    origin: Origin
    text: str
    key: str  # within the conversation; empty where the record has no number
    tool: ToolUse | None = None


@dataclass(slots=True)
class Conversation:
    """What carries over from one entry of a conversation to the next."""

    session_id: str
    skipped: Counter[str]
    cwd: str | None = None
    model: str | None = None
    last: datetime | None = None

    def place(self, draft: AntigravityDraft, ref: SourceRef, at: datetime) -> TimelineEntry:
        """``draft`` as an entry, with the folder and the model in force."""
        return TimelineEntry(
            AGENT,
            self.session_id,
            at,
            draft.role,
            draft.text,
            ref,
            draft.origin,
            cwd=self.cwd,
            record_id=f"{self.session_id}:{draft.key}" if draft.key else None,
            model=self.model if draft.role in ("assistant", "reasoning") or draft.key.endswith(":call") else None,
            tool=draft.tool,
        )
