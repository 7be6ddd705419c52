"""Finds what the agent said in the end to a request: its last message before the next prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.fields import ENDS, SPEAKS, said_before_prompt, turn_of
from aicx.corpus.files.read import StoredText, load_sidecar, read_intact
from aicx.corpus.files.sidecar import Sidecar
from aicx.corpus.views.documents import own_messages
from aicx.errors import AicxError
from aicx.paths import Layout

# So many chunks after a request its work is followed.
_MAX_CHUNKS = 60


class ReplyFinder:
    """Finds replies for the answers to one question, which are often of the same sessions: each file is read once.

    ``where`` limits the chunks that may be read, as an SQL condition and its values.
    """

    def __init__(self, layout: Layout, catalog: Catalog, where: tuple[str, Sequence[Any]]) -> None:
        self._catalog, self._where = catalog, where
        self._sidecar = cache(partial(load_sidecar, layout))
        self._intact = cache(partial(read_intact, layout))

    def find(self, stored: StoredText, place: int, tells: Callable[[str], bool]) -> tuple[str, str] | None:
        """The agent's last message that ``tells`` in the turn to which the message at ``place`` of a chunk belongs.

        Returns the id of the chunk that holds it, and its text; None where the agent said nothing more, or where that
        cannot be read.
        """
        sidecar = stored.sidecar
        said, ended = said_before_prompt(own_messages(sidecar)[place:], first=True)
        if not ended and (last := self._last_chunk(sidecar)):
            try:
                later = self._intact(last)
            except AicxError:
                return None  # a command that shows the chunk says what is wrong with it
            if reply := _last_of(later, said_before_prompt(own_messages(later.sidecar))[0], tells):
                return reply
        return _last_of(stored, said, tells)

    def _last_chunk(self, sidecar: Sidecar) -> str | None:
        """The path of the last chunk in which the agent still speaks before the next prompt, after the given one."""
        condition, values = self._where
        rows = self._catalog.each(
            f"SELECT number, path, {'turn' if self._catalog.has_turns else 'NULL AS turn'} FROM chunks"
            f" WHERE {condition} AND agent=? AND session_id=? AND stream=? AND number>? ORDER BY number LIMIT ?",
            (*values, sidecar.agent, sidecar.session_id, sidecar.stream, sidecar.number, _MAX_CHUNKS),
        )
        last: str | None = None
        for number, row in enumerate(rows, sidecar.number + 1):
            if row["number"] != number:
                break  # a chunk that must not be read may hold the next prompt
            try:
                turn = row["turn"] if row["turn"] is not None else turn_of(self._sidecar(row["path"]).fields)
            except AicxError:
                break
            if turn & SPEAKS:
                last = row["path"]
            if turn & ENDS:
                break
        return last


def _last_of(
    stored: StoredText, messages: Sequence[Mapping[str, Any]], tells: Callable[[str], bool]
) -> tuple[str, str] | None:
    texts = (stored.markdown[slice(*message["span"])].decode("utf-8", "replace") for message in reversed(messages))
    found = next(filter(tells, texts), None)
    return (stored.sidecar.id, found) if found else None
