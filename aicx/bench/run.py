"""Runs rankers over datasets and gathers what they answered, how well, and at what cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aicx.bench.ablation import ablations
from aicx.bench.dataset import Dataset
from aicx.bench.datasets import Skipped
from aicx.bench.machine import commit, machine, versions
from aicx.bench.measure import Measured, Task, measure
from aicx.bench.metrics import DEPTH, MEASURES, quality
from aicx.bench.rankers import DEFAULT_CHOICES, check_name
from aicx.bench.results import Result, rows_frame
from aicx.bench.statistics import RESAMPLES
from retrieval.params import DEFAULT_PARAMS

# Done, total, and what is being measured.
OnProgress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run. Indexes are kept below ``cache``, exported models in ``models``.

    With ``ablate`` each ranker is run with every rule as it is and with each one switched off in turn.
    """

    rankers: Sequence[str]
    cache: Path
    models: Path
    seed: int = 0
    cold_runs: int = 5
    seconds: float = 1800.0  # for one ranker over one dataset
    ablate: bool = False


def run(datasets: Iterable[Dataset | Skipped], plan: Plan, made_at: datetime, on_progress: OnProgress) -> Result:
    """Every ranker over every dataset. What is not there or fails is named in the result, and the rest goes on."""
    for name in plan.rankers:
        check_name(name)  # a misspelt name is better known now than in an hour
    made_by = commit()  # before anybody changes the checkout
    rows: list[dict[str, Any]] = []
    costs: list[dict[str, Any]] = []
    described: list[dict[str, Any]] = []
    skipped: list[dict[str, str]] = []
    for dataset in datasets:
        if isinstance(dataset, Skipped):
            skipped.append(asdict(dataset))
            continue
        fingerprint = dataset.fingerprint()
        described.append(_described(dataset, fingerprint))
        with _folder(dataset, plan.cache / fingerprint) as folder:
            for number, name in enumerate(plan.rankers):
                on_progress(number, len(plan.rankers), f"{dataset.name} {name}")
                chosen = ablations(name, stored=dataset.home is not None) if plan.ablate else {"": DEFAULT_CHOICES}
                task = Task(name, dataset, folder, plan.models, plan.cold_runs, plan.seconds, list(chosen.values()))
                for ablation, measured in zip(chosen, measure(task), strict=True):
                    label = f"{name} {ablation}".rstrip()
                    costs.append(_cost(dataset, label, measured))
                    rows += _rows(dataset, label, measured)
    facts = {
        "made_at": made_at.isoformat(timespec="seconds"),
        "commit": made_by,
        "machine": machine(),
        "versions": versions(),
        "settings": {
            "rankers": list(plan.rankers),
            "seed": plan.seed,
            "resamples": RESAMPLES,
            "depth": DEPTH,
            "cold_runs": plan.cold_runs,
            "seconds": plan.seconds,
            "ablate": plan.ablate,
            "rules": asdict(DEFAULT_PARAMS),
        },
        "datasets": described,
        "skipped": skipped,
        "rankers": costs,
    }
    return Result(facts, rows_frame(rows))


@contextmanager
def _folder(dataset: Dataset, cache: Path) -> Iterator[Path]:
    """Where the indexes of a dataset go: kept for the next run, or not where they hold somebody's own texts."""
    if not dataset.private:
        yield cache
        return
    with TemporaryDirectory(prefix="aicx-bench-") as folder:
        yield Path(folder)


def _described(dataset: Dataset, fingerprint: str) -> dict[str, Any]:
    """A dataset as a result names it: what it is made of, never what it says."""
    parts: dict[str, dict[str, int]] = {}
    for query in dataset.queries:
        types = parts.setdefault(query.part, {})
        types[query.type] = types.get(query.type, 0) + 1
    return {
        "name": dataset.name,
        "fingerprint": fingerprint,
        "answer": dataset.answer,
        "queries": parts,
        "documents": sum(map(len, dataset.corpora.values())),
        "corpora": len(dataset.corpora),
        "answers": len({dataset.answer_id(doc) for documents in dataset.corpora.values() for doc in documents}),
        "notes": list(dataset.notes),
    }


def _cost(dataset: Dataset, ranker: str, measured: Measured) -> dict[str, Any]:
    return {
        "dataset": dataset.name,
        "ranker": ranker,
        "failure": measured.failure,
        "build_seconds": measured.build_seconds,
        "index_bytes": measured.index_bytes,
        "base_bytes": measured.base_bytes,
        "peak_bytes": measured.peak_bytes,
        "cold_seconds": measured.cold,
        "bare_seconds": measured.bare,
        "failed": measured.failed,
        "notes": measured.notes,
    }


def _rows(dataset: Dataset, ranker: str, measured: Measured) -> list[dict[str, Any]]:
    if measured.failure is not None:
        return []
    values = quality(dataset.queries, measured.answers)
    nothing = dict.fromkeys(MEASURES)
    return [
        {
            "dataset": dataset.name,
            "ranker": ranker,
            "query": query.id,
            "part": query.part,
            "type": query.type,
            **values.get(query.id, nothing),
            "answers": None if query.id in measured.failed else len(measured.answers[query.id]),
            "evidence": measured.evidence[query.id],
            "seconds": measured.seconds[query.id],
            "tokens": measured.tokens.get(query.id),
        }
        for query in dataset.queries
    ]
