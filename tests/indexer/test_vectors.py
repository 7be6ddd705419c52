"""The vector table: in step with its documents after every run, however the run before ended."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from aicx.errors import AicxError, CorpusDamaged, MissingExtra, NotFound, UsageError
from aicx.types import Document, Part
from indexer.passages import Windows, cut
from indexer.vector_table import Columns, EmbeddingModel, Location, OtherModel, drop_table, table_status
from indexer.vectors import ReportsProgress, Upkeep, VectorIndexWriter
from tests.forked import Piped
from tests.indexer.test_passages import words
from tests.parts import require

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # lancedb's own

COLUMNS = Columns(texts=("project", "agent"), numbers=("started_at",), keywords=("agent",))


def embed(texts: Sequence[str]) -> Any:
    import numpy as np

    rows = [[float(sum(map(ord, text)) % 97 + 1), float(len(text)), 1.0, 2.0] for text in texts]
    vectors = np.array(rows, dtype=np.float32).reshape(-1, 4)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


MODEL = EmbeddingModel("tiny", "f1", 4, Windows(20, 2), embed, words)


class Corpus:
    """Documents to hand out, and a note of which were asked for."""

    def __init__(self, *documents: Document) -> None:
        self.documents = {document.id: document for document in documents}
        self.asked: list[str] = []

    def versions(self) -> dict[str, str]:
        return {document.id: document.version for document in self.documents.values()}

    def fetch(self, ids: Sequence[str]) -> Iterable[Document]:
        self.asked += ids
        return [self.documents[document_id] for document_id in ids if document_id in self.documents]


def document(name: str, words: int = 60, version: str = "1", **columns: str | int | None) -> Document:
    return Document(name, version, f"about {name}", (Part(f"{name} says " * (words // 2)),), columns)


@pytest.fixture
def location(tmp_path: Path) -> Location:
    require("semantic")
    return Location(str(tmp_path / "db"))


def index(location: Location, model: EmbeddingModel = MODEL, **upkeep: Any) -> VectorIndexWriter:
    return VectorIndexWriter(location, COLUMNS, model, Upkeep(**{"grace": timedelta(0), **upkeep}))


def table_of(location: Location) -> Any:
    import lancedb

    return lancedb.connect(location.uri).open_table(location.table)


def rows(location: Location) -> list[dict[str, Any]]:
    return table_of(location).to_arrow().to_pylist()


def passages(location: Location) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for row in rows(location):
        found.setdefault(row["id"], []).append(row["ordinal"])
    return {name: sorted(ordinals) for name, ordinals in sorted(found.items())}


def test_every_passage_of_every_document_is_written(location: Location) -> None:
    corpus = Corpus(document("a"), document("b", 200))
    done = index(location).sync(corpus.versions(), corpus.fetch)
    assert (done.added, done.changed, done.removed) == (2, 0, 0)
    assert passages(location).keys() == {"a", "b"}
    assert all(ordinals == list(range(len(ordinals))) for ordinals in passages(location).values())
    assert done.passages == len({row["vector"][0] for row in rows(location)})


def test_what_is_said_again_is_embedded_once(location: Location) -> None:
    seen: list[str] = []

    def count(texts: Sequence[str]) -> Any:
        seen.extend(texts)
        return embed(texts)

    same = Part("the same words in every session")
    found = [Document(name, "1", "", (same, Part(f"and {name}")), {}) for name in "abc"]
    corpus = Corpus(*found)
    done = index(location, replace(MODEL, embed=count), documents_at_once=1).sync(corpus.versions(), corpus.fetch)
    assert (seen.count(same.text), done.passages, len(rows(location))) == (1, 4, 6)


def test_columns_are_written_with_what_is_missing_as_null(location: Location) -> None:
    corpus = Corpus(document("a", 4, project="p/q", started_at=12))
    index(location).sync(corpus.versions(), corpus.fetch)
    assert [(row["project"], row["agent"], row["started_at"]) for row in rows(location)] == [("p/q", None, 12)]


def test_an_unchanged_document_is_not_even_fetched(location: Location) -> None:
    corpus = Corpus(document("a"), document("b"))
    index(location).sync(corpus.versions(), corpus.fetch)
    corpus.asked.clear()
    done = index(location).sync(corpus.versions(), corpus.fetch)
    assert (done.unchanged, corpus.asked) == (2, [])


def test_a_changed_document_is_replaced_whole(location: Location) -> None:
    corpus = Corpus(document("a", 200), document("b"))
    index(location).sync(corpus.versions(), corpus.fetch)
    corpus.documents["a"] = document("a", 4, version="2")
    done = index(location).sync(corpus.versions(), corpus.fetch)
    assert (done.added, done.changed, done.unchanged) == (0, 1, 1)
    assert passages(location)["a"] == [0]


def test_new_and_changed_documents_are_written_together(location: Location) -> None:
    corpus = Corpus(document("a"))
    index(location).sync(corpus.versions(), corpus.fetch)
    corpus = Corpus(document("a", 100, version="2"), document("c", 100))
    done = index(location).sync(corpus.versions(), corpus.fetch)
    assert (done.added, done.changed) == (1, 1)
    assert {row["version"] for row in rows(location) if row["id"] == "a"} == {"2"}


def test_gone_documents_leave(location: Location) -> None:
    corpus = Corpus(document("a"), document("it's; DROP"))
    index(location).sync(corpus.versions(), corpus.fetch)
    del corpus.documents["it's; DROP"]
    assert index(location).sync(corpus.versions(), corpus.fetch).removed == 1
    assert passages(location).keys() == {"a"}


def test_a_document_that_cannot_be_fetched_any_more_leaves(location: Location) -> None:
    corpus = Corpus(document("a"), document("b"))
    index(location).sync(corpus.versions(), corpus.fetch)
    versions = {"a": "1", "b": "2"}
    del corpus.documents["b"]
    assert index(location).sync(versions, corpus.fetch).removed == 1
    assert passages(location).keys() == {"a"}


def test_another_model_is_refused_and_nothing_changes(location: Location) -> None:
    corpus = Corpus(document("a"))
    index(location).sync(corpus.versions(), corpus.fetch)
    before = rows(location)
    with pytest.raises(OtherModel, match="made with tiny"):
        index(location, replace(MODEL, fingerprint="f2")).sync(corpus.versions(), corpus.fetch)
    assert rows(location) == before


@pytest.mark.parametrize("other", [{"windows": Windows(30, 2)}, {"least_weight": 0.5}])
def test_another_cut_is_refused(location: Location, other: dict[str, Any]) -> None:
    corpus = Corpus(document("a"))
    index(location).sync(corpus.versions(), corpus.fetch)
    with pytest.raises(OtherModel):
        index(location, replace(MODEL, **other)).sync(corpus.versions(), corpus.fetch)


def test_rebuild_replaces_the_table_of_another_model(location: Location) -> None:
    corpus = Corpus(document("a"))
    index(location).sync(corpus.versions(), corpus.fetch)
    other = replace(MODEL, fingerprint="f2", dimensions=3, embed=lambda texts: embed(texts)[:, :3])
    done = index(location, other).sync(corpus.versions(), corpus.fetch, rebuild=True)
    assert done.added == 1
    status = table_status(location)
    assert status is not None
    assert (status.dimensions, status.versions) == (3, {"a": "1"})


def test_vectors_of_a_wrong_size_are_refused(location: Location) -> None:
    corpus = Corpus(document("a"))
    with pytest.raises(AicxError, match="4 dimensions"):
        index(location, replace(MODEL, embed=lambda texts: embed(texts)[:, :3])).sync(corpus.versions(), corpus.fetch)


def test_a_column_of_the_indexs_own_is_refused(location: Location) -> None:
    with pytest.raises(UsageError, match="vector"):
        VectorIndexWriter(location, Columns(("vector",), ()), MODEL)


def test_status_tells_documents_model_and_rows(location: Location) -> None:
    corpus = Corpus(document("a"), document("b"))
    index(location).sync(corpus.versions(), corpus.fetch)
    status = table_status(location)
    assert status is not None
    assert (status.model, status.versions, status.rows) == ("tiny", {"a": "1", "b": "1"}, len(rows(location)))


def test_status_and_drop_of_no_table(location: Location) -> None:
    assert table_status(location) is None
    with pytest.raises(NotFound):
        drop_table(location)


def test_a_dropped_table_is_gone(location: Location) -> None:
    corpus = Corpus(document("a"))
    index(location).sync(corpus.versions(), corpus.fetch)
    drop_table(location)
    assert table_status(location) is None


def test_a_corrupt_table_says_what_to_do(location: Location) -> None:
    corpus = Corpus(document("a"))
    index(location).sync(corpus.versions(), corpus.fetch)
    for path in (Path(location.uri) / "vectors.lance" / "_versions").iterdir():
        path.write_bytes(b"junk")
    with pytest.raises(CorpusDamaged) as raised:
        index(location).sync(corpus.versions(), corpus.fetch)
    assert "aicx index drop" in str(raised.value.hint)


@pytest.mark.parametrize("uri", ["folder", "s3://team/orbit", "db://orbit"])
def test_every_address_without_lancedb_says_what_to_install(
    location: Location, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, uri: str
) -> None:
    monkeypatch.setitem(sys.modules, "lancedb", None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingExtra) as raised:
        index(Location(uri)).sync({}, Corpus().fetch)
    assert raised.value.extra == "semantic"


def test_looking_for_a_table_that_is_not_there_makes_no_folder(location: Location) -> None:
    assert table_status(location) is None
    assert not Path(location.uri).exists()


@pytest.mark.needs("semantic")
def test_a_database_in_memory_can_be_filled(location: Location) -> None:
    corpus = Corpus(document("a"))
    assert index(Location("memory://")).sync(corpus.versions(), corpus.fetch).added == 1


def test_progress_ends_at_the_total(location: Location) -> None:
    corpus = Corpus(*(document(f"d{number}", 4) for number in range(150)))
    seen: list[ReportsProgress] = []
    index(location).sync(corpus.versions(), corpus.fetch, progress=seen.append)
    assert [(item.done, item.total) for item in seen] == [(0, 150), (64, 150), (128, 150), (150, 150)]
    assert seen[-1].rate > 0


def test_many_small_runs_do_not_grow_the_folder(location: Location) -> None:
    corpus = Corpus(*(document(f"d{number}", 100) for number in range(100)))
    index(location).sync(corpus.versions(), corpus.fetch)
    sizes = []
    for run in range(40):
        corpus.documents["d7"] = document("d7", 100, version=str(run + 2))
        index(location).sync(corpus.versions(), corpus.fetch)
        sizes.append(sum(path.stat().st_size for path in Path(location.uri).rglob("*") if path.is_file()))
    # Small pieces pile up until they are merged, so the folder breathes; it must not climb from one merge to the next.
    assert max(sizes[20:]) <= 1.1 * max(sizes[:20]) + 20_000


def test_versions_within_the_grace_are_kept(location: Location) -> None:
    corpus = Corpus(document("a"))
    index(location).sync(corpus.versions(), corpus.fetch)
    reader = table_of(location)
    for run in range(16):
        corpus.documents["a"] = document("a", version=str(run + 2))
        index(location, grace=timedelta(minutes=5)).sync(corpus.versions(), corpus.fetch)
    assert {row["version"] for row in reader.to_arrow().to_pylist()} == {"1"}


def test_indexes_are_made_when_there_are_enough_rows(location: Location) -> None:
    corpus = Corpus(*(document(f"d{number}", 40, agent="x", started_at=number) for number in range(150)))
    index(location, index_rows=300, mapped_rows=0).sync(corpus.versions(), corpus.fetch)
    status = table_status(location)
    assert status is not None
    assert {"agent_idx", "id_idx", "started_at_idx", "vector_idx"} <= set(status.indexes)


def test_no_index_is_made_for_few_rows(location: Location) -> None:
    corpus = Corpus(document("a"))
    index(location).sync(corpus.versions(), corpus.fetch)
    status = table_status(location)
    assert status is not None
    assert status.indexes == ()


class _Lacking:
    """A table whose client has none of the calls for upkeep, as lancedb's own say so; else as the one it is given."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __getattr__(self, name: str) -> Any:
        if name in ("list_versions", "stats", "optimize", "list_indices", "create_index", "cleanup_old_versions"):
            raise NotImplementedError(f"{name}() is not supported on LanceDB Cloud")
        return getattr(self._table, name)


