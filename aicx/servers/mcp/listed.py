"""What is said of each chunk in a list."""

from __future__ import annotations

from typing import Any

# Of the sidecars of a list of chunks, what the text is made of.
_BRIEF = (
    *("id", "agent", "project", "session_id", "date", "kind", "started_at", "completed_at", "title", "chunk_title"),
    *("automated", "automated_why", "runs", "branch", "cwd", "lane", "run_id", "prompt_id", "found_in", "altered"),
    *("score", "member", "path"),
)
# What structured content has of each item: what the text says of it, the id to read on included.
OF_A_CHUNK = (
    "id",
    "score",
    "started_at",
    "project",
    "title",
    "kind",
    "branch",
    "run_id",
    "found_in",
    "automated",
    "member",
)


def brief(fields: dict[str, Any]) -> dict[str, Any]:
    """``fields`` with what is said of each chunk in a list, in place of its whole sidecar."""
    found = [{name: item[name] for name in _BRIEF if name in item} for item in fields["items"]]
    return fields | {"items": [_of_member(item) for item in found]}


def _of_member(item: dict[str, Any]) -> dict[str, Any]:
    """The item with its member where another one wrote it: it has no path on this machine, and no tool opens it."""
    path = item.pop("path", None)
    return item if path == "" else {name: value for name, value in item.items() if name != "member"}
