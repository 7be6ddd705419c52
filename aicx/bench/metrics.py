"""Quality of rankings by the usual measures, computed by ir-measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aicx.bench.dataset import Query
from aicx.errors import MissingExtra

# Our name -> the library's. MRR@10 is the mean of RR@10, and a hit is what it calls success.
MEASURES: Mapping[str, str] = {
    "MRR@10": "RR@10",
    "nDCG@10": "nDCG@10",
    "Recall@5": "R@5",
    "Recall@10": "R@10",
    "hit@1": "Success@1",
    "hit@10": "Success@10",
}
DEPTH = 10


def quality(queries: Sequence[Query], rankings: Mapping[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    """Each question's measures: query id -> measure -> value. Negative questions have none and are left out.

    ``rankings`` gives each question's answers, best first and each once; a question without one scores 0.
    """
    try:
        import ir_measures
    except ImportError as error:
        raise MissingExtra("Measuring rankings", "bench") from error

    asked = [query for query in queries if query.relevant]
    qrels = {query.id: {answer: int(grade) for answer, grade in query.relevant.items()} for query in asked}
    # Scores that fall by one: the library orders equal scores its own way, and the order here is the ranker's.
    run = {
        query.id: {answer: float(-rank) for rank, answer in enumerate(rankings.get(query.id, ())[:DEPTH])}
        for query in asked
    }
    names = {ir_measures.parse_measure(theirs): ours for ours, theirs in MEASURES.items()}
    found: dict[str, dict[str, float]] = {query.id: dict.fromkeys(MEASURES, 0.0) for query in asked}
    for value in ir_measures.iter_calc(list(names), qrels, run):
        found[value.query_id][names[value.measure]] = float(value.value)
    return found
