"""Wishes that hooks leave to the process in the background: to save the notes of a place; and the log of hooks.

Each wish is a file. Its name says how often it was tried, so that a kill at any moment counts as a try.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import orjson

from aicx import storage
from aicx.config import Settings, layout_of
from aicx.errors import NotFound, SourceUnreadable
from aicx.paths import Layout
from aicx.storage import replace_file
from aicx.types import AgentHomes
from aicx.values import dataclass

MAX_TRIES = 3
_WAITING, _APART = ".json", ".apart"


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
    name = sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()[:24]
    replace_file(_folder(layout) / f"{name}{_WAITING}", orjson.dumps(asdict(wish)))


def waiting(layout: Layout) -> list[Path]:
    """The wishes, as files, the oldest first; of each session the last one."""
    try:
        found = sorted(_folder(layout).glob(f"*{_WAITING}"), key=lambda path: path.stat().st_mtime_ns)
    except FileNotFoundError:  # one was fulfilled meanwhile, by the process whose turn it is
        return []
    return list({_session(path): path for path in found}.values())


def remove_unfinished(layout: Layout) -> None:
    """Deletes what a hook that was killed left of a wish."""
    storage.remove_unfinished(_folder(layout))


def set_apart(layout: Layout) -> list[Path]:
    """The wishes that were tried as often as any is, in vain."""
    return sorted(_folder(layout).glob(f"*{_APART}"))


def begin(file: Path) -> Path | None:
    """Counts a try of a wish before it is made; the file that has the wish from then on.

    None for one that was tried often enough, which is then set apart, and for one that is gone.
    """
    earlier = [path for path in file.parent.glob(f"{_session(file)}*{_WAITING}") if path != file]
    tries = max(map(_tries, [file, *earlier])) + 1
    name = f".{tries}{_WAITING}" if tries <= MAX_TRIES else _APART
    begun = file.with_name(f"{_session(file)}{name}")
    try:
        file.replace(begun)
    except FileNotFoundError:
        return None
    for path in earlier:
        if path != begun:
            path.unlink(missing_ok=True)
    if tries <= MAX_TRIES:
        return begun
    note(f"continuity: tried {MAX_TRIES} times in vain, set apart as {begun.name}", file.parent.parent)
    return None


def fulfil(settings: Settings, file: Path) -> None:
    """Saves the notes that a wish is about, and forgets it. What goes wrong is a line in the log.

    A wish without anything to save is forgotten too. Where saving failed for another reason it stays for another try.
    """
    # Imported here: a hook only asks.
    from aicx.agents.bundle import keep
    from aicx.continuity.saving import save
    from aicx.work.place import find_place

    try:
        wish = Wish(**orjson.loads(file.read_bytes()))
        folder = Path(wish.folder)
        log = _log(wish, settings.homes)
    except FileNotFoundError:
        return
    except (OSError, ValueError, TypeError, SourceUnreadable) as error:
        _give_up(settings.layout, file, error)
        return
    try:
        now = datetime.now(UTC)
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
    except (NotFound, SourceUnreadable) as error:  # forgotten, gone, or without a message
        _give_up(settings.layout, file, error)
        return
    except Exception as error:  # noqa: BLE001 - the other wishes are saved all the same
        _tell(settings.layout, error)
        return
    for path in (file, file.with_name(f"{_session(file)}{_APART}")):
        with suppress(OSError):
            path.unlink()


def _give_up(layout: Layout, file: Path, error: Exception) -> None:
    _tell(layout, error)
    with suppress(OSError):
        file.unlink()


def _tell(layout: Layout, error: Exception) -> None:
    note(f"continuity: {type(error).__name__}: {error}", layout.agents)


def _log(wish: Wish, homes: AgentHomes) -> Path | None:
    """The log that a wish names. Raises SourceUnreadable for anything but a regular file in a folder of an agent."""
    if wish.log is None:
        return None
    path = Path(wish.log)
    folders = [folder.absolute() for folder in (homes.claude, homes.codex, homes.gemini)]
    # A person may keep such a folder elsewhere, behind a link in it; a link in place of a log could lead anywhere.
    named = ".." not in path.parts and not path.is_symlink() and any(map(path.is_relative_to, folders))
    real = Path(os.path.realpath(path))
    if not named and not any(real.is_relative_to(os.path.realpath(folder)) for folder in folders):
        raise SourceUnreadable(f"{path} is in no folder of an agent")
    if not path.is_file():
        raise SourceUnreadable(f"{path} is not a regular file")
    return path


def _session(file: Path) -> str:
    return file.name.partition(".")[0]


def _tries(file: Path) -> int:
    tries = file.name.split(".")[1]
    return int(tries) if tries.isdecimal() else 0


def _folder(layout: Layout) -> Path:
    return layout.agents / "continuity-wanted"


MAX_BYTES = 100_000
_MAX_LINE = 500


def note(text: str, folder: Path | None = None, most: int = MAX_BYTES) -> None:
    """Adds a line; a file of more than ``most`` bytes is set aside before.

    The messages of errors may quote what they are about, so it is redacted.
    """
    from aicx.redaction import redact

    folder = folder or layout_of().agents
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = folder / "hooks.log"
    with suppress(FileNotFoundError):
        if file.stat().st_size > most:
            file.replace(folder / "hooks.log.1")
    line = " ".join(redact(text).text.split())[:_MAX_LINE]
    with file.open("a", encoding="utf-8", errors="replace") as stream:
        stream.write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {line}\n")
