"""The facts of a result beside its rows: when and where it was made, of what data, and what each ranker cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any, Literal

from aicx.bench.datasets import Skipped
from aicx.fields import OPTIONAL
from aicx.storage.typed import from_json
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine, as far as it decides a time. No name of it or of its user."""

    system: Annotated[str, "operating system"]
    release: Annotated[str | None, "of the system; not in a report"] = field(metadata=OPTIONAL)
    architecture: Annotated[str, "such as `x86_64`"]
    processor: Annotated[str, "its model"]
    cores: Annotated[int | None, "that the process may use"]
    memory_gb: Annotated[float, "memory"]


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The settings of a run."""

    rankers: Annotated[Sequence[str], "their names"]
    seed: Annotated[int, "random seed"]
    resamples: Annotated[int, "of the bootstrap and of the randomisation test"]
    depth: Annotated[int, "answers a question"]
    cold_runs: Annotated[int, "cold starts for each ranker"]
    seconds: Annotated[float, "limit for one ranker"]
    ablate: Annotated[bool, "whether rules were switched off"]
    rules: Annotated[Mapping[str, Any], "every rule of ranking as it was"]


@dataclass(frozen=True, slots=True)
class DatasetFacts:
    """The make-up of a dataset, never what it says."""

    name: Annotated[str, "its name"]
    fingerprint: Annotated[str, "of questions, answers and documents"]
    answer: Annotated[Literal["document", "session"], "what an answer is"]
    queries: Annotated[Mapping[str, Mapping[str, int]], "part → type → number of questions"]
    documents: Annotated[int, "number of documents"]
    corpora: Annotated[int, "number of corpora, each asked on its own"]
    answers: Annotated[int, "number of possible answers"]
    notes: Annotated[Sequence[str], "what was left out"]


@dataclass(frozen=True, slots=True)
class RankerCosts:
    """The costs of one ranker on one dataset; with a `failure` nothing else counts."""

    dataset: Annotated[str, "name of the dataset"]
    ranker: Annotated[str, "its name"]
    failure: Annotated[str | None, "why it has no answers, or null"] = None
    build_seconds: Annotated[float | None, "to build its index; null where that is unknown"] = None
    index_bytes: Annotated[int, "size of its index"] = 0
    base_bytes: Annotated[int, "memory before it began: the documents and Python"] = 0
    peak_bytes: Annotated[int, "the most memory its process held"] = 0
    cold_seconds: Annotated[Sequence[float], "of whole processes that ask once"] = ()
    bare_seconds: Annotated[Sequence[float], "of a bare interpreter started beside each"] = ()
    failed: Annotated[Mapping[str, str], "question → why the ranker failed on it"] = field(default_factory=dict)
    # Results of older versions have none.
    notes: Annotated[Sequence[str], "of a peer: version, mode, how it was asked"] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """A result without its rows."""

    made_at: Annotated[str, "time"]
    commit: Annotated[str | None, "of the code"]
    machine: Annotated[Machine, "what it ran on"]
    versions: Annotated[Mapping[str, str], "package → version"]
    settings: Annotated[RunSettings, "what was run"]
    datasets: Annotated[Sequence[DatasetFacts], "those that were measured"]
    skipped: Annotated[Sequence[Skipped], "datasets that were missing"]
    rankers: Annotated[Sequence[RankerCosts], "one for each ranker and dataset"]

    def costs(self, dataset: str) -> list[RankerCosts]:
        """Those of one dataset, in the order they were run."""
        return [row for row in self.rankers if row.dataset == dataset]


def decode_facts(read: Mapping[str, Any]) -> Facts:
    """The facts in a result's file; fields that are not known are left out. Raises as `from_json` does."""
    return from_json(Facts, read)
