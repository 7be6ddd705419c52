"""The digest of all that is known of an open task: made at the end of a session, and told to the next one.

Making a pack takes longer than an agent should wait for, and Codex refuses an answer of a hook with a field for it.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from aicx.config import Settings
from aicx.errors import AicxError
from aicx.paths import Layout
from aicx.storage import replace_file
from aicx.work.place import WorkPlace, find_place

_SECONDS = 60.0
_MAX_DIGEST = 100  # characters


def keep(settings: Settings, folder: Path, now: datetime) -> None:
    """Stores the pack of the open task of ``folder`` and remembers its digest; without a task forgets the last one."""
    from aicx.packs.making import hook_output

    file = _file(settings.layout, find_place(settings, folder))
    output = hook_output(settings, folder, now, seconds=_SECONDS)
    if output is None:
        file.unlink(missing_ok=True)
        return
    replace_file(file, str(output["hookSpecificOutput"]["metadata"]["task_continuity_artifact"]).encode())


def told(settings: Settings, place: WorkPlace) -> str:
    """A line that names the pack; empty where there is none, or where it was collected, hidden or forgotten since."""
    try:
        digest = _file(settings.layout, place).read_text("ascii")[:_MAX_DIGEST].strip()
    except (OSError, UnicodeDecodeError):
        return ""
    # Imported here: most repositories have no pack.
    from aicx.cas.reading import find

    try:
        name = find(settings.layout, digest)
    except AicxError:
        return ""
    return f"All that was known of the open task when the last session ended: `aicx show sha256:{name}`"


def _file(layout: Layout, place: WorkPlace) -> Path:
    return layout.agents / "packs" / place.repo_id
