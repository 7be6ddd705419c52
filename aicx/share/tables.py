"""The tables of a share: what their columns are, how they are opened, and how a commit is made beside others'."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from random import random
from typing import Any, TypeVar

from aicx.corpus.views import NUMBER_COLUMNS, TEXT_COLUMNS
from aicx.errors import AicxError
from aicx.values import dataclass
from indexer.vector_table import import_library, is_service, plain_reason, service_options
from retrieval.params import FIELDS

FEATURE = "A shared index"
FORMAT = 1
# Of the files of a new table; what releases from 0.40 of lancedb on read and write.
DATA_VERSION = "2.1"
CHUNKS, SESSIONS, LEASE = "chunks", "sessions", "lease"
_FORMAT_KEY, _MODEL_KEY, _NAME_KEY = b"aicx.share", b"aicx.model", b"aicx.model_name"
# What a row has of its chunk to be filtered by. The working folder is a machine's own and is not shared.
TEXTS = tuple(name for name in TEXT_COLUMNS if name != "cwd")
WORDS, VECTORS = tuple(FIELDS), "vectors"
# Of so many vectors for each partition of their index its centres are made.
SAMPLE = 32
# Stop words and stems are those of our own analysis.
WORDS_INDEX: Mapping[str, Any] = {
    "with_position": True,
    "base_tokenizer": "whitespace",
    "lower_case": False,
    "stem": False,
    "remove_stop_words": False,
    "ascii_folding": False,
    "max_token_length": None,
}
_ATTEMPTS, _PAUSE = 10, 0.1
_INDEX_MADE = timedelta(minutes=2)
_CONFLICT = ("conflict", "concurrent", "already exists", "please retry", "too many")
# A list of files whose body is cut short is, with lancedb 0.40, the one request that is not made again below us.
_TORN = ("response body",)
# The last is what lancedb 0.40 says of a file of data version 2.3, whose encodings it does not know.
_TOO_NEW = re.compile(
    r"(?i)version.*(?:not supported|unsupported|unknown|newer)|(?:unsupported|unknown).*version|unexpected type URL"
)
_OPTIONS = {"new_table_data_storage_version": DATA_VERSION, "new_table_enable_v2_manifest_paths": "true"}
FAILURES = (ValueError, OSError, RuntimeError)

Done = TypeVar("Done")


class ShareAway(AicxError):
    """The share cannot be reached or read; one's own corpus can."""


class ShareTooNew(AicxError):
    """The share was written by a newer release."""


@dataclass(frozen=True, slots=True)
class VectorModel:
    """The model that made the vectors of a share; those of another model are not compared with them."""

    fingerprint: str
    name: str
    dimensions: int


def other_model(shared: str, own: str) -> str:
    """Why vectors of one's own and of a share are not compared, and what to do where they should be."""
    made = "`aicx index --rebuild --embedder` with that one makes them comparable"
    return f"its vectors are of {shared or 'an unknown model'}, those of your index of {own or 'another one'}; {made}"


@dataclass(frozen=True, slots=True)
class Database:
    """One database of a share, opened."""

    uri: str
    connection: Any
    chunks: Any
    sessions: Any

    @property
    def model(self) -> VectorModel:
        found = self.chunks.schema.metadata or {}
        size = self.chunks.schema.field("vectors").type.value_type.list_size
        return VectorModel(found.get(_MODEL_KEY, b"").decode(), found.get(_NAME_KEY, b"").decode(), size)

    @property
    def is_service(self) -> bool:
        """Whether a service keeps the files: it merges them and removes what is deleted, and is not told when."""
        return is_service(self.uri)

    def refresh(self, *, only_read: bool = False) -> None:
        """Sees what was committed since. Rows first: a seal names the version of the rows that it is about.

        ``only_read`` holds that state for several questions, which a service otherwise answers from its newest each.
        """
        with reading(self.uri):
            committed(self.chunks.checkout_latest)
            if only_read and self.is_service:
                committed(partial(self.chunks.checkout, self.chunks.version))
            committed(self.sessions.checkout_latest)


def connect(uri: str) -> Any:
    """The database at an address. Credentials come from the environment or from the cloud's own chain."""
    lancedb = import_library(FEATURE)
    with reading(uri):
        return lancedb.connect(uri, storage_options=None if is_service(uri) else _OPTIONS, **service_options(uri))


