"""Finds what the agent said in the end to a request: its last message before the next prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aicx.corpus.catalog.database import Catalog
from aicx.corpus.files.read import StoredText, load_sidecar, read_intact
from aicx.corpus.files.sidecar import Sidecar
from aicx.corpus.views.documents import own_messages
from aicx.errors import AicxError
from aicx.paths import Layout
from aicx.values import dataclass

# So many chunks after a request its work is followed.
_MAX_CHUNKS = 60


@dataclass(frozen=True, slots=True)
class AgentReply:
    """A message of the agent, and the chunk that holds it."""

    chunk: str
    text: str


def find_reply(
    layout: Layout,
    catalog: Catalog,
    stored: StoredText,
    place: int,
    where: tuple[str, Sequence[Any]],
    tells: Callable[[str], bool],
) -> AgentReply | None:
    """The agent's last message that ``tells`` in the turn to which the message at ``place`` of a chunk belongs.

    ``where`` limits the chunks that may be read, as an SQL condition and its values. None where the agent said nothing
    more, or where that cannot be read.
    """
    sidecar = stored.sidecar
    said, ended = _said(own_messages(sidecar)[place:], first=True)
    if not ended and (last := _last_chunk(layout, catalog, sidecar, where)):
        try:
            later = read_intact(layout, last)
        except AicxError:
            return None  # a command that shows the chunk says what is wrong with it
        if reply := _last_of(later, _said(own_messages(later.sidecar))[0], tells):
            return reply
    return _last_of(stored, said, tells)


def _last_chunk(layout: Layout, catalog: Catalog, sidecar: Sidecar, where: tuple[str, Sequence[Any]]) -> str | None:
    """The path of the last chunk in which the agent still speaks before the next prompt, after the given one."""
    condition, values = where
    rows = catalog.each(
        "SELECT number, path, (SELECT max(role='assistant') FROM messages WHERE chunk=chunks.rowid) AS answers,"
        " (SELECT max(role='user') FROM messages WHERE chunk=chunks.rowid) AS asks FROM chunks"
        f" WHERE {condition} AND agent=? AND session_id=? AND stream=? AND number>? ORDER BY number LIMIT ?",
        (*values, sidecar.agent, sidecar.session_id, sidecar.stream, sidecar.number, _MAX_CHUNKS),
    )
    last: str | None = None
    for number, row in enumerate(rows, sidecar.number + 1):
        if row["number"] != number:
            break  # a chunk that must not be read may hold the next prompt
        said: list[Mapping[str, Any]] = []
        ended = False
        if row["asks"]:
            try:
                said, ended = _said(own_messages(load_sidecar(layout, row["path"])))
            except AicxError:
                break
        if said or (row["answers"] and not ended):
            last = row["path"]
        if ended:
            break
    return last


def _said(messages: Sequence[Mapping[str, Any]], *, first: bool = False) -> tuple[list[Mapping[str, Any]], bool]:
    """The agent's messages before the next prompt, and whether there is one; the ``first`` may be a prompt."""
    said: list[Mapping[str, Any]] = []
    for number, message in enumerate(messages):
        if message["role"] == "user" and message["origin"] == "typed" and not (first and number == 0):
            return said, True
        if message["role"] == "assistant" and message["origin"] == "agent":
            said.append(message)
    return said, False


def _last_of(
    stored: StoredText, messages: Sequence[Mapping[str, Any]], tells: Callable[[str], bool]
) -> AgentReply | None:
    texts = (stored.markdown[slice(*message["span"])].decode("utf-8", "replace") for message in reversed(messages))
    found = next(filter(tells, texts), None)
    return AgentReply(stored.sidecar.id, found) if found else None
