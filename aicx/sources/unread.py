"""Agents whose logs aicx has no source for: how many sessions of each are here, so that what is missing has a name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

# What each agent is called for people, and where its sessions are below its folder: a name is a session's.
NAMES: Mapping[str, str] = {"pi": "Pi"}
_SESSIONS: Mapping[str, tuple[str, ...]] = {
    "pi": ("sessions/*/*.jsonl",),
}


def count_unread(folders: Mapping[str, Path]) -> dict[str, int]:
    """The sessions of each agent that has any below its folder; by listing alone."""
    found = {agent: len(set(_sessions(agent, folder))) for agent, folder in folders.items()}
    return {agent: count for agent, count in found.items() if count}


def _sessions(agent: str, folder: Path) -> Iterator[str]:
    for pattern in _SESSIONS[agent]:
        for path in folder.glob(pattern):
            yield path.parent.name if path.name == "events.jsonl" else path.stem
