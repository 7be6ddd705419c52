"""Runs rankers over datasets and gathers what they answered, how well, at what cost, and on which machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aicx
from aicx.bench.dataset import DEPTH, MEASURES, Dataset, quality
from aicx.bench.datasets import Skipped
from aicx.bench.measure import Measured, MeasureTask, measure
from aicx.bench.results import BenchResult, DatasetFacts, Facts, Machine, RankerCosts, RunSettings, rows_frame
from aicx.bench.statistics import RESAMPLES
from aicx.bench.variants import ablations, check_rules, check_variant, variant
from aicx.fields import taken_from
from aicx.git.state import Git
from aicx.values import dataclass
from retrieval.params import DEFAULT_PARAMS

# Done, total, and what is being measured.
OnProgress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class BenchPlan:
    """The plan of a run. Indexes are kept below ``cache``, exported models in ``models``.

    A ranker may be named with one rule changed. With ``ablate`` each ranker is run with every rule as it is and with
    each one switched off in turn, or only each of ``rules`` where any are named.
    """

    rankers: Sequence[str]
    cache: Path
    models: Path
    seed: int = 0
    cold_runs: int = 5
    seconds: float = 1800.0  # for one ranker over one dataset
    ablate: bool = False
    rules: Sequence[str] = ()


def run(
    datasets: Iterable[Dataset | Skipped], plan: BenchPlan, made_at: datetime, on_progress: OnProgress
) -> BenchResult:
    """Every ranker over every dataset. What is not there or fails is named in the result, and the rest goes on."""
    for name in plan.rankers:
        check_variant(name)  # a misspelt name is better known now than in an hour
    check_rules(plan.rules)
    made_by = commit()  # before anybody changes the checkout
    rows: list[dict[str, Any]] = []
    costs: list[RankerCosts] = []
    described: list[DatasetFacts] = []
    skipped: list[Skipped] = []
    for dataset in datasets:
        if isinstance(dataset, Skipped):
            skipped.append(dataset)
            continue
        fingerprint = dataset.fingerprint()
        described.append(_described(dataset, fingerprint))
        with _folder(dataset, plan.cache / fingerprint) as folder:
            for number, name in enumerate(plan.rankers):
                on_progress(number, len(plan.rankers), f"{dataset.name} {name}")
                for index, labels in _by_index(name, dataset, plan).items():
                    task = MeasureTask(index, dataset, folder, plan.models, plan.cold_runs, plan.seconds, labels)
                    for label, measured in zip(labels, measure(task), strict=True):
                        costs.append(_cost(dataset, label, measured))
                        rows += _rows(dataset, label, measured)
    facts = Facts(
        made_at=made_at.isoformat(timespec="seconds"),
        commit=made_by,
        machine=machine(),
        versions=versions(),
        settings=taken_from(plan, RunSettings, resamples=RESAMPLES, depth=DEPTH, rules=asdict(DEFAULT_PARAMS)),
        datasets=described,
        skipped=skipped,
        rankers=costs,
    )
    return BenchResult(facts, rows_frame(rows))


def _by_index(name: str, dataset: Dataset, plan: BenchPlan) -> dict[str, list[str]]:
    """The rankers that ``name`` stands for, by the one whose index they share."""
    names = [name]
    if plan.ablate:
        placed = any(query.place for query in dataset.queries)
        changes = ablations(name, plan.rules, stored=dataset.home is not None, placed=placed)
        names = [f"{name} {change}".rstrip() for change in changes]
    found: dict[str, list[str]] = {}
    for label in names:
        index, _ = variant(label)
        found.setdefault(index, []).append(label)
    return found


@contextmanager
def _folder(dataset: Dataset, cache: Path) -> Iterator[Path]:
    """Where the indexes of a dataset go: kept for the next run, or not where they hold somebody's own texts."""
    if not dataset.private:
        yield cache
        return
    with TemporaryDirectory(prefix="aicx-bench-") as folder:
        yield Path(folder)


def _described(dataset: Dataset, fingerprint: str) -> DatasetFacts:
    parts: dict[str, dict[str, int]] = {}
    for query in dataset.queries:
        types = parts.setdefault(query.part, {})
        types[query.type] = types.get(query.type, 0) + 1
    return DatasetFacts(
        name=dataset.name,
        fingerprint=fingerprint,
        answer=dataset.answer,
        queries=parts,
        documents=sum(map(len, dataset.corpora.values())),
        corpora=len(dataset.corpora),
        answers=len({dataset.answer_id(doc) for documents in dataset.corpora.values() for doc in documents}),
        notes=list(dataset.notes),
    )


def _cost(dataset: Dataset, ranker: str, measured: Measured) -> RankerCosts:
    return taken_from(
        measured,
        RankerCosts,
        dataset=dataset.name,
        ranker=ranker,
        cold_seconds=measured.cold,
        bare_seconds=measured.bare,
    )


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


# What can change a figure: the engines, the models' runtimes, the measures.
_PACKAGES = (
    *("tantivy", "rank-bm25", "pystemmer", "lancedb", "onnxruntime", "tokenizers", "sentence-transformers"),
    *("torch", "numpy", "polars", "pyarrow", "ir-measures", "pytrec-eval-terrier"),
)
_GIT_SECONDS = 60.0


def machine() -> Machine:
    """This machine."""
    return Machine(
        system=platform.system(),
        release=platform.release(),
        architecture=platform.machine(),
        processor=_processor(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        memory_gb=round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
    )


def versions() -> dict[str, str]:
    """aicx, Python and every installed package that can change a figure."""
    import sqlite3

    found = {"aicx": aicx.__version__, "python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def commit() -> str | None:
    """The commit of the checkout aicx runs from, with ``+`` for changes on top; None where it is installed."""
    folder = Path(aicx.__file__).resolve().parent.parent
    if not (folder / ".git").exists():
        return None
    git = Git(folder, _GIT_SECONDS)
    head = (git.ask("rev-parse", "--short=12", "HEAD") or "").strip() or None
    return f"{head}+" if head and git.begin_status("--porcelain", "--untracked-files=no")() else head


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()
