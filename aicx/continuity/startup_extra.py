"""What a startup block names beside the notes: instruction files, what waits for a decision, what is agreed, and what
the team keeps. Files are named and not quoted.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.config import Settings
from aicx.continuity.context import index_copy
from aicx.continuity.note import Layer, Layers
from aicx.continuity.startup import Extra, startup_block
from aicx.continuity.startup_answer import StartupManifest
from aicx.continuity.tracked import tracked_settings
from aicx.errors import AicxError, MalformedPolicy
from aicx.managed.ours import is_ours_alone
from aicx.memory.policy import load_policy
from aicx.memory.sources_files import listed
from aicx.resume.query import Limits

if TYPE_CHECKING:
    from aicx.memory.briefing import Briefing


def startup_of(settings: Settings, root: Path, layers: Layers, now: datetime) -> StartupManifest:
    """The startup block of the worktree at ``root``, as a session that begins there now would have it."""
    memory = None
    if settings.layout.memory.is_dir():
        # Imported here: most have no memory.
        from aicx.memory.briefing import brief
        from aicx.memory.reading import find_scope

        with suppress(AicxError), index_copy(settings) as index:
            memory = brief(settings, find_scope(settings, root), "", now, Limits().memory, index)
    return startup_block(layers, startup_extra(settings, root, layers, memory), settings.continuity_lines)


def startup_extra(settings: Settings, root: Path, layers: Layers, memory: Briefing | None) -> Extra:
    """What goes with the notes of the worktree at ``root``; ``memory`` is what there is for a new session in it."""
    tracked = tracked_settings(settings, root)
    # The policy may keep the name of a file from being shown; where it cannot be read, none is.
    try:
        excluded = load_policy(settings.layout.home, root, settings.user_home).of_path
    except MalformedPolicy:
        return Extra(note_files(settings, root, layers))
    own = (one.shown for one in listed(root) if not is_ours_alone(root, one.shown))
    names = dict.fromkeys((*own, *tracked.instruction_files))
    waiting = [left.ref for left in memory.excluded if left.status == "candidate"] if memory else []
    return Extra(
        note_files(settings, root, layers),
        tuple(name for name in names if excluded(name) is None),
        tuple(f"{ref} (`aicx show {ref}`)" for ref in waiting),
        tuple(entry.statement for entry in memory.agreed if entry.statement) if memory else (),
        tuple(name for name in tracked.team_files if excluded(name) is None),
    )


def note_files(settings: Settings, root: Path, layers: Layers) -> Mapping[Layer, str]:
    """The notes as a person would name them: from the worktree, or from the home folder."""
    return {layer: _named(path, root, settings.user_home) for layer, path in layers.paths.items()}


def _named(path: Path, root: Path, home: Path) -> str:
    if path.is_relative_to(root):
        return str(path.relative_to(root))
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
