"""What the tools of one chunk printed of commits and requests, for the table of sightings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, NamedTuple

from aicx.git.listed import ListedChange, created_request, listed_commits, listed_requests

# Commands that print commits and requests; where a chunk lacks the call, its answer alone is looked at.
_PROGRAMS = ("git ", "gh ", "glab ")


class Printed(NamedTuple):
    """One commit or request as one message shows it."""

    listed: ListedChange
    at: str


def printed_in(fields: Mapping[str, Any], markdown: bytes) -> list[Printed]:
    """Reads the results of tools that begin in a chunk; none of a chunk that was altered on disk."""
    found = list(dict.fromkeys(_read(fields, markdown)))
    return found if found and sha256(markdown).hexdigest() == fields["content_sha256"] else []


def _read(fields: Mapping[str, Any], markdown: bytes) -> Iterator[Printed]:
    calls: dict[str | None, Mapping[str, Any]] = {}
    results = []
    for item in fields.get("messages") or ():
        if item.get("role") == "tool":
            tool = item.get("tool") or {}
            if tool.get("phase") == "call":
                calls[tool.get("call_id")] = tool
            # What aicx answered quotes older sessions.
            elif not item.get("repeated") and not item.get("echo"):
                results.append((item, tool.get("call_id")))
    for item, call_id in results:
        call = calls.get(call_id) or {}
        command = call.get("command") or ""
        if call.get("files") or (command and not any(name in command for name in _PROGRAMS)):
            continue
        low, high = item.get("span") or (0, 0)
        text = markdown[low:high].decode("utf-8", "replace")
        created = created_request(command, text)
        for listed in (*listed_commits(text), *listed_requests(text), *((created,) if created else ())):
            yield Printed(listed, item["at"])
