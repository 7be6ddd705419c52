"""The LanceDB table of passages: its location, its columns, and the model it was made with."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import astuple
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args

from aicx.errors import CorpusDamaged, MissingExtra, NotFound, UsageError
from aicx.values import batches, dataclass
from indexer.mapping import FOLDER, map_table, unmap
from indexer.passages import CHUNKER, TokenEnds, Windows

SCHEMA = "aicx.vectors/2"
_SCHEMA_KEY, _MODEL_KEY, _NAME_KEY, _CHUNKER_KEY = b"aicx.schema", b"aicx.model", b"aicx.model_name", b"aicx.chunker"
_REBUILD = "Run `aicx index --rebuild` to make it anew."
# Half the space of float32; no score differs by more than 0.001.
VECTOR_TYPE = "float16"
RESERVED = ("id", "version", "ordinal", "part", "start", "stop", "draw", "vector")
_IDS_IN_A_FILTER = 500
# A tenth of the usual effort gives partitions as good for this purpose.
_TRAINING = {"max_iterations": 10, "sample_rate": 64}
_PARTITION_ROWS = 400  # a vector index looks at some 30 partitions of this size for each question
# Where in the library's own source an error came up says nothing to a user.
_LIBRARYS_OWN = re.compile(r"^lance error: |, (?:location: |/\S+\.rs:).*")
_MAX_REASON_LENGTH = 300

IndexKind = Literal["Bitmap", "BTree", "IvfFlat"]
Embed = Callable[[Sequence[str]], Any]


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """The maker of vectors, with the two functions the indexer is handed, and how it wants texts cut."""

    name: str
    fingerprint: str
    dimensions: int
    windows: Windows
    embed: Embed
    token_ends: TokenEnds
    least_weight: float = 0.0  # parts that weigh less are not embedded


@dataclass(frozen=True, slots=True)
class Location:
    """A table in a LanceDB database: a folder, an object store such as ``s3://``, or a remote ``db://``."""

    uri: str
    table: str = "vectors"
    storage_options: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns documents may have to filter on. ``keywords`` have few values, and get an index of their own."""

    texts: tuple[str, ...]
    numbers: tuple[str, ...]
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableStatus:
    """The contents of a table, and what it was made with."""

    rows: int
    versions: Mapping[str, str]  # the version of each document it holds
    model: str
    fingerprint: str
    chunker: str
    dimensions: int
    indexes: tuple[str, ...]


class OtherModel(UsageError):
    """The table was made by another model or another way of cutting; vectors of two kinds cannot be compared."""


# A former table was made by the same model, and its passages were cut in another way.
Standing = Literal["absent", "same", "former", "other"]


def standing(table: Any, schema: Any) -> Standing:
    """How a table stands to one of this schema."""
    found, wanted = table.schema.metadata or {}, schema.metadata
    if table.schema.equals(schema) and all(found.get(key) == value for key, value in wanted.items()):
        return "same"
    # Tables of the schema before this one name the size of a passage beside the model.
    same_model = found.get(_MODEL_KEY, b"").partition(b"/")[0] == wanted[_MODEL_KEY]
    recut = found.get(_SCHEMA_KEY) != wanted[_SCHEMA_KEY] or found.get(_CHUNKER_KEY) != wanted[_CHUNKER_KEY]
    return "former" if same_model and recut else "other"


def check_same_make(table: Any, schema: Any, location: Location, model: EmbeddingModel) -> None:
    """Raises ``OtherModel`` unless the table was made as ``model`` would make it."""
    found, wanted = table.schema.metadata or {}, schema.metadata
    version = f"The vector index at {location.uri} was made by another version of aicx."
    if found.get(_SCHEMA_KEY) != wanted[_SCHEMA_KEY]:
        raise OtherModel(version, hint=_REBUILD)
    if found.get(_MODEL_KEY) != wanted[_MODEL_KEY]:
        name = found.get(_NAME_KEY, b"another model").decode("utf-8", "replace")
        raise OtherModel(
            f"The vector index at {location.uri} was made with {name}, not with this {model.name}.", hint=_REBUILD
        )
    if not table.schema.equals(schema):
        raise OtherModel(version, hint=_REBUILD)
    if found.get(_CHUNKER_KEY) != wanted[_CHUNKER_KEY]:
        raise OtherModel(f"The vector index at {location.uri} holds passages cut in another way.", hint=_REBUILD)


def table_status(location: Location) -> TableStatus | None:
    """Returns the status of the table, or None where there is none. ``CorpusDamaged`` when it cannot be read."""
    table = open_table(location)
    if table is None:
        return None
    indexes = tuple(sorted(index.name for index in table.list_indices()))
    dimensions = table.schema.field("vector").type.list_size
    versions = held_versions(table, location)
    return status_of(table.schema.metadata or {}, table.count_rows(), versions, dimensions, indexes)


def status_of(
    metadata: Mapping[bytes, bytes],
    rows: int,
    versions: Mapping[str, str],
    dimensions: int,
    indexes: tuple[str, ...] = (),
) -> TableStatus:
    """The status of a table with this metadata, which says what it was made with."""
    made = {key: value.decode("utf-8", "replace") for key, value in metadata.items()}
    return TableStatus(
        rows=rows,
        versions=versions,
        model=made.get(_NAME_KEY, ""),
        fingerprint=made.get(_MODEL_KEY, ""),
        chunker=made.get(_CHUNKER_KEY, ""),
        dimensions=dimensions,
        indexes=indexes,
    )


def drop_table(location: Location) -> None:
    """Deletes the table, whatever state it is in. ``NotFound`` when there is none."""
    missing = NotFound(f"There is no vector index at {location.uri}.", hint="aicx index")
    if is_absent(location):
        raise missing
    try:
        connect(location).drop_table(location.table)
    except (ValueError, OSError, RuntimeError) as error:
        if "not found" not in str(error).lower():
            damaged = _damaged(location, error)
            if not _is_remote(location):
                damaged.hint = (
                    f"Delete {location.uri}/{location.table}.lance by other means; nothing is lost, as it is made anew."
                )
            raise damaged from error
        raise missing from error


def import_ahead() -> None:
    """Begins to import LanceDB in a thread, while a run reads and embeds what it is going to write.

    Raises MissingExtra where it is not installed. Any other error comes up where it is needed.
    """
    try:
        installed = find_spec("lancedb") is not None
    except ImportError:  # a finder of somebody's own may say it so
        installed = False
    if not installed:
        raise MissingExtra("The vector index", "semantic")
    importing = ThreadPoolExecutor(1)
    importing.submit(import_library)
    importing.shutdown(wait=False)


def import_library(feature: str = "The vector index") -> Any:
    """The library, whose import takes a second. Raises MissingExtra, which names the feature."""
    for name in ("LANCE_LOG", "LANCEDB_LOG"):
        os.environ.setdefault(name, "error")  # else their warnings about nothing land between our own lines
    try:
        import lancedb
    except ImportError as error:
        raise MissingExtra(feature, "semantic") from error
    return lancedb


def is_service(uri: str) -> bool:
    """Whether an address is of LanceDB's service, which merges, indexes and removes earlier states by itself."""
    return uri.startswith("db://")


