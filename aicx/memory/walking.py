"""The files of the memory: records with the stamps of their files, the log, and the stamp of what was decided."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from aicx.memory.events import LOG, Log, decode
from aicx.memory.seal import KEY, SEAL


def read_log(memory: Path) -> Log:
    """The events of the log; none where there is no log yet."""
    return decode(_bytes(memory / LOG) or b"")


def list_records(memory: Path) -> list[str]:
    """The path of every record below ``memory/``."""
    return sorted(path for path, _ in walk(memory))


def walk(memory: Path) -> Iterator[tuple[str, str]]:
    """Every record's path below ``memory/`` and the stamp of both its files; a lone sidecar counts as a record."""
    for folder in _folders(str(memory)):
        for kind in _folders(f"{memory}/{folder}"):
            stamps: dict[str, list[str]] = {}
            with os.scandir(f"{memory}/{folder}/{kind}") as files:
                for file in files:
                    name = file.name
                    if name.endswith(".meta.json"):
                        stem, at = name[:-10], 1
                    elif name.endswith(".md"):
                        stem, at = name[:-3], 0
                    else:
                        continue
                    with suppress(OSError):
                        found = file.stat()
                        stamps.setdefault(stem, ["", ""])[at] = (
                            f"{found.st_size}.{found.st_mtime_ns}.{found.st_ctime_ns}"
                        )
            for stem, pair in stamps.items():
                with suppress(UnicodeEncodeError):  # no name of ours, and none that a database or JSON could have
                    yield f"{folder}/{kind}/{stem}.md".encode().decode(), ".".join(pair)


def _folders(place: str) -> list[str]:
    try:
        with os.scandir(place) as found:
            return sorted(entry.name for entry in found if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def decisions_stamp(memory: Path | str) -> str:
    """What says that the decisions are the same as before: the stamps of the log, the seal and the key."""
    home = os.path.dirname(memory)  # noqa: PTH120  asked at every recall
    return ".".join(stamp_of(place) or "" for place in (f"{memory}/{LOG}", f"{home}/{SEAL}", f"{home}/{KEY}"))


def stamp_of(path: Path | str) -> str | None:
    """What says that a file is the same as before; None where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116  thousands a look: a `Path` would take longer than the call
    except OSError:
        return None
    return f"{found.st_size}.{found.st_mtime_ns}.{found.st_ctime_ns}"


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
