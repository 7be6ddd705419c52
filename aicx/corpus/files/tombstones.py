"""Tombstones: records of forgotten messages, sessions and projects, kept outside the derived catalogue."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import orjson

from aicx.errors import CorpusDamaged
from aicx.paths import NON_REPOSITORY
from aicx.text import first_of
from aicx.values import dataclass

_KEY = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Tombstones:
    """Forgotten sessions as (agent, id), projects, and message keys. Never a forgotten text, nor a pattern for one."""

    sessions: frozenset[tuple[str, str]] = frozenset()
    projects: frozenset[str] = frozenset()
    messages: frozenset[str] = frozenset()

    def covers(self, project: str, cwd: str | None, source: str | None = None) -> bool:
        """Whether a chunk of ``project``, worked on in ``cwd``, belongs to a forgotten project.

        Folders are among the projects, and count where git and the agent do not say which repository they are of;
        what is only learned of a folder brings nothing back. ``source`` is the chunk's ``repo_source``.
        """
        unsure = project == NON_REPOSITORY or source == "learned"
        return project in self.projects or (unsure and cwd is not None and cwd in self.projects)


# A line of the tombstones that cannot be understood: its number from 1, its bytes and the reason.
BadLine = tuple[int, bytes, str]


def read_tombstones(path: Path) -> Tombstones:
    """The tombstones on disk. A bad line is an error that names it: going on would bring forgotten things back."""
    rows, bad = parse_tombstones(path)
    if bad:
        lines = first_of((f"line {number} {reason}" for number, _, reason in bad), between="; ")
        raise CorpusDamaged(
            f"{path}, {lines}: without it, forgotten things would come back",
            hint="mend the line, or `aicx doctor --fix` sets it apart and keeps out all that is not stored now",
        )
    return Tombstones(
        frozenset((row["agent"], row["session"]) for row in rows if "session" in row),
        frozenset(row["project"] for row in rows if "project" in row and "session" not in row),
        frozenset(key for row in rows if "messages" in row for key in row["messages"]),
    )


def parse_tombstones(path: Path) -> tuple[list[dict[str, Any]], list[BadLine]]:
    """The rows of the tombstones, and the lines that are none."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return [], []
    except OSError as error:
        raise CorpusDamaged(
            f"{path} cannot be read: {error.strerror or error}", hint="check its permissions"
        ) from error
    rows: list[dict[str, Any]] = []
    bad: list[BadLine] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            rows.append(_checked(orjson.loads(line)))
        except orjson.JSONDecodeError:
            bad.append((number, line, "is not JSON"))
        except ValueError as error:
            bad.append((number, line, str(error)))
    return rows, bad


def _checked(row: Any) -> dict[str, Any]:
    """``row`` where it is a tombstone. Raises ValueError with what is wrong with it."""
    if not isinstance(row, dict):
        raise ValueError("is not an object")
    names = [("agent", "session")] if "session" in row else [("project",)] if "project" in row else []
    for name in (name for pair in names for name in pair):
        if not isinstance(row.get(name), str) or not row[name]:
            raise ValueError(f"has no {name}")
    if not names:
        keys = row.get("messages")
        if not isinstance(keys, list):
            raise ValueError("names no session, no project and no messages")
        if not all(isinstance(key, str) and _KEY.fullmatch(key) for key in keys):
            raise ValueError("names a message by something that is no key")
    return row


def with_tombstones(path: Path, rows: list[dict[str, Any]]) -> bytes:
    """The file as it has to be once ``rows`` are among the tombstones."""
    before = path.read_bytes() if path.exists() else b""
    if before and not before.endswith(b"\n"):
        before += b"\n"
    return before + b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)