def open_database(uri: str) -> Database | None:
    """The tables at an address, or None where there are none. Raises ShareAway and ShareTooNew."""
    connection = connect(uri)
    chunks, sessions = find_table(connection, uri, CHUNKS), find_table(connection, uri, SESSIONS)
    if chunks is None or sessions is None:
        return None
    written = (chunks.schema.metadata or {}).get(_FORMAT_KEY, b"0")
    if not written.isdigit() or int(written) > FORMAT:
        raise ShareTooNew(
            f"the share at {uri} has format {written.decode('utf-8', 'replace')}, and this release reads {FORMAT}",
            hint="update aicx on this machine",
        )
    return Database(uri, connection, chunks, sessions)


def create_database(uri: str, model: VectorModel) -> Database:
    """The tables at an address, made where they are missing: also by two machines at once."""
    if (found := open_database(uri)) is not None:
        return found
    import pyarrow as pa

    connection = connect(uri)
    texts = ("key", "generation", "member", "machine", "chunk", "sidecar", "text", "sha256", *TEXTS, *WORDS)
    known = ("files", "spans", "session_title", "automated_why", "prompt_key")
    fields = [pa.field(name, pa.string()) for name in (*texts, *known)]
    fields += [pa.field(name, pa.int64()) for name in (*NUMBER_COLUMNS, "draw")]
    fields.append(pa.field("idle", pa.bool_()))
    fields.append(pa.field("vectors", pa.list_(pa.list_(pa.float16(), model.dimensions))))
    made = {_FORMAT_KEY: str(FORMAT).encode(), _MODEL_KEY: model.fingerprint.encode(), _NAME_KEY: model.name.encode()}
    with reading(uri):
        chunks = connection.create_table(CHUNKS, schema=pa.schema(fields, metadata=made), exist_ok=True)
        indexed = {column for index in chunks.list_indices() for column in index.columns}
        # A service makes an index after it has said yes, and a column that has none yet cannot be asked.
        waiting = {"wait_timeout": _INDEX_MADE} if is_service(uri) else {}
        for column in WORDS:
            if column not in indexed:
                committed(partial(chunks.create_index, column, config=words_index(), **waiting))
        numbers = ("sequence", "rows", "version")
        seal = ("key", "member", "machine", "agent", "session_id", "generation", "digest", "source", "pushed_at")
        seals = [pa.field(name, pa.string()) for name in (*seal, "deleted_at")]
        seals += [pa.field(name, pa.int64()) for name in numbers]
        connection.create_table(SESSIONS, schema=pa.schema(seals), exist_ok=True)
    opened = open_database(uri)
    assert opened is not None, "both tables were just made"
    return opened


def words_index() -> Any:
    """The inverted index of a column whose words our own analysis has put in order."""
    from lancedb.index import FTS

    return FTS(**WORDS_INDEX)


def lease_table(database: Database) -> Any:
    """The small table of upkeep: who looks after the share, and what is still to be done."""
    import pyarrow as pa

    fields = [pa.field(name, pa.string()) for name in ("name", "holder", "beat")]
    return database.connection.create_table(LEASE, schema=pa.schema(fields), exist_ok=True)


def probe(uri: str) -> None:
    """Raises AicxError where two writers at an address can overwrite each other's commits.

    Object stores keep them apart by `If-None-Match`, which some servers accept and ignore. Eight writers begin from one
    version at the same moment: where a row of theirs is missing afterwards, the address is refused.
    """
    if is_service(uri):
        return  # it is the only writer of its files
    from concurrent.futures import ThreadPoolExecutor
    from threading import Barrier

    import pyarrow as pa

    writers, name = 8, f"probe-{os.getpid()}-{time.monotonic_ns()}"
    connection = connect(uri)
    with reading(uri):
        connection.create_table(name, schema=pa.schema([pa.field("writer", pa.int64())]))
    together = Barrier(writers)

    def write(number: int) -> None:
        table = connection.open_table(name)
        together.wait(30)
        committed(lambda: table.add(pa.table({"writer": [number]})), once=True)

    try:
        with reading(uri), ThreadPoolExecutor(writers) as pool:
            list(pool.map(write, range(writers)))
            kept = connection.open_table(name).count_rows()
    finally:
        with reading(uri):
            connection.drop_table(name)
    if kept != writers:
        raise AicxError(
            f"{uri} ignores conditional writes (If-None-Match): of {writers} commits at once it kept {kept}",
            hint="use a store that has them, or a folder that is carried between machines: docs/team.md",
        )


