"""A stored chunk read back as turns: speaker, time and text, for a reader to show one by one."""

from __future__ import annotations

from typing import Any

from aicx.corpus.files.sidecar import Sidecar
from aicx.corpus.ingest.render import speaker_of
from aicx.errors import CorpusDamaged
from aicx.evidence.text_facts import facts_in_text
from aicx.servers.dashboard.responses import Outcome, Speaker, Tool, Turn
from aicx.types import PROMPTS

_SPOKEN = ("user", "assistant")


def turns_of(sidecar: Sidecar, markdown: bytes) -> list[Turn]:
    """The turns of a chunk in order, without those it repeats from the chunk before.

    Raises CorpusDamaged when the sidecar does not fit the Markdown, which a person may have edited.
    """
    try:
        return [_turn(message, markdown) for message in sidecar.messages if not message.get("repeated")]
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise CorpusDamaged(f"the sidecar of {sidecar.id} does not fit it", hint="aicx doctor") from error


def _turn(message: dict[str, Any], markdown: bytes) -> Turn:
    low, high = message["span"]
    if not 0 <= low <= high <= len(markdown):
        raise ValueError("a span beyond the text")
    text = markdown[low:high].decode("utf-8", "replace")
    if message["role"] == "tool" and not message.get("tool"):  # stored before tool facts were kept
        message = {**message, "tool": facts_in_text(markdown, low, text)}
    role = _role(message)
    return Turn(
        role=role,
        at=message["at"],
        title=speaker_of(message),
        text=text,
        tool=_tool(message["tool"]) if role == "tool" else None,
        # Open is what people and agents said to each other; the rest opens on demand.
        folded=role not in _SPOKEN or bool(message.get("echo")),
        part=message.get("part"),
        echo=bool(message.get("echo")),
    )


def _role(message: dict[str, Any]) -> Speaker:
    """Who speaks, as a reader would say: what an agent's client put into the log is a note in the margin."""
    role, origin = message["role"], message["origin"]
    if role == "user" and origin in PROMPTS:
        return "user"
    if (role, origin) == ("assistant", "agent"):
        return "assistant"
    return "tool" if role == "tool" else "reasoning" if role == "reasoning" else "note"


def _tool(facts: dict[str, Any]) -> Tool:
    outcome: Outcome = "call" if facts["phase"] == "call" else "failed" if facts.get("failed") else "result"
    return Tool(facts["name"], facts.get("call_id"), outcome)
