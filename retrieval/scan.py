"""Ranks without any index: reads every document there is and scores it with rank-bm25, the reference BM25."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from aicx.types import Candidate, Document
from retrieval.analysis import analyze
from retrieval.evidence import Occurrences, has_unit, units_of
from retrieval.questions import Question, widen

# As the BM25 index has it, so that both agree on the same terms; tests/retrieval/test_lexical.py compares them.
_K1 = 1.2


def scan(
    documents: Iterable[Document], question: Question, limit: int
) -> tuple[list[Candidate], Occurrences, Question]:
    """At most ``limit`` of the documents that share a term with the question, best first.

    Also how many documents have each word of it, and the question in the forms that were looked for.
    """
    # Imported here: it brings numpy, which nobody needs whose index is in order.
    from rank_bm25 import BM25Plus

    ids: list[str] = []
    found: list[tuple[list[str], list[str]]] = []
    for document in documents:
        ids.append(document.id)
        found.append(_terms(document))
    corpus = [[*words, *names] for words, names in found]
    question = widen(question, _unknown(question, set().union(*corpus)))
    units = units_of(question)
    counts = [0] * len(units)
    for words, names in found:
        have_words, have_names = set(words), set(names)
        for number, unit in enumerate(units):
            counts[number] += has_unit(unit, words, have_words, have_names)
    occurrences = Occurrences(units, tuple(counts), len(ids))
    forms = [form for run in question.runs for form in (run.whole, *run.others) if form]
    wanted = [*question.terms.words, *question.terms.names, *forms]
    if not ids or not wanted:
        return [], occurrences, question
    scores = BM25Plus(corpus, k1=_K1).get_scores(wanted)
    sought = set(wanted)
    candidates = [
        Candidate(document_id, float(score))
        for document_id, score, terms in zip(ids, scores, corpus, strict=True)
        if sought.intersection(terms)
    ]
    candidates.sort(key=lambda candidate: (-candidate.score, candidate.id))
    return candidates[:limit], occurrences, question


def _unknown(question: Question, known: Set[str]) -> list[str]:
    """The words and names of a question, as typed, that no document has as a question in English has them."""
    return [run.typed for run in question.runs if known.isdisjoint((*run.words, *run.names, *run.others, run.whole))]


def _terms(document: Document) -> tuple[list[str], list[str]]:
    """Words and names of a document, all of one worth: the reference knows no fields."""
    texts: Sequence[str] = [document.header, *(part.text for part in document.parts)]
    found = [analyze(text) for text in texts]
    return [word for terms in found for word in terms.words], [name for terms in found for name in terms.names]