def committed(commit: Callable[[], Done], *, once: bool = False) -> Done:
    """The result of a commit or of a read, tried again while others commit and where only half of an answer came.

    ``once`` is for a commit that must not be made twice: of one whose answer was lost nobody knows.
    """
    worth_another = _CONFLICT if once else (*_CONFLICT, *_TORN)
    for attempt in range(_ATTEMPTS):
        try:
            return commit()
        except FAILURES as error:
            said = str(error).lower()
            if attempt == _ATTEMPTS - 1 or not any(word in said for word in worth_another):
                raise
        time.sleep(_PAUSE * 2 ** min(attempt, 5) * (0.5 + random()))  # noqa: S311  spreads writers, hides nothing
    raise AssertionError("the last attempt returns or raises")


@contextmanager
def reading(uri: str) -> Iterator[None]:
    """Raises ShareAway, with the reason in a line, for whatever LanceDB says of a share that cannot be used."""
    try:
        yield
    except FAILURES as error:
        if _TOO_NEW.search(reason := plain_reason(error)):
            raise ShareTooNew(
                f"the share at {uri} was written by a newer lancedb: {reason}",
                hint="update aicx and its [semantic] part on this machine",
            ) from error
        reason, hint = reason_of(error)
        raise ShareAway(f"the share at {uri} cannot be used: {reason}", hint=hint) from error


def write_rows(table: Any, rows: Sequence[Mapping[str, Any]]) -> int:
    """Appends rows in one commit; returns a version of the table that has them."""
    import pyarrow as pa

    table.add(pa.Table.from_pylist(list(map(dict, rows)), schema=table.schema))
    return int(table.version)


def read_rows(table: Any, columns: Sequence[str], where: str | None = None) -> list[dict[str, Any]]:
    """Some columns of the rows that fulfil a condition."""
    query = table.search()
    query = (query.where(where) if where else query).select(list(columns))
    found: list[dict[str, Any]] = committed(query.to_arrow).to_pylist()
    return found


def to_text(value: Any) -> str:
    """A value as JSON, the same for equal values."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def find_table(connection: Any, uri: str, name: str) -> Any:
    """A table at an address, or None where there is none. Raises ShareAway and ShareTooNew."""
    try:
        with reading(uri):
            return committed(partial(connection.open_table, name))
    except ShareAway as error:
        if "was not found" in str(error.__cause__) or "not found: table" in str(error.__cause__).lower():
            return None
        raise


# What an object store answers, what the operating system says of a connection, and what the library says of both.
_ANSWER = re.compile(r"<Code>([^<]*)</Code>.*?<Message>([^<]*)</Message>", re.DOTALL)
_SYSTEM = re.compile(r'kind: \w+, message: "([^"]+)"')
_NO_CREDENTIALS = re.compile(r"Failed to get \w+ credentials")
_NO_KEY = "api_key is required"
_REFUSED = re.compile(r"(?i)\b40[13]\b|credentials")
_BUSY = re.compile(r"\b(?:429|503)\b")
_HERE = "what is stored here is searched as before"


def reason_of(error: Exception) -> tuple[str, str]:
    """Why, and the hint."""
    said = str(error)
    if _NO_CREDENTIALS.search(said):
        reason = "neither the environment nor the cloud's own chain has credentials for it"
    elif _NO_KEY in said:
        reason = "LANCEDB_API_KEY, its credentials, is not in the environment"
    elif found := _ANSWER.search(said):
        reason = f"it answers {found[1]}: {found[2]}"
    elif found := _SYSTEM.search(said):
        reason = found[1]
    else:
        reason = plain_reason(error)
    if _REFUSED.search(said):
        return reason, f"renew the credentials in the environment or the cloud's own chain; {_HERE}"
    if _BUSY.search(said):
        return reason, f"it is asked too much: try again later; {_HERE}"
    return reason, f"check the address, the network and the credentials; {_HERE}"
