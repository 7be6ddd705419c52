"""The stages of a build as those of Ray Data: on the cores of this machine, or on a cluster that is there.

Workers write fragments, files that no version of the table names; the driver commits them once. A worker that dies
leaves at most a file that is never read, and Ray has its unit made again by another.
"""

from __future__ import annotations

import logging
import os
import pickle
import shutil
import socket
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import urlsplit

import orjson

from aicx import __version__
from aicx.engine.embedder_choice import Choice
from aicx.errors import AicxError, MissingExtra, UsageError, plainly
from aicx.share.build import Recipe, Told, Unit, Written, embedded, passages, read, without_told
from aicx.share.tables import (
    CHUNKS,
    DATA_VERSION,
    PARTITION_ROWS,
    SAMPLE,
    WORDS,
    WORDS_INDEX,
    Database,
    committed,
    reading,
    to_text,
)
from aicx.values import dataclass
from retrieval.embedders import Embedder

_SECONDS_TO_ANSWER = 10
# More pieces than this are merged before they are indexed.
_MAX_PIECES = 24
# Embedders that are open in a moment; of the others an actor keeps its own open.
_IN_TASKS = ("static",)
# With fewer rows, starting the workers of each index of words takes longer than one process needs for all; with fewer
# rows that have vectors, reading all of these is quick enough.
_MIN_ROWS, _MIN_VECTORS = 200_000, 50_000


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Ray that is connected, and how many units it can make at once."""

    workers: int

    def write(
        self, database: Database, recipe: Recipe, units: Sequence[Unit], advance: Callable[[int], None]
    ) -> Written:
        """The engine of `build`: every unit is a task, its rows become fragments, and these are committed together."""
        import lance_ray
        import ray

        uri = _uri(database)
        told: list[Told] = []
        fragments: list[tuple[bytes, bytes]] = []
        with reading(database.uri), _plainly():
            waiting = [{"unit": pickle.dumps(unit)} for unit in units]
            data = ray.data.from_items(waiting, override_num_blocks=len(waiting))
            data = data.map_batches(partial(_read, recipe, __version__), **_WHOLE)
            data = data.map_batches(partial(_passages, recipe), **_WHOLE)
            if recipe.choice is not None and recipe.choice.kind not in _IN_TASKS and self.workers > 1:
                # A model that takes long to open is opened once by each actor; one core is left to the other stages.
                pool = ray.data.ActorPoolStrategy(min_size=1, max_size=self.workers - 1)
                data = data.map_batches(_Embedding, fn_constructor_args=(recipe,), compute=pool, **_WHOLE)
            else:
                data = data.map_batches(partial(_embedded, recipe), **_WHOLE)
            for row in data.map_batches(partial(_write, recipe, uri), **_WHOLE).iter_rows():
                fragments.append((row["fragment"], row["schema"]))
                found = orjson.loads(row["told"])
                told += found
                advance(sum(one["rows"] for one in found))

            def commit() -> None:
                committer = lance_ray.LanceFragmentCommitter(uri, mode="append")
                committer.on_write_start()
                committer.on_write_complete([fragments])

            if fragments:
                committed(commit, once=True)
        database.refresh()
        return Written(int(database.chunks.version), told)

    def index(self, database: Database) -> None:
        """Makes the indexes of a large table anew, each in as many parts as there are workers.

        Those of a smaller one are left to `maintain`, and it has none of vectors.
        """
        import lance_ray

        uri = _uri(database)
        with reading(database.uri), _plainly():
            rows, vectors = (database.chunks.count_rows(where) for where in (None, "vectors IS NOT NULL"))
            if rows >= _MIN_ROWS and database.chunks.stats()["fragment_stats"]["num_fragments"] > _MAX_PIECES:
                lance_ray.compact_files(uri, num_workers=self.workers)
            for column in WORDS if rows >= _MIN_ROWS else ():
                lance_ray.create_scalar_index(
                    uri=uri,
                    column=column,
                    index_type="INVERTED",
                    name=f"{column}_idx",
                    num_workers=self.workers,
                    **WORDS_INDEX,
                )
            if vectors >= _MIN_VECTORS:
                lance_ray.create_index(
                    uri=uri,
                    column="vectors",
                    index_type="IVF_RQ",
                    name="vectors_idx",
                    metric="cosine",
                    num_partitions=vectors // PARTITION_ROWS,
                    sample_rate=SAMPLE,
                    num_bits=1,  # has to be said: what makes the model and what uses it have other defaults
                    num_workers=self.workers,
                )


@contextmanager
def connected(address: str | None, workers: int | None) -> Iterator[Cluster]:
    """A cluster at an address, or one of this machine's cores that ends with the block. Raises MissingExtra."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # nothing is told to anybody
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # what fails is raised
    try:
        import lance_ray  # noqa: F401
        import ray
    except ImportError as error:
        raise MissingExtra("Building a share with Ray", "ray") from error
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    # What workers hand on may be written here when memory is short, so it is this user's alone; the paths of Ray's
    # sockets in it have to be short.
    private = mkdtemp(prefix="aicx-ray-", dir="/tmp") if address is None else None
    try:
        with warnings.catch_warnings(), _plainly():
            warnings.simplefilter("ignore")  # LanceDB and Lance warn of the fork by which Ray starts its processes
            logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # what fails is raised
            if address is None:
                ray.init(
                    "local",
                    num_cpus=workers or os.cpu_count(),
                    include_dashboard=False,
                    _temp_dir=private,
                    **quiet,
                )
            else:
                check_answer(address)
                ray.init(address, **quiet)
        context = ray.data.DataContext.get_current()
        context.enable_progress_bars = False
        context.print_on_execution_start = False
        context.raise_original_map_exception = True
        yield Cluster(max(1, int(ray.cluster_resources().get("CPU", 1))))
    finally:
        ray.shutdown()
        if private is not None:
            shutil.rmtree(private, ignore_errors=True)


