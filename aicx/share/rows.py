"""A stored session as the rows of a share: redacted once more, cut down to what is shared, ready to be searched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from hashlib import sha256
from typing import Any

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import FACTS, FOUND
from aicx.corpus.files import Sidecar
from aicx.corpus.files.read import StoredText, read_intact
from aicx.corpus.views import columns_of, own_messages, searchable_texts, to_document
from aicx.engine.index_manifest import read_manifest
from aicx.engine.stages.order import idle_sessions
from aicx.engine.vector_files import recorded_address, table_of
from aicx.errors import CorpusDamaged, NotFound
from aicx.folders import slashed
from aicx.paths import NON_REPOSITORY
from aicx.redaction import redact_plain
from aicx.share.membership import Membership
from aicx.share.seals import row_digest
from aicx.share.tables import WORDS, VectorModel, other_model, to_text
from aicx.values import batches, dataclass
from indexer.lexical import analyze_document
from indexer.vector_table import Location, open_table, sql_list
from indexer.vectors import draw_of
from retrieval.analysis import analyze

# Another one whenever the same chunk becomes another row.
ROWS_VERSION = 1
# What a row has of a sidecar. Paths of logs, working folders and tools' arguments are not among them.
_SHARED = (
    *("schema", "id", "project", "agent", "session_id", "date", "kind", "started_at", "completed_at"),
    *("branch", "model", "lane", "parent_session", "run_id", "prompt_id", "stream"),
    *("session_title", "topic", "title", "prompt", "files"),
)
_BETWEEN = b"\n\n"
_NOTHING = "\u2205"  # which is no word of any question
_MAX_IDS = 500

Vectors = Mapping[str, Mapping[str, Any]]  # by chunk, the columns of its passages: vectors, and where they are
_NO_VECTORS: Mapping[str, Any] = {"vectors": None, "spans": None}


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk that is to be shared, as the catalogue knows it."""

    id: str
    path: str
    project: str
    content_sha256: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SessionRows:
    """The rows of a session, how many secrets the second redaction found, and what could not be read."""

    rows: tuple[dict[str, Any], ...]
    redacted: int
    unreadable: tuple[str, ...]


def shared_name(project: str, cwd: str | None) -> str:
    """Returns what a project is called in a share: a repository by its name, another folder by its own name alone."""
    return project if project != NON_REPOSITORY else slashed(cwd or "").rstrip("/").rpartition("/")[2] or "folder"


def chunks_of_sessions(catalog: Catalog) -> dict[tuple[str, str], list[ChunkRow]]:
    """The chunks of every stored session, in order."""
    found: dict[tuple[str, str], list[ChunkRow]] = {}
    columns = f"id, path, agent, session_id, project, cwd, content_sha256, sidecar_sha256, {FACTS}"
    rows = catalog.rows(f"SELECT {columns} FROM {FOUND.format('ignored=0')} ORDER BY agent, session_id, id")
    idle = idle_sessions(catalog, rows)
    for row in rows:
        facts = {name: row[name] for name in ("sidecar_sha256", "session_title", "automated_why", "prompt_key")}
        facts["idle"] = (row["agent"], row["session_id"]) in idle
        name = shared_name(row["project"], row["cwd"])
        chunk = ChunkRow(row["id"], row["path"], name, row["content_sha256"], facts)
        found.setdefault((row["agent"], row["session_id"]), []).append(chunk)
    return found


def source_of(chunks: Iterable[ChunkRow], make: str) -> str:
    """A digest that changes whenever the rows of these chunks would."""
    parts = [(chunk.id, chunk.project, chunk.content_sha256, dict(chunk.facts)) for chunk in chunks]
    return sha256(to_text([ROWS_VERSION, make, parts]).encode()).hexdigest()


def session_rows(
    settings: Settings, membership: Membership, key: str, generation: str, chunks: Sequence[ChunkRow], vectors: Vectors
) -> SessionRows:
    """The rows of a session's chunks, of one generation. A chunk that cannot be read as it was stored is left out."""
    rows: list[dict[str, Any]] = []
    unreadable: list[str] = []
    redacted = 0
    for chunk in chunks:
        try:
            stored = read_intact(settings.layout, chunk.path)
        except (CorpusDamaged, NotFound) as error:
            unreadable.append(error.message)
            continue
        cleaner = _Cleaner()
        shared = cleaner.shared(stored, chunk.project)
        facts = {name: cleaner.value(chunk.facts.get(name)) for name in ("session_title", "automated_why")}
        redacted += cleaner.found
        terms = analyze_document(to_document(shared.sidecar, shared.markdown), _terms).terms
        columns = columns_of(shared.sidecar)
        sidecar, text = to_text(shared.sidecar.fields), shared.markdown.decode()
        rows.append(
            {
                "key": f"{key}#{shared.sidecar.id.rpartition(':')[2]}",
                "generation": generation,
                "member": membership.member,
                "machine": membership.machine,
                "chunk": shared.sidecar.id,
                "sidecar": sidecar,
                "text": text,
                "sha256": row_digest(sidecar, text),
                **{name: value for name, value in columns.items() if name != "cwd"},
                # A row without a word in a field would not count among the rows that a word is rare in.
                **{name: terms.get(name) or _NOTHING for name in WORDS},
                **facts,
                "prompt_key": chunk.facts.get("prompt_key"),
                "idle": chunk.facts.get("idle", False),
                "files": "\n".join(map(slashed, shared.sidecar.get("files") or ())),
                "draw": draw_of(shared.sidecar.id),
                # A vector of a text with a secret would say something of the secret.
                **(vectors.get(chunk.id) or _NO_VECTORS if not cleaner.found else _NO_VECTORS),
            }
        )
    return SessionRows(tuple(rows), redacted, tuple(unreadable))


