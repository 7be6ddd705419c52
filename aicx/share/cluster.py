"""The stages of a build as those of Ray Data: on the cores of this machine, or on a cluster that is there.

Workers write fragments, files that no version of the table names; the driver commits them once. A worker that dies
leaves at most a file that is never read, and Ray has its unit made again by another.
"""

from __future__ import annotations

import logging
import os
import pickle
import secrets
import shutil
import socket
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, nullcontext, suppress
from functools import lru_cache, partial
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import urlsplit

import orjson

from aicx import __version__
from aicx.config import library_environment
from aicx.engine.embedder_choice import Choice
from aicx.errors import AicxError, MissingExtra, UsageError, plainly
from aicx.share.build import Recipe, Told, Unit, embedded, passages, read, without_told
from aicx.share.tables import CHUNKS, DATA_VERSION, SAMPLE, WORDS, WORDS_INDEX, Database, committed, reading, to_text
from aicx.share.upkeep import partitions_of_vectors
from aicx.storage.lock import hold_lock, trace_of
from retrieval.embedders import Embedder

_SECONDS_TO_ANSWER = 10
# What folders of Ray on this machine are called.
_PRIVATE = "aicx-ray-"
# More pieces than this are merged before they are indexed.
_MAX_PIECES = 24
# Embedders that are open in a moment; of the others an actor keeps its own open.
_IN_TASKS = ("static",)
# With fewer rows, starting the workers of each index of words takes longer than one process needs for all.
_MIN_ROWS = 200_000


class Cluster:
    """A Ray that is connected, and how many units it can make at once."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def write(
        self, database: Database, recipe: Recipe, units: Sequence[Unit], advance: Callable[[int], None]
    ) -> tuple[int, Sequence[Told]]:
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
        return int(database.chunks.version), told

    def index(self, database: Database) -> None:
        """Makes the indexes of a large table anew, each in as many parts as there are workers.

        Those of a smaller one are left to `maintain`, and it has none of vectors.
        """
        import lance_ray

        uri = _uri(database)
        with reading(database.uri), _plainly():
            rows = database.chunks.count_rows()
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
            if partitions := partitions_of_vectors(database.chunks):
                lance_ray.create_index(
                    uri=uri,
                    column="vectors",
                    index_type="IVF_RQ",
                    name="vectors_idx",
                    metric="cosine",
                    num_partitions=partitions,
                    sample_rate=SAMPLE,
                    num_bits=1,  # has to be said: what makes the model and what uses it have other defaults
                    num_workers=self.workers,
                )


@contextmanager
def connected(address: str | None, workers: int | None, handed: Mapping[str, str] | None = None) -> Iterator[Cluster]:
    """A cluster at an address, or one of this machine's cores that ends with the block. Raises MissingExtra.

    ``handed`` are variables that the environment of a cluster's workers gets from here.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # nothing is told to anybody
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # what fails is raised
    if address is None:
        # Otherwise Ray leaves a token in the user's home, for which clusters started there later ask everybody.
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    elif os.environ.get("RAY_AUTH_TOKEN") or os.environ.get("RAY_AUTH_TOKEN_PATH"):
        os.environ.setdefault("RAY_AUTH_MODE", "token")  # without it Ray keeps to itself the token it was given
    try:
        import lance_ray  # noqa: F401
        import ray
    except ImportError as error:
        raise MissingExtra("Building a share with Ray", "ray") from error
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    with _private_folder() if address is None else nullcontext() as private:
        try:
            with warnings.catch_warnings(), _plainly():
                warnings.simplefilter("ignore")  # LanceDB and Lance warn of the fork by which Ray starts its processes
                logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # what fails is raised
                if address is None:
                    cores = workers or os.cpu_count()
                    with _begun():
                        ray.init("local", num_cpus=cores, include_dashboard=False, _temp_dir=private, **quiet)
                else:
                    check_answer(address)
                    known = {name: os.environ[name] for name in library_environment() if name in os.environ}
                    with _begun(), _joined(address):
                        hook = _environment({**known, **(handed or {})})
                        ray.init(address, runtime_env={"worker_process_setup_hook": hook}, **quiet)
                    _check_installed()
            context = ray.data.DataContext.get_current()
            context.enable_progress_bars = False
            context.print_on_execution_start = False
            context.raise_original_map_exception = True
            yield Cluster(max(1, int(ray.cluster_resources().get("CPU", 1))))
        finally:
            ray.shutdown()