def service_options(uri: str) -> dict[str, str]:
    """Where the environment says a service is; its client reads the key by itself, from LANCEDB_API_KEY."""
    named = {"host_override": "LANCEDB_HOST_OVERRIDE", "region": "LANCEDB_REGION"} if is_service(uri) else {}
    return {option: os.environ[name] for option, name in named.items() if os.environ.get(name)}


def connect(location: Location) -> Any:
    """The database of a table, which makes its folder where there is none."""
    lancedb = import_library()
    try:
        options = dict(location.storage_options) if location.storage_options else None
        return lancedb.connect(location.uri, storage_options=options, **service_options(location.uri))
    except (ValueError, OSError, RuntimeError) as error:
        raise _damaged(location, error) from error


def open_table(location: Location, database: Any = None) -> Any:
    """The table, or None where there is none."""
    if is_absent(location):
        return None  # without importing LanceDB
    try:
        return (database or connect(location)).open_table(location.table)
    except (ValueError, OSError, RuntimeError) as error:
        if isinstance(error, ValueError) and "was not found" in str(error):
            return None
        raise _damaged(location, error) from error


def create_table(database: Any, location: Location, schema: Any, *, overwrite: bool) -> Any:
    """A table without rows. Over one that exists this is a new version of it: whoever reads the old one can finish."""
    try:
        return database.create_table(location.table, schema=schema, mode="overwrite" if overwrite else "create")
    except (ValueError, OSError, RuntimeError) as error:
        if not overwrite or _is_remote(location):
            raise _damaged(location, error) from error
    # Over one that is damaged there is no new version.
    return create_anew(database, location, schema)


def create_anew(database: Any, location: Location, schema: Any) -> Any:
    """A table without rows, in place of one that cannot be gone on with, if there is one."""
    with suppress(NotFound):
        drop_table(location)
    return create_table(database, location, schema, overwrite=False)


def local_folder(location: Location) -> Path | None:
    """The table's folder; None for one that is not in a local folder."""
    return None if _is_remote(location) else Path(location.uri, f"{location.table}.lance")


def is_absent(location: Location) -> bool:
    """Whether there is certainly no table, as its folder shows without LanceDB."""
    folder = local_folder(location)
    return folder is not None and not folder.exists()


def _is_remote(location: Location) -> bool:
    return "://" in location.uri


