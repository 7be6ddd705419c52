"""A stand-in for LanceDB's service: what its client asks for over HTTP, done to the tables of a folder.

The requests are those that lancedb 0.40 was seen to make; the answers are what it was seen to accept. Like the service,
it gives each request the newest state of a table unless a version is named.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

KEY = "a key of the service"
_SCORES = ("_score", "_distance", "_rowid")
# The newest that the client knows: it asks more of a newer service. A large insertion comes in several requests then,
# which nothing here answers.
_VERSION = "0.6.0"


class Service:
    """The tables, every request that came, and what is answered in place of the true answer while it is set."""

    def __init__(self, folder: Path) -> None:
        import lancedb

        self.database = lancedb.connect(folder)
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.refused: tuple[int, str] | None = None
        self._writing = Lock()

    def answer(self, path: str, body: bytes) -> tuple[int, bytes]:
        """The status and the body of an answer."""
        place, options = urlsplit(path), parse_qs(urlsplit(path).query)
        _, _, _, name, *call = place.path.strip("/").join("//").split("/")
        wanted = json.loads(body) if body.startswith(b"{") else {}
        self.asked.append(("/".join(call[:-1]), wanted))
        if self.refused:
            return self.refused[0], self.refused[1].encode()
        if call[0] == "create":
            with self._writing:
                schema, exist_ok = _stream(body).schema, options.get("mode") == ["exist_ok"]
                self.database.create_table(name, schema=schema, exist_ok=exist_ok)
            return 200, b"{}"
        if name not in self.database.table_names():
            return 404, f"Table '{name}' was not found".encode()
        table = self.database.open_table(name)
        if wanted.get("version"):
            table.checkout(wanted["version"])
        return 200, _CALLS[call[0] if call[0] != "index" else call[-2]](table, wanted, body, call)


def _describe(table: Any, *_: Any) -> bytes:
    known = {name.decode(): value.decode() for name, value in (table.schema.metadata or {}).items()}
    fields = list(map(_field, table.schema))
    return json.dumps({"version": table.version, "schema": {"fields": fields, "metadata": known}}).encode()


def _field(field: Any) -> dict[str, Any]:
    return {"name": field.name, "type": _type(field.type), "nullable": field.nullable}


def _type(of: Any) -> dict[str, Any]:
    import pyarrow as pa

    if pa.types.is_list(of) or pa.types.is_fixed_size_list(of):
        sized = {"length": of.list_size} if pa.types.is_fixed_size_list(of) else {}
        return {"type": "fixed_size_list" if sized else "list", "fields": [_field(of.value_field)], **sized}
    return {"type": str(of)}


def _insert(table: Any, _: Any, body: bytes, *__: Any) -> bytes:
    table.add(_stream(body))
    return _version(table)


def _delete(table: Any, wanted: dict[str, Any], *_: Any) -> bytes:
    table.delete(wanted["predicate"])
    return _version(table)


def _update(table: Any, wanted: dict[str, Any], *_: Any) -> bytes:
    done = table.update(where=wanted["predicate"], values_sql=dict(wanted["updates"]))
    return json.dumps({"rows_updated": done.rows_updated, "version": done.version}).encode()


def _version(table: Any) -> bytes:
    return json.dumps({"version": table.version}).encode()


def _count(table: Any, wanted: dict[str, Any], *_: Any) -> bytes:
    return str(table.count_rows(wanted.get("predicate"))).encode()


def _query(table: Any, wanted: dict[str, Any], *_: Any) -> bytes:
    import numpy as np
    import pyarrow as pa

    if wanted["vector"]:
        vector = np.array(wanted["vector"], dtype=np.float32)
        asked = table.search(vector, vector_column_name=wanted["vector_column"]).distance_type(wanted["distance_type"])
        asked = asked.minimum_nprobes(wanted["minimum_nprobes"]).maximum_nprobes(wanted["maximum_nprobes"])
        asked = asked.refine_factor(wanted["refine_factor"])
    else:
        words = wanted.get("full_text_query")
        asked = table.search(_full_text(words["query"]) if words else None)
    if "filter" in wanted:
        asked = asked.where(wanted["filter"], **({"prefilter": True} if wanted["prefilter"] else {}))
    asked = asked.select(wanted["columns"]).with_row_id(wanted.get("with_row_id", False))
    found = (asked.limit(wanted["k"]) if wanted["k"] < 2**62 else asked).to_arrow()
    written = io.BytesIO()
    with pa.ipc.new_file(written, found.schema) as file:
        file.write_table(found)
    return written.getvalue()


def _full_text(said: dict[str, Any]) -> Any:
    """A query as it was before the client wrote it down."""
    from lancedb import query

    [(kind, of)] = said.items()
    if kind == "phrase":
        return query.PhraseQuery(of["terms"], of["column"], slop=of["slop"])
    if kind == "multi_match":
        return query.MultiMatchQuery(of["query"], of["columns"], boosts=of["boost"])
    if kind == "boolean":
        occurs = (("must", query.Occur.MUST), ("should", query.Occur.SHOULD))
        return query.BooleanQuery([(occur, _full_text(one)) for name, occur in occurs for one in of[name]])
    operator = query.FullTextOperator.AND if of["operator"] == "And" else query.FullTextOperator.OR
    return query.MatchQuery(of["terms"], of["column"], boost=of["boost"], operator=operator)


def _create_index(table: Any, wanted: dict[str, Any], *_: Any) -> bytes:
    from lancedb.index import FTS, IvfRq

    if wanted["index_type"] == "FTS":
        kept = ("with_position", "base_tokenizer", "lower_case", "stem", "remove_stop_words", "ascii_folding")
        config: Any = FTS(max_token_length=wanted["max_token_length"], **{name: wanted[name] for name in kept})
    else:
        named = ("num_partitions", "num_bits", "sample_rate")
        config = IvfRq(distance_type=wanted["metric_type"], **{name: wanted[name] for name in named})
    table.create_index(wanted["column"], config=config, replace=True)
    return b"{}"


def _list(table: Any, *_: Any) -> bytes:
    found = [{"index_name": one.name, "columns": one.columns, "index_uuid": one.name} for one in table.list_indices()]
    return json.dumps({"indexes": found}).encode()


def _stats(table: Any, _: Any, __: bytes, call: list[str]) -> bytes:
    found = table.index_stats(call[1])
    names = ("num_indexed_rows", "num_unindexed_rows", "index_type", "distance_type", "num_indices")
    return json.dumps({name: getattr(found, name) for name in names}).encode()


def _drop_index(table: Any, _: Any, __: bytes, call: list[str]) -> bytes:
    table.drop_index(call[1])
    return b"{}"


_CALLS: dict[str, Callable[..., bytes]] = {
    "describe": _describe,
    "insert": _insert,
    "delete": _delete,
    "update": _update,
    "count_rows": _count,
    "query": _query,
    "create_index": _create_index,
    "list": _list,
    "stats": _stats,
    "drop": _drop_index,
}


def _stream(body: bytes) -> Any:
    import pyarrow as pa

    return pa.ipc.open_stream(body).read_all()


@contextmanager
def lancedb_service(folder: Path) -> Iterator[Service]:
    """The service at a port of this machine, and the environment that reaches ``db://team``."""
    service = Service(folder)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # an answer is sent at once: its second half would wait 40 ms until the first is acknowledged

        def do_POST(self) -> None:
            body = self._body()
            if self.headers["x-api-key"] != KEY:
                status, said = 401, b"unknown key"
            else:
                status, said = service.answer(self.path, body)
            self.send_response(status)
            self.send_header("phalanx-version", _VERSION)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def _body(self) -> bytes:
            if self.headers["Transfer-Encoding"] != "chunked":
                return self.rfile.read(int(self.headers["Content-Length"] or 0))
            pieces = []
            while size := int(self.rfile.readline(), 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(pieces)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LANCEDB_API_KEY", KEY)
        environment.setenv("LANCEDB_HOST_OVERRIDE", f"http://127.0.0.1:{server.server_port}")
        environment.setenv("NO_PROXY", "127.0.0.1")
        yield service
    server.shutdown()
    server.server_close()
