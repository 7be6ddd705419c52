"""What continuity suggests to keep, as proposals: few, each worth a person's minute, and never what comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Literal

from aicx.memory.candidates.session import topic_of_text
from aicx.memory.candidates.stated import claims_of
from aicx.memory.candidates.statement import kind_of_statement
from aicx.memory.proposals import Proposal, ProposalKind, Sighting
from aicx.refs import Ref
from aicx.review.states import reads_like_instruction
from aicx.telling import ENOUGH, count_telling
from aicx.types import Lane
from aicx.values import dataclass

Section = Literal["confirmed", "failed", "untried", "next", "result", "file", "decision", "environment"]
# What is worth keeping of a section that a person wrote into the note. What comes next, what was not tried and which
# files were open is the work itself, and nothing of it lasts.
_KINDS: Mapping[Section, ProposalKind] = {"decision": "decision", "environment": "fact"}
_LASTING: frozenset[Section] = frozenset({"confirmed", "failed", "decision", "environment"})
_PER_SECTION = 4
NOTE = "continuity"  # whose words they are that no session said
_MAX_STATEMENT = 300


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A line of a continuity note. ``evidence`` are references, ``session`` that of the session it is from, or empty.

    ``stated`` says that a person wrote it into the note, as far as the note can tell. ``at`` is when it was said,
    ``path`` where the note is.
    """

    text: str
    section: Section
    lane: Lane
    evidence: tuple[str, ...] = ()
    session: str = ""
    at: datetime | None = None
    stated: bool = False
    path: str = ""


def proposals_of(suggestions: Iterable[Suggestion], repository: str, now: datetime) -> Iterator[Proposal]:
    """A proposal of each suggestion that is worth it, the first of each section alone."""
    taken: Counter[Section] = Counter()
    for one in suggestions:
        if taken[one.section] >= _PER_SECTION or (found := _worth(one)) is None:
            continue
        taken[one.section] += 1
        statement, kind = found
        session = Ref.parse(one.session) if one.session else Ref("live", f"{NOTE}:{one.path}")
        refs = [Ref.parse(text) for text in one.evidence] or [session]
        seen = tuple(Sighting(ref, session, one.at or now, one.lane, statement) for ref in refs)
        origin: Literal["subagent", "assistant"] = "subagent" if one.lane == "subagent" else "assistant"
        yield Proposal(
            statement, kind, topic_of_text(statement), origin, one.lane, "noted", repository, seen, claims_of(statement)
        )


def _worth(one: Suggestion) -> tuple[str, ProposalKind] | None:
    if one.section not in _LASTING or one.text.endswith("…"):  # nobody can agree to half a sentence
        return None
    if (found := kind_of_statement(one.text)) is not None:
        return found
    kind = _KINDS.get(one.section)
    if not one.stated or kind is None or len(one.text) > _MAX_STATEMENT or count_telling(one.text) < ENOUGH:
        return None
    return one.text, "policy" if reads_like_instruction(one.text) else kind
