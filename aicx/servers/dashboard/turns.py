"""A stored chunk read back as turns: who said or did what and when, for a reader to show one by one."""

from __future__ import annotations

import re
from typing import Any

from aicx.corpus.files.sidecar import Sidecar
from aicx.errors import CorpusDamaged

# The last line before a message's text, as `aicx.corpus.ingest.render` writes it.
_HEADING = re.compile(rb"### \d\d:\d\d:\d\d (?P<title>[^\n]*)\n\n(?:`{3,}\n)?\Z")
_LONGEST_HEADING = 1000
_PART = re.compile(r" \(\d+/\d+\)$")
_SPOKEN = ("user", "assistant")


def turns_of(sidecar: Sidecar, markdown: bytes) -> list[dict[str, Any]]:
    """The turns of a chunk in order, without those it repeats from the chunk before.

    Raises CorpusDamaged when the sidecar does not fit the Markdown, which a person may have edited.
    """
    try:
        return [_turn(message, markdown) for message in sidecar.messages if not message.get("repeated")]
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise CorpusDamaged(f"the sidecar of {sidecar.id} does not fit it", hint="aicx doctor") from error


def _turn(message: dict[str, Any], markdown: bytes) -> dict[str, Any]:
    low, high = message["span"]
    if not 0 <= low <= high <= len(markdown):
        raise ValueError("a span beyond the text")
    heading = _HEADING.search(markdown, max(0, low - _LONGEST_HEADING), low)
    if heading is None:
        raise ValueError("no heading before a message")
    title = _PART.sub("", heading["title"].decode("utf-8", "replace"))
    role = _role(message)
    return {
        "role": role,
        "at": message["at"],
        "title": title,
        "text": markdown[low:high].decode("utf-8", "replace"),
        "tool": _tool(title) if role == "tool" else None,
        # Open is what people and agents said to each other; the rest opens on demand.
        "folded": role not in _SPOKEN or bool(message.get("echo")),
        "part": message.get("part"),
        "echo": bool(message.get("echo")),
    }


def _role(message: dict[str, Any]) -> str:
    """Who speaks, as a reader would say: what an agent's client put into the log is a note in the margin."""
    role, origin = message["role"], message["origin"]
    if role in ("tool", "reasoning"):
        return str(role)
    return str(role) if (role, origin) in (("user", "typed"), ("assistant", "agent")) else "note"


def _tool(title: str) -> dict[str, str]:
    name = title.removeprefix("tool · ")
    for outcome in ("result", "failed"):
        if name.endswith(f" {outcome}"):
            return {"name": name.removesuffix(f" {outcome}"), "outcome": outcome}
    return {"name": name, "outcome": "call"}
