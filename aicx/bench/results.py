"""A run's result: its settings, the cost of each ranker, and a row for every question put to every ranker.

Written twice: as JSON, which holds all of it, and as Parquet, which holds the rows and the rest as its metadata.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson

from aicx.bench.dataset import MEASURES
from aicx.bench.datasets import Skipped
from aicx.errors import MissingExtra, NotFound, UsageError
from aicx.fields import OPTIONAL, to_fields
from aicx.storage import replace_file
from aicx.storage.typed import from_json
from aicx.values import dataclass

if TYPE_CHECKING:
    import polars as pl


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


SCHEMA = "aicx.bench/1"
_METADATA = "aicx.bench"
_NEXT = "aicx bench run makes one"
# The column that results of older versions lack.
_LATER = "evidence"


@dataclass(frozen=True, slots=True)
class BenchResult:
    """The settings of a measurement, and its results. ``rows`` is a polars frame.

    A row: dataset, ranker, query, part, type, evidence (as the ranker labels its answers; null where it labels none),
    the measures (null for a negative question), answers (how many), seconds (warm), tokens (null where they were not
    counted). ``answers`` is null where the ranker failed on the question: that is not silence.
    """

    facts: Facts
    rows: pl.DataFrame

    @property
    def seed(self) -> int:
        return self.facts.settings.seed


def rows_frame(rows: list[dict[str, Any]] | dict[str, list[Any]]) -> pl.DataFrame:
    """Rows, or their columns, as a frame, with the columns a result has even where there are no rows."""
    polars = load_polars()
    texts = dict.fromkeys(("dataset", "ranker", "query", "part", "type", "evidence"), polars.String)
    numbers = dict.fromkeys((*MEASURES, "seconds"), polars.Float64)
    counts = {"answers": polars.Int64, "tokens": polars.Int64}
    frame: pl.DataFrame = polars.DataFrame(rows, schema=texts | numbers | counts)
    return frame


def write_result(result: BenchResult, stem: Path) -> tuple[Path, Path]:
    """Writes ``stem``.json and ``stem``.parquet, and says where; a result that is there already stays."""
    import polars as pl

    name = next(name for name in _numbered(stem.name) if not stem.with_name(f"{name}.json").exists())
    facts = {"schema": SCHEMA, **to_fields(result.facts)}
    body = facts | {"rows": result.rows.to_dict(as_series=False)}
    json_path, parquet_path = stem.with_name(f"{name}.json"), stem.with_name(f"{name}.parquet")
    stem.parent.mkdir(parents=True, exist_ok=True)
    # Latency is the only column that does not repeat; as 32-bit numbers the rows take half the room.
    rows = result.rows.with_columns(pl.col("seconds").cast(pl.Float32))
    buffer = io.BytesIO()
    rows.write_parquet(buffer, compression="zstd", metadata={_METADATA: orjson.dumps(facts).decode()})
    replace_file(parquet_path, buffer.getvalue())
    replace_file(json_path, orjson.dumps(body, option=orjson.OPT_APPEND_NEWLINE))
    return json_path, parquet_path


def _numbered(name: str) -> Iterator[str]:
    """``name``, then with a number: two runs may have begun in the same second."""
    yield name
    yield from (f"{name}_{number}" for number in count(2))


def read_result(path: Path) -> BenchResult:
    """The result in a JSON or Parquet file, or the newest one in a folder."""
    pl = load_polars()
    if path.is_dir():
        path = newest_result(path)
    try:
        if path.suffix == ".parquet":
            read = orjson.loads(pl.read_parquet_metadata(path)[_METADATA])
            rows = pl.read_parquet(path).with_columns(pl.col("seconds").cast(pl.Float64))
            if _LATER not in rows.columns:
                rows = rows.with_columns(pl.lit(None, pl.String).alias(_LATER))
        else:
            read = orjson.loads(path.read_bytes())
            columns = read.pop("rows")
            rows = rows_frame({_LATER: [None] * len(columns["query"]), **columns})
        if read["schema"] != SCHEMA:
            raise ValueError("it is of another version")
        return BenchResult(from_json(Facts, read), rows)
    except FileNotFoundError as error:
        raise NotFound(f"{path} does not exist", hint=_NEXT) from error
    except (ValueError, KeyError, TypeError, pl.exceptions.PolarsError) as error:
        raise UsageError(f"{path} is not a result of this version of aicx: {error}", hint=_NEXT) from error


def join_results(results: Sequence[BenchResult]) -> BenchResult:
    """Results on the same questions and documents as one: the rankers of each, in their order, none twice.

    Settings and machine are those of the first. Raises UsageError where a set of one name holds other data.
    """
    first = results[0]
    datasets: dict[str, DatasetFacts] = {}
    rankers: dict[tuple[str, str], RankerCosts] = {}
    frames = []
    for result in results:
        for described in result.facts.datasets:
            known = datasets.setdefault(described.name, described)
            if known.fingerprint != described.fingerprint:
                raise UsageError(f"the results hold other data called {described.name}", hint="report each by itself")
        added = {
            (row.dataset, row.ranker): row for row in result.facts.rankers if (row.dataset, row.ranker) not in rankers
        }
        rankers |= added
        mine = [pair in added for pair in zip(result.rows["dataset"], result.rows["ranker"], strict=True)]
        frames.append(result.rows.filter(mine))
    names = dict.fromkeys(name for result in results for name in result.facts.settings.rankers)
    facts = replace(
        first.facts,
        settings=replace(first.facts.settings, rankers=list(names)),
        datasets=list(datasets.values()),
        skipped=[row for result in results for row in result.facts.skipped],
        rankers=list(rankers.values()),
    )
    return BenchResult(facts, load_polars().concat(frames))


def newest_result(folder: Path) -> Path:
    """The newest result in a folder: their names begin with the time they were made."""
    found = sorted(folder.glob("*.json"))
    if not found:
        raise NotFound(f"there is no result in {folder}", hint=_NEXT)
    return found[-1]


def load_polars() -> Any:
    """The library, imported here because no other command should pay for it."""
    try:
        import polars
    except ImportError as error:
        raise MissingExtra("The benchmark", "bench") from error
    return polars
