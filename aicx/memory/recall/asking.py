"""A question to the memory."""

from __future__ import annotations

from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING

from aicx.memory.reading import Scope
from aicx.memory.recall.ranking import DEFAULT_RULES, RecallRules
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.memory.sources_places import Named


DEFAULT_LIMIT = 8


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
