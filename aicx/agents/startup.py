"""A session's start as a hook tells it: the banner, once, the notes of continuity, what a compaction lost, and the
brief as `aicx resume` gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from aicx.agents.bundle import told
from aicx.brief import fenced
from aicx.config import Settings
from aicx.errors import UsageError, plainly
from aicx.lifecycle.identity import Asker
from aicx.lifecycle.prepare import was_started
from aicx.resume import MIN_TOKENS
from aicx.resume.brief.banner import bare_banner
from aicx.text import BYTES_PER_TOKEN
from aicx.work.place import WorkPlace, find_place

if TYPE_CHECKING:
    from aicx.continuity.note import Layers
    from aicx.lifecycle.prepare import PreparedStart
    from aicx.memory.briefing import Briefing

Made = TypeVar("Made")

# Beyond 10,000 characters Claude Code puts context into a file, and beyond 10,000 bytes Codex cuts out its middle.
MAX_BYTES = 9_500
_MAX_BRIEF = 2000  # tokens
_MAX_NOTES = 4000  # bytes
_MAX_RESTORED = 2000  # characters, which with the banner are never more than MAX_BYTES
_ORDER = ("banner", "quoted", "notes", "restored", "missing", "brief")
_LOCK_SECONDS = 0.2  # that the record of a start may wait for another writer
_LATE = "it took too long"


def startup_text(
    settings: Settings,
    agent: str,
    folder: Path,
    now: datetime,
    *,
    session: str | None = None,
    compacted: bool = False,
    continuity: bool = False,
    say: Callable[[str], None] = lambda text: None,
) -> str:
    """The context of a session that begins in ``folder``, of at most MAX_BYTES; nothing if it knows it already.

    ``session`` is its own id, of which nothing is quoted but what it lost. One that was ``compacted`` has lost its
    brief, and gets it again without the banner. With ``continuity`` the notes of the place are told. That it began is
    recorded with its contract. Everything from logs, notes and git is between fences.

    A part that fails is left out and named. ``say`` is given what would be told if no more became known, in case the
    rest takes too long. Raises UsageError for a folder that cannot be read.
    """
    from aicx.lifecycle.prepare import prepare

    settings = replace(settings, lock_wait_seconds=min(settings.lock_wait_seconds, _LOCK_SECONDS))
    asker = Asker.named(agent, session)
    again = was_started(settings.layout, agent, session)
    trying = _Parts(settings)
    parts = {"banner": "" if again else bare_banner(agent, folder.name)}
    if not again or compacted:
        say(_joined({**parts, "missing": _missing(["the brief", *(["notes"] if continuity else [])], _LATE)}))
        layers = trying.part("notes", lambda: _layers(settings, folder)) if continuity else None
        if layers is not None:
            place, read = layers
            parts["notes"] = trying.part("notes", lambda: _block(settings, place, read, None)) or ""
        say(_joined({**parts, "missing": _missing([*trying.failed, "the brief"], _LATE)}))
    found = trying.part("the brief", lambda: prepare(settings, folder, asker, now, outside=False, source="hook"))
    if found is None:
        return _joined({**parts, "missing": _missing(trying.failed)})
    if found.already_shown and not compacted:
        return trying.part("what a compaction lost", lambda: _restored(settings, folder, asker, now)) or ""
    header, _, quoted = found.banner.partition("\n")
    said = [] if found.already_shown else quoted.splitlines()
    if found.previous is not None:
        said.append(f"How the last session kept to its contract: {found.previous.compliance.compact_summary}")
    if continuity and layers is not None:
        parts["notes"] = trying.part("notes", lambda: _notes(settings, layers, found, parts["notes"])) or ""
    parts |= {"banner": "" if found.already_shown else header, "quoted": fenced("\n".join(said)) if said else ""}
    # Last, since it is given once: little can still go wrong then.
    parts["restored"] = trying.part("what a compaction lost", lambda: _restored(settings, folder, asker, now)) or ""
    trying.failed += ["the record of this session"] if found.notes else []
    parts["missing"] = _missing(trying.failed)
    # In most scripts all of it fits. What goes first is what the rest says too.
    for name in ("notes", "quoted"):
        if _room(parts) < MIN_TOKENS:
            parts[name] = ""
    room = _room(parts)
    if room >= MIN_TOKENS:
        parts["brief"] = trying.part("the brief", lambda: _brief(settings, found, min(_MAX_BRIEF, room))) or ""
    return _joined(parts)


class _Parts:
    """Makes the parts of a start one by one: one that fails is a line in the log, and the others are told."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.failed: list[str] = []

    def part(self, name: str, work: Callable[[], Made]) -> Made | None:
        try:
            return work()
        except UsageError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the session begins with the rest
            from aicx.agents.wishes import note

            self.failed.append(name)
            with suppress(OSError):
                note(f"session-start: {name}: {plainly(error)}", self._settings.layout.agents)
            return None


def _missing(names: Sequence[str], why: str = "agents/hooks.log says why") -> str:
    """A line that names what is not told; empty where all is."""
    named = ", ".join(dict.fromkeys(names))
    return f"Left out: {named} ({why}). `aicx resume` tells what was done here before." if named else ""


def _brief(settings: Settings, found: PreparedStart, tokens: int) -> str:
    from aicx.resume.brief.output import markdown_brief

    return markdown_brief(settings, found.report, tokens).text.decode("utf-8", "replace")


def _joined(parts: Mapping[str, str]) -> str:
    return "\n\n".join(filter(None, map(parts.get, _ORDER)))


def _room(parts: Mapping[str, str]) -> int:
    """The tokens that a brief may have behind these parts."""
    return (MAX_BYTES - len(f"{_joined(parts)}\n\n".encode())) // BYTES_PER_TOKEN


def _layers(settings: Settings, folder: Path) -> tuple[WorkPlace, Layers]:
    from aicx.continuity.reading import read_layers

    place = find_place(settings, folder)
    return place, read_layers(settings, place)


def _notes(settings: Settings, layers: tuple[WorkPlace, Layers], found: PreparedStart, block: str) -> str:
    """The startup block of continuity, and the digest of the open task; empty where there is neither.

    ``block`` is the startup block as it is without anything from the memory.
    """
    place, read = layers
    if found.report.memory is not None:
        block = _block(settings, place, read, found.report.memory)
    pack = told(settings, place) if found.tasks.active else ""
    return "\n\n".join(filter(None, (block, pack)))


def _block(settings: Settings, place: WorkPlace, layers: Layers, memory: Briefing | None) -> str:
    if not layers.merged.items:
        return ""
    # Imported here: where there is no note, nothing is to be fitted.
    from aicx.continuity.startup import note_files, startup_block, startup_extra

    names, extra = note_files(settings, place.root, layers), startup_extra(settings, place.root, memory)
    return startup_block(layers, names, extra, settings.continuity_lines, limit_bytes=_MAX_NOTES).text


def _restored(settings: Settings, folder: Path, asker: Asker, now: datetime) -> str:
    """Returns the text that a session lost in a compaction, once; empty where no compaction was marked."""
    from aicx.sessions.pending import pending

    if not pending(settings.layout, find_place(settings, folder), asker, now):
        return ""
    # Imported here: most sessions begin without one.
    from aicx.sessions.restore import restore

    return restore(settings, folder, asker, now, check_pending=True, max_chars=_MAX_RESTORED, source="hook").context