def stored_text(sidecar: str, text: str) -> StoredText:
    """A row of a share as every quotation reads a stored chunk."""
    import orjson

    return StoredText(Sidecar(orjson.loads(sidecar)), text.encode(), altered=False)


class OwnVectors:
    """The vectors of one's own index, where its model is that of the share; else none."""

    def __init__(self, settings: Settings, model: VectorModel) -> None:
        made = read_manifest(settings.layout).get("vectors") or {}
        self.make = ""
        self.why_not: str | None = None  # where the index is of another model
        self._table: Any = None
        if not made or "embedder" not in made:
            return
        table = open_table(Location(recorded_address(settings, made), table_of(made)))
        if table is None:
            return
        own = (table.schema.metadata or {}).get(b"aicx.model", b"").decode()
        if own == model.fingerprint:
            self._table, self.make = table, own
        else:
            name = (table.schema.metadata or {}).get(b"aicx.model_name", b"").decode()
            self.why_not = f"the share got no vectors from here: {other_model(model.name, name)}"

    def of(self, chunks: Sequence[ChunkRow]) -> Vectors:
        """The vectors of the chunks' passages, by chunk; a chunk that the index has otherwise has none."""
        found: dict[str, tuple[list[Any], list[list[int]]]] = {}
        versions = {chunk.id: chunk.content_sha256 for chunk in chunks}
        ids = sorted(versions) if self._table is not None else []
        for part in batches(ids, _MAX_IDS):
            query = self._table.search().where(f"id IN ({sql_list(part)})")
            rows = query.select(["id", "ordinal", "version", "part", "start", "stop", "vector"]).to_arrow()
            vectors = rows["vector"].combine_chunks()
            size = vectors.type.list_size
            values = vectors.flatten().to_numpy(zero_copy_only=False).reshape(-1, size)
            places = rows.drop_columns(["vector"]).to_pylist()
            for at in sorted(range(len(places)), key=lambda at: (places[at]["id"], places[at]["ordinal"])):
                place = places[at]
                # Nothing is near zeros, and LanceDB would not find their row by its other vectors either.
                if versions[place["id"]] == place["version"] and values[at].any():
                    of_chunk, spans = found.setdefault(place["id"], ([], []))
                    of_chunk.append(values[at])
                    spans.append([place["part"], place["start"], place["stop"]])
        return {chunk: {"vectors": of, "spans": to_text(spans)} for chunk, (of, spans) in found.items()}


class _Cleaner:
    """Redacts what leaves this machine once more, and counts what the rules still found."""

    def __init__(self) -> None:
        self.found = 0

    def text(self, text: str) -> str:
        cleaned = redact_plain(text)
        self.found += sum(cleaned.counts.values())
        return cleaned.text

    def value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        return [self.value(one) for one in value] if isinstance(value, list | tuple) else value

    def shared(self, stored: StoredText, project: str) -> StoredText:
        """A stored chunk with nothing but what is shared of it."""
        fields = {name: stored.sidecar.get(name) for name in _SHARED}
        names = {name: fields.pop(name) for name in ("session_title", "topic", "title", "prompt", "files", "branch")}
        fields |= {name: self.value(value) for name, value in names.items()}
        messages: list[dict[str, Any]] = []
        body = bytearray()
        for message, text in self._texts(stored):
            messages.append({**message, "span": [len(body), len(body) + len(text)]})
            body += text + _BETWEEN
        known = {name: value for name, value in fields.items() if value not in (None, [], "")}
        markdown = bytes(body)
        known |= {"project": project, "messages": messages, "content_sha256": sha256(markdown).hexdigest()}
        return StoredText(Sidecar(known), markdown, altered=False)

    def _texts(self, stored: StoredText) -> Iterator[tuple[dict[str, Any], bytes]]:
        messages = own_messages(stored.sidecar)
        for message, text in zip(messages, searchable_texts(stored.sidecar, stored.markdown), strict=True):
            kept = {name: message[name] for name in ("role", "origin", "at") if message.get(name) is not None}
            yield kept, self.text(text).encode()


def _terms(text: str) -> tuple[list[str], list[str]]:
    found = analyze(text)
    return found.words, found.names