def test_a_service_whose_client_lacks_upkeep_is_written_and_gone_on_with(
    location: Location, monkeypatch: pytest.MonkeyPatch
) -> None:
    import lancedb

    local = lancedb.connect(location.uri)

    class Service:
        def create_table(self, *of: Any, **how: Any) -> Any:
            return _Lacking(local.create_table(*of, **how))

        def open_table(self, name: str) -> Any:
            return _Lacking(local.open_table(name))

    monkeypatch.setattr(lancedb, "connect", lambda *_, **__: Service())
    corpus, service = Corpus(document("a"), document("b"), document("c")), Location("db://shared")
    assert index(service, index_rows=1).sync(corpus.versions(), corpus.fetch).added == 3
    corpus.documents["a"] = document("a", version="2")
    del corpus.documents["b"]
    done = index(service, index_rows=1).sync(corpus.versions(), corpus.fetch)
    assert (done.changed, done.removed, done.unchanged) == (1, 1, 1)
    assert {row["id"]: row["version"] for row in local.open_table("vectors").to_arrow().to_pylist()} == {
        "a": "2",
        "c": "1",
    }


# Being killed ---------------------------------------------------------------------------------------------------------

_RUN = """
import time
import indexer.vectors as vectors
from tests.indexer.test_vectors import COLUMNS, MODEL, Corpus, document
from dataclasses import replace
def slowly(texts):
    time.sleep(0.01)
    return MODEL.embed(texts)
corpus = Corpus(*(document(f"d{n:03}", 60, version=VERSION) for n in range(120)))
upkeep = vectors.Upkeep(documents_at_once=4, commit_passages=20)
index = vectors.VectorIndexWriter(vectors.Location(ADDRESS), COLUMNS, replace(MODEL, embed=slowly), upkeep)
print("ready", flush=True)
index.sync(corpus.versions(), corpus.fetch)
"""


