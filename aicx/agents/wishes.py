"""What hooks ask the process in the background to save: the notes of a session's place. Each wish is a file."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import orjson

from aicx.agents.hook_log import note
from aicx.config import Settings
from aicx.paths import Layout
from aicx.storage.atomic import replace_file
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class Wish:
    """Notes to save: in which folder, and of which session. ``log`` is its file, None where the agent does not say."""

    folder: str
    agent: str
    session: str | None
    log: str | None
    event: str


def ask(layout: Layout, wish: Wish) -> None:
    """Keeps a wish until the notes are saved. A later one of the same session takes its place."""
    owner = f"{wish.folder}\0{wish.agent}\0{wish.session or wish.log or ''}"
    file = _folder(layout) / f"{sha256(owner.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}.json"
    replace_file(file, orjson.dumps(asdict(wish)))


def waiting(layout: Layout) -> list[Path]:
    """The wishes, as files, the oldest first."""
    try:
        return sorted(_folder(layout).glob("*.json"), key=lambda path: path.stat().st_mtime_ns)
    except FileNotFoundError:  # one was fulfilled meanwhile, by the process whose turn it is
        return []


def fulfil(settings: Settings, file: Path) -> None:
    """Saves the notes that a wish is about, and forgets it. What goes wrong is a line in the log, not tried again."""
    # Imported here: a hook only asks.
    from aicx.agents.bundle import keep
    from aicx.continuity.saving import save
    from aicx.work.place import find_place

    try:
        wish = Wish(**orjson.loads(file.read_bytes()))
        log = Path(wish.log) if wish.log else None
        folder, now = Path(wish.folder), datetime.now(UTC)
        keep(settings, folder, now)
        save(
            settings,
            find_place(settings, folder),
            "both",
            now,
            log=log,
            trigger="auto-save",
            source="hook",
            summarizer=False,
        )
    except FileNotFoundError:
        return
    except Exception as error:  # noqa: BLE001 - the other wishes are saved all the same
        note(f"continuity: {type(error).__name__}: {error}", settings.layout.agents)
    with suppress(OSError):
        file.unlink()


def _folder(layout: Layout) -> Path:
    return layout.agents / "continuity-wanted"
