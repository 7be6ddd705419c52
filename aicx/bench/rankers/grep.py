"""Plain grep as a baseline: counts the words of the question, newest text first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from aicx.bench.dataset import Query
from aicx.bench.rankers import DEFAULT_CHOICES, Choices, RankerFolders, full_text
from aicx.types import Candidate, Document

IN_MEMORY = True

_WORD = re.compile(r"\w{3,}")


class Grep:
    """Counts how many of the question's words occur in a text, as parts of words too, as `grep -i` does."""

    def __init__(
        self, name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
    ) -> None:
        newest_first = sorted(documents, key=lambda document: -int(document.columns.get("completed_at") or 0))
        self._texts = [(document.id, full_text(document).lower()) for document in newest_first]

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        words = sorted(set(_WORD.findall(query.text.lower())))
        counts = [(sum(word in text for word in words), document_id) for document_id, text in self._texts]
        # The sort is stable: among equals the newest stays first.
        found = sorted((count for count in counts if count[0]), key=lambda count: -count[0])
        return [Candidate(document_id, float(count)) for count, document_id in found[:limit]]


open_ranker = Grep


def build(name: str, documents: Sequence[Document], place: RankerFolders) -> None:
    """Nothing: it works in memory."""


def index_paths(name: str, place: RankerFolders) -> Sequence[Path]:
    return ()