@contextmanager
def running(location: Location, version: str) -> Iterator[Piped]:
    """A process that has begun to write 120 documents of ``version``."""
    code = _RUN.replace("ADDRESS", repr(location.uri)).replace("VERSION", repr(version))
    with Piped((), os.environ, code=code, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process


def corpus_of(version: str) -> Corpus:
    return Corpus(*(document(f"d{number:03}", 60, version=version) for number in range(120)))


@pytest.mark.parametrize(("seconds", "how"), [(0.15, signal.SIGKILL), (0.4, signal.SIGKILL), (0.3, signal.SIGINT)])
def test_a_killed_run_leaves_whole_documents_and_the_next_goes_on(location: Location, seconds: float, how: int) -> None:
    corpus = corpus_of("1")
    index(location).sync(corpus.versions(), corpus.fetch)
    whole = passages(location)["d000"]
    with running(location, "2") as process:
        time.sleep(seconds)
        process.send_signal(how)
    left = passages(location)
    assert list(left) == list(corpus.documents)
    assert all(ordinals == whole for ordinals in left.values())
    replaced = len({row["id"] for row in rows(location) if row["version"] == "2"})
    newer = corpus_of("2")
    done = index(location).sync(newer.versions(), newer.fetch)
    assert (done.changed, done.unchanged) == (120 - replaced, replaced)
    assert {row["version"] for row in rows(location)} == {"2"}


def test_a_first_run_that_is_killed_is_gone_on_with(location: Location) -> None:
    with running(location, "1") as process:
        time.sleep(0.3)
        process.send_signal(signal.SIGKILL)
    corpus = corpus_of("1")
    done = index(location).sync(corpus.versions(), corpus.fetch)
    assert done.added + done.unchanged == 120
    whole = list(range(len(cut(corpus.documents["d000"], MODEL.windows, MODEL.token_ends))))
    assert all(ordinals == whole for ordinals in passages(location).values())


def test_whoever_reads_during_a_run_sees_every_document_once_and_whole(location: Location) -> None:
    corpus = corpus_of("1")
    index(location).sync(corpus.versions(), corpus.fetch)
    whole = passages(location)
    mixed = 0
    with running(location, "2") as process:
        while not select.select([process.stdout], [], [], 0.02)[0]:  # until it ends
            seen = rows(location)
            found: dict[str, set[tuple[str, int]]] = {}
            for row in seen:
                found.setdefault(row["id"], set()).add((row["version"], row["ordinal"]))
            assert len(seen) == sum(map(len, found.values()))
            assert {name: len(keys) for name, keys in found.items()} == {name: len(o) for name, o in whole.items()}
            assert all(len({version for version, _ in keys}) == 1 for keys in found.values())
            mixed += len({row["version"] for row in seen}) == 2
    assert mixed
    assert process.returncode == 0
