"""`aicx why` with git at hand, right after `aicx store` (``why``) or `aicx index` (``why:static``).

It is asked only for commits, not for texts: on a set without their repositories it fails on every question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.bench.dataset import Query, session_key
from aicx.bench.rankers import DEFAULT_CHOICES, Choices, QuestionFailed, RankerFolders, product
from aicx.bench.stores import settings_for
from aicx.types import Candidate, Document

if TYPE_CHECKING:
    from aicx.why.commits import WhyReport

IN_MEMORY = False


class WhyRanker:
    """Without documents, in a process that only shows how long it takes, an answer names the session itself."""

    def __init__(
        self, name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
    ) -> None:
        self._settings, self._choices = settings_for(product.home_of(name, place)), choices
        # Of each session, as an answer of `aicx why` is one and an answer of a ranker is a document.
        self._chunks = {session_key(str(document.columns["session_id"])): document.id for document in documents}

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        sessions = self._report(query, limit).sessions
        keys = [session_key(one.session.session_id) for one in sessions]
        return [Candidate(self._chunks.get(key, key), one.score) for key, one in zip(keys, sessions, strict=True)]

    def excerpts(self, query: Query, limit: int) -> list[str]:
        return [line.text for line in self._report(query, limit).reason]

    def _report(self, query: Query, limit: int) -> WhyReport:
        from aicx.why.run import WhyQuery, why

        if query.target is None or query.place is None:
            raise QuestionFailed("the question is not about a commit in a repository at hand")
        asked = WhyQuery(query.target, query.now, query.place, limit)
        return why(self._settings, asked if self._choices.why is None else replace(asked, weights=self._choices.why))


open_ranker = WhyRanker


def build(name: str, documents: Sequence[Document], place: RankerFolders) -> float | None:
    if place.home is None:
        raise QuestionFailed("the documents of this set are not sessions")
    return product.build(name, documents, place)


def index_paths(name: str, place: RankerFolders) -> Sequence[Path]:
    return product.index_paths(name, place)
