"""Suggests lines of a continuity note as proposals: few, each worth a person's minute, and never what comes next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Literal

from aicx.continuity.note import Layer, Note, NoteItem
from aicx.memory.candidates.rules import claims_of, kind_of_statement
from aicx.memory.candidates.session import topic_of_text
from aicx.memory.proposals import Proposal, ProposalKind, Sighting
from aicx.memory.review.states import reads_like_instruction
from aicx.refs import Ref
from aicx.telling import ENOUGH, count_telling

# What is worth keeping of a section that a person wrote into the note. What comes next, what was not tried and which
# files were open is the work itself, and nothing of it lasts.
_KINDS: Mapping[str, ProposalKind] = {"decision": "decision", "environment": "fact"}
_LASTING: frozenset[str] = frozenset({"confirmed", "failed", "decision", "environment"})
_PATHS: dict[Layer, str] = {"local": "active.md", "project": "project.md"}
_PER_SECTION = 4
_MAX_STATEMENT = 300


def proposals_of(note: Note, repository: str, now: datetime) -> Iterator[Proposal]:
    """Proposes each line of a note that is worth it, the first of each section alone."""
    for items in note.sections.values():
        worth = ((item, found) for item in items if (found := _worth(item)) is not None)
        for item, (statement, kind) in islice(worth, _PER_SECTION):
            session = _session_of(item)
            refs = [Ref.parse(text) for text in item.evidence] or [session]
            seen = tuple(Sighting(ref, session, item.at or now, item.lane, statement) for ref in refs)
            origin: Literal["subagent", "assistant"] = "subagent" if item.lane == "subagent" else "assistant"
            topic, claims = topic_of_text(statement), claims_of(statement)
            yield Proposal(statement, kind, topic, origin, item.lane, "noted", repository, seen, claims)


def _session_of(item: NoteItem) -> Ref:
    """The session that a line is from; the note itself where no session said it."""
    for ref in item.evidence:
        if ref.startswith("session:"):
            return Ref.parse(ref)
    for ref in item.evidence:
        if ref.startswith("chunk:"):  # a chunk's name is its session's, and a number
            return Ref.parse(f"session:{ref.removeprefix('chunk:').rpartition(':')[0]}")
    return Ref("live", f"continuity:{_PATHS[item.layer]}")


def _worth(one: NoteItem) -> tuple[str, ProposalKind] | None:
    """The statement that a line makes, and its kind; None where it is not worth keeping."""
    if one.kind not in _LASTING or one.text.endswith("…"):  # nobody can agree to half a sentence
        return None
    if (found := kind_of_statement(one.text)) is not None:
        return found
    kind = _KINDS.get(one.kind)
    if one.evidence or kind is None or len(one.text) > _MAX_STATEMENT or count_telling(one.text) < ENOUGH:
        return None
    return one.text, "policy" if reads_like_instruction(one.text) else kind