def check_answer(address: str) -> None:
    """Raises AicxError where nothing listens at a cluster's address: Ray itself goes on trying for minutes."""
    place = urlsplit(address if "//" in address else f"//{address}")
    if place.hostname is None or place.port is None:
        return  # a name such as "auto", which Ray looks up
    try:
        socket.create_connection((place.hostname, place.port), _SECONDS_TO_ANSWER).close()
    except OSError as error:
        said = error.strerror or str(error)
        raise AicxError(
            f"no Ray answers at {address}: {said}", hint="`ray status` there says whether it runs"
        ) from error


def check_address(database: Database) -> None:
    """Raises UsageError where workers cannot write the files of a table themselves."""
    if database.uri.startswith("db://"):
        raise UsageError(f"{database.uri} is a service, which writes its files itself", hint="--engine process")


# Each call of a stage gets all of a block, which is a unit.
_WHOLE: dict[str, Any] = {"batch_size": None, "batch_format": "pyarrow", "zero_copy_batch": True}


def _read(recipe: Recipe, release: str, batch: Any) -> Any:
    import pyarrow as pa

    if release != __version__:
        raise AicxError(f"a worker has aicx {__version__}, and this machine {release}", hint="use one release on all")
    return pa.concat_tables([read(recipe, pickle.loads(one)) for one in batch["unit"].to_pylist()])  # noqa: S301


def _passages(recipe: Recipe, batch: Any) -> Any:
    return passages(_embedder(recipe), batch)


def _embedded(recipe: Recipe, batch: Any) -> Any:
    return embedded(_embedder(recipe), batch)


class _Embedding:
    """An actor that has the model open."""

    def __init__(self, recipe: Recipe) -> None:
        self._embedder = recipe.embedder()

    def __call__(self, batch: Any) -> Any:
        return embedded(self._embedder, batch)


def _write(recipe: Recipe, uri: str, batch: Any) -> Any:
    """Writes a fragment, and hands on only what the commit and the seals need."""
    import pyarrow as pa
    from lance_ray import LanceFragmentWriter

    rows, told = without_told(batch)
    if not rows.num_rows:
        return pa.table({"fragment": pa.array([], pa.binary()), "schema": pa.array([], pa.binary()), "told": []})
    write = LanceFragmentWriter(uri, schema=recipe.schema, data_storage_version=DATA_VERSION, use_legacy_format=None)
    written = write(rows.cast(recipe.schema))
    return written.append_column("told", pa.array([to_text(told), *["[]"] * (written.num_rows - 1)]))


@lru_cache(1)
def _opened(opened: Callable[[Path, Choice], Embedder], corpus: Path, choice: Choice) -> Embedder:
    return opened(corpus, choice)


def _embedder(recipe: Recipe) -> Embedder | None:
    """The embedder, opened once in a process."""
    return _opened(recipe.opened, recipe.corpus, recipe.choice) if recipe.choice else None


def _uri(database: Database) -> str:
    return f"{database.uri}/{CHUNKS}.lance"


@contextmanager
def _plainly() -> Iterator[None]:
    """What Ray says of a failure as one of ours: the error of a stage as it was raised, else Ray's own first line."""
    import ray

    try:
        yield
    except (ray.exceptions.RayError, ConnectionError) as error:
        cause = getattr(error, "cause", None)
        if isinstance(cause, AicxError):  # raised in a stage; Ray has added lines of its own
            raise AicxError(cause.message.partition("\n")[0], hint=cause.hint) from error
        raise AicxError(f"Ray failed: {plainly(error).partition(chr(10))[0]}") from error
