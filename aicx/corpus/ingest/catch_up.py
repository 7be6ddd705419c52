"""Brings sidecars of earlier versions up to date where the log is gone: who spoke, and what it is all called.

Only the sidecar changes; the Markdown and everything that refers to it stays as it was stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from aicx.corpus.catalog.database import Catalog
from aicx.corpus.files.read import read_intact
from aicx.corpus.ingest.names import Naming, name_chunk, own_texts
from aicx.corpus.ingest.session_chunks import clip_prompt
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import Layout
from aicx.sources.voices import speaker_of
from aicx.types import PROMPTS

_MAX_OPENINGS = 4
_BEHIND = """SELECT DISTINCT agent, session_id, stream FROM chunks WHERE rowid IN
 (SELECT chunk FROM names WHERE topic_from IS NULL)"""
_CHUNKS = "SELECT path, stream FROM chunks WHERE agent=? AND session_id=? AND stream=? ORDER BY number"


def caught_up(layout: Layout, catalog: Catalog) -> Iterator[tuple[str, dict[str, Any]]]:
    """The path of each chunk whose sidecar lacks its names, and the fields that the sidecar is to have.

    A chunk that is damaged or was altered is left as it is; `doctor` names it.
    """
    for session in catalog.rows(_BEHIND):
        naming = Naming()
        said: list[str] = []  # what the session began with
        last_prompt: str | None = None
        for row in catalog.rows(_CHUNKS, tuple(session)):
            try:
                stored = read_intact(layout, row["path"])
            except (NotFound, CorpusDamaged):
                continue
            fields = _with_speakers(stored.sidecar.fields, stored.markdown)
            own = list(own_texts(fields, stored.markdown))
            is_behind = "topic_from" not in fields
            said += [" ".join(one.text.split()) for one in own if one.role == "user"][: _MAX_OPENINGS - len(said)]
            title = fields.get("title") if is_behind else None
            # What an earlier version made of the first prompt is not a title that somebody gave.
            if title and any(title.removesuffix("…") in text for text in said):
                title = None
            if not is_behind and fields["topic_from"] == "agent":
                title = fields["topic"]
            names, naming = name_chunk(own, title, naming)
            opening = own[0].text if own and own[0].origin in PROMPTS else last_prompt
            last_prompt = next((one.text for one in reversed(own) if one.origin in PROMPTS), last_prompt)
            if is_behind:
                yield row["path"], fields | names | {"prompt": clip_prompt(opening) if opening else None}


def _with_speakers(fields: Mapping[str, Any], markdown: bytes) -> dict[str, Any]:
    """The fields with the true origin of every message that is said to be typed."""
    origins: dict[str, str] = {}
    messages = []
    for message in fields.get("messages") or ():
        if message["origin"] == "typed":
            low, high = message["span"]
            key = message["key"]
            if key not in origins:
                origins[key] = speaker_of(markdown[low:high].decode("utf-8", "replace")) or "typed"
            message = message | {"origin": origins[key]}
        messages.append(message)
    return {**fields, "messages": messages}