def _damaged(location: Location, error: Exception) -> CorpusDamaged:
    hint = "Run `aicx index drop`, then `aicx index`: it is derived from the corpus and can be made again."
    if _is_remote(location):
        # Others may be using it, and a network that is down looks no different from here.
        hint = "Check the address, the network and the credentials before anything else."
    return CorpusDamaged(f"The vector index at {location.uri} cannot be opened: {plain_reason(error)}", hint=hint)


def plain_reason(error: Exception) -> str:
    """Returns what LanceDB says of a failure, in a line that a user can read."""
    return _LIBRARYS_OWN.sub("", str(error).partition("\n")[0])[:_MAX_REASON_LENGTH]


def table_schema(columns: Columns, model: EmbeddingModel) -> Any:
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingExtra("The vector index", "semantic") from error

    fields = [pa.field("id", pa.string(), nullable=False), pa.field("version", pa.string(), nullable=False)]
    fields += [pa.field(name, pa.int32(), nullable=False) for name in ("ordinal", "part", "start", "stop", "draw")]
    fields += [pa.field(name, pa.string()) for name in columns.texts]
    fields += [pa.field(name, pa.int64()) for name in columns.numbers]
    element = pa.from_numpy_dtype(VECTOR_TYPE)
    fields.append(pa.field("vector", pa.list_(element, model.dimensions), nullable=False))
    metadata = {
        _SCHEMA_KEY: SCHEMA,
        _MODEL_KEY: model.fingerprint,
        _NAME_KEY: model.name,
        _CHUNKER_KEY: "/".join([CHUNKER, *map(str, astuple(model.windows)), f"{model.least_weight:g}"]),
    }
    return pa.schema(fields, metadata=metadata)


def held_versions(table: Any, location: Location) -> dict[str, str]:
    """The version of each document in the table, read from its first passage.

    A document with two first passages (two writers at once) gets a version nobody asks for, so that it is written anew.
    """
    found: dict[str, str] = {}
    try:
        rows = table.search().where("ordinal = 0").select(["id", "version"]).to_arrow()
    except (ValueError, OSError, RuntimeError) as error:
        raise _damaged(location, error) from error
    for document_id, version in zip(rows["id"].to_pylist(), rows["version"].to_pylist(), strict=True):
        found[document_id] = "twice" if document_id in found else version
    return found


def erase_documents(location: Location, unwanted: Callable[[Mapping[str, str]], Sequence[str]]) -> None:
    """Deletes for good the documents that ``unwanted`` picks from those held (id -> version).

    A deleted row stays in its file, and in an index, until both are written anew, and in the versions that are kept for
    those who are still reading them. May be killed at any moment and done again. ``CorpusDamaged`` when it cannot be.
    """
    table = open_table(location)
    if table is None:
        return
    folder = local_folder(location)
    mapped = folder is not None and (folder / FOLDER).exists()
    if folder is not None:
        unmap(folder)
    delete_documents(table, unwanted(held_versions(table, location)))
    try:
        indexes = table.list_indices()
        for index in indexes:
            table.drop_index(index.name)
        table.update(values_sql={"draw": "draw"})  # writes every row that is left into a new file
        optimize(table, timedelta(0), delete_unverified=True)
        for index in indexes if table.count_rows() else ():
            if index.index_type in get_args(IndexKind):
                index_column(table, index.columns[0], index.index_type)
        if folder is not None and mapped and table.count_rows():
            map_table(table, folder)
    except (ValueError, OSError, RuntimeError) as error:
        raise _damaged(location, error) from error


def index_column(table: Any, column: str, kind: IndexKind) -> None:
    """Makes an index of a column: of vectors one that puts similar ones into partitions, by their dot product."""
    from lancedb.index import Bitmap, BTree, IvfFlat

    if kind == "IvfFlat":
        partitions = max(1, table.count_rows() // _PARTITION_ROWS)
        config = IvfFlat(distance_type="dot", num_partitions=partitions, **_TRAINING)
    else:
        config = Bitmap() if kind == "Bitmap" else BTree()
    table.create_index(column, config=config)


def optimize(table: Any, grace: timedelta, *, delete_unverified: bool = False) -> None:
    """Merges pieces, takes new rows into the indexes, and removes versions older than ``grace`` with their files.

    A remote database does this by itself, of which LanceDB warns, as it does of a short grace. Done again after a
    conflict, it begins with what others committed meanwhile.
    """
    table.checkout_latest()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        table.optimize(cleanup_older_than=grace, delete_unverified=delete_unverified)
    table.checkout_latest()


def delete_documents(table: Any, ids: Sequence[str]) -> None:
    for part in batches(ids, _IDS_IN_A_FILTER):
        table.delete(f"id IN ({sql_list(part)})")


def sql_list(values: Iterable[str]) -> str:
    return ", ".join("'" + value.replace("'", "''") + "'" for value in values)
