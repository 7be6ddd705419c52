"""What a session is told at its start: the banner, once, the notes of continuity, what it lost in a compaction, and the
brief as `aicx resume` gives it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.agents.bundle import told
from aicx.config import Settings
from aicx.lifecycle.identity import Asker
from aicx.resume.brief.budget import MIN_TOKENS
from aicx.resume.select.report import ResumeReport
from aicx.text import BYTES_PER_TOKEN, fenced
from aicx.work.place import WorkPlace, find_place

if TYPE_CHECKING:
    from aicx.lifecycle.prepare import Prepared

# Beyond 10,000 characters Claude Code puts context into a file, and beyond 10,000 bytes Codex cuts out its middle.
MAX_BYTES = 9_500
_MAX_BRIEF = 2000  # tokens
_MAX_NOTES = 4000  # bytes
_MAX_RESTORED = 2000  # characters, which with the banner are never more than MAX_BYTES
_ORDER = ("banner", "quoted", "notes", "restored", "brief")


def startup_text(
    settings: Settings,
    agent: str,
    folder: Path,
    now: datetime,
    *,
    session: str | None = None,
    compacted: bool = False,
    continuity: bool = False,
) -> str:
    """The context of a session that begins in ``folder``, of at most MAX_BYTES; nothing if it knows it already.

    ``session`` is its own id, of which nothing is quoted but what it lost. One that was ``compacted`` has lost its
    brief, and gets it again without the banner. With ``continuity`` the notes of the place are told. That it began is
    recorded with its contract. Everything from logs, notes and git is between fences. Raises UsageError for a folder
    that cannot be read.
    """
    from aicx.lifecycle.prepare import prepare
    from aicx.resume.brief.output import markdown_brief

    asker = Asker.named(agent, session)
    found = prepare(settings, folder, asker, now, derive=False, source="hook")
    if found.already_shown and not compacted:
        return _restored(settings, folder, asker, now)
    header, _, quoted = found.banner.partition("\n")
    said = [] if found.already_shown else quoted.splitlines()
    if found.previous is not None:
        said.append(f"How the last session kept to its contract: {found.previous.compliance.compact_summary}")
    parts = {
        "banner": "" if found.already_shown else header,
        "notes": _notes(settings, folder, found) if continuity else "",
        "quoted": fenced("\n".join(said)) if said else "",
    }
    # Last, since it is given once: little can still go wrong then.
    parts["restored"] = _restored(settings, folder, asker, now)
    # In most scripts all of it fits. What goes first is what the rest says too.
    for name in ("notes", "quoted"):
        if _room(parts) < MIN_TOKENS:
            parts[name] = ""
    room = _room(parts)
    if room >= MIN_TOKENS:
        brief = markdown_brief(settings, found.report, min(_MAX_BRIEF, room))
        parts["brief"] = brief.text.decode("utf-8", "replace")
    return _joined(parts)


def _joined(parts: Mapping[str, str]) -> str:
    return "\n\n".join(filter(None, map(parts.get, _ORDER)))


def _room(parts: Mapping[str, str]) -> int:
    """The tokens that a brief may have behind these parts."""
    return (MAX_BYTES - len(f"{_joined(parts)}\n\n".encode())) // BYTES_PER_TOKEN


def _notes(settings: Settings, folder: Path, found: Prepared) -> str:
    """The startup block of continuity, and the digest of the open task; empty where there is neither."""
    place = find_place(settings, folder)
    pack = told(settings, place) if found.tasks.active else ""
    return "\n\n".join(filter(None, (_block(settings, place, found.report), pack)))


def _block(settings: Settings, place: WorkPlace, report: ResumeReport) -> str:
    from aicx.continuity.note import load

    layers = load(settings, place)
    if not layers.merged.items:
        return ""
    # Imported here: where there is no note, nothing is to be fitted.
    from aicx.continuity.startup import startup_block
    from aicx.continuity.startup_extra import startup_extra

    extra = startup_extra(settings, place.root, layers, report.memory)
    return startup_block(layers, extra, settings.continuity_lines, limit_bytes=_MAX_NOTES).text


def _restored(settings: Settings, folder: Path, asker: Asker, now: datetime) -> str:
    """What a session lost in a compaction, once; empty where no compaction was marked."""
    from aicx.sessions.pending import pending

    if not pending(settings.layout, find_place(settings, folder), asker, now):
        return ""
    # Imported here: most sessions begin without one.
    from aicx.sessions.restore import restore

    return restore(settings, folder, asker, now, check_pending=True, max_chars=_MAX_RESTORED, source="hook").text
