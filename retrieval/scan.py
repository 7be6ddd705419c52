"""Ranks without any index: reads every document there is and scores it with rank-bm25, the reference BM25."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from aicx.types import Candidate, Document
from retrieval.analysis import analyze
from retrieval.questions import Question

# As the BM25 index has it, so that both agree on the same terms; tests/retrieval/test_lexical.py compares them.
_K1 = 1.2


def scan(documents: Iterable[Document], question: Question, limit: int) -> list[Candidate]:
    """The best documents, best first; only those that share a term with the question."""
    # Imported here: it brings numpy, which nobody needs whose index is in order.
    from rank_bm25 import BM25Plus

    ids: list[str] = []
    corpus: list[list[str]] = []
    for document in documents:
        ids.append(document.id)
        corpus.append(_terms(document))
    wholes = [run.whole for run in question.runs if run.whole]
    wanted = [*question.terms.words, *question.terms.names, *wholes]
    if not ids or not wanted:
        return []
    scores = BM25Plus(corpus, k1=_K1).get_scores(wanted)
    sought = set(wanted)
    found = [
        Candidate(document_id, float(score))
        for document_id, score, terms in zip(ids, scores, corpus, strict=True)
        if sought.intersection(terms)
    ]
    return sorted(found, key=lambda candidate: (-candidate.score, candidate.id))[:limit]


def _terms(document: Document) -> list[str]:
    """Words and names of a document, all of one worth: the reference knows no fields."""
    texts: Sequence[str] = [document.header, *(part.text for part in document.parts)]
    terms: list[str] = []
    for text in texts:
        found = analyze(text)
        terms += found.words
        terms += found.names
    return terms
