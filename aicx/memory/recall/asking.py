"""A question to the memory, and its answer: `aicx.memory-recall/1`."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from aicx.memory.answers import MemoryEntry
from aicx.memory.reading import Scope
from aicx.memory.recall.ranking import DEFAULT_RULES, RecallRules
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.memory.sources_places import Named


DEFAULT_LIMIT = 8
SCHEMA = "aicx.memory-recall/1"


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """A question to the memory of ``scope``, with its own clock.

    ``statuses`` are shown beside those that are shown anyway. ``named`` are live sources outside the repository.
    """

    text: str
    now: datetime
    scope: Scope = field(default_factory=Scope)
    limit: int = DEFAULT_LIMIT
    everywhere: bool = False
    kinds: tuple[str, ...] = ()
    statuses: frozenset[str] = frozenset()
    with_evidence: bool = False
    named: tuple[Named, ...] = ()
    decay: str = "gentle"
    rules: RecallRules = DEFAULT_RULES


@dataclass(frozen=True, slots=True)
class ExcludedEntry:
    """A record or statement that was considered and is not among the entries. It has no text."""

    ref: Annotated[str, "its reference"]
    status: Annotated[str, "what may be believed of it, as in an entry"]
    reasons: Annotated[list[str], "codes of the closed list, the deciding one first"]
    because: Annotated[list[dict[str, Any]], "those that are about something, with it: the anchor that changed"]


@dataclass(frozen=True, slots=True)
class RecallMethod:
    """How the entries were found. Nothing in it depends on the time it took."""

    lanes: Annotated[list[str], "what answered: `lexical`, `dense`, `evidence`"]
    decay: Annotated[str, "`off`, `gentle` or `strong`"]
    threshold: Annotated[float, "the least fused score of an entry"]
    sufficient: Annotated[bool, "whether an entry matches well; where it is false, the memory has no answer"]
    missing: Annotated[list[str], "words of the question that occur nowhere in the memory"]
    considered: Annotated[int, "how many references are in `entries` and `excluded`"]


@dataclass(frozen=True, slots=True)
class DegradedLane:
    """A way of searching that did not answer, or not with everything; the others did."""

    lane: Annotated[str, "`lexical`, `dense` or `evidence`"]
    reason: Annotated[str, "`lane_unavailable`"]
    note: Annotated[str, "what is wrong, and the next step"]


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """Every considered reference is in ``entries`` or in ``excluded``, once."""

    entries: Annotated[list[MemoryEntry], "best first; what is stated is evidence unless its usage says otherwise"]
    baseline: Annotated[list[str], "references of the entries that are agreed"]
    excluded: Annotated[list[ExcludedEntry], "what was considered besides, and why it is not among them"]
    suppressed: Annotated[dict[str, int], "of what is excluded because of its status: status -> how many"]
    method: Annotated[RecallMethod, "how they were found"]
    repository: Annotated[str | None, "whose records were asked, beside those that hold everywhere"]
    degraded: Annotated[list[DegradedLane], "ways of searching that did not answer, or not with everything"]
