"""A share as a search asks it: what it is handed, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Protocol

from aicx.filters import Filters
from aicx.types import Candidate
from aicx.values import dataclass
from retrieval.evidence import Occurrences
from retrieval.fusion import Scale
from retrieval.params import RankingParams
from retrieval.questions import Question


@dataclass(frozen=True, slots=True)
class Shared:
    """What one database of a share answers. ``rows`` are as those of the catalogue, with ``stored`` and ``member``.

    Every ranking has all candidates; ``found`` says which of them its retriever found itself.
    """

    rankings: Mapping[str, Sequence[Candidate]]
    found: Mapping[str, Set[str]]
    scales: Mapping[str, Scale]
    rows: Mapping[str, Mapping[str, Any]]
    occurrences: Occurrences
    verbatim: bool = False


@dataclass(frozen=True, slots=True)
class TeamAnswer:
    """What every database of a share answers, and a line for what could not be asked."""

    found: Sequence[Shared]
    notes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Meant:
    """The vector of a question, and the model that made it: one of another model says nothing to it."""

    vector: Any
    fingerprint: str
    model: str


class Team(Protocol):
    """A share, asked one question. ``ask`` returns at once; ``answer`` waits no longer than the user lets it.

    ``member`` is who asks.
    """

    @property
    def member(self) -> str: ...

    def ask(self, question: Question, filters: Filters, rules: RankingParams, limit: int) -> None: ...

    def answer(self, meant: Meant | None) -> TeamAnswer: ...


def is_shared(row: Any) -> bool:
    """Whether a row is of the share: rows of the catalogue are SQLite's own."""
    return isinstance(row, dict)
