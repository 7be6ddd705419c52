"""Draws the catalogue's columns from the fields of a sidecar; keys and instants are kept as numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import blake2b
from typing import Any

# Of a chunk: the agent says something before the next prompt is typed, and one is.
SPEAKS, ENDS = 1, 2
# How a folder was decided, where that is evidence by itself and not drawn from any other.
_EVIDENT = {"git-remote": "git", "log-remote": "recorded"}


def own_messages(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The messages that begin in a chunk: not repeated from the one before, and one cut into parts counts once."""
    messages = fields.get("messages") or ()
    return [item for item in messages if not item.get("repeated") and (item.get("part") or [1])[0] == 1]


def said_before_prompt(
    messages: Iterable[Mapping[str, Any]], *, first: bool = False
) -> tuple[list[Mapping[str, Any]], bool]:
    """The agent's messages before the next prompt, and whether there is one; the ``first`` may be a prompt."""
    said: list[Mapping[str, Any]] = []
    for number, message in enumerate(messages):
        role, origin = message.get("role"), message.get("origin")
        if role == "user" and origin == "typed" and not (first and number == 0):
            return said, True
        if role == "assistant" and origin == "agent":
            said.append(message)
    return said, False


def turn_of(fields: Mapping[str, Any]) -> int:
    """How a chunk goes on with a turn that began before it: `SPEAKS`, `ENDS`, both or neither."""
    roles = {item.get("role") for item in own_messages(fields)}
    if "user" not in roles:
        return SPEAKS if "assistant" in roles else 0
    searched = (item for item in fields.get("messages") or () if not item.get("repeated") and not item.get("echo"))
    said, ended = said_before_prompt(searched)
    return (SPEAKS if said or (not ended and "assistant" in roles) else 0) | (ENDS if ended else 0)


def evidence_of(fields: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """(folder, kind, what was said) for everything a chunk knows of the repositories of folders.

    What git named as the remote when the chunk was stored, and what its log had recorded, is known from ``folders``.
    """
    found = {(str(seen["folder"]), str(seen["kind"]), str(seen["said"])) for seen in fields.get("places") or ()}
    for cwd, decided in (fields.get("folders") or {}).items():
        if decided and (kind := _EVIDENT.get(decided.get("repo_source"))):
            found.add((cwd, kind, str(decided["project"])))
    return sorted(found)


def tools_of(fields: Mapping[str, Any]) -> list[str]:
    """The tools that a chunk has to do with: those called in it, and those whose results begin in it."""
    results = (tool.get("name") for item in own_messages(fields) if (tool := item.get("tool")))
    return sorted({name for name in (*(fields.get("tools") or ()), *results) if isinstance(name, str)})


def any_tool_failed(fields: Mapping[str, Any]) -> bool:
    """Whether a tool failed in a chunk; where its messages lack the facts of tools, its list of errors says so."""
    return bool(fields.get("errors")) or any((item.get("tool") or {}).get("failed") for item in own_messages(fields))


def milliseconds(instant: str) -> int:
    """Unix time in milliseconds of an instant as sidecars write it."""
    return round(datetime.fromisoformat(instant).timestamp() * 1000)


def message_key(agent: str, identity: str) -> str:
    """The key of a message: 16 hex digits from whose it is and what identifies it there."""
    return blake2b(f"{agent}\0{identity}".encode("utf-8", "replace"), digest_size=8).hexdigest()


def key_of_text(text: str) -> str:
    """The key by which two messages with the same text are known: 16 hex digits."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def key_number(key: str) -> int:
    return int.from_bytes(bytes.fromhex(key), signed=True)


def key_text(key: int) -> str:
    return key.to_bytes(8, signed=True).hex()