@contextmanager
def _private_folder() -> Iterator[str]:
    """A folder for what workers hand on where memory is short; those of builds that were killed are removed.

    It is this user's alone, and in /tmp since the paths of Ray's sockets in it have to be short.
    """
    folder = Path(mkdtemp(prefix=_PRIVATE, dir="/tmp"))
    for other in folder.parent.glob(f"{_PRIVATE}*"):
        with suppress(FileNotFoundError):  # it was removed by its own build meanwhile
            ours = other.lstat().st_uid == folder.lstat().st_uid and not other.is_symlink()
            if ours and trace_of(other / "lock") == "interrupted":
                shutil.rmtree(other, ignore_errors=True)
    with hold_lock(folder / "lock", _SECONDS_TO_ANSWER, lambda _: None):  # others look at it, as above
        try:
            yield str(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _begun() -> Iterator[None]:
    """Begins Ray where its workers import nothing from the working folder, and unheard: what fails is raised."""
    sys.stderr.flush()
    kept = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as nothing, chdir("/"):
            os.dup2(nothing.fileno(), 2)
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


@contextmanager
def _joined(address: str) -> Iterator[None]:
    """Says why a cluster cannot be joined: Ray's own error often is that of its last attempt."""
    import ray

    try:
        yield
    except (ray.exceptions.RayError, OSError, RuntimeError, ValueError) as error:
        said = " ".join(f"{error} {error.__cause__ or ''}".split())
        has_none = isinstance(error, getattr(ray.exceptions, "AuthenticationError", ()))
        if has_none or "InvalidAuthToken" in said:
            shown = os.environ.get("RAY_AUTH_MODE") == "token" and not has_none
            raise AicxError(
                f"the Ray cluster at {address} " + ("refuses the token of this machine" if shown else "wants a token"),
                hint="`ray get-auth-token` on a machine of it prints the one to put into RAY_AUTH_TOKEN",
            ) from error
        if "No node info found" in said:
            raise AicxError(
                f"this machine is not part of the Ray cluster at {address}",
                hint=f"`ray start --address {address} --num-cpus 0` makes it one that does no work",
            ) from error
        if "Version mismatch" in said:
            raise AicxError(
                said[said.index("Version mismatch") :], hint="use the same Ray and Python on all"
            ) from error
        raise AicxError(f"the Ray cluster at {address} cannot be joined: {plainly(error)}") from error


def _environment(values: Mapping[str, str]) -> Callable[[], None]:
    """Makes the first thing that a worker does. Ray logs the variables of its own `env_vars`, and not what is in here.

    It is sent whole, since it is called before it is known whether a worker has this module.
    """

    def hook() -> None:
        os.environ.update(values)

    return hook


def _check_installed() -> None:
    """Raises AicxError where a machine of the cluster lacks what its workers import."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    def lacking() -> list[str]:  # sent whole, as above
        from importlib.util import find_spec

        found = {name: find_spec(name) for name in ("aicx", "lance_ray", "lancedb")}
        return [name for name, spec in found.items() if spec is None or spec.origin is None]  # a folder has none

    names = {node["NodeID"]: node["NodeManagerHostname"] for node in ray.nodes() if node["Alive"]}
    task = ray.remote(num_cpus=0)(lacking)
    asked = [
        task.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft=False)).remote() for node in names
    ]
    for name, found in zip(names.values(), ray.get(asked), strict=True):
        if found:
            raise AicxError(
                f"{name} of the Ray cluster lacks {', '.join(found)}",
                hint=f"install aicx-py[ray] {__version__} in the Python that its Ray runs with",
            )


def check_answer(address: str) -> None:
    """Raises AicxError where nothing listens at a cluster's address: Ray itself goes on trying for minutes."""
    place = urlsplit(address if "//" in address else f"//{address}")
    if place.scheme:
        raise UsageError(f"{address} is not HOST:PORT", hint="run it on a machine of the cluster; --address HOST:PORT")
    try:
        port = place.port
    except ValueError as error:
        raise UsageError(f"{address} is not HOST:PORT: {error}") from error
    if place.hostname is None or port is None:
        return  # a name such as "auto", which Ray looks up
    try:
        socket.create_connection((place.hostname, port), _SECONDS_TO_ANSWER).close()
    except OSError as error:
        said = error.strerror or str(error)
        raise AicxError(
            f"no Ray answers at {address}: {said}", hint="`ray status` there says whether it runs"
        ) from error


def check_address(database: Database) -> None:
    """Raises UsageError where workers cannot write the files of a table themselves."""
    if database.is_service:
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
