"""The mapped copy answers as the table does that it is a copy of, and only while it is its newest version."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from aicx.types import Candidate, Document, Part
from indexer.passages import Windows
from indexer.vector_table import Columns, EmbeddingModel, Location
from indexer.vectors import Upkeep, VectorIndexWriter
from retrieval.dense import DenseSearcher
from retrieval.embedders import Embedder, EmbedderSettings, open_embedder
from retrieval.mapped import MappedTable
from retrieval.questions import AnyOf, Between, Condition, NoneOf, OneOf
from tests.parts import require

pytestmark = pytest.mark.filterwarnings("ignore")  # lancedb's own

WORDS = ("mend", "car", "bread", "flour", "branch", "parser", "date", "shed", "oven", "weir", "heron")
QUESTIONS = ("mend the car", "bread and flour", "a heron by the weir", "parser")
CONDITIONS: dict[str, Sequence[Condition]] = {
    "all": (),
    "none": (OneOf("project", ()),),
    "one of": (OneOf("project", ("it's/2", "it's/0")),),
    "none of": (NoneOf("branch", ("main",)),),
    "between": (Between("started_at", 40, 190),),
    "any of": (AnyOf((OneOf("project", ("it's/1",)), Between("started_at", high=7))),),
}


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    require("semantic")
    return open_embedder("test", EmbedderSettings(tmp_path_factory.mktemp("m"), max_tokens=32))


def document(number: int) -> Document:
    said = " ".join(WORDS[(number * 7 + place * place) % len(WORDS)] for place in range(5 + number * 3 % 60))
    columns = {"project": f"it's/{number % 5}", "branch": ("main", "dev", None)[number % 3], "started_at": number}
    return Document(f"d{number:03d}", "1", "", (Part(said),), columns)


def write(folder: Path, embedder: Embedder, documents: Sequence[Document], **upkeep: Any) -> None:
    model = EmbeddingModel(
        "m", embedder.fingerprint, embedder.dimensions, Windows(16, 4), embedder.embed, embedder.token_ends
    )
    by_id = {one.id: one for one in documents}
    index = VectorIndexWriter(
        Location(str(folder)), Columns(("project", "branch"), ("started_at",)), model, Upkeep(**upkeep)
    )
    index.sync(dict.fromkeys(by_id, "1"), lambda ids: [by_id[name] for name in ids])


@pytest.fixture(scope="module")
def both(embedder: Embedder, tmp_path_factory: pytest.TempPathFactory) -> tuple[DenseSearcher, DenseSearcher]:
    """A table of several commits asked through its copy, and the same table itself."""
    mapped, alone = tmp_path_factory.mktemp("mapped"), tmp_path_factory.mktemp("alone")
    write(mapped, embedder, [document(number) for number in range(150, 300)])
    write(mapped, embedder, [document(number) for number in range(299)], documents_at_once=32, commit_passages=50)
    shutil.copytree(mapped, alone, dirs_exist_ok=True)
    shutil.rmtree(alone / "vectors.lance" / "mapped")
    found = DenseSearcher(str(mapped), "vectors", embedder), DenseSearcher(str(alone), "vectors", embedder)
    assert [isinstance(searcher._table, MappedTable) for searcher in found] == [True, False]
    return found


def scores(candidates: Sequence[Candidate]) -> dict[str, Any]:
    return {one.id: pytest.approx(one.score, abs=5e-4) for one in candidates}


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.slow
def test_the_copy_answers_as_the_table(
    both: tuple[DenseSearcher, DenseSearcher], embedder: Embedder, question: str, condition: str
) -> None:
    mapped, table = both
    vector, where = embedder.embed([question])[0], CONDITIONS[condition]
    found = mapped.search_near(vector, where, 300)
    assert {one.id: one.score for one in found} == scores(table.search_near(vector, where, 300))
    assert bool(found) == (condition != "none")
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    few = mapped.search_near(vector, where, 7)
    assert few == found[:7]
    assert mapped.places(few) == table.places(few)
    named = ["d003", "d120", "d298", "absent"]
    assert {one.id: one.score for one in mapped.scores(vector, named)} == scores(table.scores(vector, named))
    spreads = mapped.spread(vector, where), table.spread(vector, where)
    if condition == "none":
        assert spreads == (None, None)
    else:
        assert None not in spreads
        assert [spreads[0].zero, spreads[0].unit] == pytest.approx([spreads[1].zero, spreads[1].unit], abs=5e-4)


def test_the_copy_takes_the_sample_of_the_table(both: tuple[DenseSearcher, DenseSearcher], embedder: Embedder) -> None:
    vector = embedder.embed(["mend the car"])[0]
    spreads = [
        DenseSearcher(searcher._uri, "vectors", embedder, exact=100, sample=60).spread(vector, []) for searcher in both
    ]
    assert None not in spreads
    assert [spreads[0].zero, spreads[0].unit] == pytest.approx([spreads[1].zero, spreads[1].unit], abs=5e-4)
    assert spreads[0] != both[0].spread(vector, [])


def test_equal_passages_have_equal_scores_and_come_in_the_order_of_ids(embedder: Embedder, tmp_path: Path) -> None:
    texts = ["mend the car " * 4, "mend the car"]
    documents = [Document(f"d{n:03d}", "1", "", (Part(texts[n % 2 and n > 3]),), {}) for n in range(60)]
    write(tmp_path, embedder, documents)
    found = DenseSearcher(str(tmp_path), "vectors", embedder).search("mend the car today", [], 100)
    by_score: dict[float, list[str]] = {}
    for one in found:
        by_score.setdefault(one.score, []).append(one.id)
    assert len(by_score) <= 2
    assert all(ids == sorted(ids) for ids in by_score.values())


def test_a_copy_of_an_older_version_is_passed_over(embedder: Embedder, tmp_path: Path) -> None:
    write(tmp_path, embedder, [document(1)])
    shutil.copytree(tmp_path / "vectors.lance" / "mapped", tmp_path / "kept")
    searcher = DenseSearcher(str(tmp_path), "vectors", embedder)
    write(tmp_path, embedder, [document(1), document(2)])
    shutil.rmtree(tmp_path / "vectors.lance" / "mapped")
    shutil.copytree(tmp_path / "kept", tmp_path / "vectors.lance" / "mapped")
    assert {one.id for one in searcher.search("car", [], 5)} == {"d001", "d002"}


def test_an_open_table_goes_over_to_the_copy_that_is_made_later(embedder: Embedder, tmp_path: Path) -> None:
    write(tmp_path, embedder, [document(1)], mapped_rows=0)
    searcher = DenseSearcher(str(tmp_path), "vectors", embedder)
    before = searcher.search("car", [], 5)
    assert not isinstance(searcher._table, MappedTable)
    write(tmp_path, embedder, [document(1)])
    assert [one.id for one in searcher.search("car", [], 5)] == [one.id for one in before]
    assert isinstance(searcher._table, MappedTable)


@pytest.mark.parametrize("name", ["about.json", "documents.sqlite", "places.npy", "scales.npy", "vectors.npy"])
@pytest.mark.parametrize("how", ["junk", "gone"])
@pytest.mark.slow
def test_the_table_answers_where_its_copy_is_damaged(embedder: Embedder, tmp_path: Path, name: str, how: str) -> None:
    write(tmp_path, embedder, [document(1)])
    [path] = (tmp_path / "vectors.lance" / "mapped").glob(f"*/{name}")
    path.unlink() if how == "gone" else path.write_bytes(b"junk" * 9)
    searcher = DenseSearcher(str(tmp_path), "vectors", embedder)
    assert not isinstance(searcher._table, MappedTable)
    assert [one.id for one in searcher.search("car", [], 5)] == ["d001"]


def test_a_large_table_is_not_copied(embedder: Embedder, tmp_path: Path) -> None:
    write(tmp_path, embedder, [document(1)])
    write(tmp_path, embedder, [document(number) for number in range(9)], mapped_rows=8)
    assert not (tmp_path / "vectors.lance" / "mapped").exists()
    assert DenseSearcher(str(tmp_path), "vectors", embedder).search("car", [], 5)


def test_what_a_killed_run_left_of_a_copy_goes_and_the_copy_is_made(embedder: Embedder, tmp_path: Path) -> None:
    write(tmp_path, embedder, [document(1)])
    [copy] = (tmp_path / "vectors.lance" / "mapped").iterdir()
    (copy / "vectors.npy").unlink()
    copy.rename(copy.with_name(f"{copy.name}.new"))
    assert [one.id for one in DenseSearcher(str(tmp_path), "vectors", embedder).search("car", [], 5)] == ["d001"]
    write(tmp_path, embedder, [document(1)])
    assert [path.name for path in copy.parent.iterdir()] == [copy.name]
    assert isinstance(DenseSearcher(str(tmp_path), "vectors", embedder)._table, MappedTable)
