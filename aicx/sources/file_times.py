"""When a file was last changed: the only date of logs and artifacts that hold none."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path


def changed_at(path: Path | None) -> datetime | None:
    """The modification time of ``path`` to the second, aware and UTC; None when there is no such file."""
    try:
        return None if path is None else datetime.fromtimestamp(int(path.stat().st_mtime), UTC)
    except (OSError, ValueError, OverflowError):
        return None
