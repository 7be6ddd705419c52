"""How answers are labelled: where nothing answers a question, right is no answer or one labelled as weak evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from aicx.values import dataclass
from retrieval.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Labels:
    """How many questions of one kind got answers labelled as strong or weak evidence, and how many got none."""

    strong: int
    weak: int
    none: int

    @property
    def asked(self) -> int:
        return self.strong + self.weak + self.none

    @property
    def quiet(self) -> int:
        """Those told that there may be nothing: right for a question that nothing answers, wrong for any other."""
        return self.weak + self.none


def count_labels(labels: Iterable[Evidence]) -> Labels:
    counts = Counter(labels)
    return Labels(counts["strong"], counts["weak"], counts["none"])


def label_of(answers: int, evidence: Evidence | None) -> Evidence:
    """The label of a ranker's answers; those of one that labels none count as strong."""
    return evidence or ("strong" if answers else "none")
