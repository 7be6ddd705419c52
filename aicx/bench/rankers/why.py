"""`aicx why` with git at hand, right after `aicx store` (``why``) or `aicx index` (``why:static``).

It is asked only for commits, not for texts: on a set without their repositories it fails on every question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.bench.dataset import Query, session_key
from aicx.bench.rankers import DEFAULT_CHOICES, Choices, QuestionFailed, RankerFolders, product
from aicx.bench.stores import settings_for
from aicx.types import Candidate, Document
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.config import Settings
    from aicx.why.commits import WhyReport

IN_MEMORY = False


@dataclass(frozen=True, slots=True)
class WhyRanker:
    """``chunks`` names a chunk of each session: an answer of `aicx why` is a session, one of a ranker a document.

    Without documents, in a process that only shows how long it takes, the session itself is named.
    """

    settings: Settings
    choices: Choices
    chunks: Mapping[str, str]

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        sessions = self._report(query, limit).sessions
        keys = [session_key(one.session.session_id) for one in sessions]
        return [Candidate(self.chunks.get(key, key), one.score) for key, one in zip(keys, sessions, strict=True)]

    def excerpts(self, query: Query, limit: int) -> list[str]:
        return [line.text for line in self._report(query, limit).reason]

    def _report(self, query: Query, limit: int) -> WhyReport:
        from aicx.why.run import WhyQuery, why

        if query.target is None or query.place is None:
            raise QuestionFailed("the question is not about a commit in a repository at hand")
        asked = WhyQuery(query.target, query.now, query.place, limit)
        return why(self.settings, asked if self.choices.why is None else replace(asked, weights=self.choices.why))


def build(name: str, documents: Sequence[Document], place: RankerFolders) -> float | None:
    if place.home is None:
        raise QuestionFailed("the documents of this set are not sessions")
    return product.build(name, documents, place)


def open_ranker(
    name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
) -> WhyRanker:
    chunks = {session_key(str(document.columns["session_id"])): document.id for document in documents}
    return WhyRanker(settings_for(product.home_of(name, place)), choices, chunks)


def index_paths(name: str, place: RankerFolders) -> Sequence[Path]:
    return product.index_paths(name, place)
