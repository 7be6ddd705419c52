"""How the texts of an Antigravity conversation become entries, wherever in its folder they come from."""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from pathlib import PurePosixPath
from urllib.parse import unquote

from aicx.sources.items import EntryDraft, SourceRef, TimelineEntry
from aicx.values import dataclass

AGENT = "gemini-antigravity"
# What the client writes above the output of a tool, in transcripts and in the outputs of single steps alike.
STAMPS = re.compile(r"\A\s*(?:(?:Created|Completed) At: *(\S+)[^\n]*(?:\n|\Z))+")
_LINK = re.compile(r"\(file://(/[^)\n]+)\)|file://(/[^\s)\]>\"'`]+)")
_REPOSITORY = re.compile(r"(.*/(?:hosted|repos|repositories|github|git)/[^/]+/[^/]+)/")


@dataclass(slots=True)
class Conversation:
    """What carries over from one entry of a conversation to the next."""

    session_id: str
    skipped: Counter[str]
    cwd: str | None = None
    model: str | None = None
    last: datetime | None = None

    def place(self, draft: EntryDraft, ref: SourceRef, at: datetime) -> TimelineEntry:
        """``draft`` as an entry, with the folder and the model in force. Its suffix is its key in the conversation."""
        key = draft.suffix
        return draft.placed(
            *(AGENT, self.session_id, at, ref),
            record_id=f"{self.session_id}:{key}" if key else None,
            cwd=self.cwd,
            model=self.model if draft.role in ("assistant", "reasoning") or key.endswith(":call") else None,
        )


def linked_paths(text: str) -> list[str]:
    """The absolute paths of a text's ``file:///`` links, those into Antigravity's own folders left out."""
    paths = [plain_path(unquote((wrapped or bare).split("#")[0])) for wrapped, bare in _LINK.findall(text)]
    return [path for path in paths if not is_own(path)]


def plain_path(path: str) -> str:
    """With forward slashes, and a Windows drive as ``C:/``: links write it ``/c:/``, ``/C:/`` or ``c:\\``."""
    path = path.replace("\\", "/") if re.match(r"[A-Za-z]:\\", path) else path
    drive = re.match(r"/?([A-Za-z]):/", path)
    return f"{drive[1].upper()}:/{path[drive.end() :]}" if drive else path


def is_own(path: str) -> bool:
    """Whether a path leads into Antigravity's own folders, which say nothing of the project."""
    return "/.gemini/" in path


def common_root(paths: list[str]) -> str | None:
    """The project folder that several files agree on, None where they leave room for doubt."""
    files = list(dict.fromkeys(paths))
    known = {found[1] if (found := _REPOSITORY.match(path)) else "" for path in files}
    if len(known) == 1 and "" not in known:
        return known.pop()
    if len(files) < 2:
        return None
    folders = [PurePosixPath(path).parent.parts for path in files]
    common = []
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        common.append(names[0])
    # Anything above a folder of one's own says nothing: /home/me and C:/Users/me hold every project.
    least = 4 if len(common) > 1 and common[1].lower() in ("home", "users") else 3
    return str(PurePosixPath(*common)) if len(common) >= least else None
