"""The log of hooks that failed: short lines in the home, at most two files of a bounded size."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from aicx.config import layout_of

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
